"""What an integer of the thread's program is in every thread of a workgroup, as far as that follows from their ids.

A number is a sum: numbers that are the same for all threads but not known, each times a factor, and a known part that
may differ from thread to thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..ir.analyses import Analyses
from ..ir.builder import constant_int
from ..ir.core import Operation, Value
from ..ir.dialects import arith, gpu, vector
from ..ir.numerics import Array
from ..ir.thread_marks import is_alike, is_uniform
from ..ir.types import INDEX
from ..support.named_tuples import NamedTuple
from .evaluation import evaluated, is_evaluated

_DEEPEST = 64
"""So far a sum is followed into its parts."""

Terms = frozenset[tuple[Value, int]]
_NO_TERMS: Terms = frozenset()


class Number(NamedTuple):
    """`terms` are unknown numbers, the same for all threads, with factors; `known` is an int or has one a thread."""

    terms: Terms
    known: int | Array

    @property
    def is_uniform(self) -> bool:
        return isinstance(self.known, int)

    def plus(self, other: Number) -> Number:
        if not other.terms or not self.terms:
            return Number(self.terms or other.terms, self.known + other.known)
        factors = dict(self.terms)
        for value, factor in other.terms:
            factors[value] = factors.get(value, 0) + factor
        return Number(frozenset((v, f) for v, f in factors.items() if f), self.known + other.known)

    def times(self, factor: int) -> Number:
        if factor == 1:
            return self
        terms = frozenset((v, f * factor) for v, f in self.terms) if factor and self.terms else _NO_TERMS
        return Number(terms, self.known * factor)


class Threads(NamedTuple):
    """Whose numbers they are: the first `threads` of a workgroup of `block_size`."""

    block_size: tuple[int, int, int]
    subgroup_size: int
    threads: int

    def of_function(self, function: Operation, analyses: Analyses) -> ThreadNumbers:
        return ThreadNumbers(self)


class ThreadNumbers:
    """Evaluates the integers of one program, each once. What its threads have in common it says by marks
    (`ir/thread_marks.py`)."""

    def __init__(self, threads: Threads) -> None:
        (x, y, _), self.subgroup_size, self.threads = threads
        self._flat = np.arange(self.threads)
        self._ids = {"x": self._flat % x, "y": self._flat // x % y, "z": self._flat // (x * y)}
        self._numbers: dict[Value, Number | None] = {}
        self._depth = 0

    def of(self, value: Value) -> Number | None:
        """None where nothing is known but that it may be anything in any thread."""
        if value not in self._numbers:
            self._depth += 1
            self._numbers[value] = self._evaluate(value)
            self._depth -= 1
        return self._numbers[value]

    def may_hold(self, condition: Value) -> Array:
        """In which threads an i1, or an element of a vector of them, may be true."""
        op = condition.operation
        if isinstance(op, vector.BroadcastOp):
            return self.may_hold(op.source)
        if isinstance(op, arith.AndIOp):
            return np.asarray(self.may_hold(op.operands[0]) & self.may_hold(op.operands[1]))
        number = None if condition.type.is_vector else self.of(condition)
        if number is None or number.terms:
            return np.ones(self.threads, np.bool_)
        return np.broadcast_to(np.asarray(number.known) != 0, (self.threads,))

    def sides(self, condition: Value) -> tuple[Array, Array]:
        """In which threads an i1 may be true, and in which false."""
        number, everyone = self.of(condition), np.ones(self.threads, np.bool_)
        if number is None or number.terms:
            return self.may_hold(condition), everyone
        holds = everyone & (np.asarray(number.known) != 0)
        return holds, ~holds

    def _evaluate(self, value: Value) -> Number | None:
        constant = constant_int(value)
        if constant is not None:
            return Number(_NO_TERMS, constant)
        op = value.operation
        found = None if op is None or self._depth > _DEEPEST else self._computed(op)
        return Number(frozenset([(value, 1)]), 0) if found is None and self._is_uniform(value) else found

    def _is_uniform(self, value: Value) -> bool:
        if is_uniform(value) or is_alike(value.operation):
            return True
        op = value.operation
        if op is None or not op.pure or not op.operands or self._depth > _DEEPEST:
            return False
        numbers = [self.of(v) for v in op.operands]
        return all(n is not None and n.is_uniform for n in numbers)

    def _computed(self, op: Operation) -> Number | None:
        special = _SPECIAL.get(type(op), ThreadNumbers.elementwise)
        return special(self, op)

    def elementwise(self, op: Operation) -> Number | None:
        if not is_evaluated(op):
            return None
        numbers = [self.of(v) for v in op.operands]
        if any(n is None or n.terms for n in numbers):
            return None
        result = evaluated(op, [n.known for n in numbers if n is not None])
        return Number(_NO_TERMS, int(result) if result.ndim == 0 else result.astype(np.int64))

    # -- rules, by class of operation ---------------------------------------------------------------------------

    def thread_id(self, op: gpu.ThreadIdOp) -> Number:
        return Number(_NO_TERMS, self._ids[op.dimension.value])

    def lane(self, _: gpu.LaneIdOp) -> Number:
        return Number(_NO_TERMS, self._flat % self.subgroup_size)

    def subgroup(self, op: gpu.SubgroupIdOp) -> Number:
        """For the threads of one subgroup it is a number that they have in common."""
        if self.threads <= self.subgroup_size:
            return Number(frozenset([(op.result, 1)]), 0)
        return Number(_NO_TERMS, self._flat // self.subgroup_size)

    def sum(self, op: arith.AddIOp) -> Number | None:
        a, b = (self.of(v) for v in op.operands)
        if op.result.type != INDEX:  # it may wrap
            return self.elementwise(op)
        return None if a is None or b is None else a.plus(b)

    def difference(self, op: arith.SubIOp) -> Number | None:
        a, b = (self.of(v) for v in op.operands)
        if op.result.type != INDEX:
            return self.elementwise(op)
        return None if a is None or b is None else a.plus(b.times(-1))

    def product(self, op: arith.MulIOp) -> Number | None:
        a, b = (self.of(v) for v in op.operands)
        if op.result.type != INDEX:
            return self.elementwise(op)
        if a is None or b is None:
            return None
        for one, other in ((a, b), (b, a)):
            if not other.terms and isinstance(other.known, int):
                return one.times(other.known)
        return None if a.terms or b.terms else Number(_NO_TERMS, a.known * b.known)

    def cast(self, op: arith.IndexCastOp) -> Number | None:
        return self.of(op.operands[0])


_SPECIAL: Mapping[type[Operation], Callable[[ThreadNumbers, Any], Number | None]] = MappingProxyType(
    {
        gpu.ThreadIdOp: ThreadNumbers.thread_id,
        gpu.LaneIdOp: ThreadNumbers.lane,
        gpu.SubgroupIdOp: ThreadNumbers.subgroup,
        arith.AddIOp: ThreadNumbers.sum,
        arith.SubIOp: ThreadNumbers.difference,
        arith.MulIOp: ThreadNumbers.product,
        arith.IndexCastOp: ThreadNumbers.cast,
    }
)
