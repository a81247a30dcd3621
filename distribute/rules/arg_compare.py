"""iree_vector_ext.arg_compare, in the stages of `reduce.py`.

Each thread begins with the initial value, so that only what beats it is carried on. Elements that meet out of order
have their positions with them, and the one further on is asked whether it beats the other: whatever the layout is, the
comparator sees them as it does in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ir.builder import Scalars, constant_int
from ...ir.core import Value
from ...ir.dialects import arith
from ...ir.dialects.arg_compare import ArgCompareOp, YieldOp
from ...ir.types import I32, INDEX, Type
from ..context import DISTRIBUTE, Distribution, as_array, distributes
from ..indexing import thread_offset
from ..reduce import Row, rows_across_threads
from .elementwise import copied


@distributes(ArgCompareOp)
def _arg_compare(d: Distribution, op: ArgCompareOp) -> None:
    contest = _Contest(d, op)
    rows = [contest.in_thread(line, start) for line, start in zip(contest.lines(), contest.starts(), strict=True)]
    if contest.crosses:
        rows = rows_across_threads(d, contest.better, rows, [d.layout(op.input_value)], [op.dimension])
    d.set_like(op.result_value, [row[0] for row in rows])
    d.set_like(op.result_index, contest.indices(rows))


DISTRIBUTE.needless("ends a comparator, which is written out where elements meet", YieldOp)


class _Contest:
    """A row is an element, its position along the dimension (-1: the initial value) where that is asked for, and its
    index where that does not follow from the position."""

    def __init__(self, d: Distribution, op: ArgCompareOp) -> None:
        self.d, self.op, self.build = d, op, d.build
        self.layout = d.layout(op.input_value)
        self.crosses = any(g.dim == op.dimension for g in self.layout.thread_digits(d.subgroup_size))
        self.counts = op.input_index is None

    def lines(self) -> list[list[Row]]:
        """For each register of the results the thread's elements, in order."""
        values = self._by_line(self.d.registers(self.op.input_value))
        columns = [values]
        if self.counts or self.crosses:
            columns.append(np.broadcast_to(self._positions(), values.shape))
        if self.op.input_index is not None:
            columns.append(self._by_line(self.d.registers(self.op.input_index)))
        return [list(zip(*(column[line] for column in columns), strict=True)) for line in range(len(values))]

    def starts(self) -> list[Row]:
        values = self.d.registers(self.op.init_value).reshape(-1)
        columns: list[list[Value]] = [list(values)]
        if self.counts or self.crosses:
            columns.append([self.build.constant(-1, I32)] * values.size)
        if not self.counts:
            columns.append(list(self.d.registers(self.op.init_index).reshape(-1)))
        return list(zip(*columns, strict=True))

    def _by_line(self, registers: NDArray[Any]) -> NDArray[Any]:
        rank = self.layout.rank
        along = [level * rank + self.op.dimension for level in range(3)]
        kept = [axis for axis in range(3 * rank) if axis not in along]
        ordered = np.transpose(registers, kept + along)
        return ordered.reshape(int(np.prod(ordered.shape[: len(kept)], dtype=np.int64)), -1)

    def _positions(self) -> Scalars:
        """The positions of the registers along the dimension."""
        offsets = self.layout.register_offsets()[:, self.op.dimension].reshape(self.layout.distributed_shape)
        first = thread_offset(self.d, self.layout, self.op.dimension)
        number = constant_int(first)
        base = self.build.value(arith.IndexCastOp, first, types=[I32]) if number is None else None
        line = [int(offset) for offset in self._by_line(offsets)[0]]
        return as_array(
            [self.build.constant(n, I32) if base is None else self.build.add(base, n) for n in line], (len(line),)
        )

    # -- meeting ------------------------------------------------------------------------------------------------

    def in_thread(self, line: list[Row], best: Row) -> Row:
        for row in line:
            best = self._chosen(self.beats(row[0], best[0]), row, best)
        return best

    def better(self, mine: Row, other: Row) -> Row:
        """The better row of two that met in any order."""
        later = self.build.compare("sgt", other[1], mine[1])
        second = self.build.value(arith.SelectOp, later, other[0], mine[0])
        first = self.build.value(arith.SelectOp, later, mine[0], other[0])
        stays = self.build.value(arith.XOrIOp, self.beats(second, first), later)
        return self._chosen(stays, mine, other)

    def _chosen(self, condition: Value, row: Row, other: Row) -> Row:
        return tuple(self.build.value(arith.SelectOp, condition, a, b) for a, b in zip(row, other, strict=True))

    def beats(self, first: Value, second: Value) -> Value:
        """The comparator, written out."""
        block = self.op.comparator.block
        values: dict[Value, Value] = dict(zip(block.arguments, (first, second), strict=True))
        for inner in block.operations:
            operands = [values[v] if v in values else self.d.scalar(v) for v in inner.operands]
            if inner.terminator:
                return operands[0]
            values.update(zip(inner.results, copied(self.d, inner, operands), strict=True))
        raise AssertionError("a comparator ends in a yield")

    def indices(self, rows: list[Row]) -> list[Value]:
        if not self.counts:
            return [row[-1] for row in rows]
        starts = self.d.registers(self.op.init_index).reshape(-1)
        return [self._index(row[1], start) for row, start in zip(rows, starts, strict=True)]

    def _index(self, position: Value, start: Value) -> Value:
        base = self.op.index_base
        number = self._as(position, start.type) if base is None else self._counted(position, base, start.type)
        return self.build.value(arith.SelectOp, self.build.compare("slt", position, 0), start, number)

    def _counted(self, position: Value, base: Value, type: Type) -> Value:
        return self._as(self.build.add(self.d.scalar(base), self._as(position, INDEX)), type)

    def _as(self, number: Value, type: Type) -> Value:
        """Between i32 or index and the type of the indices."""
        if number.type == type:
            return number
        wide = self.build.value(arith.IndexCastOp, number, types=[INDEX]) if number.type != INDEX else number
        return wide if type == INDEX else self.build.value(arith.IndexCastOp, wide, types=[type])
