"""Memory: buffers, memref descriptors, and where the accesses of many threads at once go.

An access names one element, or a pack of consecutive ones, for every active thread. It is located here (bounds,
alignment) and carried out in `accesses.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...ir.core import Operation
from ...ir.numerics import Array
from .buffers import Buffer
from .errors import InterpretError, failure
from .machine import Machine, Number

BASE_ALIGNMENT = 4096
"""Arguments start at multiples of this many bytes, unless the program says less of them."""
ALLOCATION_ALIGNMENT = 16
"""Allocations start at multiples of this many bytes, unless the program says more."""
INSTANCE_ALIGNMENT = 256
POISON = 0xFF
"""What allocated memory holds before anybody writes it: NaN, or -1."""


@dataclass(frozen=True, eq=False)
class MemRef:
    """A memref value: where it begins in its buffer, extents and strides, in elements."""

    buffer: Buffer
    dtype: np.dtype[Any]
    offset: Number
    sizes: tuple[Number, ...]
    strides: tuple[Number, ...]


def row_major(sizes: Sequence[Number]) -> tuple[Number, ...]:
    strides: list[Number] = []
    step: Number = 1
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
class Access:
    """Places in memory: `positions` in the typed buffer, [threads] or [threads, pack], or a flat selection of them.

    Where all threads access the same place the axis over threads may be missing.
    """

    site: Site
    memref: MemRef
    indices: tuple[Array, ...]
    """Per dimension; those with an axis have an entry for each of `threads`."""
    threads: Array
    positions: Array
    pack: int | None
    selected: Array | None = None
    """For a flat selection: row * pack + lane of each position."""
    receivers: Array | None = None
    """The threads that get a flat selection, where others than `threads`, which give the addresses."""

    @property
    def width(self) -> int:
        return self.pack or 1

    def per_thread(self) -> Access:
        """The same with the axis over threads."""
        if self.selected is not None:
            return self
        shape = (self.threads.size,) if self.pack is None else (self.threads.size, self.pack)
        return replace(self, positions=np.broadcast_to(self.positions, shape))

    def actors(self) -> Array:
        """Who reads or writes: threads that broadcast to `positions`."""
        if self.receivers is not None:
            return self.receivers
        if self.selected is not None:
            return np.asarray(self.threads[self.selected // self.width])
        return self.threads if self.pack is None else self.threads[:, None]

    def place(self, entry: int) -> tuple[int, list[int]]:
        """The thread, and the indices in the memref, of a flat entry of `positions`."""
        row, lane = divmod(entry if self.selected is None else int(self.selected[entry]), self.width)
        indices = [int(i if i.ndim == 0 else i[row]) for i in self.indices]
        if indices:
            indices[-1] += lane
        return int(self.threads[row] if self.receivers is None else self.receivers[entry]), indices

    def failure(self, m: Machine, entry: int, message: str, note: tuple[str, Any] | None = None) -> InterpretError:
        """The error about one entry of `positions`."""
        thread, indices = self.place(entry)
        text = f"in {m.batch.who(thread)} {self.site.verb} element {indices} {message}"
        return failure(self.site.op, text, () if note is None else (note,))


def locate(
    m: Machine,
    site: Site,
    memref: MemRef,
    indices: Sequence[Array],
    pack: int | None = None,
    mask: Array | None = None,
    alignment: int | None = None,
    threads: Array | None = None,
) -> Access:
    """The access of `threads` (default: the active ones) to an element, or to `pack` consecutive ones.

    `mask` has the shape [pack] or [all threads, pack]; `alignment` is in bytes. Raises `InterpretError` for what is
    out of bounds or misaligned.
    """
    if threads is None and m.active is not None:
        threads = np.flatnonzero(m.active)
    chosen = tuple(i if i.ndim == 0 or threads is None else i[threads] for i in indices)
    rows = m.batch.everyone if threads is None else threads
    access = Access(site, memref, chosen, rows, _start(m, memref, chosen, threads), None)
    used = None if mask is None or pack is None else _used(mask, rows, pack)
    if alignment is not None and alignment > memref.dtype.itemsize and m.checks:
        _check_alignment(m, access, alignment, used)
    if pack is not None:
        access = _spread(m, access, pack)
    if used is not None and not used.all():
        access = _select(access, used)
    _check_bounds(m, access)
    return access


def _used(mask: Array, rows: Array, pack: int) -> Array:
    return np.broadcast_to(mask if mask.ndim == 1 else mask[rows], (rows.size, pack))


def _start(m: Machine, memref: MemRef, indices: Sequence[Array], threads: Array | None) -> Array:
    """The position of each thread's first element."""
    total: Any = rows_of(memref.offset, threads)
    for index, stride in zip(indices, memref.strides, strict=True):
        total = total + index * rows_of(stride, threads)
    starts = memref.buffer.starts(m.batch, memref.dtype.itemsize)
    return np.asarray(total + rows_of(starts, threads), np.int64)


