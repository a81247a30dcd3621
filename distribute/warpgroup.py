"""Contractions of four subgroups on operands in shared memory: tiles by where they begin, sums in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..ir.attributes import IntegerAttr, UnitAttr
from ..ir.builder import Scalars
from ..ir.core import Value
from ..ir.dialects import vector
from ..ir.dialects.iree_gpu import MMALayoutAttr
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaOp
from ..ir.types import I64
from ..layout.warpgroup import WarpgroupTiling
from .context import Distribution, Lying, as_array


def multiply(d: Distribution, op: vector.ContractionOp, tiling: WarpgroupTiling) -> Scalars:
    """All tiles of the product; each is waited for."""
    lhs, rhs = (d.lying(v) for v in (op.lhs, op.rhs))
    left, right, _ = tiling.swapped([lhs, rhs, lhs])
    registers = _Sums(d, op, tiling)
    for place, row, column in registers.tiles():
        sums = registers.pack(place)
        a = _indices(d, left, _along(d, tiling.sides[0], tiling.row, row))
        b = _indices(d, right, _along(d, tiling.sides[1], tiling.column, column))
        marks = {
            name: UnitAttr()
            for name, side, iterators in (("transposeA", left, tiling.sides[0]), ("transposeB", right, tiling.sides[1]))
            if iterators[side.contiguous] != tiling.depth
        }
        made = d.build.value(
            WarpgroupMmaOp,
            left.buffer,
            a,
            right.buffer,
            b,
            sums,
            types=[sums.type],
            kind=MMALayoutAttr(tiling.instruction.iree_name),
            depth=IntegerAttr(tiling.product.extents[tiling.depth], I64),
            **marks,
        )
        registers.put(place, d.build.unpack(made))
    return registers.all


def _indices(d: Distribution, tile: Lying, offsets: Sequence[Value]) -> list[Value]:
    """Of the element at `offsets` along the vector's dimensions."""
    *outer, row, column = tile.indices
    return [*outer, d.build.add(row, offsets[1 - tile.contiguous]), d.build.add(column, offsets[tile.contiguous])]


def _along(d: Distribution, iterators: Sequence[int], moving: int, offset: Value) -> list[Value]:
    return [offset if it == moving else d.build.constant(0) for it in iterators]


class _Sums:
    """The accumulator's registers: [batch, outer, element] along its two dimensions."""

    def __init__(self, d: Distribution, op: vector.ContractionOp, tiling: WarpgroupTiling) -> None:
        self._d, self._tiling = d, tiling
        self.all = d.registers(op.acc).copy()
        self._layout = d.layout(op.acc)
        iterators = tiling.sides[2]
        self._row, self._column = iterators.index(tiling.row), iterators.index(tiling.column)

    def tiles(self) -> Iterator[tuple[tuple[int, int], Value, Value]]:
        """(batches along both dimensions, first row, first column) of each instruction of the thread's four."""
        d, tiling = self._d, self._tiling
        m, n, _ = tiling.instruction.shape
        rows, columns = tiling.grid
        lanes = tiling.instruction.subgroups * d.subgroup_size
        first_row = d.build.mul(d.digit(rows, lanes), m)
        parts = self._layout.dimension(self._column).batch
        first_column = d.build.mul(d.digit(columns, lanes * rows), parts * n)
        for above in range(self._layout.batches[self._row]):
            for beside in range(parts):
                batches = [0, 0]
                batches[self._row], batches[self._column] = above, beside
                row = d.build.add(first_row, above * rows * m)
                yield (batches[0], batches[1]), row, d.build.add(first_column, beside * n)

    def pack(self, place: tuple[int, int]) -> Value:
        ordered = np.transpose(self.all[place], self._order())
        return self._d.build.pack(list(ordered.reshape(-1)), (ordered.size,))

    def put(self, place: tuple[int, int], scalars: Sequence[Value]) -> None:
        order = self._order()
        shape = tuple(self.all[place].shape[axis] for axis in order)
        self.all[place] = np.transpose(as_array(list(scalars), shape), np.argsort(order))

    def _order(self) -> list[int]:
        """Axes (outer and element of both dimensions) from the slowest register to the fastest."""
        carried = self._row, self._column
        natural = [2 * level + dim for level in (0, 1) for dim in carried]
        return [natural[axis] for axis in self._tiling.instruction.c.register_order]
