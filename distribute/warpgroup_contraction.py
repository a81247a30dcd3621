"""Contractions of four subgroups on operands in shared memory: tiles by where they begin, accumulators in registers,
and so A where no buffer has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..ir.attributes import IntegerAttr, UnitAttr
from ..ir.builder import Scalars
from ..ir.core import Value
from ..ir.dialects import vector
from ..ir.dialects.iree_gpu import MMALayoutAttr
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaHeldOp, WarpgroupMmaOp
from ..ir.types import I64, Attribute
from ..layout.warpgroup_candidates import WarpgroupTiling
from .context import Distribution, Lying, as_array


def multiply(d: Distribution, op: vector.ContractionOp, tiling: WarpgroupTiling) -> Scalars:
    """All tiles of the product; each is waited for."""
    left, right, _ = tiling.swapped([op.lhs, op.rhs, op.acc])
    rows = _Held(d, left, tiling) if tiling.is_held else _Rows(d, d.lying(left), tiling)
    registers, beside = _Accumulators(d, op, tiling), d.lying(right)
    marks = {} if _is_along(tiling, beside, 1) else {"transposeB": UnitAttr()}
    for place, above, row, column in registers.tiles():
        accumulator = registers.pack(place)
        b = _indices(d, beside, _along(d, tiling.sides[1], tiling.column, column))
        made = rows.multiplied(
            above,
            row,
            [beside.buffer, b, accumulator],
            kind=MMALayoutAttr(tiling.instruction.iree_name),
            depth=IntegerAttr(tiling.product.extents[tiling.depth], I64),
            **marks,
        )
        registers.put(place, d.build.unpack(made))
    return registers.all


def _is_along(tiling: WarpgroupTiling, tile: Lying, side: int) -> bool:
    """Whether neighbours in memory are neighbours along K."""
    return tiling.sides[side][tile.contiguous] == tiling.depth


class _Rows:
    """A in shared memory."""

    def __init__(self, d: Distribution, tile: Lying, tiling: WarpgroupTiling) -> None:
        self._d, self._tile, self._tiling = d, tile, tiling

    def multiplied(self, above: int, row: Value, others: Sequence[Value | Sequence[Value]], **said: Attribute) -> Value:
        """The accumulators of the rows from `row` on."""
        d, tiling, tile = self._d, self._tiling, self._tile
        a = _indices(d, tile, _along(d, tiling.sides[0], tiling.row, row))
        marks = {} if _is_along(tiling, tile, 0) else {"transposeA": UnitAttr()}
        accumulator = others[-1]
        assert isinstance(accumulator, Value)
        return d.build.value(WarpgroupMmaOp, tile.buffer, a, *others, types=[accumulator.type], **said, **marks)


class _Held:
    """A in registers: [rows of 64, steps along K, register]."""

    def __init__(self, d: Distribution, value: Value, tiling: WarpgroupTiling) -> None:
        self._d = d
        row, depth = (tiling.sides[0].index(it) for it in (tiling.row, tiling.depth))
        natural = [2 * level + dim for level in (1, 2) for dim in (row, depth)]
        order = [row, depth, *(natural[axis] for axis in tiling.instruction.a.register_order)]
        ordered = np.transpose(d.registers(value), order)
        self._registers = ordered.reshape(*ordered.shape[:2], -1)

    def multiplied(self, above: int, row: Value, others: Sequence[Value | Sequence[Value]], **said: Attribute) -> Value:
        """The accumulators of the `above`-th 64 rows of the lane's subgroup."""
        d, accumulator = self._d, others[-1]
        held = self._registers[above].reshape(-1)
        assert isinstance(accumulator, Value)
        fragments = d.build.pack(list(held), (held.size,))
        return d.build.value(WarpgroupMmaHeldOp, fragments, *others, types=[accumulator.type], **said)


def _indices(d: Distribution, tile: Lying, offsets: Sequence[Value]) -> list[Value]:
    """The indices of the element at `offsets` along the vector's dimensions."""
    *outer, row, column = tile.indices
    return [*outer, d.build.add(row, offsets[1 - tile.contiguous]), d.build.add(column, offsets[tile.contiguous])]


def _along(d: Distribution, iterators: Sequence[int], moving: int, offset: Value) -> list[Value]:
    return [offset if it == moving else d.build.constant(0) for it in iterators]


class _Accumulators:
    """The accumulator's registers: [batch, outer, element] along its two dimensions."""

    def __init__(self, d: Distribution, op: vector.ContractionOp, tiling: WarpgroupTiling) -> None:
        self._d, self._tiling = d, tiling
        self.all = d.registers(op.acc).copy()
        self._layout = d.layout(op.acc)
        iterators = tiling.sides[2]
        self._row, self._column = iterators.index(tiling.row), iterators.index(tiling.column)

    def tiles(self) -> Iterator[tuple[tuple[int, int], int, Value, Value]]:
        """(batches along both dimensions, that along the rows, first row, first column) of each instruction of the
        thread's four."""
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
                yield (batches[0], batches[1]), above, row, d.build.add(first_column, beside * n)

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