def rows_of(value: Number, threads: Array | None) -> Number:
    """The entries of `threads`; None stands for all."""
    return value if threads is None or isinstance(value, int) else np.asarray(value[threads])


def _spread(m: Machine, access: Access, pack: int) -> Access:
    stride = access.memref.strides[-1] if access.memref.strides else 1
    if pack > 1 and np.any(np.asarray(stride) != 1):
        raise access.failure(
            m, 0, f"and {pack - 1} after it, in a last dimension that is not contiguous: stride {stride}"
        )
    return replace(access, positions=access.positions[..., None] + np.arange(pack), pack=pack)


def _select(access: Access, used: Array) -> Access:
    selected = np.flatnonzero(used)
    positions = np.broadcast_to(access.positions, used.shape).reshape(-1)[selected]
    return replace(access, positions=positions, selected=selected)


# -- alignment and bounds -------------------------------------------------------------------------------------------


def _check_alignment(m: Machine, access: Access, alignment: int, used: Array | None) -> None:
    """Of the first elements, before packs are spread."""
    addresses = access.memref.buffer.base + access.positions * access.memref.dtype.itemsize
    wrong = addresses % alignment != 0
    if used is not None:
        wrong = wrong & used.any(1)
    if np.any(wrong):
        row = int(np.argmax(wrong))
        address = int(addresses if addresses.ndim == 0 else addresses[row])
        message = f"at an address that is a multiple of {address & -address} bytes, the operation needs {alignment}"
        raise access.failure(m, row, message)


def _check_bounds(m: Machine, access: Access) -> None:
    if access.selected is not None and not access.selected.size:
        return
    for dim, size in enumerate(access.memref.sizes):
        last = dim == len(access.indices) - 1
        limit = rows_of(size, access.threads)
        if access.selected is None:
            _check_dimension(m, access, dim, access.indices[dim], limit - (access.width - 1 if last else 0))
        else:
            row, lane = np.divmod(access.selected, access.width)
            index = access.indices[dim]
            chosen = (index if index.ndim == 0 else index[row]) + (lane if last else 0)
            _check_dimension(m, access, dim, np.asarray(chosen), rows_of(limit, row))


def _check_dimension(m: Machine, access: Access, dim: int, index: Array, limit: Number) -> None:
    """0 <= index < limit for every row, or for every entry of a flat selection."""
    if index.size == 0 or (isinstance(limit, int) and index.min() >= 0 and index.max() < limit):
        return
    outside = np.asarray((index < 0) | (index >= limit))
    if outside.any():
        found = int(np.argmax(outside))
        raise _out_of_bounds(m, access, dim, found if access.selected is not None else found * access.width)


def _out_of_bounds(m: Machine, access: Access, dim: int, entry: int) -> InterpretError:
    thread, indices = access.place(entry)
    size = access.memref.sizes[dim]
    extent = size if isinstance(size, int) else int(size[thread])
    first = indices[dim]
    pack = access.width > 1 and access.selected is None and dim == len(indices) - 1
    found = f"indices {first} to {first + access.width - 1}" if pack else f"index {first}"
    words = f"out of bounds: {found} of dimension {dim}, whose extent is {extent}"
    return access.failure(m, entry, f"of {access.memref.buffer.name} {words}")
