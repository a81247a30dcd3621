"""Where the elements of an access lie in an array, and what is kept of a buffer's memory piece by piece."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass


class Place(Protocol):
    """Elements of a flat array. With `parts`, the array has so many entries an element, which become the last axis."""

    def take(self, flat: Array, parts: int = 0) -> Array:
        """A copy of the elements."""
        ...

    def put(self, flat: Array, values: Array, parts: int = 0) -> None:
        """Stores values that broadcast to the elements."""
        ...


@dataclass(frozen=True, eq=False)
class Box:
    """Elements at constant distances along each axis of `shape`."""

    start: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]

    def view(self, flat: Array, parts: int = 0) -> Array:
        """The elements in place; numpy's own way to make strided views is ten times slower."""
        item = flat.itemsize * max(parts, 1)
        shape, strides = self.shape, tuple(step * item for step in self.steps)
        if parts:
            shape, strides = (*shape, parts), (*strides, flat.itemsize)
        return np.ndarray(shape, flat.dtype, flat.view(np.uint8).data, self.start * item, strides)

    def take(self, flat: Array, parts: int = 0) -> Array:
        return np.array(self.view(flat, parts))

    def put(self, flat: Array, values: Array, parts: int = 0) -> None:
        self.view(flat, parts)[...] = values


@dataclass(frozen=True, eq=False)
class Scattered:
    """Elements anywhere."""

    positions: Array

    def granules(self, parts: int) -> Array:
        return self.positions[..., None] * parts + np.arange(parts) if parts else self.positions

    def take(self, flat: Array, parts: int = 0) -> Array:
        return np.asarray(flat[self.granules(parts)])

    def put(self, flat: Array, values: Array, parts: int = 0) -> None:
        flat[self.granules(parts)] = values


class Granular:
    """Arrays with an entry a granule of `size` bytes: the shortest element that memory was accessed with."""

    def __init__(self, size: int, *dtypes: Any) -> None:
        self.size = size
        self.granule = 0
        self.arrays = [np.zeros(0, dtype) for dtype in dtypes]

    def parts(self, itemsize: int) -> int:
        """How many granules elements of so many bytes have; 0 for one alone, which needs no further axis."""
        if not self.granule:
            self.granule = itemsize
            self.arrays = [np.zeros(-(-self.size // itemsize), array.dtype) for array in self.arrays]
        elif itemsize < self.granule:
            self.arrays = [np.repeat(array, self.granule // itemsize) for array in self.arrays]
            self.granule = itemsize
        count = itemsize // self.granule
        return 0 if count == 1 else count
