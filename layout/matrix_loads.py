"""Layouts that ldmatrix delivers: which lanes hold what of 8x8 tiles of 16-bit elements.

Lane l holds row l/4, columns 2(l%4) and 2(l%4)+1 of each tile, rows and columns exchanged when transposed (PTX ISA,
"ldmatrix").
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir.targets import Chip
from .dimension import Dimension
from .nested import NestedLayout


class MatrixLoad(NamedTuple):
    """(thread tile, thread stride, element tile) of the memory's row and column dimension, and the variant."""

    row: tuple[int, int, int]
    column: tuple[int, int, int]
    transpose: bool


_LOADS = (
    MatrixLoad(row=(8, 4, 1), column=(4, 1, 2), transpose=False),
    MatrixLoad(row=(4, 1, 2), column=(8, 4, 1), transpose=True),
)


def matrix_load(layout: NestedLayout, row: int, column: int) -> MatrixLoad | None:
    """The variant whose lanes hold what they do in `layout`, a vector of two dimensions."""
    lanes = _lanes(layout.dimension(row)), _lanes(layout.dimension(column))
    return next((load for load in _LOADS if (load.row, load.column) == lanes), None)


def loads_matrices(layout: NestedLayout, column: int | None, element_bytes: int, chip: Chip) -> bool:
    """Whether the chip reads the layout from shared memory so, `column` being contiguous there."""
    fits = chip.supports("ldmatrix") and element_bytes == 2 and layout.rank == 2
    return fits and column is not None and matrix_load(layout, 1 - column, column) is not None


def _lanes(part: Dimension) -> tuple[int, int, int]:
    return part.thread, part.thread_stride, part.element
