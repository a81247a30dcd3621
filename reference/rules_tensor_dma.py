"""Rules for tiles of tensors that a wave of gfx1250 copies by a descriptor: element by element, as it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects.amdgpu_tensor import (
    INTERVALS,
    ITERATIONS,
    MAKERS,
    MOST_OF_STRIDE,
    MOST_OF_TENSOR,
    MOST_OF_TILE,
    PADS,
    TensorCopyOp,
    TensorLoadToLDSOp,
    TensorStoreFromLDSOp,
)
from ..ir.numerics import Array
from ..ir.traits import TENSOR_COUNTER
from ..ir.types import memory_bits
from ..support.dataclasses import dataclass
from .access_places import Scattered
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .memory import ELEMENT, Access, MemRef, Site, Window, locate
from .rules_async_groups import groups_of
from .rules_barriers import arrive
from .rules_copies import Placed, Side, begin

_WORD = 4
Number = Callable[[State, int], int]
"""Gives a number of one owner."""


def _make(_: Operation, __: Compiler) -> None:
    """What is made is read where it is used."""


for _class in MAKERS:
    EVALUATE.of(_class)(_make)


@dataclass(frozen=True, eq=False)
class _Tile:
    """The elements of a wave's tile: places relative to where it begins, in elements, in the order of LDS."""

    inside: Array
    """Which of them are of the tensor."""
    far: Array
    near: Array


@dataclass(frozen=True, eq=False)
class _Side:
    """What the waves touch in one memory; stands for a `Placed` of a copy."""

    site: Site
    memref: MemRef
    indices: Sequence[Array]
    places: dict[int, Array]
    """By the first lane of each wave, relative to where its tile begins."""
    chosen: dict[int, Array]
    """Which elements of the tile these are."""
    width: int

    def access(self, m: State, owners: Array, mask: Array | None = None) -> Access:
        positions, selected = list[Array](), list[Array]()
        for row, owner in enumerate(owners.tolist()):
            one = np.array([owner])
            start = locate(m, self.site, self.memref, self.indices, ELEMENT, None, None, one).positions.reshape(-1)
            positions.append(start + self.places[owner])
            selected.append(row * self.width + self.chosen[owner])
        window = Window((self.width,), (None,))
        found = np.concatenate(positions)
        chosen = tuple(np.broadcast_to(np.asarray(i), (m.batch.size,))[owners] for i in self.indices)
        access = Access(
            self.site, self.memref, window, chosen, owners, Scattered(found), selected=np.concatenate(selected)
        )
        buffer, size = self.memref.buffer, self.memref.dtype.itemsize
        each = buffer.instance_bytes // size
        first = np.broadcast_to(np.asarray(buffer.starts(m.batch, size)), (m.batch.size,))[access.actors().reshape(-1)]
        wrong = (found < first) | (found >= first + each)
        if wrong.any():
            raise access.failure(m, int(np.argmax(wrong)), f"and a tile from there, which is not in {buffer.name}")
        return access


