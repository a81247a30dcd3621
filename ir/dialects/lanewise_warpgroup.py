"""lanewise.warpgroup_mma: a product of tiles in workgroup memory, as one of the threads of four subgroups says it;
lanewise.warpgroup_mma_held: of an A in their registers.

It may go on while its threads do something else; lanewise.warpgroup_wait is where all that is under way ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...support.diagnostics import Report
from ...targets import MatrixInstruction, find_matrix_instruction
from ...targets.instructions import names_of_all
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import (
    attribute,
    int_attribute,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    optional_int_attribute,
    result,
    vectors,
)
from ..traits import PRODUCT_GROUPS, READS
from ..types import I32, I64, Attribute, MemRefType, Type, memory_bits
from .iree_gpu import MMALayoutAttr

is_part = vectors("a 1-D vector", lambda t: t.rank == 1)
_REGISTER_BITS = 32
_STORED = {"ui8": "i8", "tf32": "f32"}


class WarpgroupProduct(Operation):
    """What both products share: the instruction, how far they go along K, and how B's tile lies."""

    kind = attribute(MMALayoutAttr)
    depth = int_attribute(number=I64)
    transposeB = optional_attribute(UnitAttr)
    on_lane_vectors = True
    vendor = "nvidia"
    begins = PRODUCT_GROUPS
    awaits = (PRODUCT_GROUPS,)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[-1].type]

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def instruction(self) -> MatrixInstruction:
        return find_matrix_instruction(self.kind.name)

    @property
    def operand_types(self) -> tuple[Type, Type]:
        """The types of the elements of A and B, as programs have them."""
        raise AssertionError

    @property
    def transposed(self) -> tuple[bool, bool]:
        """Whether, for A and B, K is not what is contiguous."""
        return False, self.transposeB is not None

    def extents(self, side: int) -> tuple[int, int]:
        """(rows, columns) of A's tile (0) or B's (1) as they lie in memory."""
        across = self.instruction.shape[side]
        return (self.depth, across) if self.transposed[side] else (across, self.depth)

    def verify(self, report: Report) -> None:
        if self.kind.name not in names_of_all() or self.instruction.subgroups == 1:
            self.error(report, f"kind is {self.kind.name}, no instruction of four subgroups")
            return
        i = self.instruction
        if self.depth < 1 or self.depth % i.shape[2]:
            self.error(report, f"depth must be a multiple of {i.shape[2]}, found {self.depth}")
        self.check_operands(i, report)

    def check_operands(self, i: MatrixInstruction, report: Report) -> None:
        raise AssertionError

    def check_side(self, name: str, value: Value[MemRefType], indices: int, side: int, report: Report) -> None:
        """A tile in memory."""
        element, type = (self.instruction.a_type, self.instruction.b_type)[side], value.type
        wanted = _STORED.get(element, element)
        if str(type.element) != wanted or type.rank < 2:
            self.error(report, f"{name} must have two dimensions or more of {wanted}, found {type}")
        elif indices != type.rank:
            self.error(report, f"{name} needs {type.rank} indices, found {indices}")
        if self.transposed[side] and element not in ("f16", "bf16"):
            self.error(report, f"{name} is transposed, which is for elements of 16 bits, found {type}")

    def check_part(self, name: str, value: Value, count: int, element: str, report: Report) -> None:
        """What a lane holds."""
        expected = f"vector<{count}x{_STORED.get(element, element)}>"
        if str(value.type) != expected:
            self.error(report, f"{name} of {self.instruction.iree_name} must be {expected}, found {value.type}")


