"""In which order `#iree_gpu.data_tiled_mma_layout` has the elements of a tile in memory.

A tile of an operand is `subgroups x intrinsics` tiles of the instruction along rows and columns, and `intrinsics_k`
along K. From the slowest to the fastest: subgroups of rows, of columns, instructions of rows, of columns, those of K,
then one instruction's fragment as its lanes hold it: outers, lanes (the larger stride first), elements. Where an
operand interleaves K's, they come behind the lanes that share K out, so that one access of a lane serves several
instructions. B counts columns first, then K. (IREE's tile swizzles: the shapes of its tests say the order.)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from .dialects.iree_gpu import DataTiledMMALayoutAttr
from .targets import Fragment, MatrixInstruction


class Part(NamedTuple):
    """`axis`: 0 for rows of A and C, and columns of B; 1 for the other. `level` counts from the slowest."""

    axis: int
    level: int
    size: int


_SUBGROUP, _INTRINSIC, _OUTER, _THREAD, _ELEMENT = range(5)


class DataTile(NamedTuple):
    """One operand's: its parts as they lie in memory, of more than one index each."""

    parts: Sequence[Part]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(part.size for part in self.parts)

    @property
    def extents(self) -> tuple[int, int]:
        """Along both axes."""
        first, second = (prod(part.size for part in self.parts if part.axis == axis) for axis in (0, 1))
        return first, second

    @property
    def order(self) -> list[int]:
        """Of the parts, so that those of an axis lie together, from the slowest to the fastest."""
        return sorted(range(len(self.parts)), key=lambda number: self.parts[number][:2])


def data_tiles(kind: DataTiledMMALayoutAttr, instruction: MatrixInstruction) -> tuple[DataTile, DataTile, DataTile]:
    """Of A, B and C."""
    rows, columns = (kind.subgroups_m, kind.intrinsics_m), (kind.subgroups_n, kind.intrinsics_n)
    interleaving = kind.operands_interleaving_intrinsics_k
    a, b = (
        _factor(fragment, axes, across, kind.intrinsics_k, interleaved=side in interleaving)
        for side, (fragment, axes, across) in enumerate(
            ((instruction.a, (0, 1), rows), (instruction.b, (1, 0), columns))
        )
    )
    repeated = [
        Part(axis, level, counts[level])
        for level in (_SUBGROUP, _INTRINSIC)
        for axis, counts in enumerate((rows, columns))
    ]
    return a, b, _tile([*repeated, *_fragment(instruction.c, (0, 1))])


def _tile(parts: Sequence[Part]) -> DataTile:
    return DataTile([part for part in parts if part.size > 1])


def _factor(
    fragment: Fragment, axes: tuple[int, int], across: tuple[int, int], depth: int, *, interleaved: bool
) -> DataTile:
    inner = [part for part in _fragment(fragment, axes) if part.size > 1]
    steps = [Part(1, _INTRINSIC, depth)] * (depth > 1)
    place = 0
    if interleaved:
        shared = [part for part in inner if part.axis == 1 and part.level <= _THREAD]
        place = sum(part.axis == 0 for part in inner) + _behind_lanes(shared)
    return _tile(
        [*(Part(0, level, across[level]) for level in (_SUBGROUP, _INTRINSIC)), *inner[:place], *steps, *inner[place:]]
    )


def _behind_lanes(along: Sequence[Part]) -> int:
    """How many of K's parts, slowest first, reach to the lanes; 0 where lanes do not share K out."""
    return 1 + next((n for n, part in enumerate(along) if part.level == _THREAD), -1)


def _fragment(fragment: Fragment, axes: tuple[int, int]) -> list[Part]:
    """As lanes hold it; `axes[0]` is the fragment's dimension along axis 0."""
    lanes = sorted((1, 0), key=lambda axis: -fragment.thread_strides[axes[axis]])
    return [
        *(Part(axis, _OUTER, fragment.outer[axes[axis]]) for axis in (1, 0)),
        *(Part(axis, _THREAD, fragment.thread[axes[axis]]) for axis in lanes),
        *(Part(axis, _ELEMENT, fragment.element[axes[axis]]) for axis in (1, 0)),
    ]
