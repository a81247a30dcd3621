"""Where subgroups wait for each other in the simulation: barriers, and tiles that boxes are copied to."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

from ..support.dataclasses import dataclass, field
from .machine import Machine
from .timed import Loop, Meeting, Tile

NEVER = math.inf


@dataclass
class Gathering:
    """One barrier: so many arrivals complete it, as often as there are so many. `done` is when each of these lets its
    subgroups go on."""

    needed: int
    latency: float
    arrived: int = 0
    completed: int = 0
    done: dict[int, float] = field(default_factory=dict[int, float])

    def arrive(self, time: float) -> bool:
        """Whether this arrival completes it."""
        self.arrived += 1
        if self.arrived < self.needed:
            return False
        self.done[self.completed] = time + self.latency
        self.completed, self.arrived = self.completed + 1, 0
        return True


class Barriers:
    """Those of all workgroups. One that is named by a register is another for each `subgroups` neighbours. Of one that
    more subgroups meet at than run the loop, the others are always there; workgroups of a cluster are in step."""

    def __init__(self, machine: Machine, subgroups: int) -> None:
        self._figures, self._subgroups = machine.figures, subgroups
        self._gatherings: dict[tuple[int, str, int], Gathering] = {}

    def at(self, meeting: Meeting, group: int, number: int) -> Gathering:
        needed = min(meeting.subgroups or self._subgroups, self._subgroups)
        part = number // needed if meeting.name.startswith(("R", "UR")) else 0
        key = group, meeting.name, part
        if key not in self._gatherings:
            of_group = float(self._figures.barrier_latency + self._figures.barrier_each * needed)
            latency = float(self._figures.cluster_latency) if meeting.spans == "cluster" else of_group
            self._gatherings[key] = Gathering(needed, latency)
        return self._gatherings[key]


@dataclass
class _Slots:
    """One ring of one workgroup: when tiles land, by their number, and how many subgroups have left each."""

    landed: dict[int, float] = field(default_factory=dict[int, float])
    left: dict[int, int] = field(default_factory=lambda: defaultdict(int))


class Tiles:
    """The tiles of all workgroups. Those that are asked for before the loop have landed. `carry` brings so many bytes
    that are asked for at a time, and says when they are there."""

    def __init__(self, loop: Loop, subgroups: int, carry: Callable[[float, float], float]) -> None:
        self._rings, self._subgroups, self._carry = loop.rings, subgroups, carry
        said = {i.releases.ring for i in loop.body if i.releases is not None}
        self._at_ends = [
            Tile(name, number)
            for name, ring in loop.rings.items()
            if not ring.asked_inside and name not in said
            for number in range(ring.each)
        ]
        self._slots: dict[tuple[int, str], _Slots] = defaultdict(_Slots)

    def landed(self, tile: Tile, group: int, trip: int) -> float:
        """When the tile of that iteration is there; `NEVER` as long as it has not been asked for."""
        ring = self._rings[tile.ring]
        number = trip * ring.each + tile.number
        if number < (ring.ahead if ring.asked_inside else ring.slots):
            return 0.0
        return self._slots[group, tile.ring].landed.get(number, NEVER)

    def ask(self, tile: Tile, group: int, trip: int, time: float) -> None:
        """The loop itself asks for a tile of a later iteration."""
        ring = self._rings[tile.ring]
        number = trip * ring.each + tile.number + ring.ahead
        self._slots[group, tile.ring].landed[number] = self._carry(time, ring.tile_bytes)

    def leave(self, tile: Tile, group: int, trip: int, time: float) -> bool:
        """A subgroup no longer needs a tile; whether it was the last one, so that others asked for the next tile."""
        ring = self._rings[tile.ring]
        number = trip * ring.each + tile.number
        slots = self._slots[group, tile.ring]
        slots.left[number] += 1
        if ring.asked_inside or slots.left[number] < self._subgroups:
            return False
        slots.landed[number + ring.slots] = self._carry(time, ring.tile_bytes)
        return True

    def end(self, group: int, trip: int, time: float) -> bool:
        """A subgroup ends an iteration, and leaves the tiles of which the text does not say when."""
        left = [self.leave(tile, group, trip, time) for tile in self._at_ends]
        return any(left)
