"""Copies from global memory to the workgroup's (LDS) that a batch has under way.

A copy is checked when it is issued, and its bytes land when a wait of its wave says that it is done: a kernel that
reads too early, or writes what a copy writes or reads before that, is reported: on hardware a copy takes place at any
time in between. Memory operations of one wave are done in order (CDNA3 ISA, "Manually inserted wait states"). gfx1250's
have a counter of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...support.dataclasses import dataclass, replace
from .counting import count_passes, count_sectors
from .group import Group
from .loads_stores import Resource
from .under_way import UnderWay
from .wave_values import Array

NOWHERE = 0xFFFFFFFF
"""The place in shared memory of what is not written."""


@dataclass
class _Copy:
    """One issued instruction, see `Begun`: entries by active lane."""

    counter: str
    lanes: Array
    """In the batch."""
    waves: Array
    number: Array
    source: Array
    destination: Array
    bytes: int
    step: int
    """Bytes that are written."""
    held: Array
    """What the source was then, [lane, byte]."""
    site: int

    def part(self, chosen: Array) -> _Copy:
        lanes, waves, number = (a[chosen] for a in (self.lanes, self.waves, self.number))
        source, destination, held = (a[chosen] for a in (self.source, self.destination, self.held))
        one = replace(self, lanes=lanes, waves=waves, number=number)
        return replace(one, source=source, destination=destination, held=held)

    @property
    def tells(self) -> None:
        return None

    def land(self, batch: Copies) -> None:
        batch.land_copy(self)


class Copies(UnderWay):
    """Adds them to a batch."""

    def copy(
        self, group: Group, mask: Any, address: Any, base: Any, offset: int, size: int, count: int, site: int
    ) -> None:
        """global_load_lds: lane l's words go to M0 + offset + l * bytes."""
        step = max(size, 4) * count
        place = np.asarray(base).astype(np.int64) + offset + np.arange(self.lanes) * step
        self._copy("load", group, mask, address, place, size, count, max(size, 4), site)

    def copy_async(self, group: Group, mask: Any, address: Any, place: Any, size: int, count: int, site: int) -> None:
        """global_load_async_to_lds: each lane's words go to its own place."""
        if self.launch.checks:
            active = group.active(mask)  # what is not written is read all the same
            self._locate_global(group.flat(address, active), size, count, group, active, site)
        self._copy("async", group, mask & (place != NOWHERE), address, place, size, count, size, site)

    def _copy(
        self,
        counter: str,
        group: Group,
        mask: Any,
        address: Any,
        place: Any,
        size: int,
        count: int,
        written: int,
        site: int,
    ) -> None:
        """`count` elements of `size` bytes, which are `written` as so many."""
        active, step = group.active(mask), written * count
        addresses, lanes = group.flat(address, active), group.numbers(active)
        source = self._locate_global(addresses, size, count, group, active, site)
        destination = self.locate_shared(place, written, count, group, active, site)
        self._on_shared("on_copy", destination, step, lanes, group, active, site)
        self.note(self.program.read_kind, source, size * count, lanes, site)
        self.counters.global_load_bytes += size * count * addresses.size
        self.counters.sectors(site, count_sectors(addresses, size * count, group, active))
        self.counters.shared_store_bytes += step * destination.size
        count_passes(self.counters, destination, step, group, active, site=site)
        waves = lanes // self.lanes
        number, held = self.issued[counter][waves], self._bytes(source, size * count)
        self.begin(_Copy(counter, lanes, waves, number, source, destination, size * count, step, held, site))

    def buffer_copy(
        self,
        group: Group,
        mask: Any,
        resource: Resource,
        offset: Any,
        outside: Any,
        base: Any,
        immediate: int,
        size: int,
        count: int,
        site: int,
    ) -> None:
        """buffer_load .. lds. Documents differ in whether zeros are written for what is out of bounds."""
        start, records, private = self.buffer(resource, site)
        beyond = mask & ((offset < 0) | (offset > records - size * count))
        if private or np.any(beyond):
            words = "private memory" if private else "outside of its buffer"
            raise self.fault("unsupported", f"a copy to shared memory from {words}", site)
        self.copy(group, mask, start + offset + outside, base, immediate, size, count, site)

    def _bytes(self, source: Array, count: int) -> Array:
        found: Array = self.memory.arena[source[:, None] + np.arange(count)]
        return found

    def land_copy(self, copy: _Copy) -> None:
        found, step = self._bytes(copy.source, copy.bytes), copy.step
        changed = (found != copy.held).any(axis=1)
        if changed.any():
            lane = int(copy.lanes[np.flatnonzero(changed)[0]])
            detail = "what a copy reads was written before its wave waited for it"
            raise self.fault("outstanding-load", detail, copy.site, lane)
        if self.launch.checks:
            self.shared.on_landing(copy.destination, copy.lanes, step, copy.site)
        self.note(self.program.read_kind, copy.source, copy.bytes, copy.lanes, copy.site)
        whole = np.zeros((found.shape[0], step), np.uint8)
        whole[:, : copy.bytes] = found
        self.shared.data[copy.destination[:, None] + np.arange(step)] = whole
