"""Tiles of tensors that a wave of gfx1250 copies by a descriptor: what the words of its groups say.

From CDNA5's ISA document, "Tensor operations": bits are counted from the lowest of a group's first word, and a missing
group is zeros. Dimensions are innermost first, and each stride leads to the next one. LDS has the tile in that order,
without gaps but for padding; loads get zeros where the tile is outside of the tensor, and stores leave that out.
Modes of context restore and copies for other workgroups are not emulated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...support.dataclasses import dataclass, field
from ..access_records import WRITE
from ..faults import Violation
from .barriers import Barriers
from .group import Group
from .wave_values import Array

_SIZES = ((1, 48), (1, 80), (2, 0), (2, 32), (3, 48))
_EXTENTS = ((1, 112), (1, 128), (1, 144), (2, 112), (3, 80))
_STRIDES = ((1, 160), (1, 208), (2, 64), (3, 0))
"""By dimension, the group and its lowest bit: 32, 16 and 48 bits."""
_WORD = 4


class _Descriptor:
    """The groups of one wave, as numbers."""

    def __init__(self, groups: list[int]) -> None:
        self._groups = groups

    def bits(self, group: int, lowest: int, count: int) -> int:
        return self._groups[group] >> lowest & (1 << count) - 1

    @property
    def element(self) -> int:
        """Bytes."""
        return 1 << self.bits(1, 16, 2)

    @property
    def gathers(self) -> bool:
        return bool(self.bits(0, 31, 1))

    def rows(self) -> list[int]:
        """The numbers of the rows that are gathered."""
        width = 32 if self.bits(0, 30, 1) else 16
        each, count = 128 // width, self.bits(1, 128, 16)
        return [self.bits(2 + n // each, n % each * width, width) for n in range(count)]

    def tile(self) -> tuple[Array, Array]:
        """How far each element is in global memory, in elements, in the order of LDS, and whether it counts."""
        extents = [self.bits(group, bit, 16) for group, bit in _EXTENTS]
        if self.gathers:
            extents = [extents[0], len(self.rows()), 0, 0, 0]
        elif self.bits(1, 19, 1):
            extents[3:] = [0, 0]
        used = next((n for n, extent in enumerate(extents) if not extent), len(extents))
        far, inside = np.zeros(1, np.int64), np.ones(1, np.bool_)
        if not used:
            return far[:0], inside[:0]
        for dim in reversed(range(used)):
            along = np.arange(extents[dim])
            if self.gathers and dim == 1:
                along = np.array(self.rows(), np.int64)
            stride = 1 if dim == 0 else self.bits(*_STRIDES[dim - 1], 48)
            far = (far[:, None] + along * stride).reshape(-1)
            inside = (inside[:, None] & (along < self.bits(*_SIZES[dim], 32))).reshape(-1)
        return far, inside

    def padded(self, near: Array) -> Array:
        """Bytes in LDS, with those that are left out."""
        if not self.bits(1, 20, 1):
            return near
        interval = _WORD << self.bits(1, 22, 3) + 1
        found: Array = near + near // interval * (_WORD * (self.bits(1, 25, 7) + 1))
        return found

    def places(self, loads: bool) -> tuple[Array, Array, Array]:
        """Addresses of elements in global memory, in LDS, and whether they count."""
        far, inside = self.tile()
        near = np.arange(far.size) * self.element
        near = self.padded(near) if loads else near
        far = far * self.element
        times = self.bits(2, 112, 16) + 1 if self.bits(1, 19, 1) and not self.gathers else 1
        steps = self.bits(2, 64, 48) * self.element, self.bits(2, 32, 32) * self.element
        parts = [(far + n * steps[0], near + n * steps[1], inside) for n in range(times)]
        far, near, inside = (np.concatenate(column) for column in zip(*parts, strict=True))
        return far + self.bits(0, 64, 57), near + self.bits(0, 32, 32), inside


@dataclass
class _TensorCopy:
    """One issued instruction of one wave, see `Begun`."""

    waves: Array
    number: Array
    loads: bool
    far: Array
    """Positions in the arena of what counts."""
    near: Array
    """Positions in LDS of what is read, or of all that is written."""
    inside: Array
    element: int
    held: Array
    site: int
    tells: Array | None
    counter: str = field(default="tensor")

    def part(self, chosen: Array) -> _TensorCopy:
        return self  # one entry is never parted

    def land(self, batch: Tensors) -> None:
        batch.land_tensor(self)


class Tensors(Barriers):
    """Adds them to a batch."""

    def tensor_copy(self, group: Group, words: list[list[Any]], loads: bool, site: int) -> None:
        """tensor_load_to_lds, tensor_store_from_lds: each wave once, whatever its mask."""
        for row, wave in enumerate(group.waves.tolist()):
            groups = [sum(_of_wave(word, row) << 32 * n for n, word in enumerate(part)) for part in words]
            self._begin_tensor(_Descriptor(groups + [0] * (4 - len(groups))), wave, loads, site)

    def _begin_tensor(self, found: _Descriptor, wave: int, loads: bool, site: int) -> None:
        lane, count = wave * self.lanes, found.bits(0, 0, 2)
        if count > 1 or found.bits(0, 2, 9) or found.bits(0, 126, 2) != 2 or found.bits(1, 0, 16):
            raise self.fault("unsupported", "a tensor's descriptor of another kind", site, lane)
        waves, number = np.array([wave]), self.issued["tensor"][[wave]]
        if not count:
            return
        far, near, inside = found.places(loads)
        size = found.element
        try:
            source = self.memory.locate(far[inside], size)
            near = near if loads else near[inside]
            at = self.shared.locate(near, np.full(near.size, self.block_of[wave]), size)
        except Violation as violation:
            raise self.fault(violation.kind, f"a tile: {violation.detail}", site, lane, violation.address) from None
        lanes = np.full(at.size, lane)
        if loads:
            self._guarded(lambda: self.shared.on_copy(at, lanes, size, site), site, lane)
            self.note(self.program.read_kind, source, size, np.full(source.size, lane), site)
            self.counters.global_load_bytes += size * source.size
        else:
            self._guarded(lambda: self.shared.on_read(at, lanes, size, site), site, lane)
            one = Group(waves, self.lanes, whole=False)
            self._refuse_read_only(far[inside], size, one, np.zeros(source.size, np.int64), site)
            self.counters.global_store_bytes += size * source.size
        tells = None
        if found.bits(1, 18, 1):
            place = self.shared.locate(np.array([found.bits(1, 32, 16) << 3]), np.array([self.block_of[wave]]), 8)
            self._told_at(int(place[0]))
            tells = place
        held = self._elements(source, size, self.memory.arena) if loads else self._elements(at, size, self.shared.data)
        self.begin(_TensorCopy(waves, number, loads, source, at, inside, size, held, site, tells))

    def _guarded(self, check: Any, site: int, lane: int) -> None:
        if self.launch.checks:
            try:
                check()
            except Violation as violation:
                raise self.fault(violation.kind, violation.detail, site, lane, violation.address) from None

    @staticmethod
    def _elements(places: Array, size: int, data: Array) -> Array:
        return np.asarray(data[places[:, None] + np.arange(size)])

    def land_tensor(self, copy: _TensorCopy) -> None:
        lane, size = int(copy.waves[0]) * self.lanes, copy.element
        data = self.memory.arena if copy.loads else self.shared.data
        found = self._elements(copy.far if copy.loads else copy.near, size, data)
        if (found != copy.held).any():
            detail = "what a copy reads was written before its wave waited for it"
            raise self.fault("outstanding-load", detail, copy.site, lane)
        if copy.loads:
            lanes = np.full(copy.near.size, lane)
            self._guarded(lambda: self.shared.on_landing(copy.near, lanes, size, copy.site), copy.site, lane)
            whole = np.zeros((copy.near.size, size), np.uint8)
            whole[np.flatnonzero(copy.inside)] = found
            self.shared.data[copy.near[:, None] + np.arange(size)] = whole
        else:
            self.note(WRITE, copy.far, size, np.full(copy.far.size, lane), copy.site)
            self.memory.arena[copy.far[:, None] + np.arange(size)] = found
        if copy.tells is not None:
            self.arrive_at(copy.tells, np.ones(1, np.int64), np.array([lane]), copy.site)


def _of_wave(word: Any, row: int) -> int:
    found = np.asarray(word).reshape(-1)
    return int(found[row if found.size > 1 else 0])