class _Reader:
    """The numbers of a descriptor, of one owner."""

    def __init__(self, op: TensorCopyOp, c: Compiler) -> None:
        made = op.descriptor
        assert made is not None and made.maker is not None
        self.op, self.made, self.maker = op, made, made.maker
        self._slots = {value: c.slot(value) for value in (*made.operands, *made.maker.operands)}
        self.slots = [s for v, s in self._slots.items() if v not in (made.operands[0],)]
        self.element = made.maker.lds.type.element

    def values(self, m: State, value: Value) -> Array:
        return np.asarray(m.values[self._slots[value]])

    def number(self, m: State, owner: int, value: int | Value) -> int:
        if isinstance(value, int):
            return value
        found = self.values(m, value)
        return int(found if found.ndim == 0 else found[owner])

    def one(self, m: State, owner: int, name: str) -> int | None:
        value = self.made.one(name)
        return None if value is None else self.number(m, owner, value)

    def need(self, m: State, owner: int, number: int, allowed: Sequence[int] | range, words: str) -> int:
        if number not in allowed:
            raise failure(self.op, f"{m.at(owner)}{words}, found {number}")
        return number

    def same(self, m: State, owners: Array, leaders: Array) -> None:
        """All lanes of a wave say the same."""
        made, maker = self.made, self.maker
        numbers = [v for v in (*made.operands[1:], *maker.operands) if v not in (maker.global_, maker.lds)]
        numbers = [v for v in numbers if v is not made.one("atomic_barrier_address")]
        of_wave = dict(zip(m.batch.subgroup[leaders].tolist(), leaders.tolist(), strict=True))
        first = np.array([of_wave[n] for n in m.batch.subgroup[owners].tolist()])
        for value in numbers:
            found = self.values(m, value)
            rank = 1 if value is made.rows or value is made.one("workgroup_mask") else 0
            if (
                found.ndim > rank
                and (apart := (found[owners] != found[first]).reshape(owners.size, -1).any(axis=1)).any()
            ):
                who = int(owners[int(np.argmax(apart))])
                raise failure(self.op, f"{m.at(who)}has another descriptor than its subgroup's first lane")

    def tile(self, m: State, owner: int, loads: bool) -> _Tile:
        made = self.made
        whole = [(made.sizes, MOST_OF_TENSOR, 0), (made.tile, MOST_OF_TILE, 1), (made.strides, MOST_OF_STRIDE, 0)]
        sizes, tile, strides = (
            [
                self.need(m, owner, self.number(m, owner, v), range(least, most + 1), "has a number out of range")
                for v in values
            ]
            for values, most, least in whole
        )
        self._unicast(m, owner)
        grid = np.indices(tile).reshape(len(tile), -1)
        rows = None if made.rows is None else self._rows(m, owner)
        if rows is not None:
            if rows.size != tile[0]:
                raise failure(self.op, f"{m.at(owner)}gathers {rows.size} rows to a tile of {tile[0]}")
            grid[0] = rows[grid[0]]
        inside: Array = np.all(grid < np.array(sizes)[:, None], axis=0)
        far = (grid * np.array(strides)[:, None]).sum(axis=0)
        near = np.arange(grid.shape[1])
        if loads:
            near = self._padded(m, owner, near, tile[-1])
        times = self.one(m, owner, "iteration_count")
        if times is None:
            return _Tile(inside, far, near)
        self.need(m, owner, times, ITERATIONS, "is repeated 1 to 256 times")
        steps = [self.one(m, owner, name) or 0 for name in ("global_increment", "lds_increment")]
        far, near = (
            np.concatenate([x + n * step for n in range(times)]) for x, step in zip((far, near), steps, strict=True)
        )
        return _Tile(np.tile(inside, times), far, near)

    def _within(self, m: State, owner: int, value: int | Value, allowed: range) -> int:
        return self.need(m, owner, self.number(m, owner, value), allowed, f"takes {allowed[0]} to {allowed[-1]}")

    def _rows(self, m: State, owner: int) -> Array:
        assert self.made.rows is not None
        found = self.values(m, self.made.rows)
        row = found if found.ndim == 1 else found[owner]
        return np.asarray(row.astype(f"u{row.dtype.itemsize}").astype(np.int64))

    def _unicast(self, m: State, owner: int) -> None:
        mask = self.made.one("workgroup_mask")
        if mask is not None:
            found = self.values(m, mask)
            if np.any(found if found.ndim == 1 else found[owner]):
                raise failure(self.op, f"{m.at(owner)}copies for other workgroups of a cluster, which there is none of")

    def _padded(self, m: State, owner: int, near: Array, row: int) -> Array:
        amount, interval = (self.one(m, owner, name) for name in ("pad_amount", "pad_interval"))
        if amount is None or interval is None:
            return near
        self.need(m, owner, amount, PADS, "leaves out 1 to 128 words")
        self.need(m, owner, interval, INTERVALS, "leaves words out after 2, 4, 8, .. or 256")
        bytes = memory_bits(self.element) // 8
        if row * bytes % _WORD or amount * _WORD % bytes:
            raise failure(self.op, f"{m.at(owner)}leaves out words between rows of {row} elements of {bytes} bytes")
        found: Array = near + near * bytes // (interval * _WORD) * (amount * _WORD // bytes)
        return found


def _copy(op: TensorCopyOp, c: Compiler) -> Step:
    reader, loads = _Reader(op, c), isinstance(op, TensorLoadToLDSOp)
    sites = [c.site(op, "reads" if loads == far else "writes") for far in (True, False)]
    memrefs = [c.slot(reader.maker.global_), c.slot(reader.maker.lds)]
    indices = [c.slots(reader.maker.global_indices), c.slots(reader.maker.lds_indices)]
    barrier, made = reader.made.one("atomic_barrier_address"), reader.made
    at = None
    if barrier is not None:
        at = Side(c.site(op, "writes"), c.slot(barrier), c.slots(made.part("atomic_barrier_indices")), ELEMENT, None)

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        m.settle(op, reader.slots)
        owners = m.present()
        _, firsts = np.unique(m.batch.subgroup[owners], return_index=True)
        leaders = owners[firsts]
        reader.same(m, owners, leaders)
        tiles = {owner: reader.tile(m, owner, loads) for owner in leaders.tolist()}
        width = max(tile.near.size for tile in tiles.values())
        both = {owner: np.flatnonzero(tile.inside) for owner, tile in tiles.items()}
        every = {owner: np.arange(tile.near.size) for owner, tile in tiles.items()}
        near = every if loads else both
        far_places = {owner: tile.far[both[owner]] for owner, tile in tiles.items()}
        near_places = {owner: tile.near[near[owner]] for owner, tile in tiles.items()}
        places = [[m.values[i] for i in group] for group in indices]
        far_side = _Side(sites[0], m.values[memrefs[0]], places[0], far_places, both, width)
        near_side = _Side(sites[1], m.values[memrefs[1]], places[1], near_places, near, width)
        source, target = (far_side, near_side) if loads else (near_side, far_side)
        _begin(m, op, leaders, source, target, None if at is None else at.at(m))
        groups_of(m, op, TENSOR_COUNTER).end_group(owners)

    return step


def _begin(m: State, op: TensorCopyOp, leaders: Array, source: _Side, target: _Side, barrier: Placed | None) -> None:
    begin(m, op, source, target, owners=leaders, ends_group=False)
    if barrier is None:
        return
    access = barrier.access(m, leaders).per_owner()

    def land(some: Array) -> None:
        arrive(m, op, barrier, some, [1] * some.size)

    groups_of(m, op, TENSOR_COUNTER).begin(leaders, land, (access.memref.buffer, access.positions.reshape(-1)))


EVALUATE.of(TensorLoadToLDSOp, TensorStoreFromLDSOp)(_copy)
