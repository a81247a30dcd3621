"""Values crossing threads through shared memory.

All exchanges of a program use one scratch buffer, which is as large as the largest exchange, not as their sum. The
barriers between its uses, and between stores and loads, are those that `synchronise.py` finds to be needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd

import numpy as np

from ..ir.core import Value
from ..ir.dialects import arith, gpu, memref
from ..ir.types import I1, I8, IntegerType, MemRefType, Type, bit_width, memory_bits
from ..layout.dimension import LayoutError
from ..layout.nested import IntArray, NestedLayout
from ..layout.plan import SharedMemory
from ..support.dataclasses import dataclass
from ..support.reindex import Reindex, row_major
from .by_thread import BoolArray, condition, digits_of, number
from .context import Distribution
from .packing import Access, load_or, store


def scratch(d: Distribution, elements: int, element: Type) -> Value[MemRefType]:
    """A view of the scratch buffer as `elements` of a type."""
    if not d.exchanges:
        scope = d.workgroup.scope
        raise LayoutError(f"it needs shared memory and barriers, which belong to more than the {scope} of this program")
    type = MemRefType((elements,), element, None, gpu.WORKGROUP)
    d.scratch.need(elements * memory_bits(element) // 8)
    return d.build.op(memref.ViewOp, d.scratch_buffer(), d.scratch.start, (), types=[type]).result_


@dataclass(frozen=True)
class Exchange:
    """From which layout to which, and where the target's elements come from."""

    source: NestedLayout
    target: NestedLayout
    f: Reindex


def exchange(d: Distribution, plan: SharedMemory, way: Exchange, scalars: Sequence[Value]) -> list[Value]:
    """Carries out a plan through shared memory: the target's registers."""
    element = scalars[0].type
    stored = _as_stored(d, scalars)
    buffer = scratch(d, plan.elements, stored[0].type)
    held = row_major_numbers(way.source, d.threads, d.subgroup_size)
    wanted = row_major_numbers(way.target, d.threads, d.subgroup_size)
    storing = plan.places.has(held) & elected_threads(way.source, d.threads, d.subgroup_size)
    loading = _of_same(way.f.of(wanted) >= 0, plan.same)
    stores = _Side(d, plan, plan.writes, plan.places.addresses(held), storing, way.source)
    loads = _Side(d, plan, plan.reads, plan.places.addresses(way.f.extended(wanted)), loading, way.target)
    results = [d.build.constant(0, stored[0].type)] * way.target.registers
    for piece in range(plan.pieces):
        for group, access in stores.accesses(piece):
            store(d, buffer, access, [stored[r] for r in group])
        for group, access in loads.accesses(piece):
            for r, value in zip(group, load_or(d, buffer, access, [results[r] for r in group]), strict=True):
                results[r] = value
    return _as_computed(d, [results[r] for r in plan.same], element)


def row_major_numbers(layout: NestedLayout, threads: int, subgroup_size: int) -> IntArray:
    """The row-major number of the element in every register, [threads, registers]."""
    return layout.coordinates(threads, subgroup_size) @ np.array(row_major(layout.shape), np.int64)


def _of_same(active: BoolArray, same: Sequence[int]) -> BoolArray:
    """Who loads a register for itself or for those that repeat it."""
    result = np.zeros_like(active)
    for register, loaded in enumerate(same):
        result[:, loaded] |= active[:, register]
    return result


def elected_threads(layout: NestedLayout, threads: int, subgroup_size: int) -> BoolArray:
    """Which threads act, one of those that hold the same elements, [threads, 1]."""
    ids = np.arange(threads)[:, None]
    chosen = np.ones((threads, 1), bool)
    for size, stride in layout.unused_digits(threads, subgroup_size):
        chosen &= ids // stride % size == 0
    return chosen


