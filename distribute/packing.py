"""Memory accesses of one thread: registers that are neighbours in memory become packs, as wide as is proven safe.

A pack of n elements needs its address to be a multiple of its size and one condition that holds for all its elements
or for none; both are asked of `divisibility.py`. Otherwise the pack is cut until they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd
from typing import Any

from ..analysis.divisibility import ANY, element_bits, power_of_two
from ..ir.attributes import IntegerAttr
from ..ir.builder import constant_int
from ..ir.core import Block, Region, Value
from ..ir.dialects import arith, memref, scf, vector
from ..ir.memory_spaces import is_fat_buffer
from ..ir.types import I1, I32, I64, MemRefType, VectorType
from ..layout.nested import NestedLayout
from ..support.dataclasses import dataclass, field
from .context import Distribution
from .indexing import thread_offset

MAX_ACCESS_BYTES = 16
_WORD_BITS = 32
_MANY_ROWS = 8
"""From so many on, one subtraction costs less than an addition for each."""


@dataclass(frozen=True)
class Access:
    """One access: `registers[i]` are the registers that hold element i (several where the layout repeats it)."""

    registers: tuple[tuple[int, ...], ...]
    indices: tuple[Value, ...]
    condition: Value
    hints: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the program says to caches of it (`ir/cache_hints.py`)."""

    @property
    def width(self) -> int:
        return len(self.registers)


