"""Where the elements of a vector lie in a buffer of shared memory: `Places`, one number an element.

Both kinds answer for row-major element numbers of the vector, so that writers and readers ask the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import overload

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ...support.reindex import places_in
from ..nested import IntArray

BoolArray = npt.NDArray[np.bool_]


class Bit(NamedTuple):
    """Elements whose number has bit `(number // step) % 2` lie at an offset ^ `column`."""

    step: int
    column: int


class Weight(NamedTuple):
    """Elements whose number has digit `(number // step) % size` lie digit * weight further."""

    step: int
    size: int
    weight: int


class Only(NamedTuple):
    """Only elements whose number has digit `(number // step) % size` equal to `value` have a place."""

    step: int
    size: int
    value: int


@dataclass(frozen=True, slots=True)
class BinaryPlaces:
    """Linear over the field of two elements in the bits of the element's number; other digits count on above."""

    bits: tuple[Bit, ...]
    digits: tuple[Weight, ...] = ()
    fixed: tuple[Only, ...] = ()

    def offsets(self, elements: IntArray) -> IntArray:
        return np.where(self.has(elements), self.addresses(elements), -1)

    def has(self, elements: IntArray) -> BoolArray:
        """Whether the buffer has the elements."""
        inside = elements >= 0
        for step, size, value in self.fixed:
            inside &= elements // step % size == value
        return inside

    def addresses(self, elements: IntArray) -> IntArray:
        """The offsets, going on as they may where there are none."""
        total = np.zeros(elements.shape, np.int64)
        for step, column in self.bits:
            total ^= (elements // step & 1) * column
        for step, size, weight in self.digits:
            total += elements // step % size * weight
        return total


@dataclass(frozen=True, slots=True)
class Swizzle:
    """Exclusive-or of `bits` bits of an element offset: bits from base + shift up are added to those from base up.

    Its own inverse since shift >= bits; it moves elements within blocks of 2**(base + bits) only, and keeps runs of
    2**base elements together.
    """

    bits: int
    base: int
    shift: int

    @overload
    def apply(self, offset: int) -> int: ...
    @overload
    def apply(self, offset: IntArray) -> IntArray: ...
    def apply(self, offset: int | IntArray) -> int | IntArray:
        mask = (1 << self.bits) - 1
        return offset ^ (((offset >> (self.base + self.shift)) & mask) << self.base)


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """Rows of the box `low <= x < high` of a vector of shape `shape`: the element x is `x - low` times the strides.

    -1 for elements outside the box.
    """

    shape: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    strides: tuple[int, ...]
    swizzle: Swizzle | None = None

    def offsets(self, elements: IntArray) -> IntArray:
        places = places_in(self.shape, elements)
        return np.where(self._inside(elements, places), self._addresses(places, elements.shape), -1)

    def has(self, elements: IntArray) -> BoolArray:
        """Whether the buffer has the elements."""
        return self._inside(elements, places_in(self.shape, elements))

    def _inside(self, elements: IntArray, places: Sequence[IntArray]) -> BoolArray:
        inside = elements >= 0
        for extent, x, low, high in zip(self.shape, places, self.low, self.high, strict=True):
            if (low, high) != (0, extent):
                inside &= (low <= x) & (x < high)
        return inside

    def addresses(self, elements: IntArray) -> IntArray:
        """The offsets, going on as they may where there are none."""
        return self._addresses(places_in(self.shape, elements), elements.shape)

    def _addresses(self, places: Sequence[IntArray], shape: tuple[int, ...]) -> IntArray:
        total = np.zeros(shape, np.int64)
        for x, low, stride in zip(places, self.low, self.strides, strict=True):
            total += (x - low) * stride
        return self.swizzle.apply(total) if self.swizzle else total


Places = BinaryPlaces | RowPlaces


def rows_of(box: Sequence[int], dim: int, row: int) -> tuple[int, ...]:
    """Strides of a box in row-major order with `dim` moved last and rows of `row` elements."""
    rows = [size for at, size in enumerate(box) if at != dim]
    outer = iter([row * prod(rows[at + 1 :]) for at in range(len(rows))])
    return tuple(1 if at == dim else next(outer) for at in range(len(box)))