class _Side:
    """The accesses of one side of an exchange, piece by piece.

    `addresses` and `active` are [threads, registers]; groups whose addresses differ by a constant share the arithmetic
    of the first.
    """

    def __init__(
        self,
        d: Distribution,
        plan: SharedMemory,
        groups: Sequence[tuple[int, ...]],
        addresses: IntArray,
        active: BoolArray,
        layout: NestedLayout,
    ) -> None:
        self.d, self.plan, self.groups = d, plan, groups
        self.addresses, self.active = addresses, active
        self.digits = digits_of(d, layout)

    def accesses(self, piece: int) -> Iterator[tuple[tuple[int, ...], Access]]:
        size, first = self.plan.piece, self.plan.piece * (piece % self.plan.buffers)
        for group in self.groups:
            addresses, active = self.addresses[:, group[0]], np.logical_or.reduce(self.active[:, list(group)], axis=1)
            if self.plan.pieces > 1:
                addresses, active = addresses % size, active & (addresses // size == piece)
            if active.any():
                index = self._index(addresses + first)
                yield group, Access(tuple((r,) for r in group), (index,), condition(self.d, active, self.digits))

    def _index(self, table: IntArray) -> Value:
        """The bits that no thread changes apart: many groups share the rest, and constants go into the access."""
        first = int(table[0])
        constant = first & ~int(np.bitwise_or.reduce(table ^ first))
        return self.d.build.add(number(self.d, table ^ constant, self.digits), constant)


def _as_stored(d: Distribution, scalars: Sequence[Value]) -> list[Value]:
    """Each in bytes of its own, so that threads may write neighbours: what takes less goes as i8."""
    element = scalars[0].type
    if not _shares_bytes(element):
        return list(scalars)
    bits = _as_type(d, scalars, IntegerType(bit_width(element)))
    return [d.build.value(arith.ExtUIOp, s, types=[I8]) for s in bits]


def _as_computed(d: Distribution, scalars: list[Value], element: Type) -> list[Value]:
    if not _shares_bytes(element):
        return scalars
    bits = IntegerType(bit_width(element))
    return _as_type(d, [d.build.value(arith.TruncIOp, s, types=[bits]) for s in scalars], element)


def _shares_bytes(element: Type) -> bool:
    return element == I1 or memory_bits(element) < 8


def _as_type(d: Distribution, scalars: Sequence[Value], type: Type) -> list[Value]:
    """The same bits."""
    if scalars[0].type == type:
        return list(scalars)
    return [d.build.value(arith.BitcastOp, s, types=[type]) for s in scalars]


def gather_from_threads(d: Distribution, scalars: Sequence[Value], peers: Sequence[Value]) -> list[list[Value]]:
    """For every scalar its values in all `peers` (flat thread ids), in their order: as many at once as there is memory.

    Every thread stores its own value to its own slot, so nothing is stored twice and the stores meet no bank conflict.
    """
    build, element, stored = d.build, scalars[0].type, _as_stored(d, scalars)
    step = _at_once(d, stored, d.threads)
    results: list[list[Value]] = []
    for start in range(0, len(stored), step):
        part = stored[start : start + step]
        buffer, slots = scratch(d, len(part) * d.threads, part[0].type), range(0, len(part) * d.threads, d.threads)
        for slot, value in zip(slots, part, strict=True):
            build.op(memref.StoreOp, value, buffer, [build.add(d.thread_id(), slot)])
        for slot, value in zip(slots, part, strict=True):
            places = [build.add(peer, slot) for peer in peers]
            found = [build.value(memref.LoadOp, buffer, [place], types=[value.type]) for place in places]
            results.append(_as_computed(d, found, element))
    return results


def gather_from_subgroups(
    d: Distribution, scalars: Sequence[Value], own: Value, count: int
) -> list[list[Value]] | None:
    """For every scalar its values in all `count` subgroups, by their numbers, of which `own` is this thread's; no more
    than a subgroup has threads. None where there is no memory for all of them at once.

    A scalar is the same in all threads of a subgroup. Those of one thread of each lie side by side, so that few
    accesses read them; the others store theirs behind: that takes less than letting one alone store. It is the thread
    with the subgroup's number, so that all of a subgroup store to different banks.
    """
    build, element, room = d.build, scalars[0].type, d.subgroup_size + d.threads
    stored = _as_stored(d, scalars)
    if len(stored) > _at_once(d, stored, room):
        return None
    type, slots = stored[0].type, range(0, len(stored) * room, room)
    buffer = scratch(d, len(stored) * room, type)
    is_read = build.compare("eq", build.rem(d.thread_id(), d.subgroup_size), own)
    place = build.value(arith.SelectOp, is_read, own, build.add(d.thread_id(), d.subgroup_size))
    always = build.constant(1, I1)
    for slot, value in zip(slots, stored, strict=True):
        store(d, buffer, Access(((0,),), (build.add(place, slot),), always), [value])
    width = gcd(count, _WIDEST_BITS // memory_bits(type))
    registers, nothing = tuple((i,) for i in range(width)), [build.constant(0, type)] * width
    results: list[list[Value]] = []
    for slot in slots:
        accesses = [Access(registers, (build.constant(at),), always) for at in range(slot, slot + count, width)]
        found = [value for access in accesses for value in load_or(d, buffer, access, nothing)]
        results.append(_as_computed(d, found, element))
    return results


def _at_once(d: Distribution, stored: Sequence[Value], slots: int) -> int:
    """How many scalars of their type shared memory has `slots` for, each of as many."""
    bytes = slots * memory_bits(stored[0].type) // 8
    return max(1, min(_MOST_BYTES, d.workgroup.shared_bytes) // bytes)


_MOST_BYTES = 16384
"""Bytes of shared memory that gathering takes."""
_WIDEST_BITS = 128
"""Bits of the widest access."""
Gather = Callable[[Sequence[Value]], list[list[Value]]]
"""For every scalar, of one type, its values elsewhere."""


def gather_columns(d: Distribution, columns: Sequence[Sequence[Value]], gather: Gather) -> list[list[list[Value]]]:
    """What `gather` gives of columns of scalars of different types: those of one width cross together, as bits."""
    kinds = [column[0].type for column in columns]
    by_width: dict[int, list[int]] = {}
    for n, type in enumerate(kinds):
        by_width.setdefault(memory_bits(type), []).append(n)
    found: list[list[list[Value]]] = [[] for _ in columns]
    for width, numbers in by_width.items():
        alike = len({kinds[n] for n in numbers}) == 1
        common = kinds[numbers[0]] if alike else IntegerType(width)
        bits = [_as_type(d, columns[n], common) for n in numbers]
        rows = iter(gather([value for column in bits for value in column]))
        for n in numbers:
            found[n] = [_as_type(d, next(rows), kinds[n]) for _ in columns[n]]
    return found
