"""Which numbers of a launch may become part of an index: only of those does it matter what divides them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..ir.builder import constant_int
from ..ir.core import Operation, Value
from ..ir.dialects import arith, memref, scf, vector
from ..ir.kernels import Kernel
from ..ir.types import MemRefType, VectorType


class IndexSources(NamedTuple):
    """Numbers of the arguments, and (argument, dimension) of the extents that the program asks for by `memref.dim`."""

    arguments: frozenset[int]
    extents: frozenset[tuple[int, int]]


def index_sources(kernel: Kernel) -> IndexSources:
    """What is only an element, a bound of a loop, or compared, is no source; all else that a number serves counts."""
    users = _users(kernel.op)
    numbers = {i for i, argument in enumerate(kernel.arguments) if _reaches_index(argument, users)}
    extents: set[tuple[int, int]] = set()
    for i, argument in enumerate(kernel.arguments):
        if isinstance(argument.type, MemRefType):
            extents |= {(i, d) for d in _queried(argument, argument.type.rank, users)}
    return IndexSources(frozenset(numbers), frozenset(extents))


_Users = Mapping[Value, list[Operation]]
_VIEWS = (memref.SubViewOp, memref.ViewOp, memref.CastOp, memref.AssumeAlignmentOp)


def _users(function: Operation) -> _Users:
    """Of every value that is no vector."""
    users: dict[Value, list[Operation]] = {}
    for op in function.walk():
        for value in op.operands:
            if not isinstance(value.type, VectorType):
                users.setdefault(value, []).append(op)
    return users


def _reaches_index(number: Value, users: _Users) -> bool:
    if isinstance(number.type, (MemRefType, VectorType)):
        return False
    pending, seen = [number], {number}
    while pending:
        value = pending.pop()
        for op in users.get(value, []):
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


def _queried(buffer: Value, rank: int, users: _Users) -> set[int]:
    """Dimensions of an argument whose extents the program asks for and indexes with; a view's may be any of them."""
    found: set[int] = set()
    pending = [buffer]
    while pending:
        value = pending.pop()
        for op in users.get(value, []):
            if isinstance(op, memref.DimOp) and _reaches_index(op.result, users):
                asked = constant_int(op.index) if value is buffer else None
                found |= {d for d in range(rank) if asked in (None, d)}
            elif isinstance(op, _VIEWS):
                pending += op.results
    return found
