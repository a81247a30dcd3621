"""By which way a ring's tiles are copied: by all threads, piece by piece; as boxes by the chip itself in `tma.py`.

Each way issues the copies of an iteration, and waits for those of this one; what it carries between iterations is its
own. `ring.py` says when that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ..ir.attributes import IntegerAttr, dense_i64
from ..ir.cache_hints import cache_hints
from ..ir.core import Builder, Value
from ..ir.dialects import arith, scf
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.nvgpu_async import DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from ..ir.types import I32, MemRefType
from ..support.dataclasses import dataclass, field, replace
from .loop_copies import Copy
from .loops import copied, made_for

Rings = Mapping[Value[MemRefType], Value[MemRefType]]
"""By the tile that each takes the place of."""


@dataclass
class Turn:
    """An iteration for which copies are issued, into a slot. `there`: whether there is one; None where it is known.
    `slot`: its number, made where it is needed. `now`: the number of the iteration in which that is."""

    loop: scf.ForOp
    number: Value
    there: Value | None
    slot: Callable[[Builder], Value]
    now: Value
    elsewhere: Mapping[Value, Value] = field(default_factory=dict[Value, Value])
    """Where it is issued in another program: what became of values from around the loop there."""

    def places(self, build: Builder, c: Copy) -> tuple[list[Value], list[Value]]:
        """Indices of what is read, and of where it goes in the tile."""
        known = copied(build, (*c.places, *c.corner), {**self.elsewhere, self.loop.induction_variable: self.number})
        return [known.get(v, v) for v in c.read.indices], [known.get(v, v) for v in c.write.indices]


class CopyStrategy(Protocol):
    by_one: bool
    """One thread issues, in a branch of its own."""

    def begin(self, build: Builder) -> list[Value]:
        """Before all copies; gives what it carries between iterations, at the first."""
        ...

    def issue(self, build: Builder, turn: Turn, reading_on: Sequence[Copy] = ()) -> None:
        """Copies all tiles of an iteration. Those of `reading_on` may be read in any case, as far as they are inside of
        memory."""
        ...

    def wait(self, build: Builder, slot: Value, carried: Sequence[Value], ahead: int) -> None:
        """Goes on once the tiles of this iteration are there, while those of so many less one are under way."""
        ...

    def hand_on(self, build: Builder, carried: Sequence[Value], wraps: Value) -> list[Value]:
        """What the next iteration has of what it carries; `wraps`: whether its slot is the first again."""
        ...

    def end(self, build: Builder) -> None:
        """Behind the loop, where nothing is under way afterwards."""
        ...


class ByThreads:
    """cp.async: each thread copies pieces, and waits for groups of its own."""

    by_one = False

    def __init__(self, found: Sequence[Copy], rings: Rings) -> None:
        self._found, self._rings = found, rings
        self._last: Value | None = None

    def begin(self, build: Builder) -> list[Value]:
        return []

    def issue(self, build: Builder, turn: Turn, reading_on: Sequence[Copy] = ()) -> None:
        tokens: list[Value] = []
        slot = turn.slot(build)
        for c in self._found:
            condition = [] if turn.there is None or c in reading_on else [turn.there]
            shape = dense_i64(c.read.vector_type.shape)
            kept = {"shape": shape, "in_bounds": c.read.in_bounds, **cache_hints(c.read)}
            ring = self._rings[c.write.memref]
            with made_for(build, c.read):
                source, target = turn.places(build, c)
                tokens.append(build.value(AsyncCopyOp, c.read.memref, source, ring, [slot, *target], condition, **kept))
        last = build.value(DeviceAsyncCreateGroupOp, tokens)
        self._last = self._last or last

    def wait(self, build: Builder, slot: Value, carried: Sequence[Value], ahead: int) -> None:
        self._wait(build, ahead - 1)

    def _wait(self, build: Builder, left: int) -> None:
        assert self._last is not None
        build.op(DeviceAsyncWaitOp, self._last, types=[], numGroups=IntegerAttr(left, I32))

    def hand_on(self, build: Builder, carried: Sequence[Value], wraps: Value) -> list[Value]:
        return []

    def end(self, build: Builder) -> None:
        self._wait(build, 0)


class ByLanes(ByThreads):
    """global_load_lds: what lanes copy lies together, and all of it is inside of memory: beyond the last iteration they
    copy its own tile again, where nobody reads it."""

    def issue(self, build: Builder, turn: Turn, reading_on: Sequence[Copy] = ()) -> None:
        number = turn.number
        if turn.there is not None and number is not turn.now:
            number = build.value(arith.SelectOp, turn.there, number, turn.now)
        super().issue(build, replace(turn, number=number, there=None), reading_on)
