"""lanewise.tcgen05: tensor memory and products that leave their accumulators there (sm_100a), as threads say it.

Upstream has the same operations in `nvvm` on bare pointers and descriptors; here tiles are buffers and parts of tensor
memory have a shape, and descriptors follow from these. The interpreter does at once what they begin; what is touched
too early the emulator reports.

Tensor memory is asynchronous. What `mma` and `cp` begin is over for those who waited for a barrier object that a later
`commit` of the same thread arrived at; what `ld` and `st` begin, after `wait_ld` and `wait_st`. A barrier of threads
orders tensor memory where `fence` stands before and after it (PTX ISA, "Memory Consistency Model for 5th generation of
TensorCore operations").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ...targets import MatrixInstruction, tcgen05
from ...targets.nvidia_fragments import TENSOR_MOVES
from ..attributes import StringAttr, UnitAttr
from ..core import Operation, Value
from ..define import (
    AttributeField,
    OperandField,
    attribute,
    carried_attribute,
    instances_of,
    int_attribute,
    is_i1,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    result,
    vectors,
)
from ..memory_spaces import is_workgroup
from ..traits import READS, TENSOR_COMMITS, TENSOR_LOADS, TENSOR_STORES, WRITES
from ..types import DIALECT_TYPES, I32, I64, IndexType, MemRefType, Type, VectorType, bit_width
from .constants import constant_int
from .nvgpu import element_names
from .nvgpu_mbarrier import check_number, is_barriers

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

_REGISTERS = (1, 2, 4, 8, 16, 32, 64, 128)
SHAPES: Mapping[str, tuple[int, int]] = {shape: (move.lanes, move.columns) for shape, move in TENSOR_MOVES.items()}
"""The shapes of ld and st: lanes, and columns of tensor memory of one repetition (PTX ISA, "tcgen05.ld")."""
COPY_SHAPES: Mapping[str, str] = {
    "128x256b": "128x256b", "4x256b": "4x256b", "128x128b": "128x128b",
    "64x128b.warpx2::02_13": "64x128b_warpx2_02_13", "64x128b.warpx2::01_23": "64x128b_warpx2_01_23",
    "32x128b.warpx4": "32x128b_warpx4",
}  # fmt: skip
"""The shapes of cp, as PTX and as LLVM spell them."""


@dataclass(frozen=True, slots=True)
class TensorMemoryType(Type):
    """A part of tensor memory: so many lanes, and columns of elements.

    Where `padded`, elements of 16 bits have a column of 32 bits each, whose lower half they are: so products leave
    accumulators of f16."""

    lanes: int
    columns: int
    element: Type
    padded: bool = False

    mnemonic: ClassVar[str] = "lanewise.tensor_memory"

    @classmethod
    def parse(cls, parser: AttributeParser) -> TensorMemoryType:
        """`<128x256xf32>`, `<128x256xf16, padded>`."""
        parser.expect("<")
        start, whole = parser.token.start, parser.vector_type()
        padded = parser.accept(",")
        if padded:
            parser.expect("padded")
        parser.expect(">")
        if whole.rank != 2:
            raise parser.error(f"tensor memory has lanes and columns, found {whole.rank} dimensions", start)
        lanes, columns = whole.shape
        found = cls(lanes, columns, whole.element, padded)
        bits = bit_width(found.element)
        if padded and bits != tcgen05.COLUMN_BITS // 2:
            raise parser.error(f"elements of {tcgen05.COLUMN_BITS // 2} bits are padded, found {found.element}", start)
        if found.lanes > tcgen05.LANES:
            raise parser.error(f"tensor memory has {tcgen05.LANES} lanes, found {found.lanes}", start)
        if bits not in (8, 16, 32) or (not padded and found.columns * bits % tcgen05.COLUMN_BITS):
            raise parser.error(f"rows are whole columns of {tcgen05.COLUMN_BITS} bits, found {whole}", start)
        if found.words > tcgen05.COLUMNS:
            words = f"found {found.words}"
            raise parser.error(f"tensor memory has {tcgen05.COLUMNS} columns of 32 bits, {words}", start)
        return found

    def __str__(self) -> str:
        return f"!{self.mnemonic}<{self.lanes}x{self.columns}x{self.element}{', padded' if self.padded else ''}>"

    @property
    def together(self) -> int:
        """Elements of a column of 32 bits."""
        return 1 if self.padded else tcgen05.COLUMN_BITS // bit_width(self.element)

    @property
    def words(self) -> int:
        """Columns of 32 bits."""
        return self.columns // self.together


DIALECT_TYPES[TensorMemoryType.mnemonic] = TensorMemoryType.parse
is_tensor_memory = instances_of("a !lanewise.tensor_memory", TensorMemoryType)
_is_part = vectors("a 1-D vector", lambda t: t.rank == 1)


class Tcgen05Op(Operation):
    """What threads do with tensor memory."""

    pure = False
    vendor = "nvidia"
    belongs_to = "thread"

    def check_place(self, report: Report, name: str, value: Value[MemRefType], indices: int) -> None:
        """An element of a buffer in workgroup memory."""
        if not is_workgroup(value.type.memory_space):
            self.error(report, f"{name} must be in workgroup memory, found {value.type}")
        if indices != value.type.rank:
            self.error(report, f"{name} needs {value.type.rank} indices, found {indices}")

    def check_slot(self, report: Report, slot: Value[MemRefType], indices: int) -> None:
        """Where an address is."""
        self.check_place(report, "slot", slot, indices)
        if slot.type.element != I32:
            self.error(report, f"slot must have elements of type i32, found {slot.type.element}")


# -- allocation -----------------------------------------------------------------------------------------------------


def _check_columns(op: Tcgen05Op, report: Report, columns: int) -> None:
    powers = [n for n in _REGISTERS if n >= tcgen05.LEAST_COLUMNS] + [256, tcgen05.COLUMNS]
    if columns not in powers:
        op.error(report, f"columns must be one of {', '.join(map(str, powers))}, found {columns}")


class Tcgen05SlotOp(Tcgen05Op):
    """What leaves or finds the address of tensor memory in workgroup memory."""

    slot: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]


class Tcgen05AllocOp(Tcgen05SlotOp, opname="lanewise.tcgen05.alloc"):
    """One subgroup takes `columns` columns of 32 bits, and waits until there are so many; where they begin is written
    to `slot`."""

    collective = "subgroup"
    slot = operand(is_memref, WRITES)
    indices = operands(is_index)
    columns = int_attribute(number=I32)
    assembly = "$slot `` `[` $indices `]` attr-dict `:` type($slot)"

    def verify(self, report: Report) -> None:
        self.check_slot(report, self.slot, len(self.indices))
        _check_columns(self, report, self.columns)


class Tcgen05AddressOp(Tcgen05SlotOp, opname="lanewise.tcgen05.address"):
    """The tensor memory whose address `alloc` left in `slot`, for those for whom that write is over."""

    slot = operand(is_memref, READS)
    indices = operands(is_index)
    res = result(is_tensor_memory)
    assembly = "$slot `` `[` $indices `]` attr-dict `:` type($slot) `->` type($res)"

    def verify(self, report: Report) -> None:
        self.check_slot(report, self.slot, len(self.indices))


class Tcgen05DeallocOp(Tcgen05Op, opname="lanewise.tcgen05.dealloc"):
    """One subgroup gives back what an alloc of as many columns took."""

    collective = "subgroup"
    memory = operand(is_tensor_memory)
    columns = int_attribute(number=I32)
    assembly = "$memory attr-dict `:` type($memory)"

    def verify(self, report: Report) -> None:
        _check_columns(self, report, self.columns)


class Tcgen05RelinquishOp(Tcgen05Op, opname="lanewise.tcgen05.relinquish_alloc_permit"):
    """No subgroup of this workgroup allocates any more."""

    collective = "subgroup"
    assembly = "attr-dict"


class Tcgen05PartOp(Tcgen05Op, opname="lanewise.tcgen05.part"):
    """What begins `lane` lanes and `column` elements further on."""

    pure = True
    belongs_to = "thread"
    memory = operand(is_tensor_memory)
    lane = operand(is_index)
    column = operand(is_index)
    res = result(is_tensor_memory)
    assembly = "$memory `` `[` $lane `,` $column `]` attr-dict `:` type($memory) `to` type($res)"

    def verify(self, report: Report) -> None:
        whole, part = self.memory.type, self.res.type
        bits = bit_width(part.element)
        if bits != bit_width(whole.element) or part.padded != whole.padded:
            padded = ", padded" if whole.padded else ""
            self.error(report, f"elements have {bit_width(whole.element)} bits{padded}, found {part}")
            return
        for name, value, extent, most in (
            ("lanes", self.lane, part.lanes, whole.lanes),
            ("columns", self.column, part.columns, whole.columns),
        ):
            start = constant_int(value)
            if extent > most or (start is not None and not 0 <= start <= most - extent):
                at = "" if start is None else f" from {start} on"
                self.error(report, f"is of {most} {name}, found {extent}{at}")
        start = constant_int(self.column)
        if start is not None and start % part.together:
            self.error(report, f"begins with a column of {tcgen05.COLUMN_BITS} bits, found element {start} of {bits}")


# -- products -------------------------------------------------------------------------------------------------------


class Tcgen05Product(Tcgen05Op):
    """What both products share; one thread starts them."""

    begins = TENSOR_COMMITS
    depth = int_attribute(number=I64)
    tf32Enabled = optional_attribute(UnitAttr)
    unsignedA = carried_attribute(UnitAttr)
    unsignedB = carried_attribute(UnitAttr)
    transposeB = optional_attribute(UnitAttr)

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def accumulator(self) -> TensorMemoryType:
        raise AssertionError

    @property
    def operand_types(self) -> tuple[Type, Type]:
        """Elements of A and B."""
        raise AssertionError

    @property
    def transposed(self) -> tuple[bool, bool]:
        """Whether, for A and B, K is not what is contiguous."""
        return False, self.transposeB is not None

    @property
    def found(self) -> MatrixInstruction | None:
        """The instruction; None where there is none."""
        names = element_names(self, *self.operand_types, self.accumulator.element)
        return tcgen05.find(self.accumulator.lanes, self.accumulator.columns, *names)

    @property
    def instruction(self) -> MatrixInstruction:
        """The instruction of a verified operation."""
        found = self.found
        assert found is not None, "verified"
        return found

    def verify(self, report: Report) -> None:
        a, b, c = element_names(self, *self.operand_types, self.accumulator.element)
        if a == "tf32" and self.tf32Enabled is None:
            self.error(
                report, "multiplies f32, which tensor cores do in tf32 precision only", "allow it: {tf32Enabled}"
            )
        found = self.found
        if found is None:
            shapes = tcgen05.shapes_of(a, b, c)
            hint = f"of these types accumulators are {shapes}" if shapes else "accumulators of these types do not exist"
            self.error(
                report,
                f"is no instruction: {self.accumulator.lanes} x {self.accumulator.columns} of {a} x {b} + {c}",
                hint,
            )
            return
        accumulator = self.accumulator
        expected = TensorMemoryType(accumulator.lanes, accumulator.columns, accumulator.element, padded=c == "f16")
        if accumulator != expected:
            self.error(report, f"accumulators of {c} must be {expected}, found {accumulator}")
        k = found.shape[2]
        if self.depth < 1 or self.depth % k:
            self.error(report, f"depth must be a multiple of {k}, found {self.depth}")
        for name, other, turned in zip("AB", (a, b), self.transposed, strict=True):
            if turned and other not in ("f16", "bf16"):
                self.error(report, f"matrix{name} is transposed, which is for elements of 16 bits, found {other}")
        self.check_operands(report)

    def check_operands(self, report: Report) -> None:
        raise AssertionError


class Tcgen05MmaOp(Tcgen05Product, opname="lanewise.tcgen05.mma"):
    """`matrixD = A * B`, or `matrixD + A * B` where `accumulate`: tiles of A and B begin at an element of two buffers
    in an order that tensor cores know, `depth` is their extent along K, M and N are those of `matrixD`.

    A tile lies along the last two dimensions of its buffer: rows of A, or columns of B, along the first of them and K
    along the other; the other way round where it is transposed. f32 is multiplied as tf32; integers are signed unless
    marked. Until a commit after it is waited for nobody writes the tiles, nor reads or writes the accumulators.
    """

    through_async_proxy = True
    matrixD = operand(is_tensor_memory)
    matrixA = operand(is_memref, READS)
    indicesA = operands(is_index)
    matrixB = operand(is_memref, READS)
    indicesB = operands(is_index)
    accumulate = operand(is_i1)
    transposeA = optional_attribute(UnitAttr)
    assembly = (
        "$matrixD `,` $matrixA `` `[` $indicesA `]` `,` $matrixB `` `[` $indicesB `]` `,` $accumulate attr-dict"
        " `:` type($matrixD) `,` type($matrixA) `,` type($matrixB)"
    )

    @property
    def accumulator(self) -> TensorMemoryType:
        return self.matrixD.type

    @property
    def operand_types(self) -> tuple[Type, Type]:
        return self.matrixA.type.element, self.matrixB.type.element

    @property
    def transposed(self) -> tuple[bool, bool]:
        return self.transposeA is not None, self.transposeB is not None

    def check_operands(self, report: Report) -> None:
        self.check_place(report, "matrixA", self.matrixA, len(self.indicesA))
        self.check_place(report, "matrixB", self.matrixB, len(self.indicesB))


class Tcgen05MmaHeldOp(Tcgen05Product, opname="lanewise.tcgen05.mma_held"):
    """A product as `mma` has it, of an A in tensor memory: row r of it is in lane r, elements along K one after the
    other."""

    through_async_proxy = True
    matrixD = operand(is_tensor_memory)
    matrixA = operand(is_tensor_memory)
    matrixB = operand(is_memref, READS)
    indicesB = operands(is_index)
    accumulate = operand(is_i1)
    assembly = (
        "$matrixD `,` $matrixA `,` $matrixB `` `[` $indicesB `]` `,` $accumulate attr-dict"
        " `:` type($matrixD) `,` type($matrixA) `,` type($matrixB)"
    )

    @property
    def accumulator(self) -> TensorMemoryType:
        return self.matrixD.type

    @property
    def operand_types(self) -> tuple[Type, Type]:
        return self.matrixA.type.element, self.matrixB.type.element

    def check_operands(self, report: Report) -> None:
        self.check_place(report, "matrixB", self.matrixB, len(self.indicesB))
        held = self.matrixA.type
        if (held.lanes, held.columns) != (self.accumulator.lanes, self.depth):
            expected = TensorMemoryType(self.accumulator.lanes, self.depth, held.element)
            self.error(report, f"matrixA must be {expected}, found {held}")


class Tcgen05CommitOp(Tcgen05Op, opname="lanewise.tcgen05.commit"):
    """Arrives at a barrier object once all that this thread began before with `mma` and `cp` is over."""

    commits = TENSOR_COMMITS
    barriers = operand(is_barriers)
    mbarId = operand(is_index)
    assembly = "$barriers `` `[` $mbarId `]` attr-dict `:` type($barriers)"

    @property
    def counted_by(self) -> Value:
        return self.barriers

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)


# -- moving data ----------------------------------------------------------------------------------------------------


def _check_moved(op: Tcgen05Op, report: Report, memory: TensorMemoryType, held: VectorType, shape: str) -> None:
    """What a subgroup moves between registers and tensor memory: lanes of `shape`, and columns as the registers say.
    Two padded elements share a register."""
    if shape not in SHAPES:
        op.error(report, f"shape must be one of {', '.join(SHAPES)}, found {shape}")
        return
    (lanes, columns), bits = SHAPES[shape], bit_width(memory.element)
    if bit_width(held.element) != bits or not (memory.padded or bits == tcgen05.COLUMN_BITS):
        op.error(report, f"moves elements of {tcgen05.COLUMN_BITS} bits, or padded ones, found {held} and {memory}")
        return
    each = max(1, lanes * columns // 32) * tcgen05.COLUMN_BITS // bits  # elements of one repetition
    columns *= tcgen05.COLUMN_BITS // bits
    count, rest = divmod(held.shape[0], each)
    most = 128 * tcgen05.COLUMN_BITS // bits // each
    if rest or count not in _REGISTERS or count > most:
        op.error(report, f"with shape {shape} a lane has {each} times a power of two up to {most}, found {held}")
    elif (memory.lanes, memory.columns) != (lanes, count * columns):
        expected = TensorMemoryType(lanes, count * columns, memory.element, memory.padded)
        op.error(report, f"with shape {shape} {held} is {expected}, found {memory}")
    elif memory.element != held.element:
        op.error(report, f"elements must be {memory.element}, found {held}")


class Tcgen05MoveOp(Tcgen05Op):
    """What a subgroup moves between tensor memory and its registers."""

    collective = "subgroup"
    memory: ClassVar[OperandField[Value[TensorMemoryType]]]
    shape: ClassVar[AttributeField[StringAttr]]


class Tcgen05LdOp(Tcgen05MoveOp, opname="lanewise.tcgen05.ld"):
    """A subgroup begins to read tensor memory into registers, which `wait_ld` gives to those who take them. Subgroup w
    of every four reaches lanes 32 w to 32 w + 31 only."""

    begins = TENSOR_LOADS
    memory = operand(is_tensor_memory)
    shape = attribute(StringAttr)
    res = result(_is_part)
    assembly = "$memory attr-dict `:` type($memory) `->` type($res)"

    def verify(self, report: Report) -> None:
        _check_moved(self, report, self.memory.type, self.res.type, self.shape.value)
        for user, _ in self.res.uses:
            if user.opname != Tcgen05WaitLdOp.opname:
                hint = f"{Tcgen05WaitLdOp.opname} gives what was read to those who take it"
                self.error(report, f"is under way where '{user.opname}' takes its result", hint)


class Tcgen05WaitLdOp(Tcgen05Op, opname="lanewise.tcgen05.wait_ld"):
    """What a load brings, once all loads that this thread began before are done."""

    collective = "subgroup"
    awaits = (TENSOR_LOADS,)
    loaded = operand(_is_part)
    res = result(_is_part)
    same_type = ("loaded", "res")
    assembly = "$loaded attr-dict `:` type($loaded)"

    def verify(self, report: Report) -> None:
        held = self.loaded.type
        if held.shape[0] * bit_width(held.element) % tcgen05.COLUMN_BITS or bit_width(held.element) < 16:
            self.error(report, f"is of whole registers of {tcgen05.COLUMN_BITS} bits, found {held}")


class Tcgen05StOp(Tcgen05MoveOp, opname="lanewise.tcgen05.st"):
    """A subgroup writes registers to tensor memory; that is done after `wait_st`."""

    begins = TENSOR_STORES
    value = operand(_is_part)
    memory = operand(is_tensor_memory)
    shape = attribute(StringAttr)
    assembly = "$value `,` $memory attr-dict `:` type($value) `,` type($memory)"

    def verify(self, report: Report) -> None:
        _check_moved(self, report, self.memory.type, self.value.type, self.shape.value)


class Tcgen05CpOp(Tcgen05Op, opname="lanewise.tcgen05.cp"):
    """One thread begins to copy a tile in workgroup memory to tensor memory; `commit` tells when that is over."""

    through_async_proxy = True
    begins = TENSOR_COMMITS
    memory = operand(is_tensor_memory)
    source = operand(is_memref, READS)
    indices = operands(is_index)
    shape = attribute(StringAttr)
    assembly = "$memory `,` $source `` `[` $indices `]` attr-dict `:` type($memory) `,` type($source)"

    def verify(self, report: Report) -> None:
        self.check_place(report, "source", self.source, len(self.indices))
        if self.shape.value not in COPY_SHAPES:
            self.error(report, f"shape must be one of {', '.join(COPY_SHAPES)}, found {self.shape.value}")


# -- order ----------------------------------------------------------------------------------------------------------

FENCES: Mapping[str, str] = {"before_thread_sync": "before.thread.sync", "after_thread_sync": "after.thread.sync"}


class Tcgen05WaitStOp(Tcgen05Op, opname="lanewise.tcgen05.wait_st"):
    """Until all that this thread began to write to tensor memory is done."""

    collective = "subgroup"
    awaits = (TENSOR_STORES,)
    assembly = "attr-dict"


class Tcgen05FenceOp(Tcgen05Op, opname="lanewise.tcgen05.fence"):
    """Orders what this thread did with tensor memory before a barrier, or does with it after one."""

    kind = attribute(StringAttr)
    assembly = "attr-dict"

    def verify(self, report: Report) -> None:
        if self.kind.value not in FENCES:
            self.error(report, f"kind must be {' or '.join(FENCES)}, found {self.kind.value}")
