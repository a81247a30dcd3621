"""Reads of matrix fragments from shared memory with ldmatrix, where the layout is what the instruction delivers.

ldmatrix hands tiles of 8 rows of 16 bytes to a subgroup (`layout/matrix_loads.py`); lane 8j+r gives the address of row
r of tile j, and gets 4 bytes of it. One instruction brings up to four tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np

from ..ir.attributes import IntegerAttr
from ..ir.core import Value
from ..ir.dialects import nvgpu
from ..ir.types import I1, I32, MemRefType, VectorType, bit_width
from ..layout.matrix_loads import matrix_load
from ..targets.nvidia_fragments import LANES, TILE_REGISTER_BITS, TILE_ROW_BYTES, TILE_ROWS
from .context import Distribution
from .indexing import digits_offset
from .matrix_transfers import aligned_rows, dims_of
from .packing import Transfer


def load_matrices(d: Distribution, transfer: Transfer) -> list[Value] | None:
    """All registers of the transfer through ldmatrix; None where it does not apply."""
    reader = _Reader.of(d, transfer)
    return reader.registers() if reader is not None else None


class _Reader:
    """One transfer for which the instruction applies. Row and column are dimensions of the vector."""

    def __init__(self, d: Distribution, transfer: Transfer, row: int, column: int, transpose: bool) -> None:
        self.d, self.t = d, transfer
        self.row, self.column, self.transpose = row, column, transpose
        self.memref_dims = {i: m for m, i in transfer.vector_dim.items()}
        bits = _bits(transfer)
        self.each = TILE_REGISTER_BITS // bits
        """Elements of a tile that a lane holds."""
        self.extents = {row: TILE_ROWS, column: 8 * TILE_ROW_BYTES // bits}
        """Extents of a tile, by dimension."""

    @classmethod
    def of(cls, d: Distribution, t: Transfer) -> _Reader | None:
        dims = dims_of(d, t)
        if not d.chip.supports("ldmatrix") or dims is None or d.threads % LANES:
            return None
        load = matrix_load(t.layout, *dims, _bits(t))
        fits = load is not None and aligned_rows(d, t, dims[0], TILE_ROW_BYTES)
        return cls(d, t, *dims, load.transpose) if load is not None and fits else None

    def registers(self) -> list[Value]:
        layout = self.t.layout
        offsets = [tuple(row) for row in layout.register_offsets().tolist()]
        register_at = {offset: register for register, offset in enumerate(offsets)}
        scalars: list[Value] = [self.t.indices[0]] * layout.registers
        step = self._unit(1)
        for tiles in self._groups():
            loaded = self._load(tiles)
            for number, (row, column) in enumerate(tiles):
                for element in range(self.each):
                    place = self._place(row, column, element, step)
                    scalars[register_at[place]] = loaded[self.each * number + element]
        return scalars

    def _unit(self, size: int) -> tuple[int, int]:
        """(row, column) step from the first to the second element that a lane holds of a tile."""
        return (size, 0) if self.transpose else (0, size)

    def _place(self, row: int, column: int, element: int, step: tuple[int, int]) -> tuple[int, ...]:
        place = [0, 0]
        place[self.row] = row + element * step[0]
        place[self.column] = column + element * step[1]
        return tuple(place)

    def _tile_offsets(self, dim: int) -> list[int]:
        part, extent = self.t.layout.dimension(dim), self.extents[dim]
        weights = (part.size // part.wrap, part.outer * extent, extent)
        counts = (part.wrap, part.batch, part.outer)
        return [sum(i * w for i, w in zip(p, weights, strict=True)) for p in product(*map(range, counts))]

    def _groups(self) -> Iterator[list[tuple[int, int]]]:
        """Tiles (row offset, column offset) of one instruction, in the order of a fragment's registers."""
        rows, columns = self._tile_offsets(self.row), self._tile_offsets(self.column)
        r, c = _group_shape(rows, columns)
        order = [(i, j) for j in range(c) for i in range(r)] if self._rows_first() else list(np.ndindex(r, c))
        for row in range(0, len(rows), r):
            for column in range(0, len(columns), c):
                yield [(rows[row + i], columns[column + j]) for i, j in order]

    def _rows_first(self) -> bool:
        """Whether neighbouring registers are tiles below each other. Along K a lane has neighbours of each tile;
        A's registers go through its rows first, B's through K (PTX ISA, "Matrix fragments for mma.m16n8k16")."""
        k, other = (self.row, self.column) if self.transpose else (self.column, self.row)
        return (other if self.t.layout.dimension(other).outer > 1 else k) == self.row

    def _load(self, tiles: list[tuple[int, int]]) -> list[Value]:
        build = self.d.build
        rows = list(dict.fromkeys(r for r, _ in tiles))
        columns = list(dict.fromkeys(c for _, c in tiles))
        lane = build.rem(self.d.thread_id(), LANES)
        tile = build.div(lane, TILE_ROWS)
        steps = (1, len(rows)) if self._rows_first() else (len(columns), 1)
        row, column = (
            _spread(self.d, build.rem(build.div(tile, step), len(offsets)), offsets)
            for step, offsets in zip(steps, (rows, columns), strict=True)
        )
        row = build.add(build.rem(lane, TILE_ROWS), row)
        indices = list(self.t.indices)
        for dim, extra in ((self.row, row), (self.column, column)):
            memref_dim = self.memref_dims[dim]
            base = build.add(indices[memref_dim], digits_offset(self.d, self.t.layout, dim, at_least=LANES))
            indices[memref_dim] = build.add(base, extra)
        assert self.t.buffer.type.is_memref
        pack = build.value(
            nvgpu.LdMatrixOp,
            self.t.buffer,
            indices,
            types=[VectorType((len(tiles), self.each), self.t.buffer.type.element)],
            numTiles=IntegerAttr(len(tiles), I32),
            transpose=IntegerAttr(int(self.transpose), I1),
        )
        return build.unpack(pack)


def _bits(transfer: Transfer) -> int:
    type = transfer.buffer.type
    assert isinstance(type, MemRefType)
    return bit_width(type.element)


def _group_shape(rows: list[int], columns: list[int]) -> tuple[int, int]:
    """How many row and column tiles one instruction takes; tiles of a group are evenly spaced."""
    for r, c in ((2, 2), (1, 4), (4, 1), (1, 2), (2, 1)):
        if len(rows) % r == 0 and len(columns) % c == 0 and _even(rows, r) and _even(columns, c):
            return r, c
    return 1, 1


def _even(offsets: list[int], size: int) -> bool:
    """Whether every group of `size` neighbours has one spacing."""
    groups = [offsets[i : i + size] for i in range(0, len(offsets), size)]
    return all(len({b - a for a, b in pairwise(g)}) <= 1 for g in groups)


def _spread(d: Distribution, number: Value, offsets: list[int]) -> Value:
    """`offsets[number]` of evenly spaced offsets."""
    step = offsets[1] - offsets[0] if len(offsets) > 1 else 0
    return d.build.add(d.build.mul(number, step), offsets[0])
