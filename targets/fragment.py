"""Which lane and register of an operand holds which element, as digits of numbers: data, and how it becomes whole maps.

Everybody who asks where an element is asks here: layouts and code generation read the digits, the reference and the
emulators take the maps. The rows are in `nvidia_fragments.py` and `amd_fragments.py`; vendors' formulas, written from
their documents without looking here, judge each of them in `tests/targets/`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple

Array = npt.NDArray[Any]


class Digit(NamedTuple):
    """`index // stride % size`, which counts `weight` along a coordinate."""

    stride: int
    size: int
    coordinate: int
    weight: int

    def of(self, index: Array | int) -> Any:
        return index // self.stride % self.size * self.weight


@dataclass(frozen=True, slots=True)
class DigitMap:
    """Coordinates that are sums of digits of indices: `digits` has those of each index, `coordinates` is how many."""

    coordinates: int
    digits: tuple[tuple[Digit, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each index has."""
        return tuple(math.prod(digit.size for digit in of_one) for of_one in self.digits)

    def __call__(self, *indices: Array | int) -> tuple[Any, ...]:
        """One array or number a coordinate; indices broadcast."""
        found: list[Any] = [0] * self.coordinates
        for index, digits in zip(indices, self.digits, strict=True):
            for digit in digits:
                found[digit.coordinate] = found[digit.coordinate] + digit.of(index)
        return tuple(np.broadcast_arrays(*found)) if any(isinstance(x, np.ndarray) for x in found) else tuple(found)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Which element of one operand matrix each lane holds, and in which order.

    All tuples have one entry a dimension of the operand: (M, K) for A, (K, N) for B, (M, N) for C and D, with the
    block dimension in front for instructions that multiply several blocks. The coordinate held along dimension i is
    `(outer_index * thread[i] + (lane // thread_strides[i]) % thread[i]) * element[i] + element_index`, with thread
    index 0 where the stride is 0. `register_order` lists the axes 0..rank-1 (outer) and rank..2*rank-1 (element) from
    the slowest to the fastest: the order of a lane's elements in its registers.
    """

    outer: tuple[int, ...]
    thread: tuple[int, ...]
    thread_strides: tuple[int, ...]
    element: tuple[int, ...]
    register_order: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.outer)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(o * t * e for o, t, e in zip(self.outer, self.thread, self.element, strict=True))

    @property
    def elements(self) -> int:
        """How many elements one lane holds."""
        return math.prod(self.outer) * math.prod(self.element)

    @property
    def transposed(self) -> Fragment:
        """With the last two dimensions exchanged, and the same order of a lane's elements."""
        rank = self.rank
        swap = (*range(rank - 2), rank - 1, rank - 2)
        order = tuple(swap[axis] if axis < rank else rank + swap[axis - rank] for axis in self.register_order)
        outer, thread, strides, element = (
            tuple(part[d] for d in swap) for part in (self.outer, self.thread, self.thread_strides, self.element)
        )
        sizes = (*outer, *element)
        of_several = [axis for axis in order if sizes[axis] > 1]
        is_natural = of_several == sorted(of_several)
        return Fragment(outer, thread, strides, element, natural_order(rank) if is_natural else order)

    @property
    def map(self) -> DigitMap:
        """From a lane and the number of one of its elements, in register order, to the element's place."""
        lane = tuple(
            Digit(stride, count, d, each)
            for d, (count, stride, each) in enumerate(zip(self.thread, self.thread_strides, self.element, strict=True))
            if stride
        )
        return DigitMap(self.rank, (lane, tuple(self._of_elements())))

    def _of_elements(self) -> Iterator[Digit]:
        """Digits of an element's number, the fastest first."""
        run = 1
        for axis in reversed(self.register_order):
            d = axis % self.rank
            is_outer = axis < self.rank
            size = self.outer[d] if is_outer else self.element[d]
            yield Digit(run, size, d, self.thread[d] * self.element[d] if is_outer else 1)
            run *= size

    def held(self, lanes: int, subgroups: int = 1) -> Array:
        """Coordinates [lane, element, dimension] of what lanes of subgroups hold, each of which has its part of the
        operand below that of the one before."""
        lane = np.arange(lanes * subgroups)[:, None]
        found = np.stack(self.map(lane % lanes, np.arange(self.elements)[None, :]), axis=-1)
        found[..., 0] += lane // lanes * self.shape[0]
        return found

    def coordinates(self, lane: int) -> list[tuple[int, ...]]:
        """The coordinates of the elements that a lane holds, in register order."""
        where = self.map
        return [where(lane, i) for i in range(self.elements)]


def natural_order(rank: int) -> tuple[int, ...]:
    """Outer axes, then element axes, row-major: the register order of most fragments."""
    return tuple(range(2 * rank))


class Operands(NamedTuple):
    """Fragments of the three operands of a product; the result has the accumulator's."""

    a: Fragment
    b: Fragment
    c: Fragment


@dataclass(frozen=True, eq=False)
class Placement:
    """A fragment as whole maps, for operands of all lanes at once. Arrays are not written to."""

    shape: tuple[int, ...]
    elements: Array
    """[lane, element in register order]: the number of the matrix element held there, row-major."""
    places: Array
    """[matrix element]: one place that holds it, as lane * elements of a lane + element."""

    @property
    def is_replicated(self) -> bool:
        """Whether several places hold the same element."""
        return self.elements.size > self.places.size

    def matrices(self, values: Array) -> Array:
        """[subgroups * blocks, rows, columns] from the registers of [threads, ...]."""
        return values.reshape(-1, self.elements.size)[:, self.places].reshape(-1, *self.shape[-2:])

    def registers(self, matrices: Array) -> Array:
        """The reverse: [subgroups, places]."""
        return matrices.reshape(-1, self.places.size)[:, self.elements.reshape(-1)]


@cache
def placement(fragment: Fragment, lanes: int, subgroups: int = 1) -> Placement:
    """The placement of an operand in so many lanes of each subgroup; every element is somewhere."""
    shape = fragment.shape[0] * subgroups, *fragment.shape[1:]
    held = fragment.held(lanes, subgroups)
    elements = np.asarray(np.ravel_multi_index(tuple(np.moveaxis(held, -1, 0)), shape))
    known, places = np.unique(elements.reshape(-1), return_index=True)
    assert known.size == math.prod(shape), f"{shape} is not covered by {lanes} lanes of {fragment.elements} elements"
    for part in (elements, places):
        part.flags.writeable = False
    return Placement(shape, elements, places)


def digits(*parts: tuple[int, int, int]) -> tuple[Digit, ...]:
    """Digits from the fastest on, each of (size, coordinate, weight)."""
    strides = np.cumprod([1, *(size for size, _, _ in parts)]).tolist()
    return tuple(Digit(stride, *part) for stride, part in zip(strides, parts, strict=False))
