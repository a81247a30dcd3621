"""What the model knows of one instruction: what it takes of the machine, what it waits for, and what waits for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

from ..support.dataclasses import dataclass, field, replace
from ..support.named_tuples import NamedTuple

Pipe: TypeAlias = Literal["", "matrix", "vector", "integer", "transcendental", "shared", "memory"]
"""A scheduler has its own of the middle four, a multiprocessor one of shared memory and one of the way to L2."""
OF_ALL: frozenset[Pipe] = frozenset(("shared", "memory"))
"""The pipes that all schedulers share."""


@dataclass(frozen=True)
class Work:
    """What an instruction of one subgroup takes.

    Attributes:
        pipe: Where; empty for what takes an issue alone.
        busy: Cycles of that pipe.
        latency: Cycles from there to the result.
        queued: Whether it waits for its pipe behind its issue, in a queue.
        transfer: Cycles of the way from L2, behind the latency.
        beside: Cycles of shared memory that it takes besides its pipe.
    """

    pipe: Pipe = ""
    busy: float = 0.0
    latency: float = 0.0
    queued: bool = False
    transfer: float = 0.0
    beside: float = 0.0


class Meeting(NamedTuple):
    """A barrier: `name` is its number, or the register that has it; `subgroups` is how many meet, None: all. One that
    does not wait only arrives. `spans` says what meets: a workgroup, or workgroups of a cluster."""

    name: str
    subgroups: int | None = None
    waits: bool = True
    arrives: bool = True
    spans: Literal["workgroup", "cluster"] = "workgroup"


class Tile(NamedTuple):
    """One of the tiles of an iteration, `number` from 0, in a ring of slots that boxes are copied to."""

    ring: str
    number: int


Asynchronous: TypeAlias = Literal["", "copy", "product"]


@dataclass(frozen=True)
class Timed:
    """One instruction on `line` of its text; `origin` is the line that it comes from of the text that is emulated (PTX,
    or itself), 0 where nothing says that.

    NVIDIA's text says by itself what waits for what: `stall` cycles to the next issue, scoreboards that are waited for
    (`boards`), and that fall when a result is there (`sets`) or operands were read (`frees`). AMD's chips interlock
    registers (`reads`, `writes`); what loads write is counted (`counter`), and the text waits for the count (`left`).

    Attributes:
        forwarded: Registers that hold sums, which the next product into the same place takes without waiting.
        slot: The kind, where a scheduler issues one of each kind in a turn; one of the empty kind takes no place.
        joins: The scoreboard of the group of copies that ends here.
        groups_left: A scoreboard, and how many groups of copies may be left behind it.
        products_left: How many groups of asynchronous products may be left.
        closes: Whether a group of products ends here.
        awaits, asks, releases: The tile that has to have landed, is asked for, is no longer needed.
    """

    line: int
    text: str
    origin: int = 0
    work: Work = field(default_factory=Work)
    stall: int = 1
    slot: str = ""
    priority: int | None = None
    boards: tuple[int, ...] = ()
    sets: tuple[int, ...] = ()
    frees: tuple[int, ...] = ()
    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    forwarded: frozenset[int] = frozenset()
    counter: str = ""
    left: Mapping[str, int] = field(default_factory=dict[str, int])
    asynchronous: Asynchronous = ""
    joins: int | None = None
    groups_left: tuple[int, int] | None = None
    products_left: int | None = None
    closes: bool = False
    meeting: Meeting | None = None
    awaits: Tile | None = None
    asks: Tile | None = None
    releases: Tile | None = None
    late: int = 0
    """By how many iterations the tile that it releases is older: products may still read the newer ones."""

    @cached_property
    def touches(self) -> tuple[tuple[int, bool], ...]:
        """Every register that it reads or writes, and whether it takes a sum from there without waiting."""
        return tuple((register, register in self.forwarded) for register in sorted(self.reads | self.writes))


class Ring(NamedTuple):
    """Slots that boxes are copied to. `ahead` is how many tiles are asked for before the loop; `asked_inside` says
    whether the loop's own subgroups ask for the others, or subgroups that do nothing else."""

    slots: int
    tile_bytes: int
    each: int
    """Tiles of an iteration."""
    ahead: int
    asked_inside: bool


@dataclass(frozen=True)
class Loop:
    """The instructions of one iteration, in their order, and the rings that it takes tiles from."""

    body: Sequence[Timed]
    rings: Mapping[str, Ring] = field(default_factory=dict[str, Ring])

    @property
    def products(self) -> int:
        return sum(i.work.pipe == "matrix" for i in self.body)

    def with_conflicts(self, beyond: Mapping[int, float]) -> Loop:
        """This loop where accesses to shared memory take more passes: by `origin`, for one execution of that line."""
        here = [i.origin for i in self.body if i.work.pipe == "shared"]
        body = [
            replace(i, work=replace(i.work, busy=i.work.busy + beyond[i.origin] / here.count(i.origin)))
            if i.work.pipe == "shared" and beyond.get(i.origin)
            else i
            for i in self.body
        ]
        return replace(self, body=body)


def hot_span(
    products: Sequence[bool], jumps: Sequence[tuple[int, int]], executed: Sequence[int] | None = None
) -> tuple[int, int] | None:
    """The first instruction of the hot loop, and the one behind its last; None where there is no loop.

    Of the loops that contain no other with products it is the one with the most, each as often as it was `executed`
    where that is known, and none that was not; of these the shortest. `jumps` are from where to where; one to itself
    fills the space behind a kernel.
    """
    spans = {(to, at + 1) for at, to in jumps if to < at and (executed is None or executed[at])}
    multiply = {s for s in spans if any(products[s[0] : s[1]])} or spans
    inner = [s for s in multiply if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in multiply)]

    def rank(span: tuple[int, int]) -> tuple[int, int, int]:
        count = sum(products[slice(*span)])
        ran = 1 if executed is None else executed[span[1] - 1]
        return (count or 1) * ran, count, span[0] - span[1]

    return max(inner, key=rank, default=None)
