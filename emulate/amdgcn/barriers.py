"""Barriers whose state lies in shared memory (gfx1250): arrivals, and the order that they make for who sees them.

From CDNA5's ISA document: the pending count has 29 bits, above which the phase has three; the reload count begins at
bit 32. An arrival that finds the pending count at less than it takes away ends the phase.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...support.dataclasses import dataclass
from ..barrier_clocks import Order
from .group import Group
from .lds_copies import Copies
from .wave_values import Array

_BYTES, _WIDTH = 8, 29
_PENDING, _RELOAD = (1 << _WIDTH) - 1, 0xFFFF


@dataclass
class _Told:
    """By wave of the workgroup, what is known of it: see `Order`."""

    now: Array
    """Through the arrivals of this phase."""
    before: Array
    """Through those of the phases before."""


@dataclass
class _Arrival:
    """One issued instruction, see `Begun`: entries by active lane."""

    lanes: Array
    waves: Array
    number: Array
    tells: Array
    site: int
    counter: str = "async"

    def part(self, chosen: Array) -> _Arrival:
        lanes, waves, number, tells = (a[chosen] for a in (self.lanes, self.waves, self.number, self.tells))
        return _Arrival(lanes, waves, number, tells, self.site)

    def land(self, batch: Barriers) -> None:
        batch.arrive_at(self.tells, np.ones(self.tells.size, np.int64), self.lanes, self.site)


class Barriers(Copies):
    """Adds them to a batch. A barrier is known by the position of its state."""

    def __init__(self, *arguments: Any) -> None:
        Copies.__init__(self, *arguments)
        self._told: dict[int, _Told] = {}
        self._order = Order.start(self.blocks, self.waves // self.blocks)

    def barrier_arrive(self, group: Group, mask: Any, address: Any, count: Any, site: int) -> Array:
        """ds_atomic_barrier_arrive_rtn_b64; the states that were there before."""
        active = group.active(mask)
        places = self.locate_shared(address, _BYTES, 1, group, active, site)
        counts = group.flat(count, active).astype(np.int64)
        return group.spread(self.arrive_at(places, counts, group.numbers(active), site), active)

    def barrier_arrive_async(self, group: Group, mask: Any, address: Any, site: int) -> None:
        """ds_atomic_async_barrier_arrive_b64."""
        active = group.active(mask)
        places, lanes = self.locate_shared(address, _BYTES, 1, group, active, site), group.numbers(active)
        waves = lanes // self.lanes
        for place in np.unique(places).tolist():
            self._told_at(place)
        self.begin(_Arrival(lanes, waves, self.issued["async"][waves], places, site))

    def arrive_at(self, places: Array, counts: Array, lanes: Array, site: int) -> Array:
        """Lane after lane; the states that were there before. Races with what initialises a state are reads'."""
        if self.launch.checks:
            self.shared.on_read(places, lanes, _BYTES, site)
        cells, before = self.shared.data.view(np.uint64), np.zeros(places.size, np.uint64)
        for place in np.unique(places).tolist():
            self._tell(place, lanes[places == place])
        for entry, (place, count) in enumerate(zip(places.tolist(), counts.tolist(), strict=True)):
            state = before[entry] = cells[place // _BYTES]
            cells[place // _BYTES] = self._after(int(state), count, place, int(lanes[entry]), site)
        return before

    def _after(self, state: int, count: int, place: int, lane: int, site: int) -> int:
        missing = (state & _PENDING) + 1
        if not 0 < count <= missing:
            detail = f"{count} arrivals at a barrier at which {missing} are missing"
            raise self.fault("barrier", detail, site, lane, place % self.shared.stride)
        if count < missing:
            return state - count
        told = self._told_at(place)
        told.before, told.now = np.maximum(told.before, told.now), np.zeros_like(told.now)
        phase = (state >> _WIDTH) - 1 & (1 << 32 - _WIDTH) - 1
        reload = state >> 32 & _RELOAD
        return reload << 32 | phase << _WIDTH | reload

    # ---- order ----

    def _told_at(self, place: int) -> _Told:
        if place not in self._told:
            waves = self.waves // self.blocks
            self._told[place] = _Told(np.zeros(waves, np.int64), np.zeros(waves, np.int64))
        return self._told[place]

    def _tell(self, place: int, lanes: Array) -> None:
        """What these lanes' waves did so far is before the end of the phase."""
        told, members = self._told_at(place), self._members(lanes)
        told.now = np.maximum(told.now, self._order.handed_on(members)[place // self.shared.stride])
        self._advance(self._order.arrived(members), members)

    def _members(self, lanes: Array) -> Array:
        members = np.zeros(self.waves, np.bool_)
        members[lanes // self.lanes] = True
        return members.reshape(self.blocks, -1)

    def _advance(self, order: Order, members: Array) -> None:
        self._order = order
        self.shared.synchronise_some(order, members.reshape(-1))
        self.races.advance_order(order, members.reshape(-1))

    def shared_load(self, group: Group, mask: Any, address: Any, size: int, count: int, site: int) -> list[Array]:
        """A load of a barrier's state sees what its phases handed on; what arrives there ends first."""
        if not self._told or size * count != _BYTES:
            return super().shared_load(group, mask, address, size, count, site)
        active = group.active(mask)
        places, lanes = self.locate_shared(address, size, count, group, active, site), group.numbers(active)
        known = [place for place in np.unique(places).tolist() if place in self._told]
        if known:
            self.reach(np.array(known))
        found = super().shared_load(group, mask, address, size, count, site)
        for place in known:
            members, told = self._members(lanes[places == place]), self._told[place].before
            block = place // self.shared.stride
            if (self._order.known[block][members[block]] < told).any():
                learned = np.zeros_like(self._order.epochs)
                learned[block] = told
                self._advance(self._order.learned(members, learned), members)
        return found
