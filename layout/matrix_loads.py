"""Layouts that instructions deliver which read matrices from shared memory.

ldmatrix: of tiles of 8 rows of 16 bytes what `targets` says: of elements of 16 bits, or of wider and narrower ones, of
which a lane gets those that 4 bytes of a row are; only 16 bits are transposed. ds_read_b64_tr_b16: of tiles of 4 rows
and 16 columns each of 16 lanes holds a column (CDNA4 ISA, "DS_READ_B64_TR_B16").
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.named_tuples import NamedTuple
from ..targets import Chip
from ..targets.nvidia_fragments import TILE_ROW_BYTES, matrix_tile
from .dimension import Dimension
from .nested import NestedLayout


class MatrixLoad(NamedTuple):
    """(thread tile, thread stride, element tile) of the memory's row and column dimension, and the variant."""

    row: tuple[int, int, int]
    column: tuple[int, int, int]
    transpose: bool


def _load(transpose: bool, bits: int) -> MatrixLoad:
    tile = matrix_tile(transpose, bits)
    row, column = zip(tile.thread, tile.thread_strides, tile.element, strict=True)
    return MatrixLoad(row, column, transpose)


_LOADS: Mapping[int, tuple[MatrixLoad, ...]] = {
    8: (_load(False, 8),),
    16: (_load(False, 16), _load(True, 16)),
    32: (_load(False, 32),),
}
"""By bits of an element."""


def matrix_load(layout: NestedLayout, row: int, column: int, element_bits: int) -> MatrixLoad | None:
    """The variant whose lanes hold what they do in `layout`, a vector of two dimensions."""
    lanes = _lanes(layout.dimension(row)), _lanes(layout.dimension(column))
    return next((load for load in _LOADS.get(element_bits, ()) if (load.row, load.column) == lanes), None)


TRANSPOSED_ROWS, TRANSPOSED_COLUMNS = 4, 16


def holds_columns(layout: NestedLayout, row: int, column: int) -> bool:
    """Whether of a vector of two dimensions 16 neighbouring lanes hold neighbouring columns, each of them rows in
    fours."""
    down, across = layout.dimension(row), layout.dimension(column)
    columns = across.element == 1 == across.thread_stride and across.thread % TRANSPOSED_COLUMNS == 0
    apart = down.thread == 1 or down.thread_stride % TRANSPOSED_COLUMNS == 0
    return columns and apart and down.element % TRANSPOSED_ROWS == 0


class MatrixReads(NamedTuple):
    """An instruction: `elements` of a thread, at the price of one of 16 bytes a thread divided by `parts`."""

    elements: int
    parts: int


_COLUMNS_BITS = 16
_COLUMNS = MatrixReads(4, 2)


def matrix_reads(layout: NestedLayout, column: int | None, element_bits: int, chip: Chip) -> MatrixReads | None:
    """How the chip reads the layout from shared memory so, `column` being contiguous there; None where it does not."""
    if layout.rank != 2 or column is None:
        return None
    if chip.supports("ldmatrix") and matrix_load(layout, 1 - column, column, element_bits) is not None:
        return MatrixReads(8 * TILE_ROW_BYTES // element_bits, 1)
    across = element_bits == _COLUMNS_BITS and chip.supports("ds_read_tr")
    return _COLUMNS if across and holds_columns(layout, 1 - column, column) else None


def _lanes(part: Dimension) -> tuple[int, int, int]:
    return part.thread, part.thread_stride, part.element
