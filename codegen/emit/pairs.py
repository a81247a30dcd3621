"""Which float arithmetic a chip does for two registers at once: neighbours in the program become one operation.

What is neighbours' comes from the registers of one value, so that pairs lie in pairs of registers from a matrix
instruction or a load to the next. LLVM takes apart what one operation alone needs apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...ir.core import Operation
from ...ir.dialects import arith, math
from ...ir.dialects.elementwise import rounding_mode
from ...ir.rounding import NEAREST_EVEN
from ...ir.types import F32, Type
from ...targets import Chip

PAIRED = (arith.AddFOp, arith.SubFOp, arith.MulFOp, math.FmaOp)
FEATURES: Mapping[Type, str] = {F32: "packed_f32"}
"""What a chip supports that does this for two numbers of a type."""


def grouped(chip: Chip, operations: Sequence[Operation]) -> Iterator[tuple[Operation] | tuple[Operation, Operation]]:
    """The operations in order, in pairs where that is one instruction."""
    if not any(map(chip.supports, FEATURES.values())):
        yield from ((op,) for op in operations)
        return
    waiting: Operation | None = None
    for op in operations:
        if waiting is not None and _alike(waiting, op):
            yield waiting, op
            waiting = None
            continue
        if waiting is not None:
            yield (waiting,)
        waiting = op if _fits(chip, op) else None
        if waiting is None:
            yield (op,)
    if waiting is not None:
        yield (waiting,)


def _fits(chip: Chip, op: Operation) -> bool:
    if type(op) not in PAIRED or rounding_mode(op) != NEAREST_EVEN:
        return False
    feature = FEATURES.get(op.results[0].type)
    return feature is not None and chip.supports(feature)


def _alike(first: Operation, second: Operation) -> bool:
    """Whether both do the same at once; the first one fits."""
    return (
        type(first) is type(second)
        and first.results[0].type == second.results[0].type
        and first.attributes == second.attributes
        and first.results[0] not in second.operands
    )