class WarpgroupMmaOp(WarpgroupProduct, opname="lanewise.warpgroup_mma"):
    """`matrixC + A * B`: the tiles of A and B begin at an element of two buffers, `depth` is their extent along K, and
    M and N are those of the instruction `kind`, of which there are as many as K takes. Each operation is a group.

    A tile lies along the last two dimensions of its buffer: rows of A, or columns of B, along the first of them and K
    along the other; the other way round where it is transposed. `matrixC` is a lane's part in register order. The
    operation is done when no more than the `waitGroup` newest groups of its threads are under way (0 where it is left
    out), as upstream's nvgpu.warpgroup.mma is, which takes tensor maps. Until a product is waited for nobody writes
    the tiles, and its result is what another product is added to, or what is waited for, alone.
    """

    pure = False
    collective = "workgroup"
    belongs_to = "thread"
    through_async_proxy = True
    matrixA = operand(is_memref, READS)
    indicesA = operands(is_index)
    matrixB = operand(is_memref, READS)
    indicesB = operands(is_index)
    matrixC = operand(is_part)
    transposeA = optional_attribute(UnitAttr)
    waitGroup = optional_int_attribute(I32)
    res = result(is_part)
    same_type = ("matrixC", "res")
    assembly = (
        "$matrixA `` `[` $indicesA `]` `,` $matrixB `` `[` $indicesB `]` `,` $matrixC attr-dict"
        " `:` type($matrixA) `,` type($matrixB) `,` type($matrixC)"
    )

    @property
    def operand_types(self) -> tuple[Type, Type]:
        return self.matrixA.type.element, self.matrixB.type.element

    @property
    def groups_left(self) -> int:
        return self.waitGroup or 0

    @property
    def transposed(self) -> tuple[bool, bool]:
        return self.transposeA is not None, self.transposeB is not None

    def check_operands(self, i: MatrixInstruction, report: Report) -> None:
        self.check_side("matrixA", self.matrixA, len(self.indicesA), 0, report)
        self.check_side("matrixB", self.matrixB, len(self.indicesB), 1, report)
        self.check_part("matrixC", self.matrixC, i.c.elements, i.c_type, report)
        self._check_flight(report)

    def _check_flight(self, report: Report) -> None:
        given = self.attributes.get("waitGroup")
        if given is not None and (getattr(given, "type", None) != I32 or self.groups_left < 0):
            self.error(report, f"waitGroup must be a number of at least 0 of type i32, found {given}")
        elif self.groups_left and memory_bits(self.matrixC.type.element) != _REGISTER_BITS:
            found = f"found {self.matrixC.type.element}, two of which share one"
            self.error(report, f"goes on in registers of one sum each where waitGroup is not 0, {found}")
        elif self.groups_left and (user := _reader(self.res)) is not None:
            hint = "lanewise.warpgroup_wait gives the accumulators to those who read them"
            self.error(report, f"is under way where '{user.opname}' takes its result", hint)


class WarpgroupMmaHeldOp(WarpgroupProduct, opname="lanewise.warpgroup_mma_held"):
    """A product as `warpgroup_mma` has it, of an A that lanes hold: `fragmentsA` is a lane's part of each step along K,
    one after the other, in register order. It is done when no group of its threads is under way."""

    pure = False
    collective = "workgroup"
    belongs_to = "thread"
    through_async_proxy = True
    fragmentsA = operand(is_part)
    matrixB = operand(is_memref, READS)
    indicesB = operands(is_index)
    matrixC = operand(is_part)
    res = result(is_part)
    same_type = ("matrixC", "res")
    assembly = (
        "$fragmentsA `,` $matrixB `` `[` $indicesB `]` `,` $matrixC attr-dict"
        " `:` type($fragmentsA) `,` type($matrixB) `,` type($matrixC)"
    )

    @property
    def operand_types(self) -> tuple[Type, Type]:
        return self.fragmentsA.type.element, self.matrixB.type.element

    def check_operands(self, i: MatrixInstruction, report: Report) -> None:
        steps = self.depth // i.shape[2]
        self.check_part("fragmentsA", self.fragmentsA, steps * i.a.elements, i.a_type, report)
        self.check_side("matrixB", self.matrixB, len(self.indicesB), 1, report)
        self.check_part("matrixC", self.matrixC, i.c.elements, i.c_type, report)


class WarpgroupWaitOp(Operation, opname="lanewise.warpgroup_wait"):
    """The accumulators of products that may be under way, once none of its threads' is."""

    pure = False
    collective = "workgroup"
    belongs_to = "thread"
    on_lane_vectors = True
    vendor = "nvidia"
    awaits = (PRODUCT_GROUPS,)
    accumulator = operand(is_part)
    res = result(is_part)
    same_type = ("accumulator", "res")
    assembly = "$accumulator attr-dict `:` type($accumulator)"

    def verify(self, report: Report) -> None:
        if memory_bits(self.accumulator.type.element) != _REGISTER_BITS:
            self.error(report, f"is of accumulators with a register each, found {self.accumulator.type}")


def _reader(accumulator: Value) -> Operation | None:
    """Who takes accumulators that are under way, besides products that add to them and waits; through what moves
    them."""
    pending, seen = [accumulator], {accumulator}
    while pending:
        value = pending.pop()
        for user, position in value.uses:
            last = len(user.operands) - 1
            if isinstance(user, WarpgroupWaitOp) or (isinstance(user, WarpgroupMmaOp) and position == last):
                continue
            around = user.enclosing() if user.terminator else user
            moved = user.results if value in user.operands[user.moves] else []
            onwards = moved or [target for source, target in around.flows() if source is value] if around else []
            if not onwards:
                return user
            pending += [v for v in onwards if v not in seen]
            seen.update(onwards)
    return None
