"""Where the elements of a result come from, as data: element x of the target is element f(x) of the source.

What an operation that only moves elements says by its `reference` function, compressed: `Reindex.of_table` finds the
few numbers behind a whole table. Elements are numbered row-major.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from .dataclasses import dataclass, replace

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Reindex:
    """f from the elements of a vector of shape `target` to those of one of shape `source`.

    f(x) = offset + sum(x[d] * weights[d]), the row-major number of the source's element, or `table[x]` where numbers
    so few do not say it. Only elements in the box `low <= x < high` come from this source, of these only those that
    `inside` has a 1 for, if it is given, and of a table those that are not negative; elsewhere f goes on as it may.
    """

    target: tuple[int, ...]
    source: tuple[int, ...]
    offset: int = 0
    weights: tuple[int, ...] = ()
    low: tuple[int, ...] = ()
    high: tuple[int, ...] = ()
    inside: bytes = b""
    table: bytes = b""

    @classmethod
    def identity(cls, shape: Sequence[int]) -> Reindex:
        return cls.affine(shape, shape, 0, row_major(shape))

    @classmethod
    def affine(cls, target: Sequence[int], source: Sequence[int], offset: int, weights: Sequence[int]) -> Reindex:
        """f of every element of the target."""
        return cls(tuple(target), tuple(source), offset, tuple(weights), (0,) * len(target), tuple(target))

    @classmethod
    def of_table(cls, table: IntArray, source: Sequence[int]) -> Reindex | None:
        """f by all its values, of the target's shape: negative where the element is not from this source.

        None where no element is.
        """
        inside = table >= 0
        if not inside.any():
            return None
        places = np.argwhere(inside)
        low, high = tuple(places.min(axis=0).tolist()), tuple((places.max(axis=0) + 1).tolist())
        weights = tuple(_slope(table, inside, dim) for dim in range(table.ndim))
        first = tuple(places[0].tolist())
        offset = int(table[first]) - sum(x * w for x, w in zip(first, weights, strict=True))
        total = cls.affine(table.shape, source, offset, weights)
        where = inside.astype(np.int8).tobytes()
        tried = [replace(total, low=low, high=high), replace(total, low=low, high=high, inside=where)]
        if not inside.all() and 0 <= total.whole_table().min() <= total.whole_table().max() < prod(source):
            tried.insert(0, replace(total, inside=where))
        whole = cls(table.shape, tuple(source), table=table.astype(np.int64).tobytes())
        return next((f for f in tried if np.array_equal(f.whole_table(), table)), whole)

    @property
    def is_affine(self) -> bool:
        return not self.table

    @property
    def keeps_places(self) -> bool:
        """Whether every element that comes from the source has the same place in both."""
        return (self.target, self.offset, self.weights) == (self.source, 0, row_major(self.source))

    def whole_table(self) -> IntArray:
        """f of every element, negative outside."""
        return self.of(np.arange(prod(self.target), dtype=np.int64)).reshape(self.target)

    def of(self, elements: IntArray) -> IntArray:
        """f of elements given by their row-major numbers; -1 outside."""
        if self.table:
            return np.frombuffer(self.table, np.int64)[elements]
        inside = np.ones(elements.shape, bool)
        places = places_in(self.target, elements)
        for extent, x, low, high in zip(self.target, places, self.low, self.high, strict=True):
            if (low, high) != (0, extent):
                inside &= (low <= x) & (x < high)
        if self.inside:
            inside &= np.frombuffer(self.inside, np.int8)[elements] != 0
        return np.where(inside, self._affine(places, elements.shape), -1)

    @property
    def is_periodic(self) -> bool:
        """Whether the box is one of equal ones that fill the target."""
        parts = zip(self.target, self.low, self.high, strict=True)
        return all(low % (high - low) == 0 and extent % (high - low) == 0 for extent, low, high in parts)

    def extended(self, elements: IntArray) -> IntArray:
        """The map, going on outside the box: periodically where such boxes fill the target, else as it may."""
        if self.table:
            return np.frombuffer(self.table, np.int64)[elements]
        return self._affine(places_in(self.target, elements), elements.shape)

    def _affine(self, places: Sequence[IntArray], shape: tuple[int, ...]) -> IntArray:
        """The places of elements given by where they are along each dimension; `shape` is that of the result."""
        total = np.full(shape, self.offset, np.int64)
        repeats = self.is_periodic
        for extent, x, weight, low, high in zip(self.target, places, self.weights, self.low, self.high, strict=True):
            turns = repeats and (low, high) != (0, extent)
            total += ((x - low) % (high - low) + low if turns else x) * weight
        return total


def _slope(table: IntArray, inside: npt.NDArray[np.bool_], dim: int) -> int:
    """How far one step along a dimension goes, by the first two neighbours that there are."""
    here, there = (slice(None),) * dim + (slice(None, -1),), (slice(None),) * dim + (slice(1, None),)
    both = inside[here] & inside[there]
    return int((table[there] - table[here])[both][0]) if both.any() else 0


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """How many elements one step along each dimension passes."""
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))


def places_in(shape: Sequence[int], numbers: IntArray) -> list[IntArray]:
    """Along each dimension, where elements are that are given by their row-major numbers.

    By quotients alone: numpy divides by one number many times as fast as it finds remainders.
    """
    found = list[IntArray]()
    for extent in reversed(shape):
        rest = numbers // extent
        found.append(numbers - rest * extent)
        numbers = rest
    return found[::-1]
