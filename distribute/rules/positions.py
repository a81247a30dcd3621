"""vector.extract and insert: a part of a vector at a position, which may be known at run time only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...ir.builder import Scalars, constant_int
from ...ir.core import Value
from ...ir.dialects import arith, vector
from ...ir.element_moves import only_moves
from ...layout.dimension import Level
from ...layout.nested import NestedLayout
from ..context import Distribution, as_array, distributes
from ..indexing import LEVELS, thread_offset
from ..movement import move_operation
from ..reduce import Step, peer, split_at_subgroup
from ..shuffle import from_thread
from ..through_shared_memory import gather_from_threads


@distributes(vector.ExtractOp)
def _extract(d: Distribution, op: vector.ExtractOp) -> None:
    """A part at a known place is moved. Else each thread chooses among its registers, and those that hold the part
    send it to all."""
    if only_moves(op):
        move_operation(d, op)
        return
    layout, position = d.layout(op.source), _position(d, op.static_position, op.dynamic_position)
    rows = d.registers(op.source)
    for dim, index in enumerate(position):
        rows = _chosen(d, rows, layout, dim, index)
    values = _sent(d, list(rows.reshape(-1)), layout, position)
    kept = [level * layout.rank + dim for level in range(3) for dim in range(len(position), layout.rank)]
    d.set_registers(op.result_, as_array(values, tuple(rows.shape[axis] for axis in kept)))


def _position(d: Distribution, static: tuple[int | None, ...], dynamic: Sequence[Value]) -> list[Value]:
    values = iter(dynamic)
    return [d.scalar(next(values)) if n is None else d.build.constant(n) for n in static]


def _digit(d: Distribution, layout: NestedLayout, dim: int, index: Value, level: Level) -> Value:
    """The digit of an index along a dimension; one beyond its end has one, too: what is there does not matter, but that
    there is something does."""
    part = layout.dimension(dim)
    return d.build.rem(d.build.div(index, part.weight(level)), part.tiles[level])


def _chosen(d: Distribution, registers: Scalars, layout: NestedLayout, dim: int, index: Value) -> Scalars:
    """The registers along a dimension that are at the index, in whichever threads they are: one a level is left."""
    part, rank = layout.dimension(dim), layout.rank
    wrap = _digit(d, layout, dim, index, Level.WRAP)
    batch = d.build.add(d.build.mul(wrap, part.batch), _digit(d, layout, dim, index, Level.BATCH))
    outer, element = (_digit(d, layout, dim, index, level) for level in (Level.OUTER, Level.ELEMENT))
    for level, digit in enumerate((batch, outer, element)):
        axis = level * rank + dim
        row = _row(d, np.moveaxis(registers, axis, 0), digit)
        registers = np.expand_dims(row, axis)
    return registers


def _row(d: Distribution, rows: Scalars, number: Value) -> Scalars:
    """`rows[number]`, by selections on the bits of a number that is only known at run time."""
    known = constant_int(number)
    if known is not None:
        return rows[known, ...]
    if len(rows) == 1:
        return rows[0, ...]
    half = 1 << ((len(rows) - 1).bit_length() - 1)
    low, high = _row(d, rows[:half], d.build.rem(number, half)), _row(d, rows[half:], d.build.rem(number, half))
    above = d.build.compare("uge", number, half)
    pairs = zip(high.reshape(-1), low.reshape(-1), strict=True)
    return as_array([d.build.value(arith.SelectOp, above, a, b) for a, b in pairs], low.shape)


def _sent(d: Distribution, values: list[Value], layout: NestedLayout, position: Sequence[Value]) -> list[Value]:
    """What the threads have that hold the position, beside which the own digits stay."""
    steps = [Step(g.size, g.stride) for g in layout.thread_digits(d.subgroup_size) if g.dim < len(position)]
    lanes, rest = split_at_subgroup(steps, d.subgroup_size, d.threads)
    if not steps:
        return values
    held = sorted((Step(g.size, g.stride) for g in layout.thread_digits(d.subgroup_size)), key=lambda g: g.stride)
    holder = peer(d, list(_wanted(d, layout, position, (*lanes, *rest))), held)
    if not rest:
        return [from_thread(d, value, holder) for value in values]
    return [value for (value,) in gather_from_threads(d, values, [holder])]


def _wanted(
    d: Distribution, layout: NestedLayout, position: Sequence[Value], steps: Sequence[Step]
) -> Iterator[tuple[Step, Value]]:
    """The number of each digit, which may be a part of a layout's."""
    for digit in layout.thread_digits(d.subgroup_size):
        if digit.dim < len(position):
            number = _digit(d, layout, digit.dim, position[digit.dim], LEVELS[digit.level])
            for step in steps:
                if digit.stride <= step.stride < digit.extent:
                    yield step, d.build.rem(d.build.div(number, step.stride // digit.stride), step.size)


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