@dataclass(frozen=True)
class Transfer:
    """What a transfer operation says, in terms of the thread's program."""

    buffer: Value[MemRefType]
    indices: tuple[Value, ...]
    vector_dim: Mapping[int, int]
    """The vector dimension that moves along each memref dimension."""
    in_bounds: tuple[bool, ...]
    layout: NestedLayout
    mask: Sequence[Value] | None
    """The mask's scalar for every register, or None."""
    looked_up: Mapping[int, Sequence[Value]] = field(default_factory=dict[int, "Sequence[Value]"])
    """By memref dimension what is added to its index, for every register: what an index vector says."""
    alignment: int | None = None
    """Bytes that the program says the first element's address to be a multiple of; not with `looked_up`."""
    hints: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the accesses that it becomes say to caches."""


def plan_accesses(d: Distribution, transfer: Transfer, others: Sequence[Value] = ()) -> Iterator[Access]:
    """The accesses of one thread, in the order of their first registers. Places and conditions are computed as they are
    asked for: chips have few registers for conditions. `others`: what each register has where nothing is read."""
    return _Planner(d, transfer, others).accesses()


class _Planner:
    def __init__(self, d: Distribution, transfer: Transfer, others: Sequence[Value]) -> None:
        self.d = d
        self.t = transfer
        self.others = others
        self.type = transfer.buffer.type
        self.bits = element_bits(transfer.buffer)
        self.vector_dim = transfer.vector_dim
        self.offsets = {m: thread_offset(d, transfer.layout, dim) for m, dim in self.vector_dim.items()}
        """By memref dimension the part of an index that depends on the thread."""
        self.bases = [self._base(m) for m in range(self.type.rank)]
        self._indices: dict[tuple[int, int], Value] = {}
        """By memref dimension and offset: rows are asked for by every access that is in them. So are `_conditions`."""
        self._conditions: dict[tuple[int, int], Value] = {}
        self._extents: dict[int, Value] = {}
        self._left: dict[Value, Value] = {}
        """By what else has to hold."""
        self.steps = [d.divisibility.stride(transfer.buffer, m) * self.bits for m in range(self.type.rank)]
        """By memref dimension a divisor of the bits from one index to the next."""
        self.inner = self._inner_dim()
        self.bounded = [m for m, dim in sorted(self.vector_dim.items()) if not transfer.in_bounds[dim]]
        """Memref dimensions whose bounds are asked for."""
        self.rows_left = {m: left for m, i in self.vector_dim.items() if (left := self._rows_left(m, i)) is not None}
        """By memref dimension how many rows from the thread's first on are inside; not where a thread has few."""

    def accesses(self) -> Iterator[Access]:
        for run in self._runs():
            start = 0
            while start < len(run):
                width = self._width(run[start:])
                yield self._access(run[start : start + width])
                start += width

    # -- where registers lie ------------------------------------------------------------------------------------

    def _base(self, memref_dim: int) -> Value:
        """The thread's index along a memref dimension for register offset zero."""
        index = self.t.indices[memref_dim]
        return self.d.build.add(index, self.offsets[memref_dim]) if memref_dim in self.offsets else index

    def _rows_left(self, memref_dim: int, dim: int) -> Value | None:
        """What is compared with the registers' offsets, so that none of them needs an index of its own. It has 32 bits,
        as no more rows matter than any thread asks for, unless a chip compares 64 and nothing else is asked."""
        build, index, offset = self.d.build, self.t.indices[memref_dim], self.offsets[memref_dim]
        asked = {row[dim] for row in self.t.layout.register_offsets().tolist()}
        together = self._together(memref_dim) if dim == self.inner else 1
        beyond = build.limit(offset)
        known = self.type.shape[memref_dim] is not None or build.limit(index) is None or beyond is None
        if self.t.in_bounds[dim] or known or len({n // together for n in asked}) < _MANY_ROWS:
            return None
        extent = dim_of(self.d, self.t.buffer, memref_dim)
        if self._is_counted_in_words(index, extent):
            return None
        if len(self.bounded) == 1 and self.d.chip.supports("compare_64"):
            return build.sub(extent, build.value(arith.MinUIOp, self.bases[memref_dim], extent))
        left = build.sub(extent, build.value(arith.MinUIOp, index, extent))
        enough = build.value(arith.MinUIOp, left, build.constant(max(asked) + beyond))
        words = [build.value(arith.IndexCastOp, number, types=[I32]) for number in (enough, offset)]
        return build.sub(*words)

    def _is_counted_in_words(self, index: Value, extent: Value) -> bool:
        """Whether 32 bits hold the extent, and an index that an iteration has for itself: machine code has one distance
        between these, which it compares with each row."""
        build, block = self.d.build, index.block
        limit = build.limit(extent)
        return limit is not None and limit <= 1 << (_WORD_BITS - 1) and block is build.block is not self.d.entry

    def _together(self, memref_dim: int) -> int:
        """Neighbours along the inner dimension that are all inside the buffer or all outside."""
        known = self.d.divisibility
        return gcd(known.of(self.bases[memref_dim]), known.extent(self.t.buffer, memref_dim))

    def _inner_dim(self) -> int | None:
        """The vector dimension along which memory is contiguous."""
        strides, _ = self.type.strides_and_offset()
        inner = self.vector_dim.get(self.type.rank - 1) if strides and strides[-1] == 1 else None
        return inner if list(self.vector_dim.values()).count(inner or 0) == 1 else None

    def _runs(self) -> list[list[_Place]]:
        """Places that differ only by one element along the inner dimension, in ascending order."""
        places: dict[tuple[int | Value, ...], _Place] = {}
        mapped = [self.vector_dim[m] for m in sorted(self.vector_dim)]
        outer, apart = [i for i in mapped if i != self.inner], self._looked_up()
        for register, offsets in enumerate(self.t.layout.register_offsets().tolist()):
            key = *[offsets[i] for i in mapped], *[column[register] for column in apart]
            place = places.setdefault(key, _Place(tuple(offsets), []))
            place.registers.append(register)
        lines: dict[tuple[int | Value, ...], list[_Place]] = {}
        for place in places.values():
            first = place.registers[0]
            where = [place.offsets[i] for i in outer]
            lines.setdefault((*where, *[column[first] for column in apart]), []).append(place)
        return [run for line in lines.values() for run in self._split(line)]

    def _looked_up(self) -> list[Sequence[Value]]:
        """What tells the places of registers apart besides their offsets, each by register: the mask, and what is there
        where it is off, need not depend on these alone."""
        values = list(self.t.looked_up.values())
        return [*values, *(side for side in (self.t.mask, self.others) if side)] if values else values

    def _split(self, line: list[_Place]) -> Iterator[list[_Place]]:
        if self.inner is None:
            yield from ([place] for place in line)
            return
        inner = self.inner
        line.sort(key=lambda place: place.offsets[inner])
        run = [line[0]]
        for place in line[1:]:
            if place.offsets[inner] != run[-1].offsets[inner] + 1:
                yield run
                run = []
            run.append(place)
        yield run

    # -- how wide -----------------------------------------------------------------------------------------------

    def _width(self, run: list[_Place]) -> int:
        """The widest power of two for which address and conditions are proven: whole bytes, or one element."""
        width = 1 << (min(len(run), 8 * MAX_ACCESS_BYTES // self.bits).bit_length() - 1)
        while width > 1 and not self._fits(run, width):
            width //= 2
        return width if width * self.bits >= 8 else 1

    def _fits(self, run: list[_Place], width: int) -> bool:
        return (
            self._address_divisor(run[0]) >= _address_bits(self.t.buffer, width)
            and self._bounded_alike(run[0], run[width - 1], width)
            and self._masked_alike(run[:width])
        )

    def _address_divisor(self, place: _Place) -> int:
        """The divisor of the bit address."""
        known = self.d.divisibility
        total, moved = known.base(self.t.buffer), ANY
        for m, (base, step) in enumerate(zip(self.bases, self.steps, strict=True)):
            dim = self.vector_dim.get(m)
            offset = ANY if dim is None else power_of_two(place.offsets[dim])
            looked_up = known.of(self.t.looked_up[m][place.registers[0]]) if m in self.t.looked_up else ANY
            total = gcd(total, min(ANY, gcd(known.of(base), offset, looked_up) * step))
            if dim is not None:
                moved = gcd(moved, min(ANY, gcd(known.of(self.offsets[m]), offset) * step))
        return total if self.t.alignment is None else max(total, gcd(8 * self.t.alignment, moved))

    def _bounded_alike(self, first: _Place, last: _Place, width: int) -> bool:
        """Whether all elements from first to last are inside the buffer, or all outside."""
        if self.inner is None or self.t.in_bounds[self.inner]:
            return True
        known, memref_dim = self.d.divisibility, self.type.rank - 1
        start = gcd(known.of(self.bases[memref_dim]), power_of_two(first.offsets[self.inner]))
        if start >= width and known.extent(self.t.buffer, memref_dim) >= width:
            return True
        return constant_int(self._inside(last, memref_dim)) == 1

    def _masked_alike(self, places: list[_Place]) -> bool:
        return self.t.mask is None or len({self.t.mask[p.registers[0]] for p in places}) == 1

    # -- the access ---------------------------------------------------------------------------------------------

    def _access(self, places: list[_Place]) -> Access:
        first = places[0]
        indices = tuple(self._index(first, m) for m in range(self.type.rank))
        condition = self._condition(first)
        return Access(tuple(tuple(p.registers) for p in places), indices, condition, self.t.hints)

    def _condition(self, place: _Place) -> Value:
        """That the element is inside the buffer, and in the mask. Where conditions are masks that an instruction joins,
        no rows are left where another one fails: each row takes one comparison then, and no mask lives on."""
        build = self.d.build
        masks = [] if self.t.mask is None else [self.t.mask[place.registers[0]]]
        rows = next((m for m in self.bounded if m in self.rows_left), None)
        if rows is None or not self.d.chip.supports("lane_masks"):
            return build.conjunction([*(self._inside(place, m) for m in self.bounded), *masks])
        left = self._left_where(build.conjunction([self._inside(place, m) for m in self.bounded if m != rows]), rows)
        inside = build.compare("sgt", left, place.offsets[self.vector_dim[rows]])
        return build.conjunction([inside, *masks])

    def _left_where(self, holds: Value, rows: int) -> Value:
        """How many rows are left where a condition holds; none elsewhere."""
        left, build = self.rows_left[rows], self.d.build
        if constant_int(holds) == 1:
            return left
        if holds not in self._left:
            self._left[holds] = build.value(arith.SelectOp, holds, left, build.constant(0, left.type))
        return self._left[holds]

    def _index(self, place: _Place, memref_dim: int) -> Value:
        dim = self.vector_dim.get(memref_dim)
        base = self.bases[memref_dim]
        if memref_dim in self.t.looked_up:
            return self.d.build.add(base, self.t.looked_up[memref_dim][place.registers[0]])
        if dim is None:
            return base
        at = memref_dim, place.offsets[dim]
        if at not in self._indices:
            self._indices[at] = self.d.build.add(base, place.offsets[dim])
        return self._indices[at]

    def _inside(self, place: _Place, memref_dim: int) -> Value:
        """0 <= index < extent; a negative index is a large unsigned one."""
        at = memref_dim, place.offsets[self.vector_dim[memref_dim]]
        if at not in self._conditions:
            self._conditions[at] = self._compared(place, *at)
        return self._conditions[at]

    def _compared(self, place: _Place, memref_dim: int, offset: int) -> Value:
        if memref_dim in self.rows_left:
            return self.d.build.compare("sgt", self.rows_left[memref_dim], offset)
        if memref_dim not in self._extents:
            self._extents[memref_dim] = dim_of(self.d, self.t.buffer, memref_dim)
        return self.d.build.compare("ult", self._index(place, memref_dim), self._extents[memref_dim])


@dataclass
class _Place:
    """An element that the thread touches: offsets from its thread's base, and the registers that hold it."""

    offsets: tuple[int, ...]
    registers: list[int]


def dim_of(d: Distribution, buffer: Value[MemRefType], dim: int) -> Value:
    """A memref's extent along `dim`."""
    size = buffer.type.shape[dim]
    if size is not None:
        return d.build.constant(size)
    return d.build.value(memref.DimOp, buffer, d.build.constant(dim))


def load_or(d: Distribution, buffer: Value[MemRefType], access: Access, others: Sequence[Value]) -> list[Value]:
    """The scalars of an access; the `others` where its condition is false."""
    build, always = d.build, constant_int(access.condition)
    element = others[0].type
    if always == 0:
        return list(others)
    if access.width == 1 and (always or not access.indices):
        loaded = build.value(memref.LoadOp, buffer, access.indices, types=[element], **access.hints)
        # A buffer of rank 0 is there whatever the mask says.
        return [loaded if always else build.value(arith.SelectOp, access.condition, loaded, others[0])]
    types, hints = [VectorType((access.width,), element)], _hints(d, buffer, access)
    if always:
        return build.unpack(build.value(vector.LoadOp, buffer, access.indices, types=types, **hints))
    mask, otherwise = _broadcast(d, access), build.pack(others)
    return build.unpack(build.value(vector.MaskedLoadOp, buffer, access.indices, mask, otherwise, types=types, **hints))


def store(d: Distribution, buffer: Value[MemRefType], access: Access, scalars: Sequence[Value]) -> None:
    """Stores one scalar per element of the access, where its condition holds."""
    build, always = d.build, constant_int(access.condition)
    if always == 0:
        return
    if always and access.width == 1:
        build.op(memref.StoreOp, scalars[0], buffer, access.indices, **access.hints)
        return
    if not access.indices:
        _store_if(d, buffer, access, scalars[0])
        return
    pack, hints = build.pack(scalars), _hints(d, buffer, access)
    if always:
        build.op(vector.StoreOp, pack, buffer, access.indices, types=[], **hints)
    else:
        build.op(vector.MaskedStoreOp, buffer, access.indices, _broadcast(d, access), pack, types=[], **hints)


def _store_if(d: Distribution, buffer: Value[MemRefType], access: Access, value: Value) -> None:
    """A conditional store to a buffer of rank 0, which has no packs."""
    block = Block()
    d.build.op(scf.IfOp, access.condition, types=[], regions=[Region([block]), Region()])
    with d.build.scope(block):
        d.build.op(memref.StoreOp, value, buffer, [], **access.hints)
        d.build.op(scf.YieldOp, [])


def _address_bits(buffer: Value[MemRefType], width: int) -> int:
    """What the address of so many elements has to be a multiple of: of their size, through a resource of a word."""
    bits = width * element_bits(buffer)
    return min(bits, _WORD_BITS) if is_fat_buffer(buffer.type.memory_space) else bits


def _hints(d: Distribution, buffer: Value[MemRefType], access: Access) -> dict[str, Any]:
    """`alignment` is in bytes; elements that share their byte have none."""
    bits = _address_bits(buffer, access.width)
    alignment = IntegerAttr(bits // 8, I64) if bits >= 8 else None
    return {"alignment": alignment, **access.hints}


def _broadcast(d: Distribution, access: Access) -> Value:
    return d.build.value(vector.BroadcastOp, access.condition, types=[VectorType((access.width,), I1)])
