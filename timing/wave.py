"""One subgroup in the simulation: where it is, what it has under way, and until when its next instruction waits."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple
from .meetings import NEVER, Gathering
from .timed import Loop, Timed

_T = TypeVar("_T")
_REASONS = {"memory": "loads", "shared": "shared memory", "transcendental": "transcendentals", "matrix": "products"}


class Wait(NamedTuple):
    """Until when, for what, and because of which instructions: their places in the loop."""

    until: float
    reason: str = ""
    causes: tuple[int, ...] = ()


class Span(NamedTuple):
    """What a subgroup did from `start` to `end`; `place` is the instruction that waits, or issues."""

    start: float
    end: float
    reason: str
    place: int
    causes: tuple[int, ...] = ()


class Result(NamedTuple):
    """When a register may be read, and when the next sum in its place may be begun."""

    ready: float
    forwarded: float
    cause: int


class Group(NamedTuple):
    """Asynchronous copies that are waited for together."""

    landed: float
    causes: tuple[int, ...]


def reason_of(i: Timed) -> str:
    """What waits for the result of an instruction wait for."""
    return _REASONS.get(i.work.pipe, "scoreboard")


@dataclass(eq=False)
class Wave:
    """`free` is when its next instruction may issue at the earliest; `due` is its wait, as far as others do not share
    what it waits for."""

    group: int
    number: int
    scheduler: int
    free: float
    at: int = 0
    trip: int = 0
    last: float = -1.0
    priority: int = 0
    issued: int = 0
    due: Wait = Wait(0.0)
    gathering: tuple[Gathering, int] | None = None
    signalled: dict[str, int] = field(default_factory=dict[str, int])
    registers: dict[int, Result] = field(default_factory=dict[int, Result])
    counts: dict[str, deque[tuple[float, int]]] = field(default_factory=lambda: defaultdict(deque))
    boards: dict[int, list[tuple[float, int, str]]] = field(default_factory=lambda: defaultdict(list))
    copies: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    groups: dict[int, deque[Group]] = field(default_factory=lambda: defaultdict(deque))
    products: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])
    spans: list[Span] = field(default_factory=list[Span])
    ends: list[float] = field(default_factory=list[float])

    def wait(self, loop: Loop) -> Wait:
        """What the next instruction waits for longest, of what this subgroup began itself, and of barriers."""
        i = loop.body[self.at]
        worst = Wait(self.free)
        for found in (*self._of_text(i, loop), *self._results(i, loop)):
            if found.until > worst.until:
                worst = found
        if self.gathering is not None:
            gathering, number = self.gathering
            until = gathering.done.get(number, NEVER)
            if until > worst.until:
                worst = Wait(until, "barrier", ((self.at or len(loop.body)) - 1,))
        return worst

    def _of_text(self, i: Timed, loop: Loop) -> Iterator[Wait]:
        """What the text says to wait for."""
        for board in i.boards:
            yield from (Wait(until, reason, (cause,)) for until, cause, reason in self.boards[board])
            yield from (Wait(group.landed, "copies", group.causes) for group in self.groups[board])
        if i.groups_left is not None:
            board, left = i.groups_left
            yield from (Wait(group.landed, "copies", group.causes) for group in _but(left, self.groups[board]))
        if i.products_left is not None:
            yield from (Wait(until, "products", (cause,)) for until, cause in _but(i.products_left, self.products))
        for counter, left in i.left.items():
            for until, cause in _but(left, self.counts[counter]):
                yield Wait(until, reason_of(loop.body[cause]), (cause,))

    def _results(self, i: Timed, loop: Loop) -> Iterator[Wait]:
        """What the chip keeps in order by itself."""
        registers, free = self.registers, self.free
        if not registers:
            return
        for register, is_sum in i.touches:
            found = registers.get(register)
            if found is not None and found.ready > free:
                until = found.forwarded if is_sum else found.ready
                yield Wait(until, f"result of {loop.body[found.cause].work.pipe or 'scalar'}", (found.cause,))

    def settle(self, i: Timed, time: float) -> None:
        """What an instruction that issues had waited for is no longer under way."""
        for board in i.boards:
            self.boards[board] = [entry for entry in self.boards[board] if entry[0] > time]
            self.groups[board].clear()
        for counter, left in i.left.items():
            _keep(left, self.counts[counter])
        if i.groups_left is not None:
            _keep(i.groups_left[1], self.groups[i.groups_left[0]])
        if i.products_left is not None:
            _keep(i.products_left, self.products)
        self.gathering = None

    def begin(self, i: Timed, start: float, done: float, read: float) -> None:
        """What an instruction that issues leaves under way: from `start` on its pipe to `done`, operands until
        `read`."""
        place = self.at
        for board in i.sets:
            self.boards[board].append((done, place, reason_of(i)))
        for board in i.frees:
            self.boards[board].append((read, place, "operands read"))
        if i.counter:
            self.counts[i.counter].append((done, place))
        if i.asynchronous == "copy":
            self.copies.append((done, place))
        if i.closes:
            self.products.append((done, place))
        if i.joins is not None:
            landed = max((time for time, _ in self.copies), default=start)
            self.groups[i.joins].append(Group(landed, tuple(dict.fromkeys(cause for _, cause in self.copies))))
            self.copies = []
        for register in i.writes:
            self.registers[register] = Result(done, start + i.work.busy if i.forwarded else done, place)


def _but(left: int, pending: deque[_T]) -> Iterator[_T]:
    """All but the newest ones."""
    return islice(pending, max(len(pending) - left, 0))


def _keep(left: int, pending: deque[_T]) -> None:
    while len(pending) > left:
        pending.popleft()
