"""One dimension of a nested layout, the digits of the thread id it decodes, and the error all of layout/ raises.

Everything here is a value of plain integers: the arithmetic of one dimension (how levels nest, how they are regrouped
by a reshape, how a subgroup level wraps) lives here, the whole layout is put together in `nested.py`. It has what
an owner of an element is, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from math import prod
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple


class LayoutError(LanewiseError, ValueError):
    """A layout, or a question put to one, that has no meaning: says what was expected and what was found."""


IntArray = npt.NDArray[np.int64]


class Owner(NamedTuple):
    """Who holds an element: the thread's flat id in the workgroup, and the number of its register."""

    thread: int
    register: int


class Owners(NamedTuple):
    """An `Owner` of each of several elements, as arrays of one shape."""

    thread: IntArray
    register: IntArray


class Level(IntEnum):
    """The levels of one dimension from the slowest to the fastest; WRAP, BATCH, OUTER, ELEMENT are registers."""

    WRAP = 0
    SUBGROUP = 1
    BATCH = 2
    OUTER = 3
    THREAD = 4
    ELEMENT = 5


_DISTRIBUTED = (Level.SUBGROUP, Level.THREAD)
LEVEL_WORDS: Mapping[Level, str] = {
    Level.WRAP: "wraps",
    Level.SUBGROUP: "subgroups",
    Level.BATCH: "batches",
    Level.OUTER: "outers",
    Level.THREAD: "threads",
    Level.ELEMENT: "elements",
}
"""What several indices of a level are called."""


@dataclass(frozen=True, slots=True)
class Digit:
    """One digit of the flat workgroup thread id: `(thread_id // stride) % size` is the index in dimension `dim`.

    `stride` counts threads, also for the subgroup level (there it is the subgroup stride times the subgroup size).
    """

    level: Literal["thread", "subgroup"]
    dim: int
    size: int
    stride: int

    @property
    def extent(self) -> int:
        """Number of consecutive thread ids after which the digit repeats."""
        return self.size * self.stride

    def of(self, thread: int) -> int:
        return thread // self.stride % self.size

    def __str__(self) -> str:
        return f"the {self.level} level of dimension {self.dim} ({self.size} of stride {self.stride})"


class Factor(NamedTuple):
    """A run of `size` indices of one level; `stride` is its id stride, 0 for registers."""

    level: Level
    size: int
    stride: int


class Dimension(NamedTuple):
    """What one dimension of a nested layout consists of, slowest level first, then the two id strides."""

    wrap: int = 1
    subgroup: int = 1
    batch: int = 1
    outer: int = 1
    thread: int = 1
    element: int = 1
    subgroup_stride: int = 0
    thread_stride: int = 0

    @property
    def tiles(self) -> tuple[int, ...]:
        """The six tile sizes in the order of `Level`."""
        return self[:6]

    @property
    def size(self) -> int:
        return prod(self.tiles)

    @property
    def words(self) -> str:
        """Such as `2 subgroups/1 x 4 batches x 16 threads/4 x 4 elements`, strides after the slash, of the levels of
        more than one index; `1` where there are none. `layout/words.py` reads it back."""
        terms = [
            f"{size} {LEVEL_WORDS[level]}" + (f"/{stride}" if level in _DISTRIBUTED else "")
            for level, size, stride in self.factors()
        ]
        return " x ".join(terms) or "1"

    def weight(self, level: Level) -> int:
        """How far one step of `level` moves along the dimension."""
        return prod(self.tiles[level + 1 :])

    def factors(self) -> list[Factor]:
        """The levels of more than one index, slowest first."""
        strides = (0, self.subgroup_stride, 0, 0, self.thread_stride, 0)
        return [Factor(level, self.tiles[level], strides[level]) for level in Level if self.tiles[level] > 1]

    def wrapped(self, num_subgroups: int) -> Dimension:
        """Turn the part of the subgroup digit that does not fit `num_subgroups` into registers (the wrap level)."""
        size, stride = self.subgroup, self.subgroup_stride
        if (size - 1) * stride < num_subgroups:  # every index has a subgroup, be the last round of them cut off
            return self
        real = 1 if stride % num_subgroups == 0 else num_subgroups // stride
        if (stride % num_subgroups and num_subgroups % stride) or size % real:
            raise LayoutError(
                f"subgroup_tile {size} with stride {stride} does not wrap onto {num_subgroups} subgroups: "
                f"one of the two must be a multiple of the other"
            )
        return self._replace(wrap=self.wrap * (size // real), subgroup=real, subgroup_stride=stride if real > 1 else 0)


def regroup(dimensions: Sequence[Dimension], shape: Sequence[int]) -> list[Dimension]:
    """The dimensions of the same distribution seen with row-major shape `shape`, of as many elements.

    Only cuts and joins levels; the caller compares the maps. LayoutError where the result is no nested layout.
    """
    pending = [factor for dimension in dimensions for factor in dimension.factors()]
    try:
        result = [dimension_of(_take(pending, size, dim), dim) for dim, size in reversed(list(enumerate(shape)))]
    except LayoutError as error:
        raise LayoutError(f"cannot reshape: {error}") from None
    assert not pending, "the shape has fewer elements than the layout"
    return result[::-1]


def _take(pending: list[Factor], size: int, dim: int) -> list[Factor]:
    """Remove from the fast end of `pending` the factors that make up `size`, cutting the last one where needed."""
    taken: list[Factor] = []
    while size > 1:
        assert pending, "the shape has more elements than the layout"
        level, extent, stride = pending.pop()
        part = min(extent, size)
        if extent % part or size % part:
            raise LayoutError(
                f"the {level.name.lower()} level of {extent} would be cut by dimension {dim} "
                f"after {size} indices, which does not divide it"
            )
        if extent > part:
            pending.append(Factor(level, extent // part, stride * part))
        taken.append(Factor(level, part, stride))
        size //= part
    return taken[::-1]


def _merged(factors: Sequence[Factor]) -> Iterator[Factor]:
    """Join neighbouring parts of one id digit: n of stride a*b next to a of stride b are n*a of stride b."""
    held: Factor | None = None
    for factor in factors:
        if held is not None and factor.level == held.level and held.stride == factor.stride * factor.size:
            held = Factor(factor.level, held.size * factor.size, factor.stride)
            continue
        if held is not None:
            yield held
        held = factor
    if held is not None:
        yield held


def dimension_of(factors: Sequence[Factor], dim: int) -> Dimension:
    """Fit factors, slowest first, into the level order of dimension `dim`; registers keep their level if they can.

    LayoutError where the order of subgroups and threads is another.
    """
    merged = list(_merged(factors))
    tiles, strides, floor = [1] * 6, dict.fromkeys(_DISTRIBUTED, 0), Level.WRAP
    for place, (level, extent, stride) in enumerate(merged):
        if level in _DISTRIBUTED:
            if level < floor:
                order = ", ".join(f"{f.level.name.lower()} {f.size}" for f in merged)
                raise LayoutError(
                    f"dimension {dim} of {prod(f.size for f in factors)} would consist of ({order}), slowest first; a "
                    f"nested layout orders a dimension as subgroup, batch, outer, thread, element, each once"
                )
            strides[level] = stride
            floor = Level(level + 1)
        else:
            level = max(level, floor)
            if any(later.level == Level.THREAD for later in merged[place + 1 :]):
                level = min(level, Level.OUTER)
            floor = max(floor, level)
        tiles[level] *= extent
    wrap, subgroup, batch, outer, thread, element = tiles
    return Dimension(wrap, subgroup, batch, outer, thread, element, strides[Level.SUBGROUP], strides[Level.THREAD])
