"""Memory: memref descriptors, and where the accesses of many owners at once go.

An access names one element, or those of a window of some shape, for every active owner. It is located here (bounds,
alignment) and carried out in `accesses.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from ..ir.core import Operation
from ..ir.numerics import Array
from ..support.dataclasses import dataclass, field, replace
from ..support.diagnostics import About, Fault
from .access_places import Box, Place, Scattered
from .batch_state import Number, State, number
from .buffers import Buffer
from .errors import EvaluationError, failure
from .geometry import Batch
from .raw_buffers import WORD, RawBounds

BASE_ALIGNMENT = 4096
"""Arguments start at multiples of this many bytes, unless the program says less of them."""
ALLOCATION_ALIGNMENT = 16
"""Allocations start at multiples of this many bytes, unless the program says more."""
INSTANCE_ALIGNMENT = 256
FILL = 0xFF
"""What allocated memory holds before anybody writes it: NaN, or -1."""


@dataclass(frozen=True, eq=False)
class MemRef:
    """A memref value: where it begins in its buffer, extents and strides, in scalars of `dtype`."""

    buffer: Buffer
    dtype: np.dtype[Any]
    offset: Number
    sizes: tuple[Number, ...]
    strides: tuple[Number, ...]
    inner: tuple[int, ...] = ()
    """The shape of an element, where elements are vectors."""
    origin: Number = 0
    """Where the offset in its type counts from."""
    elsewhere: Number = 0
    """How far its memory is from the owner's own, where it is that of another workgroup of the cluster."""
    bounds: RawBounds | None = None
    """What counts of a raw buffer: its indices do not say what is inside."""

    def at_workgroups(self, batch: Batch, target: Number) -> MemRef:
        """The counterpart of a buffer that each workgroup has: the same place in that of other workgroups, by number in
        the batch."""
        distance = (target - batch.workgroup) * (self.buffer.instance_bytes // self.dtype.itemsize)
        return replace(self, offset=self.offset + distance, origin=self.origin + distance, elsewhere=distance)


def row_major(sizes: Sequence[Number], unit: int = 1) -> tuple[Number, ...]:
    """Strides of a dense memref whose elements have `unit` scalars."""
    strides: list[Number] = []
    step: Number = unit
    for extent in reversed(sizes):
        strides.append(step)
        step = step * extent
    return tuple(reversed(strides))


@dataclass(frozen=True, eq=False)
class Site:
    """An operation that touches memory: its number in stamps, and what it does there."""

    op: Operation
    number: int
    verb: Literal["reads", "writes"]


@dataclass(frozen=True, eq=False)
class Window:
    """What one owner accesses: a box of `shape` whose axis i runs along memref dimension `dims[i]`.

    None stands for an axis along which the same elements are accessed again.
    """

    shape: tuple[int, ...] = ()
    dims: tuple[int | None, ...] = ()
    promise: Callable[[int], str] | None = None
    """Why all of a memref dimension must be inside, in words; empty where what is outside is left out. None: all."""
    contiguous: bool = False
    """Whether the last dimension's elements have to be neighbours."""
    axes: dict[int, int] = field(init=False)
    """The axis that runs along a memref dimension."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", {d: axis for axis, d in enumerate(self.dims) if d is not None})

    def length(self, dim: int) -> int:
        axis = self.axes.get(dim)
        return 1 if axis is None else self.shape[axis]

    def may_leave(self, dim: int) -> bool:
        return self.promise is not None and not self.promise(dim)


ELEMENT = Window()


@dataclass(frozen=True, eq=False)
class Access:
    """Places in memory of [owners, *window, *element], without the axis where all owners access the same, or of a flat
    selection of [owners, *window]."""

    site: Site
    memref: MemRef
    window: Window
    indices: tuple[Number, ...]
    """Per dimension; those with an axis have an entry for each of `owners`, or for each element of their windows."""
    owners: Array
    place: Place
    selected: Array | None = None
    """For a flat selection: the number of each entry in [owners, *window]."""
    receivers: Array | None = None
    """The owners that get a flat selection, where others than `owners`, which give the addresses."""
    void: Array | None = None
    """Entries like those of `selected` that are accessed where nothing counts: zero is read there."""

    @property
    def width(self) -> int:
        return math.prod(self.window.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what one owner accesses."""
        return self.window.shape + self.memref.inner

    @property
    def has_axis(self) -> bool:
        """Whether there is an axis over owners."""
        return isinstance(self.place, Scattered) and self.place.positions.ndim > len(self.shape)

    @property
    def positions(self) -> Array:
        """The number of each element in the buffer."""
        if isinstance(self.place, Box):
            return np.asarray(self.place.start + _grid(self.place.shape, self.place.steps))
        assert isinstance(self.place, Scattered)
        return self.place.positions

    @property
    def is_empty(self) -> bool:
        return self.selected is not None and not self.selected.size

    def per_owner(self) -> Access:
        """The number of each element in the buffer, with the axis over owners, unless there is only one."""
        if self.selected is not None or self.has_axis or self.owners.size == 1:
            return self
        positions = self.positions
        return replace(self, place=Scattered(np.broadcast_to(positions, (self.owners.size, *positions.shape))))

    def in_order(self) -> Access:
        """The numbers of elements as a flat selection, whose writes are in the order of the elements."""
        if self.selected is not None:
            return self
        whole = np.ascontiguousarray(self.per_owner().positions).reshape(-1, *self.memref.inner)
        return replace(self, place=Scattered(whole), selected=np.arange(len(whole)))

    def actors(self) -> Array:
        """Who reads or writes: owners that broadcast to the places."""
        if self.receivers is not None:
            return self.receivers
        if self.selected is not None:
            return np.asarray(self.owners[self.selected // self.width]).reshape(-1, *(1 for _ in self.memref.inner))
        return self.owners.reshape(-1, *(1 for _ in self.shape)) if self.has_axis else self.owners[0]

    def where(self, entry: int) -> tuple[int, list[int]]:
        """The owner, and the indices in the memref, of a flat entry."""
        row, inside = divmod(entry if self.selected is None else int(self.selected[entry]), self.width)
        coordinates = np.unravel_index(inside, self.window.shape) if self.window.shape else ()
        here = [i if isinstance(i, int) else i[row] for i in self.indices]
        indices = [int(np.asarray(i)[coordinates] if np.ndim(i) else i) for i in here]
        for dim, axis in self.window.axes.items():
            indices[dim] += int(coordinates[axis])
        return int(self.owners[row] if self.receivers is None else self.receivers[entry]), indices

    def failure(
        self, m: State, entry: int, message: str, note: tuple[str, Any] | None = None, fault: Fault = "bounds"
    ) -> EvaluationError:
        """The error about one entry."""
        owner, indices = self.where(entry)
        text = f"{m.at(owner)}{self.site.verb} element {indices} {message}"
        about = About(fault, self.memref.buffer.name)
        return failure(self.site.op, text, () if note is None else (note,), about=about)


@lru_cache(maxsize=256)
def _grid(shape: tuple[int, ...], steps: tuple[int, ...]) -> Array:
    """Distances from the first element."""
    total = np.zeros((), np.int64)
    for axis, (extent, step) in enumerate(zip(shape, steps, strict=True)):
        total = total + (np.arange(extent) * step).reshape(-1, *(1 for _ in shape[axis + 1 :]))
    return np.broadcast_to(total, shape)


_NOWHERE = Box(0, (), ())


def locate(
    m: State,
    site: Site,
    memref: MemRef,
    indices: Sequence[Array],
    window: Window = ELEMENT,
    mask: Array | None = None,
    alignment: int | None = None,
    owners: Array | None = None,
) -> Access:
    """The access of `owners` (default: the active ones) to the window that begins at the indices.

    `mask` has the window's shape, or an axis over all owners before it; `alignment` is in bytes. Raises
    `EvaluationError` for what is out of bounds or misaligned.
    """
    if owners is None and m.active is not None:
        owners = np.flatnonzero(m.active)
    chosen = tuple(rows_of(number(i), owners) for i in indices)
    access = Access(site, memref, window, chosen, m.batch.everyone if owners is None else owners, _NOWHERE)
    start = _start(m, memref, chosen, owners)
    if mask is not None:
        mask = mask if owners is None or mask.ndim == len(window.shape) else mask[owners]
        mask = None if mask.all() else mask
    if alignment is not None and alignment > memref.dtype.itemsize and m.run.checks:
        _check_alignment(m, access, start, alignment, mask)
    if window.contiguous and window.shape[-1] > 1 and np.any(np.asarray(memref.strides[-1]) != math.prod(memref.inner)):
        found = f"in a last dimension that is not contiguous: stride {memref.strides[-1]}"
        raise access.failure(m, 0, f"and {window.shape[-1] - 1} after it, {found}")
    used = _used(m, access, owners, mask)
    steps = (*(0 if d is None else rows_of(memref.strides[d], owners) for d in window.dims), *_dense(memref.inner))
    if memref.bounds is not None:
        return _counted(m, access, memref.bounds, _positions(start, steps, access.shape), used, owners)
    return _placed(access, start, steps, used)


def locate_each(
    m: State, site: Site, memref: MemRef, indices: Sequence[Array], shape: tuple[int, ...], mask: Array | None
) -> Access:
    """The access of the active owners to elements anywhere: `indices` and `mask` broadcast to [owners or 1, *shape].

    Raises `EvaluationError` for what is out of bounds where the mask holds.
    """
    owners = None if m.active is None else np.flatnonzero(m.active)
    who = m.batch.everyone if owners is None else owners
    whole = (who.size, *shape)

    def beside(value: Number) -> Array:
        """What each active owner has, beside its elements."""
        array = np.asarray(value)
        return array.reshape(-1, *(1 for _ in shape)) if array.ndim else array

    def for_elements(value: Number) -> Array:
        return beside(rows_of(value, owners))

    def rows(value: Array) -> Array:
        own = value if owners is None or value.shape[0] == 1 else value[owners]
        return np.broadcast_to(own, whole)

    chosen = tuple(rows(np.asarray(i)) for i in indices)
    access = Access(site, memref, Window(shape, (None,) * len(shape)), chosen, who, _NOWHERE)
    used = None if mask is None or mask.all() else rows(mask.reshape((-1, *shape)))
    total = np.broadcast_to(beside(_start(m, memref, [0] * len(indices), owners)), whole)
    for dim, index in enumerate(chosen):
        wrong = (index < 0) | (index >= for_elements(memref.sizes[dim]))
        wrong = wrong if used is None else wrong & used
        if wrong.any() and memref.bounds is None:
            raise _out_of_bounds(m, access, dim, wrong, dense=False)
        total = total + index * for_elements(memref.strides[dim])
    if memref.bounds is not None:
        return _counted(m, access, memref.bounds, np.asarray(total), used, owners)
    place = replace(access, place=Scattered(np.asarray(total if who.size > 1 else total[0])))
    return place if used is None else _select(access, np.asarray(total), used)


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _placed(access: Access, start: Number, steps: tuple[Number, ...], used: Array | None) -> Access:
    shape = access.shape
    fixed = tuple(step for step in steps if isinstance(step, int))
    if isinstance(start, int) and len(fixed) == len(steps) and used is None:
        place = Box(start, shape, fixed)
        return Access(access.site, access.memref, access.window, access.indices, access.owners, place)
    total = _positions(start, steps, shape)
    if used is None:
        return replace(access, place=Scattered(np.asarray(total)))
    return _select(access, total, used)


def _positions(start: Number, steps: tuple[Number, ...], shape: tuple[int, ...]) -> Array:
    """The positions of elements at these distances along each axis, with the axis over owners where there is one."""
    fixed = tuple(step for step in steps if isinstance(step, int))
    first = np.asarray(start if not isinstance(start, int) else (start + (1 << 63)) % (1 << 64) - (1 << 63))
    total: Any = first.reshape(first.shape + (1,) * len(shape))
    if len(fixed) == len(steps):
        return np.asarray(total + _grid(shape, fixed))
    for axis, (extent, step) in enumerate(zip(shape, steps, strict=True)):
        along = np.arange(extent).reshape(-1, *(1 for _ in shape[axis + 1 :]))
        each = np.asarray(step)
        total = total + each.reshape(each.shape + (1,) * len(shape)) * along
    return np.asarray(total)


def _counted(
    m: State, access: Access, bounds: RawBounds, positions: Array, used: Array | None, owners: Array | None
) -> Access:
    """Those of the elements that count, as a flat selection; the others are void."""
    size, memref = access.owners.size, access.memref
    lead = (size, *access.window.shape)
    whole = np.broadcast_to(positions, (size, *access.shape))
    size_of = memref.dtype.itemsize
    unit = max(size_of, min(WORD, access.window.contiguous * access.width * size_of))
    places, all_of, any_of = bounds.places(whole, size_of, unit, lambda n: rows_of(n, owners))
    inner = tuple(range(len(lead), whole.ndim))
    inside, touched = all_of.all(axis=inner), any_of.any(axis=inner)
    enabled = np.broadcast_to(True if used is None else used, lead)
    wrong = enabled & (inside != touched)
    if wrong.any():
        words = f"of {memref.buffer.name}, of which some bytes count and some do not: chips differ there"
        raise access.failure(m, int(np.argmax(wrong)), words)
    if not bounds.checked and (wrong := enabled & ~inside).any():
        words = f"of {memref.buffer.name}, behind the bytes that count, with boundsCheck = false"
        raise access.failure(m, int(np.argmax(wrong)), words)
    there = memref.buffer.data.size // size_of
    if (wrong := enabled & inside & ((places < 0) | (places >= there)).any(axis=inner)).any():
        words = f"of {memref.buffer.name} out of bounds: its bytes count, but the memory has only {there * size_of}"
        raise access.failure(m, int(np.argmax(wrong)), words)
    selected = np.flatnonzero(enabled & inside)
    found = Scattered(places.reshape(-1, *memref.inner)[selected])
    return replace(access, place=found, selected=selected, void=np.flatnonzero(enabled & ~inside))


def _select(access: Access, positions: Array, used: Array) -> Access:
    lead = (
        () if access.owners.size == 1 and max(positions.ndim, used.ndim) <= len(access.shape) else (access.owners.size,)
    )
    selected = np.flatnonzero(np.broadcast_to(used, lead + access.window.shape))
    whole = np.broadcast_to(positions, lead + access.shape).reshape(-1, *access.memref.inner)
    return replace(access, place=Scattered(whole[selected]), selected=selected)


def _start(m: State, memref: MemRef, indices: Sequence[Number], owners: Array | None) -> Number:
    """The position of the first element of each of `owners`, for whom the indices are."""
    total = rows_of(memref.offset, owners)
    for index, stride in zip(indices, memref.strides, strict=True):
        total = total + index * rows_of(stride, owners)
    starts = memref.buffer.starts(m.batch, memref.dtype.itemsize)
    return total + rows_of(starts, owners)


def rows_of(value: Number, owners: Array | None) -> Number:
    """The entries of `owners`; None stands for all."""
    return value if owners is None or isinstance(value, int) else np.asarray(value[owners])


# -- alignment and bounds -------------------------------------------------------------------------------------------


def _check_alignment(m: State, access: Access, start: Number, alignment: int, mask: Array | None) -> None:
    """Checks the alignment of the first elements."""
    addresses = np.asarray(access.memref.buffer.base + start * access.memref.dtype.itemsize)
    wrong = addresses % alignment != 0
    if mask is not None:
        wrong = wrong & mask.reshape(*mask.shape[: mask.ndim - len(access.window.shape)], -1).any(-1)
    if np.any(wrong):
        row = int(np.argmax(wrong))
        address = int(addresses if addresses.ndim == 0 else addresses[row])
        message = f"at an address that is a multiple of {address & -address} bytes, the operation needs {alignment}"
        raise access.failure(m, row * access.width, message)


def _used(m: State, access: Access, owners: Array | None, mask: Array | None) -> Array | None:
    """Which elements of [owners, *window] are enabled and inside; None for all."""
    used = mask
    if access.memref.bounds is not None and access.window.promise is None:
        return used
    for dim, (index, size) in enumerate(zip(access.indices, access.memref.sizes, strict=True)):
        limit = rows_of(size, owners)
        if _is_inside(index, access.window.length(dim), limit):
            continue
        outside = _outside(access.window, dim, index, limit)
        if access.window.may_leave(dim):
            used = ~outside if used is None else used & ~outside
        else:
            wrong = outside if mask is None else outside & mask
            if wrong.any():
                raise _out_of_bounds(m, access, dim, wrong, dense=mask is None)
    return used


def _is_inside(index: Number, length: int, limit: Number) -> bool:
    if isinstance(index, int) and isinstance(limit, int):
        return index >= 0 and index + length <= limit
    if isinstance(limit, int) and not isinstance(index, int):
        return not index.size or bool(index.min() >= 0 and index.max() + length <= limit)
    return bool(np.all((index >= 0) & (index + length <= limit)))


def _outside(window: Window, dim: int, index: Number, limit: Number) -> Array:
    """The elements that are outside along one dimension: flags that broadcast to [owners, *window]."""
    axis = window.axes.get(dim)
    after = len(window.shape) if axis is None else len(window.shape) - 1 - axis
    before = 0 if axis is None else axis
    along = np.asarray(index)[..., None] + np.arange(window.length(dim))
    above = np.asarray(limit)
    flags = (along < 0) | (along >= above[..., None])
    if axis is None:
        flags = flags[..., 0]
    lead = flags.shape[: flags.ndim - (axis is not None)]
    return np.asarray(flags.reshape(lead + (1,) * before + flags.shape[len(lead) :] + (1,) * after))


def _out_of_bounds(m: State, access: Access, dim: int, wrong: Array, dense: bool) -> EvaluationError:
    window = access.window
    lead = wrong.shape[: wrong.ndim - len(window.shape)] if wrong.ndim > len(window.shape) else ()
    entry = int(np.argmax(np.broadcast_to(wrong, lead + window.shape)))
    owner, indices = access.where(entry - entry % access.width if dense and window.promise is None else entry)
    size, length = access.memref.sizes[dim], window.length(dim)
    extent = size if isinstance(size, int) else int(size[owner])
    first = indices[dim]
    whole = length > 1 and dense and window.promise is None
    found = f"indices {first} to {first + length - 1}" if whole else f"index {first}"
    reason = f", but {window.promise(dim)}" if window.promise is not None else ""
    words = f"out of bounds: {found} of dimension {dim}, whose extent is {extent}{reason}"
    text = f"{m.at(owner)}{access.site.verb} element {indices} of {access.memref.buffer.name} {words}"
    return failure(access.site.op, text, about=About("bounds", access.memref.buffer.name))
