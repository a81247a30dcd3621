"""Which numbers of a launch may become part of an index: only of those does it matter what divides them."""

from __future__ import annotations

from ..ir.builder import constant_int
from ..ir.core import Operation, Value
from ..ir.dialects import arith, memref, scf, vector
from ..ir.effects import views
from ..ir.kernels import Kernel
from ..ir.types import MemRefType, VectorType
from ..support.named_tuples import NamedTuple


class IndexSources(NamedTuple):
    """Numbers of the arguments, and (argument, dimension) of the extents that the program asks for by `memref.dim`."""

    arguments: frozenset[int]
    extents: frozenset[tuple[int, int]]


def index_sources(kernel: Kernel) -> IndexSources:
    """What is only an element, a bound of a loop, or compared, is no source; all else that a number serves counts."""
    numbers = {i for i, argument in enumerate(kernel.arguments) if _reaches_index(argument)}
    extents: set[tuple[int, int]] = set()
    for i, argument in enumerate(kernel.arguments):
        if isinstance(argument.type, MemRefType):
            extents |= {(i, d) for d in _queried(argument, argument.type.rank)}
    return IndexSources(frozenset(numbers), frozenset(extents))


def _reaches_index(number: Value) -> bool:
    if isinstance(number.type, (MemRefType, VectorType)):
        return False
    pending, seen = [number], {number}
    while pending:
        value = pending.pop()
        for op in value.users:
            if _is_index(op, value):
                return True
            if op.opname.startswith("arith.") and not isinstance(op, arith.CmpIOp):
                pending += [result for result in op.results if result not in seen]
                seen.update(op.results)
    return False


def _is_index(op: Operation, value: Value) -> bool:
    """Whether the operation takes the value as (part of) an index, as far as can be told without its results."""
    if isinstance(op, scf.ForOp):
        return value in (op.lower_bound, op.step, *op.operands[3:])
    if isinstance(op, memref.StoreOp):
        return value in op.operands[2:]
    return not (op.opname.startswith("arith.") or isinstance(op, (vector.BroadcastOp, scf.IfOp)))


def _queried(buffer: Value, rank: int) -> set[int]:
    """Dimensions of an argument whose extents the program asks for and indexes with; a view's may be any of them."""
    found: set[int] = set()
    for view in views(buffer):
        for op in view.users:
            if isinstance(op, memref.DimOp) and _reaches_index(op.result):
                asked = constant_int(op.index) if view is buffer else None
                found |= {d for d in range(rank) if asked in (None, d)}
    return found
