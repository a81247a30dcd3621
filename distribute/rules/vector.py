"""vector: operations that move no data between threads: they rename, repeat, select or compute from coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ir.builder import Scalars, constant_int
from ...ir.core import Value
from ...ir.dialects import arith, ub, vector
from ...ir.divisibility import power_of_two
from ...ir.moves import only_moves
from ...ir.types import VectorType, element_type, shape_of
from ..context import DISTRIBUTE, Distribution, as_array, distributes
from ..indexing import thread_offset
from ..movement import move_operation


@distributes(vector.BroadcastOp)
def _broadcast(d: Distribution, op: vector.BroadcastOp) -> None:
    result = d.layout(op.vector)
    if not isinstance(op.source.type, VectorType):
        d.set_like(op.vector, [d.scalar(op.source)] * result.registers)
        return
    source, registers = shape_of(op.source.type), d.registers(op.source)
    lead, rank = result.rank - len(source), result.rank

    def pick(position: tuple[int, ...]) -> Value:
        """Levels are batch, outer, element; leading dimensions repeat, stretched ones are at position 0."""
        place = [position[level * rank + lead + i] if n > 1 else 0 for level in range(3) for i, n in enumerate(source)]
        return registers[tuple(place)]  # type: ignore[no-any-return]

    d.map_registers(op.vector, pick)


@distributes(vector.TransposeOp)
def _transpose(d: Distribution, op: vector.TransposeOp) -> None:
    rank = len(op.permutation)
    axes = [level * rank + p for level in range(3) for p in op.permutation]
    d.set_registers(op.result_, np.transpose(d.registers(op.vector), axes))


@distributes(vector.ShapeCastOp)
def _shape_cast(d: Distribution, op: vector.ShapeCastOp) -> None:
    move_operation(d, op)


@distributes(ub.PoisonOp)
def _poison(d: Distribution, op: ub.PoisonOp) -> None:
    """Zero is as good as anything, and costs nothing."""
    type = op.result_.type
    registers = d.layout(op.result_).registers if isinstance(type, VectorType) else 1
    d.set_like(op.result_, [d.build.constant(0, element_type(type))] * registers)


@distributes(vector.StepOp)
def _step(d: Distribution, op: vector.StepOp) -> None:
    layout = d.layout(op.result_)
    base = thread_offset(d, layout, 0)
    d.set_like(op.result_, [d.build.add(base, int(c)) for (c,) in layout.register_offsets()])


@distributes(vector.CreateMaskOp)
def _create_mask(d: Distribution, op: vector.CreateMaskOp) -> None:
    _mask(d, op.mask, [d.scalar(b) for b in op.bounds])


@distributes(vector.ConstantMaskOp)
def _constant_mask(d: Distribution, op: vector.ConstantMaskOp) -> None:
    _mask(d, op.mask, [d.build.constant(n) for n in op.mask_dim_sizes])


def _mask(d: Distribution, result: Value, bounds: list[Value]) -> None:
    """Every register compares its coordinates with the bounds.

    Neighbours along a dimension share one comparison where bound and coordinate are multiples of a common power of two:
    that is what makes the mask of a wide access uniform.
    """
    layout = d.layout(result)
    offsets = layout.register_offsets()
    columns: list[list[Value]] = []
    for dim, bound in enumerate(bounds):
        base = thread_offset(d, layout, dim)
        step = min(
            d.divisibility.of(base),
            d.divisibility.of(bound),
            power_of_two(layout.shape[dim]) if layout.shape[dim] else 1,
        )
        columns.append(
            [d.build.compare("slt", d.build.add(base, int(c) // step * step), bound) for c in offsets[:, dim]]
        )
    if not columns:
        d.set_like(result, [d.build.conjunction([])])
        return
    d.set_like(result, [d.build.conjunction(row) for row in zip(*columns, strict=True)])


@distributes(vector.ExtractOp)
def _extract(d: Distribution, op: vector.ExtractOp) -> None:
    """A part at a known place is moved. Else the layout keeps the leading dimensions in every thread."""
    if only_moves(op):
        move_operation(d, op)
        return
    source = d.layout(op.source)
    lead, rank = len(op.static_position), source.rank
    registers = d.registers(op.source)
    kept = [level * rank + dim for level in range(3) for dim in range(rank) if dim >= lead]
    moved = [level * rank + dim for dim in range(lead) for level in range(3)]
    ordered = np.transpose(registers, moved + kept)
    rows = ordered.reshape((*source.shape[:lead], *ordered.shape[3 * lead :]))
    chosen = _select_row(d, rows, _position(d, op.static_position, op.dynamic_position))
    d.set_registers(op.result_, chosen)


def _position(d: Distribution, static: tuple[int | None, ...], dynamic: Sequence[Value]) -> list[Value]:
    values = iter(dynamic)
    return [d.scalar(next(values)) if n is None else d.build.constant(n) for n in static]


def _select_row(d: Distribution, rows: Scalars, position: list[Value]) -> Scalars:
    """`rows[position]`, by selections where a number is only known at run time."""
    for index in position:
        number = constant_int(index)
        rows = _dynamic_row(d, rows, index) if number is None else rows[number, ...]
    return rows


def _dynamic_row(d: Distribution, rows: Scalars, index: Value) -> Scalars:
    chosen = rows[0, ...]
    for i in range(1, rows.shape[0]):
        hit = d.build.compare("eq", index, i)
        pairs = zip(rows[i, ...].reshape(-1), chosen.reshape(-1), strict=True)
        chosen = as_array([d.build.value(arith.SelectOp, hit, a, b) for a, b in pairs], rows.shape[1:])
    return chosen


@distributes(vector.InsertOp)
def _insert(d: Distribution, op: vector.InsertOp) -> None:
    """Every register whose leading coordinates are the position takes the new value."""
    layout = d.layout(op.result_)
    lead, rank = len(op.static_position), layout.rank
    position = _position(d, op.static_position, op.dynamic_position)
    bases = [thread_offset(d, layout, dim) for dim in range(lead)]
    offsets = layout.register_offsets().reshape(*layout.distributed_shape, rank)
    dest, value = d.registers(op.dest), d.registers(op.value)

    def merge(place: tuple[int, ...]) -> Value:
        here = [d.build.compare("eq", d.build.add(bases[i], int(offsets[place][i])), position[i]) for i in range(lead)]
        hit = d.build.conjunction(here)
        kept = tuple(place[level * rank + dim] for level in range(3) for dim in range(lead, rank))
        new: Value = value[kept]
        known = constant_int(hit)
        old: Value = dest[place]
        return d.build.value(arith.SelectOp, hit, new, old) if known is None else (new if known else old)

    d.map_registers(op.result_, merge)


DISTRIBUTE.needless(
    "thread-level operation: distribution makes it",
    vector.LoadOp,
    vector.StoreOp,
    vector.MaskedLoadOp,
    vector.MaskedStoreOp,
)
