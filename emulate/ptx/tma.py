"""Copies of boxes by the tensor memory accelerator, and the barrier objects that count their bytes.

A box is checked when its copy is issued, and lands when a thread waits for the phase of its barrier object: whoever
touches the place before is reported. On hardware it comes at any time in between, by the async proxy. An object orders
what was done before the arrivals of a phase, and the boxes that it counted, before what is done after a wait for it.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass, field
from ..access_records import READ
from ..faults import Violation
from ..memory import gather
from ..tensor_map import MAP_BYTES, TensorMap
from .cp_async import BarrierObject, Copies
from .group import Group
from .state_spaces import WINDOW_SHIFT

Array = npt.NDArray[Any]
Key = tuple[int, int]
"""A workgroup of the batch, and an address there."""

PIECE = 16
_PARAMETERS = 3
"""The window of parameters in generic addresses."""


@dataclass
class _Box:
    """One copy: pieces of 16 bytes at `places`, of what `read` gives, zeros besides."""

    lane: int
    site: int
    places: Array
    elements: Array
    inside: Array
    size: int
    held: Array


@dataclass
class _Told:
    """By team of the workgroup, what is known of it: see `Order`."""

    now: Array
    """Through the arrivals of this phase."""
    before: Array
    """Through those of the phases before."""
    boxes: list[_Box] = field(default_factory=list[_Box])


class Boxes(Copies):
    """Adds cp.async.bulk.tensor to a batch, and order through barrier objects."""

    def prepare_boxes(self) -> None:
        """Called once, before anything runs."""
        self._told: dict[Key, _Told] = {}

    # ---- order ----

    def _told_of(self, key: Key) -> _Told:
        if key not in self._told:
            teams = self.launch.races.crew.teams
            self._told[key] = _Told(np.zeros(teams, np.int64), np.zeros(teams, np.int64))
        return self._told[key]

    def tell(self, key: Key, lanes: Array) -> None:
        """What these lanes' warps did so far is before what is done after this phase."""
        found, members = self._told_of(key), self.teams_of(lanes)
        found.now = np.maximum(found.now, self.order.handed_on(members)[key[0] // self.launch.together])
        self.advance_order(self.order.arrived(members), members.reshape(-1))

    def phase_over(self, key: Key) -> None:
        told = self._told_of(key)
        told.before, told.now = np.maximum(told.before, told.now), np.zeros_like(told.now)

    def phase_complete(self, address: Any, wanted: Any, group: Group, site: int) -> Array:
        """For all lanes: whether the phase that a lane of the group waits for is over. Boxes land."""
        out = np.zeros(self.size, np.bool_)
        lanes = group.index
        addresses = self.chosen(address, group) & ((1 << WINDOW_SHIFT) - 1)
        self._locate("shared", addresses, 8, group, site)
        parities = self.chosen(wanted, group).astype(np.int64) & 1
        asked = np.stack([self.block_of[lanes], addresses, parities], axis=1)
        kinds, which = np.unique(asked, axis=0, return_inverse=True)
        learned = np.zeros((self.blocks, self.launch.races.crew.teams), np.int64)
        for number, (block, place, parity) in enumerate(kinds.tolist()):
            here = lanes[which.reshape(-1) == number]
            found = self.object_at((block, place), int(here[0]), site)
            if found.phase == parity:
                self._land_boxes((block, place), found)
            if found.phase != parity:
                out[here] = True
                learned[block] = np.maximum(learned[block], self._told_of((block, place)).before)
        if out.any():
            warps = self.teams_of(np.flatnonzero(out)).reshape(-1)
            of_ranks = learned.reshape(self.clusters, self.launch.together, -1)
            for rank in range(self.launch.together):
                members = self.of_rank(warps, rank)
                if members.any():
                    self.advance_order(self.order.learned(members, of_ranks[:, rank]), members.reshape(-1))
        return out

    # ---- boxes ----

    def issue_box(
        self, destination: Any, map: Any, coordinates: list[Any], barrier: Any, ranks: Any, group: Group, site: int
    ) -> None:
        """One copy a lane; coordinates are innermost first. `ranks` has a bit for each workgroup of the cluster that
        gets the box, and whose object counts it; None: the lane's own."""
        if group.count == 0:
            return
        columns = [self.chosen(x, group).astype(np.int64) for x in (destination, map, barrier)]
        corners = [self.chosen(x, group).astype(np.int32).astype(np.int64) for x in coordinates]
        for position, lane in enumerate(group.index.tolist()):
            place, where, object = (int(column[position]) for column in columns)
            tensor = self.map_at(where, lane, site)
            corner = [int(c[position]) for c in reversed(corners)]
            if len(corner) != len(tensor.box):
                raise self.fault("tensor-map", f"{len(corner)} coordinates of {len(tensor.box)}", site, lane, where)
            mask = (1 << WINDOW_SHIFT) - 1
            own = int(self.block_of[lane])
            wanted = None if ranks is None else int(self.chosen(ranks, group)[position])
            targets = [own] if wanted is None else self._targets(wanted, lane, site)
            self._issue(tensor, corner, place & mask, object & mask, targets, lane, site)

    def _targets(self, mask: int, lane: int, site: int) -> list[int]:
        """The workgroups of the lane's cluster that a mask of ranks names."""
        together, own = self.launch.together, int(self.block_of[lane])
        if not 0 < mask < 1 << together:
            detail = f"a box for the ranks {mask:#x}, in a cluster of {together} workgroups"
            raise self.fault("out-of-bounds", detail, site, lane)
        found = [own - own % together + rank for rank in range(together) if mask >> rank & 1]
        self.reach(np.array(found), np.full(len(found), lane), site)
        return found

    def map_at(self, address: int, lane: int, site: int) -> TensorMap:
        offset = address - (_PARAMETERS << WINDOW_SHIFT)
        arguments = self.launch.arguments
        found = None
        if 0 <= offset <= arguments.size - MAP_BYTES and offset % 64 == 0:
            found = TensorMap.decode(arguments[offset : offset + MAP_BYTES].tobytes())
        if found is None:
            raise self.fault("tensor-map", "no tensor map lies here among the parameters", site, lane, address)
        return found

    def _issue(
        self, tensor: TensorMap, corner: list[int], place: int, object: int, targets: list[int], lane: int, site: int
    ) -> None:
        """It is read once, for all targets."""
        self.need_aligned(tensor, corner, place, lane, site)
        addresses, inside = sources(tensor, corner)
        mixed = mixed_pieces(tensor, place)
        who = np.full(mixed.size, lane)
        try:
            places = [self.shared.locate(mixed, np.full(mixed.size, target), PIECE) for target in targets]
            for part in places:
                self.shared.on_copy(part, who, PIECE, site, by_proxy=True)
            who = np.full(int(inside.sum()), lane)
            flat = self.memory.locate(addresses[inside], tensor.size)
        except Violation as violation:
            self.raise_violation(violation, who, site)
        self.note(READ, flat, tensor.size, who, site)
        self.counters.global_load_bytes += tensor.size * flat.size
        self.counters.sectors(site, np.unique(addresses[inside] >> 5).size)
        held = self._bytes_of(addresses, inside, tensor.size)
        for target, part in zip(targets, places, strict=True):
            self.counters.shared_store_bytes += tensor.size * inside.size
            self.object_at((target, object), lane, site)
            box = _Box(lane, site, part, addresses, inside, tensor.size, held)
            self._told_of((target, object)).boxes.append(box)

    def need_aligned(self, tensor: TensorMap, corner: list[int], place: int, lane: int, site: int) -> None:
        """Both ends. Of the tensor's no manual says so, but chips end the kernel (triton-lang/triton #7385, #8657)."""
        first = corner[-1] * tensor.size
        if first % PIECE:
            detail = (
                f"innermost coordinate {corner[-1]}: byte {first} of a row, where boxes begin at multiples of {PIECE}"
            )
            raise self.fault("misaligned", detail, site, lane)
        pattern = 8 * tensor.swizzle or 128
        if place % pattern:
            detail = f"a box with rows of {tensor.swizzle} mixed bytes begins at a multiple of {pattern}"
            raise self.fault("misaligned", detail, site, lane, place)

    def _bytes_of(self, addresses: Array, inside: Array, size: int) -> Array:
        """[piece, byte] of a box, zeros outside."""
        found = np.zeros(addresses.size, f"u{size}")
        (found[inside],) = gather(self.memory.arena, self.memory.locate(addresses[inside], size), size, 1)
        return found.view(np.uint8).reshape(-1, PIECE)

    def _land_boxes(self, key: Key, found: BarrierObject) -> None:
        """Those that the object counts, once all have arrived that its phase waits for."""
        told = self._told_of(key)
        if found.pending or not told.boxes:
            return
        boxes, told.boxes = told.boxes, []
        for box in boxes:
            self._land_box(box)
            self.tell(key, np.array([box.lane]))
            found.bytes -= box.places.size * PIECE
        self.advance_phase(key, found)

    def _land_box(self, box: _Box) -> None:
        content = self._bytes_of(box.elements, box.inside, box.size)
        if not np.array_equal(content, box.held):
            detail = "what a copy reads was written before anyone waited for it"
            raise self.fault("outstanding-load", detail, box.site, box.lane)
        who = np.repeat(np.array([box.lane]), box.places.size)
        try:
            self.shared.on_landing(box.places, who, PIECE, box.site, by_proxy=True)
        except Violation as violation:
            self.raise_violation(violation, who, box.site)
        self.shared.data[box.places[:, None] + np.arange(PIECE)] = content

    def require_landed(self) -> None:
        """At the end: a workgroup's memory is another's once it is over."""
        for told in self._told.values():
            if told.boxes:
                box = told.boxes[0]
                raise self.fault("outstanding-load", "nobody waits for what this copies", box.site, box.lane)


def mixed_pieces(tensor: TensorMap, place: int) -> Array:
    """Where in a workgroup's memory the pieces of a box lie that begins at `place`."""
    plain = place + np.arange(prod(tensor.box) * tensor.size // PIECE) * PIECE
    return np.asarray(plain ^ (((plain >> 7) & (max(tensor.swizzle, PIECE) // PIECE - 1)) << 4))


def sources(tensor: TensorMap, corner: list[int]) -> tuple[Array, Array]:
    """Addresses of the box's elements, row by row, and which of them are inside of the tensor."""
    numbers = np.indices(tensor.box).reshape(len(tensor.box), -1) + np.array(corner)[:, None]
    shape = np.array(tensor.shape)[:, None]
    inside = np.asarray(((numbers >= 0) & (numbers < shape)).all(axis=0))
    strides = np.array([prod(tensor.shape[n + 1 :]) * tensor.size for n in range(len(tensor.shape))])
    return np.asarray(tensor.address + strides @ numbers), inside
