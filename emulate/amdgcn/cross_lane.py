"""Operations across the lanes of a wave, for all waves of a group at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batch_values import choose
from .atomics import Atomics
from .group import Group
from .wave_values import ALL, Array


def permute(
    batch: Lanes, value: Any, mask: Any, source: Array, valid: Array, enabled: Array, zero: bool, fetch: bool
) -> tuple[Array, Any]:
    """Data-parallel primitives: (value of the source lane, lanes that are written).

    A source lane that is out of range or inactive gives 0 with `zero`, else leaves the destination alone; `fetch`
    reads inactive lanes.
    """
    moved = wide(value, batch.lanes)[..., source]
    readable = valid
    if mask is not ALL and not fetch:
        readable = valid & wide(mask, batch.lanes)[..., source]
    if readable.all():
        return moved, ALL if enabled.all() else enabled
    if zero:
        return np.where(readable, moved, np.uint32(0)), ALL if enabled.all() else enabled
    return moved, readable & enabled


def wide(value: Any, lanes: int) -> Array:
    """[wave, lane]."""
    shape = np.shape(value)
    if len(shape) == 2 and shape[1] == lanes:
        found: Array = value
        return found
    return np.broadcast_to(value, (shape[0] if shape else 1, lanes))


class Lanes(Atomics):
    """Adds lane operations to a batch. Values are [wave, lane], merged over all lanes."""

    def _full(self, group: Group, value: Any) -> Array:
        return np.broadcast_to(value, (group.count, self.lanes))

    def first_lane(self, group: Group, mask: Any, value: Any) -> Any:
        """The value of the first active lane (of lane 0 if there is none), per wave."""
        if np.ndim(value) == 0:
            return value
        if value.shape[1] == 1:
            return value
        if mask is ALL:
            return np.ascontiguousarray(value[:, :1])
        first = self._full(group, mask).argmax(axis=1)
        return np.take_along_axis(value, first[:, None], axis=1)

    def read_lane(self, group: Group, value: Any, lane: Any) -> Any:
        """The value of one lane, active or not."""
        chosen = np.broadcast_to(np.asarray(lane, np.int64) & (self.lanes - 1), (group.count, 1))
        return np.take_along_axis(self._full(group, value), chosen, axis=1)

    def write_lane(self, group: Group, old: Any, value: Any, lane: Any) -> Array:
        """`old` with one lane replaced, active or not."""
        chosen = np.asarray(lane, np.int64) & (self.lanes - 1)
        return np.where(np.arange(self.lanes) == chosen, value, self._full(group, old))

    def count_below(self, group: Group, bits: Any, high: bool) -> Array:
        """mbcnt: bits of a 32-bit mask that belong to lanes below each lane."""
        lane = np.arange(self.lanes)
        below = (np.uint64(1) << (lane & 31).astype(np.uint64)) - np.uint64(1)
        all_bits = np.uint64(0xFFFFFFFF)
        masks = np.where(lane >= 32, below, 0) if high else np.where(lane >= 32, all_bits, below)
        return np.bitwise_count(self._full(group, bits) & masks.astype(np.uint32)).astype(np.uint32)

    # ---- through the shared-memory crossbar ----

    @property
    def _span(self) -> int:
        """Lanes that the crossbar connects: on RDNA 1 to 3 those of a half (the documents' "mod 32")."""
        return min(self.lanes, 32) if self.chip.generation in (10, 11) else self.lanes

    def backward_permute(self, group: Group, mask: Any, address: Any, value: Any) -> Array:
        """Each lane reads the lane that its address (4 bytes a lane) names."""
        lane = np.arange(self.lanes)
        places = self._full(group, address).astype(np.int64) >> 2
        source = (lane & ~(self._span - 1)) | (places & (self._span - 1))
        return self._read_lanes(group, mask, source, value)

    def _read_lanes(self, group: Group, mask: Any, source: Array, value: Any) -> Array:
        """Lanes that are inactive read as zero (every instruction set document says so at these instructions)."""
        source = np.broadcast_to(source, (group.count, self.lanes))
        moved = np.take_along_axis(self._full(group, value), source, axis=1)
        if mask is ALL:
            return moved
        return np.where(np.take_along_axis(self._full(group, mask), source, axis=1), moved, np.uint32(0))

    def forward_permute(self, group: Group, mask: Any, address: Any, value: Any) -> Array:
        """Each lane writes the lane that its address names; the highest lane wins, others get 0."""
        out = np.zeros((group.count, self.lanes), np.uint32)
        active = group.active(mask)
        places = group.flat(address, active).astype(np.int64) >> 2 & (self._span - 1)
        numbers = np.arange(group.count * self.lanes) if active is None else active
        out.reshape(-1)[(numbers & ~(self._span - 1)) | places] = group.flat(value, active)
        return out

    def swizzle(self, group: Group, mask: Any, source: Array, value: Any) -> Array:
        """A fixed pattern of lanes."""
        return self._read_lanes(group, mask, source, value)

    # ---- rows and halves ----

    def permute_rows(
        self, group: Group, mask: Any, value: Any, low: Any, high: Any, exchange: bool, fetch: bool, zero: bool
    ) -> tuple[Array, Any]:
        """permlane16 (permlanex16): lane n of a row reads the lane of its (the other) row that 4 bits select."""
        lane = np.arange(self.lanes)
        place = (lane & 7).astype(np.uint32) * np.uint32(4)
        select = (choose(lane & 8 != 0, high, low) >> place) & np.uint32(15)
        return self._permuted(group, mask, value, select, exchange, fetch, zero)

    def permute_rows_by_lane(
        self, group: Group, mask: Any, value: Any, select: Any, exchange: bool, fetch: bool, zero: bool
    ) -> tuple[Array, Any]:
        """permlane16_var (permlanex16_var): the same, by 4 bits of each lane's own."""
        chosen = self._full(group, select) & np.uint32(15)
        return self._permuted(group, mask, value, chosen, exchange, fetch, zero)

    def _permuted(
        self, group: Group, mask: Any, value: Any, select: Array, exchange: bool, fetch: bool, zero: bool
    ) -> tuple[Array, Any]:
        row = (np.arange(self.lanes) & ~15) ^ (16 if exchange else 0)
        source = np.broadcast_to(row | select.astype(np.int64), (group.count, self.lanes))
        moved = np.take_along_axis(self._full(group, value), source, axis=1)
        if fetch or mask is ALL:
            return moved, ALL
        readable = np.take_along_axis(self._full(group, mask), source, axis=1)
        if zero:
            return np.where(readable, moved, np.uint32(0)), ALL
        return moved, readable

    def swap_rows(self, group: Group, mask: Any, first: Any, second: Any, size: int) -> tuple[Array, Array]:
        """Odd groups of `size` lanes of `first` change places with the even ones of `second`."""
        a, b = self._full(group, first), self._full(group, second)
        lane = np.arange(self.lanes)
        odd = lane & size != 0
        partner = lane ^ size
        new_a, new_b = np.where(odd, b[:, partner], a), np.where(odd, b, a[:, partner])
        if mask is ALL:
            return new_a, new_b
        both = self._full(group, mask) & self._full(group, mask)[:, partner]
        return np.where(both, new_a, a), np.where(both, new_b, b)
