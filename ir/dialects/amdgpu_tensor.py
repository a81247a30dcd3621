"""amdgpu: tiles of tensors that gfx1250's tensor data mover copies between global memory and LDS by itself.

A base says where the tile begins in both memories; a descriptor what of a tensor it is, row by row in LDS, innermost
dimension last. What is copied begins where the base says: sizes of the tensor count from there, zeros are read beyond
them, and nothing is written there. A wave copies once, and all of its lanes say the same: the tile is its first lane's
copy, which the others see behind a barrier, or in a barrier's state. From CDNA5's ISA document, "Tensor operations";
upstream's lowering has the two bits of gathering the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import (
    Constraint,
    exactly,
    is_i1,
    is_i32,
    is_index,
    is_memref,
    operand,
    operands,
    optional_operand,
    result,
    static_numbers_attribute,
    vectors,
)
from ..dynamic_index_list import merge
from ..memory_spaces import is_fat_buffer, is_global, is_workgroup
from ..traits import LANDS, LEAVES, NOTHING, READS, TENSOR_COUNTER, UPDATES, Effect
from ..types import DIALECT_TYPES, I1, I16, I32, Type, VectorType, memory_bits
from .amdgpu_barriers import check_barrier, is_barrier
from .constants import constant_int

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

MOST_DIMENSIONS, MOST_ITERATED = 5, 3
WIDTHS = (8, 16, 32, 64)
MOST_OF_TENSOR, MOST_OF_TILE, MOST_OF_STRIDE = (1 << 32) - 1, (1 << 16) - 1, (1 << 48) - 1
PADS, INTERVALS, ITERATIONS = range(1, 129), tuple(1 << n for n in range(1, 9)), range(1, 257)
"""Words of LDS that stay, after so many that are written; how often a tile is copied."""


@dataclass(frozen=True, slots=True)
class TdmBaseType(Type):
    """`index`: of a descriptor that gathers rows by numbers of this type."""

    element: Type
    index: Type | None = None

    @classmethod
    def parse(cls, parser: AttributeParser) -> TdmBaseType:
        parser.expect("<")
        element = parser.parse_type()
        parser.expect(">")
        return cls(element)

    @classmethod
    def parse_gather(cls, parser: AttributeParser) -> TdmBaseType:
        parser.expect("<")
        element = parser.parse_type()
        parser.expect(",")
        start, index = parser.token.start, parser.parse_type()
        parser.expect(">")
        if index not in (I16, I32):
            raise parser.error(f"rows are gathered by i16 or i32, found {index}", start)
        return cls(element, index)

    def __str__(self) -> str:
        if self.index is None:
            return f"!amdgpu.tdm_base<{self.element}>"
        return f"!amdgpu.tdm_gather_base<{self.element}, {self.index}>"


@dataclass(frozen=True, slots=True)
class TdmDescriptorType(Type):
    def __str__(self) -> str:
        return "!amdgpu.tdm_descriptor"


DESCRIPTOR = TdmDescriptorType()
DIALECT_TYPES["amdgpu.tdm_base"] = TdmBaseType.parse
DIALECT_TYPES["amdgpu.tdm_gather_base"] = TdmBaseType.parse_gather
DIALECT_TYPES[str(DESCRIPTOR)[1:]] = lambda parser: DESCRIPTOR
is_base: Constraint[TdmBaseType] = Constraint(
    "a !amdgpu.tdm_base", lambda t: isinstance(t, TdmBaseType) and t.index is None
)
is_gather_base: Constraint[TdmBaseType] = Constraint(
    "a !amdgpu.tdm_gather_base", lambda t: isinstance(t, TdmBaseType) and t.index is not None
)
is_descriptor = exactly(DESCRIPTOR)
is_mask: Constraint[VectorType] = Constraint("vector<16xi1>", lambda t: t == VectorType((16,), I1))
_ROWS = {(element, count) for element, most in ((I16, 16), (I32, 8)) for count in range(1, most + 1)}
is_rows = vectors(
    "a vector of up to 8 i32 or 16 i16",
    lambda t: t.rank == 1 and (t.element, t.elements) in _ROWS,
)


class MakeBaseOp(Operation):
    """Where tiles begin, in global memory and in LDS."""

    pure = True
    belongs_to = "thread"
    global_ = operand(is_memref, NOTHING)
    global_indices = operands(is_index)
    lds = operand(is_memref, NOTHING)
    lds_indices = operands(is_index)
    assembly = (
        "$global `` `[` $global_indices `]` `,` $lds `` `[` $lds_indices `]` attr-dict"
        " `:` type($global) `,` type($lds) `->` type($base)"
    )

    def verify(self, report: Report) -> None:
        found = self.results[0].type
        assert isinstance(found, TdmBaseType)
        for type, indices in ((self.global_.type, self.global_indices), (self.lds.type, self.lds_indices)):
            if len(indices) != type.rank:
                self.error(report, f"needs {type.rank} indices for {type}, found {len(indices)}")
        if not is_global(self.global_.type.memory_space) or is_fat_buffer(self.global_.type.memory_space):
            self.error(report, f"begins in global memory, found {self.global_.type}")
        if not is_workgroup(self.lds.type.memory_space):
            self.error(report, f"begins in workgroup memory (#gpu.address_space<workgroup>), found {self.lds.type}")
        element = self.global_.type.element
        if not element == self.lds.type.element == found.element:
            self.error(report, f"element types differ: {self.global_.type}, {self.lds.type} and {found}")
        elif not element.is_vector and memory_bits(element) not in WIDTHS:
            self.error(report, f"is of elements of 1, 2, 4 or 8 bytes, found {element}")


class MakeDmaBaseOp(MakeBaseOp, opname="amdgpu.make_dma_base"):
    base = result(is_base)


class MakeGatherDmaBaseOp(MakeBaseOp, opname="amdgpu.make_gather_dma_base"):
    """Where the tensor and the tile in LDS begin, for descriptors that gather rows, or scatter them."""

    base = result(is_gather_base)


_SHAPES = " ".join(
    f"`{word}` custom<DynamicIndexList>(${whose}_dynamic_{what}, ${whose}_static_{what})"
    for word, whose, what in (
        *(("globalSize", "global", "sizes"), ("globalStride", "global", "strides")),
        ("sharedSize", "shared", "sizes"),
    )
)
_EXTRAS = (
    "(`padShared` `` `(` $pad_amount^ `every` $pad_interval `)`)?"
    " (`workgroupMask` $workgroup_mask^)? (`earlyTimeout` $early_timeout^)?"
    " (`atomicBarrier` `` `(` $atomic_barrier_address^ `` `[` $atomic_barrier_indices `]`"
    " `:` type($atomic_barrier_address) `)`)? (`iterate` $global_increment^ `,` $lds_increment `,` $iteration_count)?"
)


class MakeDescriptorOp(Operation):
    """`globalSize [8, %n] globalStride [64, 1] sharedSize [4, 16] padShared(%amount every %interval)
    workgroupMask %mask earlyTimeout %t atomicBarrier(%b[%i] : type) iterate %global, %lds, %times`: sizes, strides and
    increments count elements, padding counts words of four bytes."""

    pure = True
    belongs_to = "thread"
    on_lane_vectors = True
    gathers: ClassVar[bool]
    global_static_sizes = static_numbers_attribute()
    global_static_strides = static_numbers_attribute()
    shared_static_sizes = static_numbers_attribute()

    def part(self, name: str) -> tuple[Value, ...]:
        """The operands of a group."""
        found: tuple[Value, ...] = next(group for group in self.operand_groups if group.name == name).group(self)
        return found

    def one(self, name: str) -> Value | None:
        return next(iter(self.part(name)), None)

    @property
    def maker(self) -> MakeBaseOp | None:
        """What made the base; None where nobody sees it."""
        made = self.part("base")[0].operation
        return made if isinstance(made, MakeBaseOp) else None

    @property
    def rows(self) -> Value | None:
        """The numbers of the rows that are gathered."""
        return self.part("indices")[0] if self.gathers else None

    @property
    def sizes(self) -> list[int | Value]:
        """Extents of the tensor from where the tile begins, in elements, outermost first."""
        return merge(self.global_static_sizes, self.part("global_dynamic_sizes"))

    @property
    def strides(self) -> list[int | Value]:
        return merge(self.global_static_strides, self.part("global_dynamic_strides"))

    @property
    def tile(self) -> list[int | Value]:
        return merge(self.shared_static_sizes, self.part("shared_dynamic_sizes"))

    def verify(self, report: Report) -> None:
        self._verify_shape(report)
        self._verify_extras(report)
        if self.maker is None:
            self.error(report, "has a base that no operation here makes: descriptors say where tiles begin themselves")

    def _verify_shape(self, report: Report) -> None:
        rank = len(self.sizes)
        if rank != len(self.strides) or rank != len(self.tile):
            found = f"{rank} sizes, {len(self.strides)} strides, {len(self.tile)} of the tile"
            self.error(report, f"is of one rank, found {found}")
            return
        most = 2 if self.gathers else MOST_ITERATED if self.part("iteration_count") else MOST_DIMENSIONS
        if not (2 if self.gathers else 1) <= rank <= most:
            least = "2" if self.gathers else f"1 to {most}"
            self.error(report, f"is of {least} dimensions, found {rank}")
        elif self.strides[-1] != 1:
            self.error(report, "is of rows whose elements are neighbours: the innermost stride is 1")
        limits = (
            (self.sizes, MOST_OF_TENSOR, "size"),
            (self.tile, MOST_OF_TILE, "extent"),
            (self.strides, MOST_OF_STRIDE, "stride"),
        )
        for values, most, word in limits:
            for value in values:
                known = value if isinstance(value, int) else constant_int(value)
                if known is not None and not (1 if word == "extent" else 0) <= known <= most:
                    self.error(report, f"has the {word} {known}, of at most {most}")
        count = getattr(self.rows.type, "elements", 0) if self.rows is not None else self.tile[0]
        if isinstance(self.tile[0], int) and count != self.tile[0]:
            self.error(report, f"gathers {count} rows to a tile of {self.tile[0]}")

    def _verify_extras(self, report: Report) -> None:
        def known(name: str) -> int | None:
            value = self.one(name)
            return None if value is None else constant_int(value)

        for name, allowed, words in (
            ("pad_amount", PADS, "leaves out 1 to 128 words"),
            ("pad_interval", INTERVALS, "leaves words out after 2, 4, 8, .. or 256"),
            ("iteration_count", ITERATIONS, "is repeated 1 to 256 times"),
        ):
            if (number := known(name)) is not None and number not in allowed:
                self.error(report, f"{words}, found {number}")
        if self.part("early_timeout") and not self.part("workgroup_mask"):
            self.error(report, "has earlyTimeout, which goes with workgroupMask")
        if self.gathers and self.part("iteration_count"):
            self.error(report, "gathers rows, which is not repeated")
        barrier = self.one("atomic_barrier_address")
        if barrier is not None and is_barrier.admits(barrier):
            check_barrier(self, barrier, len(self.part("atomic_barrier_indices")), report)
        elif barrier is None and self.part("atomic_barrier_indices"):
            self.error(report, "has indices of a barrier, and none")
        index = getattr(self.part("base")[0].type, "index", None)
        if self.rows is not None and getattr(self.rows.type, "element", None) != index:
            self.error(report, f"gathers rows by {index}, found {self.rows.type}")


class MakeDmaDescriptorOp(MakeDescriptorOp, opname="amdgpu.make_dma_descriptor"):
    gathers = False
    base = operand(is_base)
    global_dynamic_sizes = operands(is_index)
    global_dynamic_strides = operands(is_index)
    shared_dynamic_sizes = operands(is_index)
    workgroup_mask = optional_operand(is_mask)
    early_timeout = optional_operand(is_i1)
    pad_amount = optional_operand(is_i32)
    pad_interval = optional_operand(is_i32)
    atomic_barrier_address = optional_operand(is_barrier, NOTHING)
    atomic_barrier_indices = operands(is_index)
    global_increment = optional_operand(is_index)
    lds_increment = optional_operand(is_i32)
    iteration_count = optional_operand(is_index)
    desc = result(is_descriptor)
    assembly = f"$base {_SHAPES} {_EXTRAS} attr-dict `:` type($base) `->` type($desc)"


class MakeGatherDmaDescriptorOp(MakeDescriptorOp, opname="amdgpu.make_gather_dma_descriptor"):
    """`%base[%rows] ..`: rows of the tile are those of the tensor with these numbers, without sign."""

    gathers = True
    base = operand(is_gather_base)
    indices = operand(is_rows)
    global_dynamic_sizes = operands(is_index)
    global_dynamic_strides = operands(is_index)
    shared_dynamic_sizes = operands(is_index)
    workgroup_mask = optional_operand(is_mask)
    early_timeout = optional_operand(is_i1)
    pad_amount = optional_operand(is_i32)
    pad_interval = optional_operand(is_i32)
    atomic_barrier_address = optional_operand(is_barrier, NOTHING)
    atomic_barrier_indices = operands(is_index)
    global_increment = optional_operand(is_index)
    lds_increment = optional_operand(is_i32)
    iteration_count = optional_operand(is_index)
    desc = result(is_descriptor)
    assembly = f"$base `` `[` $indices `]` {_SHAPES} {_EXTRAS} attr-dict `:` type($base, $indices) `->` type($desc)"


class TensorCopyOp(Operation):
    """A wave copies the tile of a descriptor; its barrier is arrived at once, when that is done."""

    pure = False
    belongs_to = "thread"
    collective = "subgroup"
    begins = TENSOR_COUNTER
    desc = operand(is_descriptor)
    assembly = "$desc attr-dict `:` type($desc)"
    effects: ClassVar[tuple[Effect, Effect]]
    """On what the base names in global memory, and in LDS."""

    @property
    def descriptor(self) -> MakeDescriptorOp | None:
        """What made the descriptor; None where nobody sees it."""
        made = self.operands[0].operation
        return made if isinstance(made, MakeDescriptorOp) else None

    def touches(self) -> Sequence[tuple[Value, Effect]]:
        made = self.descriptor
        maker = None if made is None else made.maker
        if made is None or maker is None:
            return ()
        memrefs = list(zip((maker.global_, maker.lds), self.effects, strict=True))
        barrier = made.one("atomic_barrier_address")
        return [*memrefs, *([(barrier, UPDATES | Effect.LATER)] if barrier is not None else [])]

    def verify(self, report: Report) -> None:
        if self.descriptor is None:
            self.error(report, "has a descriptor that no operation here makes: what it touches would be unknown")


class TensorLoadToLDSOp(TensorCopyOp, opname="amdgpu.tensor_load_to_lds"):
    """From global memory to LDS, with what is left out for padding; zeros for what is outside of the tensor."""

    effects = READS, LANDS


class TensorStoreFromLDSOp(TensorCopyOp, opname="amdgpu.tensor_store_from_lds"):
    """From LDS, where the tile lies without gaps whatever the padding, to global memory; nothing outside of it."""

    effects = LANDS, LEAVES


BASES = MakeDmaBaseOp, MakeGatherDmaBaseOp
MAKERS = (*BASES, MakeDmaDescriptorOp, MakeGatherDmaDescriptorOp)
COPIES = TensorLoadToLDSOp, TensorStoreFromLDSOp
