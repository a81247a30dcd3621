"""Where the elements of a result come from, as data: element x of the target is element f(x) of the source.

What an operation that only moves elements says by its `reference` function, compressed: `Reindex.of_table` finds the
few numbers behind a whole table. Elements are numbered row-major.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Reindex:
    """f from the elements of a vector of shape `target` to those of one of shape `source`.

    f(x) = offset + sum(x[d] * weights[d]), the row-major number of the source's element, or `table[x]` where numbers
    so few do not say it. Only elements in the box `low <= x < high` come from this source (those of a table that are
    not negative); outside f goes on as it may.
    """

    target: tuple[int, ...]
    source: tuple[int, ...]
    offset: int = 0
    weights: tuple[int, ...] = ()
    low: tuple[int, ...] = ()
    high: tuple[int, ...] = ()
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
        low = tuple(int(places.min()) for places in np.nonzero(inside))
        high = tuple(int(places.max()) + 1 for places in np.nonzero(inside))
        box = table[tuple(map(slice, low, high))]
        weights = [_slope(box, dim) for dim in range(table.ndim)]
        offset = int(box[(0,) * table.ndim]) - sum(a * w for a, w in zip(low, weights, strict=True))
        found = cls(table.shape, tuple(source), offset, tuple(weights), low, high)
        if np.array_equal(found.whole_table(), table):
            return found
        return cls(table.shape, tuple(source), table=table.astype(np.int64).tobytes())

    @property
    def is_affine(self) -> bool:
        return not self.table

    @property
    def is_total(self) -> bool:
        """Whether every element of the target comes from this source."""
        if self.table:
            return bool((self.of(np.arange(prod(self.target))) >= 0).all())
        return not any(self.low) and self.high == self.target

    def whole_table(self) -> IntArray:
        """f of every element, negative outside."""
        return self.of(np.arange(prod(self.target), dtype=np.int64)).reshape(self.target)

    def of(self, elements: IntArray) -> IntArray:
        """f of elements given by their row-major numbers; -1 outside."""
        if self.table:
            return np.frombuffer(self.table, np.int64)[elements]
        inside = np.ones(elements.shape, bool)
        for extent, step, low, high in zip(self.target, row_major(self.target), self.low, self.high, strict=True):
            if (low, high) != (0, extent):
                x = elements // step % extent
                inside &= (low <= x) & (x < high)
        return np.where(inside, self.extended(elements), -1)

    @property
    def is_periodic(self) -> bool:
        """Whether the box is one of equal ones that fill the target."""
        parts = zip(self.target, self.low, self.high, strict=True)
        return all(low % (high - low) == 0 and extent % (high - low) == 0 for extent, low, high in parts)

    def extended(self, elements: IntArray) -> IntArray:
        """The same, going on outside the box: periodically where such boxes fill the target, else as it may."""
        if self.table:
            return np.frombuffer(self.table, np.int64)[elements]
        total = np.full(elements.shape, self.offset, np.int64)
        parts = zip(self.target, row_major(self.target), self.weights, self.low, self.high, strict=True)
        for extent, step, weight, low, high in parts:
            x = elements // step % extent
            total += ((x - low) % (high - low) + low if self.is_periodic else x) * weight
        return total


def _slope(box: IntArray, dim: int) -> int:
    first = box[(0,) * box.ndim]
    return int(box[tuple(int(at == dim) for at in range(box.ndim))] - first) if box.shape[dim] > 1 else 0


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """How many elements one step along each dimension passes."""
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))
