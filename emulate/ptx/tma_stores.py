"""Boxes that the tensor memory accelerator copies from shared memory to a tensor, and the groups that wait for them.

A store reads its source, and writes its tensor, at any time until its thread waits for its group: whoever writes the
source before it waits until that has been read, or touches the destination before it waits until that is written, is
reported. The bytes are there at that wait, or at the end, as they were when the store was issued.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ..access_records import READ, WRITE
from ..faults import Violation
from ..memory import scatter
from ..tensor_map import TensorMap
from .group import Group
from .state_spaces import WINDOW_SHIFT
from .tma import PIECE, Boxes, mixed_pieces, sources

Array = npt.NDArray[Any]


@dataclass
class _Store:
    """One: pieces of 16 bytes at `places`, and what goes to `elements` of global memory, `size` bytes each."""

    lane: int
    site: int
    turn: int
    """How many groups the lane had committed."""
    places: Array
    elements: Array
    size: int
    content: Array
    read: bool = False


class BoxStores(Boxes):
    """Adds stores of cp.async.bulk.tensor to a batch."""

    def prepare_box_stores(self) -> None:
        """Called once, before anything runs."""
        self._stores: list[_Store] = []
        self._committed: Array = np.zeros(self.size, np.int64)
        if any(i.has("bulk_group") and i.has("tensor") for i in self.program.instructions):
            self.shared.watch_proxies()

    def issue_store(self, source: Any, map: Any, coordinates: list[Any], group: Group, site: int) -> None:
        """One copy a lane; coordinates are innermost first."""
        if group.count == 0:
            return
        columns = [self.chosen(x, group).astype(np.int64) for x in (source, map)]
        corners = [self.chosen(x, group).astype(np.int32).astype(np.int64) for x in coordinates]
        for position, lane in enumerate(group.index.tolist()):
            place, where = (int(column[position]) for column in columns)
            tensor = self.map_at(where, lane, site)
            corner = [int(c[position]) for c in reversed(corners)]
            if len(corner) != len(tensor.box):
                raise self.fault("tensor-map", f"{len(corner)} coordinates of {len(tensor.box)}", site, lane, where)
            self.need_aligned(tensor, corner, place & ((1 << WINDOW_SHIFT) - 1), lane, site)
            pieces = mixed_pieces(tensor, place & ((1 << WINDOW_SHIFT) - 1))
            addresses, inside = sources(tensor, corner)
            self._need_whole(tensor, addresses, inside, lane, site)
            who = np.full(pieces.size, lane)
            try:
                places = self.shared.locate(pieces, np.full(pieces.size, self.block_of[lane]), PIECE)
                self.shared.need_fenced(places, PIECE)
                self.shared.on_read(places, who, PIECE, site)
                who = np.full(int(inside.sum()), lane)
                elements = self.memory.locate(addresses[inside], tensor.size)
            except Violation as violation:
                self.raise_violation(violation, who, site)
            held = self.shared.data[places[:, None] + np.arange(PIECE)].reshape(-1, tensor.size)
            assert held.shape[0] == prod(tensor.box)
            self.note(WRITE, elements, tensor.size, who, site)
            self.counters.shared_load_bytes += tensor.size * inside.size
            self.counters.global_store_bytes += tensor.size * elements.size
            self.counters.sectors(site, np.unique(addresses[inside] >> 5).size)
            turn = int(self._committed[lane])
            self._stores.append(_Store(lane, site, turn, places, elements, tensor.size, held[inside]))
        self._watch()

    def _need_whole(self, tensor: TensorMap, addresses: Array, inside: Array, lane: int, site: int) -> None:
        """Chips write whole pieces, further than the tensor reaches (triton-lang/triton #11583, #11893)."""
        pieces = inside.reshape(-1, PIECE // tensor.size)
        cut = pieces.any(axis=1) & ~pieces.all(axis=1)
        if cut.any():
            piece = int(np.flatnonzero(cut)[0])
            behind = int((~pieces[piece]).sum()) * tensor.size
            detail = f"a box is stored in whole pieces of {PIECE} bytes, {behind} of one behind the tensor's end"
            raise self.fault("out-of-bounds", detail, site, lane, int(addresses[piece * (PIECE // tensor.size)]))

    def commit_stores(self, group: Group) -> None:
        self._committed[group.index] += 1

    def wait_stores(self, allowed: int, only_read: bool, group: Group, site: int) -> None:
        """For all groups of these lanes but the `allowed` newest."""
        due = [s for s in self._stores if group.mask[s.lane] and s.turn < self._committed[s.lane] - allowed]
        for store in due:
            if not store.read:
                store.read = True
                self._watch()
                self._note_read(store, site)
            if not only_read:
                self._stores = [s for s in self._stores if s is not store]
                self._write(store, site)
        self._watch()

    def _note_read(self, store: _Store, site: int) -> None:
        """It read until now."""
        who = np.full(store.places.size, store.lane)
        try:
            self.shared.on_read(store.places, who, PIECE, site)
        except Violation as violation:
            self.raise_violation(violation, who, site)

    def _write(self, store: _Store, site: int) -> None:
        """It wrote until now."""
        self.note(WRITE, store.elements, store.size, np.full(store.elements.size, store.lane), site)
        words = store.content.reshape(-1).view(f"u{store.size}")
        scatter(self.memory.arena, store.elements, store.size, [words])

    def _watch(self) -> None:
        """Whose sources nobody may write."""
        self.shared.watch_stores([self.shared.cells(s.places, PIECE).reshape(-1) for s in self._stores if not s.read])

    def note(
        self, kind: int, flat: Array, nbytes: int, lanes: Array, site: int, values: list[Array] | None = None
    ) -> None:
        for store in self._stores if self.launch.checks and flat.size else ():
            self._need_apart(store, kind, flat, nbytes, lanes, site)
        super().note(kind, flat, nbytes, lanes, site, values)

    def _need_apart(self, store: _Store, kind: int, flat: Array, nbytes: int, lanes: Array, site: int) -> None:
        """What a store writes nobody touches, nor writes once more, before its thread has waited for it."""
        if not store.elements.size:
            return
        taken = np.sort(store.elements)
        first = np.searchsorted(taken, flat - store.size, side="right")
        wrong = (first < taken.size) & (taken[np.minimum(first, taken.size - 1)] < flat + nbytes)
        if wrong.any():
            position = int(np.flatnonzero(wrong)[0])
            verb = "read of" if kind == READ else "write to"
            line = self.program.instructions[store.site].line
            detail = f"{verb} what the store of a box in line {line} writes, before its thread waited for it"
            lane = int(np.broadcast_to(lanes, flat.shape)[position])
            raise self.fault("in-flight", detail, site, lane)

    def require_landed(self) -> None:
        """At the end a workgroup's memory is another's. What has been read is written."""
        super().require_landed()
        for store in self._stores:
            if not store.read:
                detail = "the workgroup ends, and nobody has waited until this store of a box has read its memory"
                raise self.fault("in-flight", detail, store.site, store.lane)
        stores, self._stores = self._stores, []
        for store in stores:
            self._write(store, store.site)
