"""What integers of the thread's program are in one iteration of its loops."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.builder import constant_int
from ..ir.core import Operation, Value
from .evaluation import evaluated, is_evaluated

_DEEPEST = 64
"""So far a number is followed into what it is computed from."""


class Iteration:
    """The numbers that follow from those of the loops' induction variables in `counters`."""

    def __init__(self, counters: Mapping[Value, int]) -> None:
        self._numbers: dict[Value, int | None] = dict(counters)

    def number(self, value: Value, depth: int = _DEEPEST) -> int | None:
        """An i1 is 0 or 1. None where the value depends on anything else, or on too much."""
        if value not in self._numbers:
            constant = constant_int(value)
            self._numbers[value] = self._computed(value.operation, depth) if constant is None else constant
        return self._numbers[value]

    def _computed(self, op: Operation | None, depth: int) -> int | None:
        if op is None or not depth or not is_evaluated(op):
            return None
        given = list[int]()
        for value in op.operands:
            number = self.number(value, depth - 1)
            if number is None:
                return None
            given.append(number)
        return int(evaluated(op, given))
