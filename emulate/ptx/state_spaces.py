"""Loads and stores of a batch in every state space, and what hardware counters see of them."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...targets.nvidia_fragments import TILE_ROWS, matrix_tile
from ..access_records import READ, WRITE
from ..faults import Violation
from ..memory import gather, scatter
from .emit_hints import POLICIES
from .group import Group
from .state import WARP, State

Array = npt.NDArray[Any]

WINDOW_SHIFT = 56
"""A generic address carries its space in the bits from here up: 0 global, 1 shared, 2 local, 3 parameters."""
_WINDOW_SPACES = ("global", "shared", "local", "param")


@cache
def _tile(transposed: bool) -> Array:
    """[lane, element, (row, column)] of a matrix that ldmatrix and stmatrix move."""
    return matrix_tile(transposed).held(WARP)


@cache
def _two_readers(transposed: bool) -> Array:
    """[which, row]: the first two lanes that get a part of it."""
    lanes = [np.flatnonzero((_tile(transposed)[..., 0] == row).any(axis=1))[:2] for row in range(TILE_ROWS)]
    return np.array(lanes).T


class Access(State):
    """Memory operations that generated code calls; `group` is who takes part, `site` which instruction it is."""

    def load(
        self, space: str, address: Any, size: int, count: int, group: Group, site: int, strong: bool = False
    ) -> list[Any]:
        """`count` consecutive elements of `size` bytes, as arrays (or scalars, where all lanes read one address).

        A `strong` load (ld.relaxed) is atomic: it does not race with atomic updates.
        """
        if group.count == 0:
            return [np.zeros(self.size, f"u{size}")] * count
        if np.ndim(address) == 0 and space in ("global", "const", "param"):
            return self._load_uniform(space, address, size, count, group, site, strong)
        addresses = self.chosen(address, group)
        if space == "generic":
            return self._load_generic(addresses, size, count, group, site, strong)
        data, flat = self._locate(space, addresses, size * count, group, site)
        self._count(space, addresses, size * count, group, site, load=True)
        if space == "shared":
            check = self.shared.on_atomic if strong else self.shared.on_read
            self._on_shared(check, flat, group.index, size * count, site)
        elif space == "global" and not strong:
            self.note(READ, flat, size * count, group.index, site)
        return [self.spread(column, group) for column in gather(data, flat, size, count)]

    def _load_uniform(
        self, space: str, address: Any, size: int, count: int, group: Group, site: int, strong: bool
    ) -> list[Any]:
        data, flat = self._locate(space, np.array([address], np.int64), size * count, group, site)
        if space == "global":
            self.counters.global_load_bytes += size * count * group.count
            self.counters.sectors(site, group.warps)
            if self.launch.checks and not strong:
                self.races.note_common(READ, flat, size * count, group.index, site)
        return [column[0] for column in gather(data, flat, size, count)]

    def _load_generic(
        self, addresses: Array, size: int, count: int, group: Group, site: int, strong: bool
    ) -> list[Any]:
        out = [np.zeros(self.size, f"u{size}") for _ in range(count)]
        for space, part, own in self._windows(addresses, group, site):
            for total, values in zip(out, self.load(space, own, size, count, part, site, strong), strict=True):
                total[part.index] = self.chosen(values, part)
        return out

    def store(self, space: str, address: Any, size: int, values: list[Any], group: Group, site: int) -> None:
        """Consecutive elements of `size` bytes; where lanes collide the highest lane wins."""
        if group.count == 0:
            return
        addresses = self.chosen(address, group)
        if space == "generic":
            for part_space, part, own in self._windows(addresses, group, site):
                self.store(part_space, own, size, values, part, site)
            return
        if space in ("const", "param"):
            raise self.fault("read-only", f"store to the {space} space", site, int(group.index[0]), int(addresses[0]))
        nbytes = size * len(values)
        data, flat = self._locate(space, addresses, nbytes, group, site)
        self._count(space, addresses, nbytes, group, site, load=False)
        if space == "shared":
            self._on_shared(self.shared.on_write, flat, group.index, nbytes, site)
        elif space == "global":
            self._refuse_read_only(addresses, nbytes, group, site)
            self.tell_watch(addresses, nbytes, group, site)
            self.note(WRITE, flat, nbytes, group.index, site, [self.chosen(v, group) for v in values])
        scatter(data, flat, size, [self.chosen(v, group) for v in values])

    def note(
        self, kind: int, flat: Array, nbytes: int, lanes: Array, site: int, values: list[Array] | None = None
    ) -> None:
        """Accesses to global memory at positions `flat`, for the race detector."""
        if self.launch.checks:
            self.races.note(kind, flat, nbytes, lanes, site, values)

    def check_policy(self, value: Any, group: Group, site: int) -> None:
        """What an access says to the second level of cache has been made for that."""
        wrong = ~np.isin(self.chosen(value, group), tuple(POLICIES.values()))
        if wrong.any():
            lane = int(group.index[int(np.flatnonzero(wrong)[0])])
            raise self.fault("cache-policy", "a policy that no createpolicy has made", site, lane)

    def await_grids(self, group: Group) -> None:
        if self.races.grid is not None:
            self.races.grid.wait(group.index)

    def launch_dependents(self, group: Group) -> None:
        if self.races.grid is not None:
            self.races.grid.launch_dependents(group.index)

    def tell_watch(self, addresses: Array, nbytes: int, group: Group, site: int) -> None:
        if self.memory.watch is not None:
            self.memory.watch.see(addresses, nbytes, lambda i: self.place(site, int(group.index[i])))

    def _windows(self, addresses: Array, group: Group, site: int) -> list[tuple[str, Group, Array]]:
        """Split generic addresses by space: (space, its group, addresses for all lanes)."""
        window = addresses >> WINDOW_SHIFT
        parts: list[tuple[str, Group, Array]] = []
        for number in np.unique(window):
            here = window == number
            if not 0 <= number < len(_WINDOW_SPACES):
                position = int(np.flatnonzero(here)[0])
                lane, address = int(group.index[position]), int(addresses[position])
                raise self.fault("out-of-bounds", "address in no memory", site, lane, address)
            mask = np.zeros(self.size, np.bool_)
            mask[group.index[here]] = True
            own = np.zeros(self.size, np.int64)
            own[group.index] = addresses - (int(number) << WINDOW_SHIFT)
            parts.append((_WINDOW_SPACES[int(number)], Group(mask), own))
        return parts

    def _locate(self, space: str, addresses: Array, nbytes: int, group: Group, site: int) -> tuple[Array, Array]:
        """(bytes of the memory, checked positions in it)."""
        try:
            if space == "shared":
                return self.shared.data, self.locate_shared(addresses, nbytes, group.index, site)
            if space == "local":
                return self.local, self._locate_private(addresses, self.program.local_bytes, nbytes) + (
                    self.chosen(self.lane, group) * self.local_stride
                )
            if space == "param":
                size = self.launch.arguments.size
                return self.launch.arguments, self._locate_private(addresses, size, nbytes)
            return self.memory.arena, self.memory.locate(addresses, nbytes)
        except Violation as violation:
            self.raise_violation(violation, group.index, site)

    def locate_shared(self, addresses: Array, nbytes: int, lanes: Array, site: int) -> Array:
        """Checked positions in the shared memory of the batch. Raises `Violation`."""
        offsets, segments = self.segments(addresses, lanes)
        self.reach(segments, lanes, site)
        return self.shared.locate(offsets, segments, nbytes)

    @abstractmethod
    def segments(self, addresses: Array, lanes: Array) -> tuple[Array, Array]:
        """Where in a workgroup's memory addresses of these lanes are, and which workgroups of the batch these are."""

    @abstractmethod
    def reach(self, segments: Array, lanes: Array, site: int) -> None:
        """These lanes use memory of these workgroups."""

    def _locate_private(self, addresses: Array, size: int, nbytes: int) -> Array:
        bad = (addresses < 0) | (addresses + nbytes > size) | (addresses & (nbytes - 1) != 0)
        if bad.any():
            position = int(np.flatnonzero(bad)[0])
            kind = "misaligned" if addresses[position] & (nbytes - 1) else "out-of-bounds"
            raise Violation(kind, f"access of {nbytes} bytes in {size}", position, int(addresses[position]))
        return addresses

    def _on_shared(self, check: Any, flat: Array, lanes: Array, nbytes: int, site: int) -> None:
        try:
            check(flat, lanes, nbytes, site)
        except Violation as violation:
            self.raise_violation(violation, lanes, site)

    def _refuse_read_only(self, addresses: Array, nbytes: int, group: Group, site: int) -> None:
        for start, end in self.launch.read_only:
            bad = (addresses < end) & (addresses + nbytes > start)
            if bad.any():
                position = int(np.flatnonzero(bad)[0])
                lane = int(group.index[position])
                raise self.fault("read-only", "store to constant memory", site, lane, int(addresses[position]))

    # ---- matrices in shared memory ----

    def load_matrices(
        self, space: str, address: Any, count: int, transposed: bool, group: Group, site: int
    ) -> list[Array]:
        """ldmatrix: register j of each lane is what it gets of matrix j."""
        rows = self._matrix_rows(space, address, count, group, site)
        warps = group.index.reshape(-1, WARP)[:, :1, None]
        flat = (rows + self.block_of[warps] * self.shared.stride).reshape(-1)
        # Four or eight lanes read each row; two of them meet whoever wrote it.
        readers = np.stack([np.broadcast_to(warps + lanes, rows.shape) for lanes in _two_readers(transposed)])
        self._on_shared(self.shared.on_read, np.tile(flat, 2), readers.reshape(-1), 16, site)
        self.counters.shared_load_bytes += 16 * flat.size
        found = np.stack(gather(self.shared.data, flat, 8, 2), axis=1).view(np.uint16).reshape(*rows.shape, 8)
        row, column = np.moveaxis(_tile(transposed), -1, 0)
        words = np.ascontiguousarray(found[..., row, column]).view(np.uint32)
        return [self.spread(words[:, j].reshape(-1), group) for j in range(count)]

    def store_matrices(
        self, space: str, address: Any, values: list[Any], transposed: bool, group: Group, site: int
    ) -> None:
        """stmatrix: the inverse of ldmatrix."""
        rows = self._matrix_rows(space, address, len(values), group, site)
        row, column = np.moveaxis(_tile(transposed), -1, 0)
        for j, value in enumerate(values):
            places = rows[:, j].take(row, axis=1) + 2 * column
            if not transposed:
                self.store("shared", self.spread(places[..., 0].reshape(-1), group), 4, [value], group, site)
                continue
            for e, part in enumerate((value, value >> np.uint32(16))):
                place = self.spread(places[..., e].reshape(-1), group)
                self.store("shared", place, 2, [part.astype(np.uint16)], group, site)

    def _matrix_rows(self, space: str, address: Any, count: int, group: Group, site: int) -> Array:
        """Addresses [warp, matrix, row], checked: row r of matrix j comes from lane 8j + r."""
        addresses = self.chosen(address, group).reshape(-1, WARP)[:, : 8 * count]
        if space == "generic":
            addresses = addresses & ((1 << WINDOW_SHIFT) - 1)
        lanes = group.index.reshape(-1, WARP)[:, : 8 * count].reshape(-1)
        try:
            self.shared.locate(addresses.reshape(-1), self.block_of[lanes], 16)
        except Violation as violation:
            self.raise_violation(violation, lanes, site)
        self._count_matrix_conflicts(addresses, site)
        return addresses.reshape(-1, count, 8)

    # ---- counters ----

    def _count(self, space: str, addresses: Array, nbytes: int, group: Group, site: int, *, load: bool) -> None:
        counters, total = self.counters, nbytes * addresses.size
        if space == "global":
            if load:
                counters.global_load_bytes += total
            else:
                counters.global_store_bytes += total
            counters.sectors(site, self._distinct(self._by_warp(addresses >> 5, group)))
        elif space == "shared":
            if load:
                counters.shared_load_bytes += total
            else:
                counters.shared_store_bytes += total
            self._count_conflicts(addresses, nbytes, group, site)

    def _by_warp(self, values: Array, group: Group) -> Array:
        """[warp, lane]; absent lanes repeat some present lane of the warp, absent warps are left out."""
        if group.everyone:
            return values.reshape(-1, WARP)
        full = np.full(self.size, -1, np.int64)
        full[group.index] = values
        rows = full.reshape(-1, WARP)
        rows = rows[group.mask.reshape(-1, WARP).any(axis=1)]
        return np.where(rows < 0, rows.max(axis=1, keepdims=True), rows)

    def _distinct(self, rows: Array) -> int:
        """Distinct values per row, summed."""
        steps = np.diff(rows, axis=1)
        if steps.size and steps.min() < 0:
            steps = np.diff(np.sort(rows, axis=1), axis=1)
        return int(np.count_nonzero(steps)) + int(rows.shape[0])

    def _count_conflicts(self, addresses: Array, nbytes: int, group: Group, site: int) -> None:
        words = max(nbytes // 4, 1)
        self._count_rows(self._by_warp(addresses, group).reshape(-1, WARP // words), words, site)

    def _count_matrix_conflicts(self, addresses: Array, site: int) -> None:
        """Each matrix is one phase: eight rows of four words."""
        self._count_rows(addresses.reshape(-1, 8), 4, site)

    def _count_rows(self, addresses: Array, words: int, site: int) -> None:
        """Each row of addresses, of so many words each, is a phase; it costs as many passes as its busiest banks have
        distinct addresses. Addresses are multiples of their words, which so many neighbouring banks hold."""
        self.counters.passes(site, addresses.shape[0], self._beyond(addresses, words))

    def _beyond(self, addresses: Array, words: int) -> int:
        """Passes beyond one for each row."""
        banks = 32 // words
        rows = addresses >> (4 * words).bit_length() - 1
        steps = np.diff(rows, axis=1)
        if (steps == 1).all() or not steps.any():
            return 0
        ordered = np.sort(rows, axis=1)
        fresh = np.ones(ordered.shape, np.bool_)
        fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        bank: Array = (ordered & banks - 1) + banks * np.arange(rows.shape[0], dtype=np.int64)[:, None]
        busy = np.bincount(bank[fresh], minlength=banks * rows.shape[0]).reshape(-1, banks).max(axis=1)
        return int(busy.sum()) - int(rows.shape[0])
