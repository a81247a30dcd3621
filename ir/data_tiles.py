"""In which order `#iree_gpu.data_tiled_mma_layout` has the elements of a tile in memory.

A tile of an operand is `subgroups x intrinsics` tiles of the instruction along rows and columns, and `intrinsics_k`
along K. From the slowest to the fastest: subgroups of rows, of columns, instructions of rows, of columns, those of K,
then one instruction's fragment as its lanes hold it: outers, lanes (the larger stride first), elements. Instructions
that an operand interleaves come behind the lanes, so that one access of a lane serves several; of those of rows,
columns and K these are then in this order, too. B counts columns first, then K. What a lane holds is the same without
subgroups and lanes. (IREE's tile swizzles: the shapes of its tests say the order.)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..support.named_tuples import NamedTuple
from ..targets import Fragment, MatrixInstruction
from .dialects.iree_gpu import DataTiledMMALayoutAttr


class Part(NamedTuple):
    """`axis`: 0 for rows of A and C, and columns of B; 1 for the other. `level` counts from the slowest."""

    axis: int
    level: int
    size: int


_SUBGROUP, _INTRINSIC, _OUTER, _THREAD, _ELEMENT = range(5)


class DataTile(NamedTuple):
    """One operand's: its parts as they lie in memory, of more than one index each. `axes[0]`: the dimension of the
    instruction's fragment that runs along axis 0."""

    parts: Sequence[Part]
    axes: tuple[int, int]

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
        """The order of the parts, so that those of an axis lie together, from the slowest to the fastest."""
        return sorted(range(len(self.parts)), key=lambda number: self.parts[number][:2])

    @property
    def of_lane(self) -> DataTile:
        """What one lane holds of it."""
        return DataTile([part for part in self.parts if part.level not in (_SUBGROUP, _THREAD)], self.axes)

    @property
    def fragments(self) -> list[int]:
        """The order of a lane's parts in which instructions come first, along axis 0 and axis 1, and of each one's the
        outers and the elements of its fragment."""
        return sorted(range(len(self.parts)), key=lambda number: self._in_fragments(self.parts[number]))

    def _in_fragments(self, part: Part) -> tuple[int, int]:
        return part.level, part.axis if part.level == _INTRINSIC else self.axes[part.axis]


def data_tiles(kind: DataTiledMMALayoutAttr, instruction: MatrixInstruction) -> tuple[DataTile, DataTile, DataTile]:
    """The tiles of A, B and C."""
    depth = _Along(kind.intrinsics_k, kind.subgroups_k, kind.operands_interleaving_intrinsics_k)
    rows = _Along(kind.intrinsics_m, kind.subgroups_m, kind.operands_interleaving_intrinsics_m)
    columns = _Along(kind.intrinsics_n, kind.subgroups_n, kind.operands_interleaving_intrinsics_n)
    return (
        _tile(0, instruction.a, (0, 1), (rows, depth)),
        _tile(1, instruction.b, (1, 0), (columns, depth)),
        _tile(2, instruction.c, (0, 1), (rows, columns)),
    )


class _Along(NamedTuple):
    """Rows, columns or K of a tile: instructions of a subgroup, subgroups, the operands that interleave the former."""

    intrinsics: int
    subgroups: int
    interleaving: Sequence[int]


def _tile(operand: int, fragment: Fragment, axes: tuple[int, int], along: tuple[_Along, _Along]) -> DataTile:
    parts = [part for part in _fragment(fragment, axes) if part.size > 1]
    behind_lanes = 1 + max((n for n, part in enumerate(parts) if part.level == _THREAD), default=-1)
    inner = list[Part]()
    outer = list[Part]()
    for axis, (intrinsics, _, interleaving) in enumerate(along):
        (inner if operand in interleaving else outer).append(Part(axis, _INTRINSIC, intrinsics))
    subgroups = [Part(axis, _SUBGROUP, along[axis].subgroups) for axis in (0, 1)]
    whole = [*subgroups, *outer, *parts[:behind_lanes], *inner, *parts[behind_lanes:]]
    return DataTile([part for part in whole if part.size > 1], axes)


def _fragment(fragment: Fragment, axes: tuple[int, int]) -> list[Part]:
    """The fragment as lanes hold it; `axes[0]` is the fragment's dimension along axis 0."""
    lanes = sorted((1, 0), key=lambda axis: -fragment.thread_strides[axes[axis]])
    return [
        *(Part(axis, _OUTER, fragment.outer[axes[axis]]) for axis in (1, 0)),
        *(Part(axis, _THREAD, fragment.thread[axes[axis]]) for axis in lanes),
        *(Part(axis, _ELEMENT, fragment.element[axes[axis]]) for axis in (1, 0)),
    ]
