"""Which numbers a loop may carry at once, however often it and those around it run: a ring's slots, for example.

A number begins as a constant, as what a loop around this one carries, or as what a loop before it left. So all loops
that these come from are followed together, until no new numbers appear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ..ir.core import Block, Value
from ..ir.dialects import scf
from .iteration_numbers import Iteration

_MOST = 64
"""So many values of one loop are followed."""
_Numbers = tuple[int | None, ...]
"""One for each value that is followed; None where it may be anything."""


class Carried:
    """What is carried by the loops that `values` are computed from."""

    def __init__(self, values: Sequence[Value]) -> None:
        self._followed: dict[scf.ForOp, dict[int, None]] = {}
        """Which of the values that each carries."""
        self._find(values)
        self._found: dict[scf.ForOp, dict[_Numbers, None]] = {loop: {} for loop in self._followed}
        self.is_known = self._follow()
        """Whether there were few enough."""

    def _find(self, values: Sequence[Value]) -> None:
        pending, seen = list(values), set[Value]()
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            carrier = _carrier(value)
            if carrier is not None:
                loop, number = carrier
                self._followed.setdefault(loop, {})[number] = None
                pending += loop.init_args[number], loop.yielded[number]
            elif value.operation is not None:
                pending += value.operation.operands

    def _follow(self) -> bool:
        grew = True
        while grew:
            grew = False
            for loop, found in self._found.items():
                before = len(found)
                found.update(dict.fromkeys(self._together([loop.init_args[n] for n in self._followed[loop]], {})))
                for numbers in list(found):
                    found.update(dict.fromkeys(self._following(loop, numbers)))
                if len(found) > _MOST:
                    return False
                grew |= len(found) > before
        return True

    def _following(self, loop: scf.ForOp, numbers: _Numbers) -> Iterator[_Numbers]:
        """What the next iteration may carry."""
        return self._together([loop.yielded[n] for n in self._followed[loop]], self._arguments(loop, numbers))

    def _arguments(self, loop: scf.ForOp, numbers: _Numbers) -> dict[Value, int]:
        known = zip(self._followed[loop], numbers, strict=True)
        return {loop.iter_args[n]: number for n, number in known if number is not None}

    def _together(self, values: Sequence[Value], known: Mapping[Value, int]) -> Iterator[_Numbers]:
        """The numbers that values may be at once, where `known` are some of what they are computed from."""
        left = _roots(values, known)
        loops = list(dict.fromkeys(loop for loop, _ in left.values()))
        for states in product(*(self._found[loop] for loop in loops)):
            of = {
                (loop, n): number
                for loop, numbers in zip(loops, states, strict=True)
                for n, number in zip(self._followed[loop], numbers, strict=True)
            }
            given = {value: number for value, carrier in left.items() if (number := of[carrier]) is not None}
            turn = Iteration({**known, **given})
            yield tuple(turn.number(value) for value in values)

    def turns(self, loop: scf.ForOp) -> Iterator[tuple[Iteration, list[Iteration]]]:
        """Each iteration that there may be, and those that may follow it; one of which nothing is known where there are
        too many."""
        if not self.is_known:
            yield Iteration({}), []
            return
        for numbers in self._found.get(loop, {(): None}):
            following = self._following(loop, numbers) if loop in self._found else iter([()])
            yield self._turn(loop, numbers), [self._turn(loop, n) for n in following]

    def _turn(self, loop: scf.ForOp, numbers: _Numbers) -> Iteration:
        return Iteration(self._arguments(loop, numbers) if loop in self._followed else {})


def _carrier(value: Value) -> tuple[scf.ForOp, int] | None:
    """The loop that carries a value, or leaves it, and by which number."""
    if isinstance(value.owner, Block):
        around = value.owner.parent and value.owner.parent.parent
        return (around, value.index - 1) if isinstance(around, scf.ForOp) and value.index else None
    return (value.owner, value.index) if isinstance(value.owner, scf.ForOp) else None


def _roots(values: Sequence[Value], known: Mapping[Value, int]) -> dict[Value, tuple[scf.ForOp, int]]:
    """What loops carry or leave of what values are computed from."""
    found, pending, seen = dict[Value, tuple[scf.ForOp, int]](), list(values), set[Value]()
    while pending:
        value = pending.pop()
        if value in known or value in seen:
            continue
        seen.add(value)
        carrier = _carrier(value)
        if carrier is not None:
            found[value] = carrier
        elif value.operation is not None:
            pending += value.operation.operands
    return found
