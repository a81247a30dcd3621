"""nvgpu: boxes of tensors that the tensor memory accelerator copies by itself, in MLIR's names.

A tensor map says where a tensor lies, which box of it one copy takes, and in which order the box is put down. Upstream
makes maps on the host; here a kernel names the argument and the box, and the launch makes the map.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ...targets.tensor_maps import ELEMENTS, LONGEST_BOX, MOST_DIMENSIONS, PROMOTIONS, SWIZZLES, UNIT
from ..core import Operation, Value
from ..define import (
    instances_of,
    is_i1,
    is_i16,
    is_index,
    is_memref,
    operand,
    operands,
    optional_operand,
    result,
)
from ..memory_spaces import is_global, is_workgroup
from ..traits import LANDS, NOTHING, OBJECT_BYTES, READS
from ..types import DIALECT_TYPES, MemRefType, Type, memory_bits
from .constants import constant_int
from .nvgpu_mbarrier import PREDICATE, ObjectOp, check_number, check_own, is_barriers

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "swizzle": tuple(SWIZZLES),
    "l2promo": tuple(PROMOTIONS),
    "oob": ("zero", "nan"),
    "interleave": ("none", "interleave_16b", "interleave_32b"),
}


@dataclass(frozen=True, slots=True)
class TensorMapType(Type):
    """`tensor` is the box as it lies in workgroup memory; the rest says how a copy is made."""

    tensor: MemRefType
    swizzle: str = "none"
    l2promo: str = "none"
    oob: str = "zero"
    interleave: str = "none"

    mnemonic: ClassVar[str] = "nvgpu.tensormap.descriptor"

    @classmethod
    def parse(cls, parser: AttributeParser) -> TensorMapType:
        parser.expect("<")
        parser.expect("tensor")
        parser.expect("=")
        start, tensor = parser.token.start, parser.parse_type()
        if not isinstance(tensor, MemRefType) or not is_workgroup(tensor.memory_space) or None in tensor.shape:
            raise parser.error(f"a box is a static memref in workgroup memory, found {tensor}", start)
        chosen: dict[str, str] = {}
        for name, words in _CHOICES.items():
            parser.expect(",")
            parser.expect(name)
            parser.expect("=")
            start, chosen[name] = parser.token.start, parser.keyword()
            if chosen[name] not in words:
                raise parser.error(f"{name} is one of {', '.join(words)}, found {chosen[name]}", start)
        parser.expect(">")
        return cls(tensor, **chosen)

    def __str__(self) -> str:
        words = ", ".join(f"{name} = {getattr(self, name)}" for name in _CHOICES)
        return f"!{self.mnemonic}<tensor = {self.tensor}, {words}>"

    @property
    def box(self) -> tuple[int, ...]:
        """Elements along each dimension, outermost first."""
        return tuple(n or 0 for n in self.tensor.shape)

    @property
    def bytes(self) -> int:
        return prod(self.box) * memory_bits(self.tensor.element) // 8


DIALECT_TYPES[TensorMapType.mnemonic] = TensorMapType.parse
is_tensor_map = instances_of("a !nvgpu.tensormap.descriptor", TensorMapType)


class TmaCreateDescriptorOp(Operation, opname="nvgpu.tma.create.descriptor"):
    """The map of a kernel's argument, which the launch makes: boxes of `boxDimensions` elements, outermost first, with
    elements besides the tensor read as zeros, and not written. Copies through maps of one argument all load, and the
    kernel does not write it, or all store, and nothing else of the kernel writes it. Upstream takes an unranked memref,
    on the host."""

    pure = False
    tensor = operand(is_memref, NOTHING)
    boxDimensions = operands(is_index)
    tensorMap = result(is_tensor_map, view_of="tensor")
    assembly = "$tensor `box` `[` $boxDimensions `]` attr-dict `:` type($tensor) `->` type($tensorMap)"

    def verify(self, report: Report) -> None:
        type, map = self.tensor.type, self.tensorMap.type
        if not is_global(type.memory_space) or type.layout is not None:
            self.error(report, f"is of a whole buffer in global memory, row by row, found {type}")
        elif not 1 <= type.rank <= MOST_DIMENSIONS or type.rank != len(map.box):
            found = f"found {type.rank} and {len(map.box)}"
            self.error(report, f"takes 1 to {MOST_DIMENSIONS} dimensions, as many of the tensor as of the box, {found}")
        elif type.element != map.tensor.element or str(type.element) not in ELEMENTS:
            found = f"found {type.element} and {map.tensor.element}"
            self.error(report, f"takes elements of {', '.join(ELEMENTS)}, the same of tensor and box, {found}")
        elif [constant_int(v) for v in self.boxDimensions] != list(map.box):
            self.error(report, f"has box dimensions that are not those of its type, {list(map.box)}")
        else:
            self._check_box(map, report)

    def _check_box(self, map: TensorMapType, report: Report) -> None:
        row = map.box[-1] * memory_bits(map.tensor.element) // 8
        if max(map.box) > LONGEST_BOX or min(map.box) < 1:
            self.error(report, f"takes boxes of 1 to {LONGEST_BOX} elements along a dimension, found {list(map.box)}")
        elif row % UNIT or (SWIZZLES[map.swizzle] and row != SWIZZLES[map.swizzle]):
            wanted = SWIZZLES[map.swizzle] or f"a multiple of {UNIT}"
            self.error(report, f"takes boxes whose rows have {wanted} bytes with {map.swizzle}, found {row}")
        elif map.interleave != "none":
            self.error(report, f"takes tensors that are not interleaved, found {map.interleave}")
        elif map.oob != "zero":
            self.error(report, f"reads zeros outside of the tensor, found {map.oob}")


def unaligned(map: TensorMapType, first: int) -> str:
    """Why no box begins at this element of a row, in words; empty where one may. The chip ends kernels that ask for it
    (triton-lang/triton #7385, #8657; tile-ai/tilelang #2527), though no manual says so."""
    bits = first * memory_bits(map.tensor.element)
    if bits % (8 * UNIT) == 0:
        return ""
    place = f"element {first} of {map.tensor.element}, byte {bits // 8}"
    return f"begins boxes at multiples of {UNIT} bytes along the innermost dimension, found {place}"


def check_box(
    op: Operation,
    map: TensorMapType,
    coordinates: Sequence[Value],
    type: MemRefType,
    indices: Sequence[Value],
    way: str,
    report: Report,
) -> None:
    """Checks the box of a copy: its place in the tensor, and the buffer `to` or `from` which the box goes, from
    `indices` on."""
    if len(coordinates) != len(map.box):
        op.error(report, f"needs {len(map.box)} coordinates, found {len(coordinates)}")
    elif len(indices) not in (0, type.rank):
        op.error(report, f"needs {type.rank} indices for {type}, found {len(indices)}")
    elif not is_workgroup(type.memory_space) or type.element != map.tensor.element or None in type.shape:
        op.error(report, f"copies {map.tensor.element} {way} static workgroup memory, found {type}")
    elif not indices and type.shape != map.tensor.shape:
        op.error(report, f"copies a box of {list(map.box)} elements, found {type}")
    elif type.rank < len(map.box) or any(
        (n or 0) < m for n, m in zip(type.shape[type.rank - len(map.box) :], map.box, strict=True)
    ):
        op.error(report, f"copies a box of {list(map.box)} elements, too large for {type}")
    elif (first := constant_int(coordinates[0])) is not None and (why := unaligned(map, first)):
        op.error(report, why)


class TmaCopyOp(Operation):
    """Copies a box of a tensor, through a map of it."""

    pure = False
    through_async_proxy = True


class TmaAsyncLoadOp(TmaCopyOp, ObjectOp, opname="nvgpu.tma.async.load"):
    """Copies the box at `coordinates` of the tensor, innermost first, to workgroup memory; the object counts its bytes
    as they come, all of the box, whether inside of the tensor or not. Until then nobody touches what it writes.

    With `multicastMask` the box comes to the same place of every workgroup of the cluster whose bit is set, counted
    from the lowest, and the object there counts it. Where the predicate does not hold, nothing happens.

    `dstIndices` are where the box begins in the order of its buffer, which is that of the map (`ir/element_orders.py`).
    Without them, as upstream has it, that is the buffer's start."""

    begins = OBJECT_BYTES
    dst = operand(is_memref, LANDS)
    barriers = operand(is_barriers)
    tensorMapDescriptor = operand(is_tensor_map, READS)
    coordinates = operands(is_index)
    mbarId = operand(is_index)
    multicastMask = optional_operand(is_i16)
    predicate = optional_operand(is_i1)
    dstIndices = operands(is_index)
    own_groups = 1
    assembly = (
        "$tensorMapDescriptor `` `[` $coordinates `]` `,` $barriers `` `[` $mbarId `]` `to` $dst"
        f" (`` `[` $dstIndices^ `]`)? (`multicast_mask` `=` $multicastMask^)? {PREDICATE} attr-dict"
        " `:` type($tensorMapDescriptor) `,` type($barriers) `->` type($dst)"
    )

    @property
    def counted_by(self) -> Value:
        return self.barriers

    def used_elsewhere(self) -> Sequence[Value]:
        return () if self.multicastMask is None else (self.dst,)

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        check_own(self, self.barriers, report)
        check_box(self, self.tensorMapDescriptor.type, self.coordinates, self.dst.type, self.dstIndices, "to", report)
