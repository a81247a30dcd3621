"""Buffers and views of them: what a memref value is while the reference runs.

A view is a numpy array that shares its buffer's memory. Buffers that the program allocates start as poison and know
which of their bytes have been written, so that reading too early is an error and not a wrong number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Operation
from ..numerics import Array, dtype_of
from ..types import FloatType, MemRefType, VectorType, element_type
from .errors import failure

POISON_BYTE = 0xCD


@dataclass(frozen=True, eq=False)
class Errors:
    """The uncertainty of what a buffer holds, by element as its data. `touched[0]`: whether any was ever stored."""

    worst: Array
    drift: Array
    undecided: Array
    touched: list[bool]

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> Errors:
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_), [False])

    def __getitem__(self, place: Any) -> Errors:
        return Errors(self.worst[place], self.drift[place], self.undecided[place], self.touched)

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        return self.worst, self.drift, self.undecided

    def bound(self) -> Array | None:
        """How far each element may be off, infinite for undecided ones; None where nothing may."""
        if not self.touched[0]:
            return None
        return np.where(self.undecided, np.inf, np.minimum(self.worst, self.drift))


@dataclass(frozen=True, eq=False)
class View:
    """`data` has the memref's extents, then those of its elements where they are vectors."""

    data: Array
    rank: int
    written: Array | None = None
    """One flag per byte, with a last axis over the bytes of an element; None when everything counts as written."""
    errors: Errors | None = None
    """None where nobody asked for them."""

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(self.data.shape[: self.rank])

    def part(self, box: tuple[Any, ...], rank: int) -> View:
        """The view of a box of slices and numbers, which has `rank` dimensions."""
        place = (*box, ...)  # the ellipsis keeps a view of rank 0 a view
        written = None if self.written is None else self.written[place]
        return View(self.data[place], rank, written, None if self.errors is None else self.errors[place])


def suffix_shape(type: MemRefType) -> tuple[int, ...]:
    """The shape of one element: () for scalars."""
    return type.element.shape if isinstance(type.element, VectorType) else ()


def scalar_dtype(type: MemRefType) -> np.dtype[Any]:
    element = element_type(type)
    return dtype_of(element.element if isinstance(element, VectorType) else element)


def allocate(type: MemRefType, sizes: Sequence[int], *, with_errors: bool = False) -> View:
    """A poisoned buffer; `sizes` are the extents that the type leaves open."""
    remaining = iter(sizes)
    extents = tuple(next(remaining) if n is None else n for n in type.shape)
    shape, dtype = extents + suffix_shape(type), scalar_dtype(type)
    data = np.frombuffer(bytearray([POISON_BYTE]) * (int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)
    element = element_type(type)
    if isinstance(element.element if isinstance(element, VectorType) else element, FloatType):
        data[...] = np.nan
    errors = Errors.of(shape) if with_errors else None
    return View(data, type.rank, np.zeros((*shape, dtype.itemsize), np.bool_), errors)


def reinterpret(op: Operation, source: View, shift: int, type: MemRefType, sizes: Sequence[int]) -> View:
    """A row-major view of a buffer of bytes, `shift` bytes from its start (memref.view).

    An element's uncertainty stands at its first byte.
    """
    remaining = iter(sizes)
    extents = tuple(next(remaining) if n is None else n for n in type.shape)
    shape, dtype = extents + suffix_shape(type), scalar_dtype(type)
    end = shift + int(np.prod(shape)) * dtype.itemsize
    if not 0 <= shift <= end <= source.data.shape[0]:
        raise failure(op, f"needs bytes {shift} to {end} of a buffer of {source.data.shape[0]}")
    data = source.data[shift:end].view(np.uint8).view(dtype).reshape(shape)
    written = None if source.written is None else source.written[shift:end].reshape(*shape, dtype.itemsize)
    errors = None
    if source.errors is not None:
        parts = [part[shift:end].reshape(*shape, dtype.itemsize)[..., 0] for part in source.errors.parts]
        errors = Errors(parts[0], parts[1], parts[2], source.errors.touched)
    return View(data, type.rank, written, errors)


def element_index(op: Operation, view: View, indices: Sequence[int]) -> tuple[int, ...]:
    """The indices, all of which must be inside the memref."""
    for dim, (index, extent) in enumerate(zip(indices, view.extents, strict=True)):
        if not 0 <= index < extent:
            raise failure(op, f"index {index} of dimension {dim} is outside 0 to {extent - 1}")
    return tuple(indices)


def load_element(op: Operation, view: View, indices: Sequence[int]) -> Array:
    """One element of a memref."""
    place = element_index(op, view, indices)
    if view.written is not None and not view.written[place].all():
        raise failure(op, f"reads the element at {list(place)}, which has not been written")
    return np.array(view.data[place])


def store_element(op: Operation, view: View, indices: Sequence[int], value: Array) -> None:
    place = element_index(op, view, indices)
    view.data[place] = value
    if view.written is not None:
        view.written[place] = True


@dataclass(frozen=True)
class Window:
    """The part of a transfer that lies inside a memref: a box in memory, and the same box in the vector."""

    memory: tuple[slice, ...]
    """Per memref dimension."""
    vector: tuple[slice, ...]
    """Per vector axis."""
    dims: tuple[int | None, ...]
    """The memref dimension of each vector axis, None where the value is repeated along it."""
    whole: bool
    """Whether nothing of the transfer is outside."""

    @property
    def empty(self) -> bool:
        return any(s.start == s.stop for s in self.memory)

    def of(self, data: Array) -> Array:
        """The box of a memref's array with the vector's axes in order, of extent 1 for repeated ones.

        Assigning to it writes memory. Axes after the memref's (of vector elements, of bytes) stay last.
        """
        used = sorted(d for d in self.dims if d is not None)
        place = [s if d in used else s.start for d, s in enumerate(self.memory)]
        part = data[(*place, ...)]  # the ellipsis keeps an array of rank 0 an array
        order = [used.index(d) for d in self.dims if d is not None]
        ordered = part.transpose(order + list(range(len(used), part.ndim)))
        return np.expand_dims(ordered, tuple(axis for axis, d in enumerate(self.dims) if d is None))


def transfer_window(
    starts: Sequence[int], extents: Sequence[int], dims: Sequence[int | None], shape: Sequence[int]
) -> Window:
    """Where a transfer of `shape`, whose axis i runs along memref dimension `dims[i]`, is inside the memref."""
    axes = {dim: axis for axis, dim in enumerate(dims) if dim is not None}
    memory: list[slice] = []
    vector = [slice(0, n) for n in shape]
    whole = True
    for dim, (start, extent) in enumerate(zip(starts, extents, strict=True)):
        axis = axes.get(dim)
        length = 1 if axis is None else shape[axis]
        first = max(start, 0)
        last = max(min(start + length, extent), first)
        memory.append(slice(first, last))
        whole = whole and last - first == length
        if axis is not None:
            vector[axis] = slice(first - start, last - start)
    return Window(tuple(memory), tuple(vector), tuple(dims), whole)
