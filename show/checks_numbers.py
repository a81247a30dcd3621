"""Numbers of a program as sums of symbols times constants: what shows of places in memory before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..ir.builder import constant_int
from ..ir.core import Block, Operation, Value
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.vector_memory import MemoryOp
from ..ir.dialects.vector_transfer import TransferOp
from ..support.named_tuples import NamedTuple

PlacedOp = TransferOp | MemoryOp
"""Accesses of vectors whose place and shape are said alike."""
Symbol = str | Value
"""A workgroup's number along an axis (`x`), or a value of which nothing else is said."""


class Sum(NamedTuple):
    """`constant` and the factors of symbols, none of which is 0."""

    constant: int
    factors: Mapping[Symbol, int]

    @property
    def axes(self) -> dict[str, int]:
        """The factors of workgroups' numbers."""
        return {symbol: factor for symbol, factor in self.factors.items() if isinstance(symbol, str)}

    @property
    def without_axes(self) -> Sum:
        """What is left of it in the first workgroup."""
        return Sum(self.constant, {symbol: f for symbol, f in self.factors.items() if not isinstance(symbol, str)})

    @property
    def others(self) -> dict[Value, int]:
        return {symbol: factor for symbol, factor in self.factors.items() if not isinstance(symbol, str)}


_JOINED: Mapping[type, int] = {arith.AddIOp: 1, arith.SubIOp: -1}
"""What the second operand counts in the sum that each of these is."""


def sum_of(value: Value) -> Sum:
    """What additions, subtractions and products by constants make of it."""
    number = constant_int(value)
    if number is not None:
        return Sum(number, {})
    op = value.operation
    if isinstance(op, gpu.BlockIdOp):
        return Sum(0, {op.dimension.value: 1})
    if op is not None and (sign := _JOINED.get(type(op))):
        left, right = (sum_of(v) for v in op.operands)
        return _added(left, right, sign)
    if isinstance(op, arith.MulIOp):
        left, right = (sum_of(v) for v in op.operands)
        scaled, by = (left, right) if not right.factors else (right, left)
        if not by.factors:
            return _added(Sum(0, {}), scaled, by.constant)
    return Sum(0, {value: 1})


def _added(left: Sum, right: Sum, by: int) -> Sum:
    factors = dict(left.factors)
    for symbol, factor in right.factors.items():
        factors[symbol] = factors.get(symbol, 0) + by * factor
    return Sum(left.constant + by * right.constant, {s: f for s, f in factors.items() if f})


_MOST_ITERATIONS = 4096


def iterations(value: Value) -> range | None:
    """The numbers that a loop's counter has, where its bounds are constants; None of all else."""
    block = value.owner
    loop = block.parent.parent if isinstance(block, Block) and block.parent is not None else None
    if not isinstance(loop, scf.ForOp) or value is not loop.body.arguments[0]:
        return None
    low, high, step = (constant_int(v) for v in (loop.lower_bound, loop.upper_bound, loop.step))
    if low is None or high is None or not step or step < 0:
        return None
    found = range(low, high, step)
    return found if len(found) <= _MOST_ITERATIONS else None


def numbers(of: Sum) -> list[int] | None:
    """All that a sum without workgroups' numbers may be, sorted; None where a symbol may be anything."""
    found = {of.constant}
    for symbol, factor in of.others.items():
        counted = iterations(symbol)
        if counted is None or len(found) * max(1, len(counted)) > _MOST_ITERATIONS:
            return None
        found = {number + factor * n for number in found for n in counted}
    return sorted(found)


def is_always_reached(op: Operation) -> bool:
    """Whether nothing but loops that run at least once stands around it."""
    return all(isinstance(around, scf.ForOp) and _runs(around) for around in _around(op))


def _runs(loop: scf.ForOp) -> bool:
    found = iterations(loop.body.arguments[0])
    return found is not None and len(found) > 0


def _around(op: Operation) -> Iterator[Operation]:
    """What encloses it in its function."""
    parent = op.enclosing()
    while parent is not None and parent.enclosing() is not None and parent.opname not in ("func.func", "gpu.func"):
        yield parent
        parent = parent.enclosing()
