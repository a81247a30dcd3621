"""Parts of values, made anew: what a read, a splat, a transpose and the like give of a part of their result.

A part may reach over the end of what it is a part of. What is read there is padding: it is not read where the memory
ends there, too, and masked where the memory goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.cloning import clone
from ..ir.core import Builder, Operation, Value
from ..ir.dialects import arith
from ..ir.dialects.arith_casts import Cast
from ..ir.dialects.constants import constant_attribute, constant_int
from ..ir.dialects.longhand import constant, select
from ..ir.dialects.vector import BroadcastOp, CreateMaskOp, ShapeCastOp, TransferReadOp, TransposeOp
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.types import I1, INDEX, VectorType, element_type, shape_of
from ..support.dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A part of a dimension: where it begins, how long it is, and where the dimension ends, if the part may reach over
    it."""

    start: Value
    size: int
    end: int | None = None


Parts = Mapping[int, Part]
"""By dimension, or iterator; the others are whole."""
Make = Callable[[Builder, Value, Parts], Value]
"""Makes the part of a value."""


def part_of(make: Make, build: Builder, value: Value, parts: Parts) -> Value | None:
    """A part of what an operation makes, where there is a rule; `make` is for what the operation takes."""
    op = value.operation
    if op is None or len(op.results) != 1:
        return None
    rule = _elementwise if op.elementwise else _RULES.get(type(op))
    return None if rule is None else rule(make, build, op, parts)


def part_type(value: Value, parts: Parts) -> VectorType:
    shape = tuple(parts[axis].size if axis in parts else n for axis, n in enumerate(shape_of(value.type)))
    return VectorType(shape, element_type(value.type))


def _again(build: Builder, op: Operation, operands: Sequence[Value], value: Value, parts: Parts) -> Value:
    """The same operation on other operands, which makes a part of `value`."""
    copy = clone(op, dict(zip(op.operands, operands, strict=True)))
    copy.set_operands(list(operands))
    copy.results[0].type = part_type(value, parts)
    return build.append(copy).results[0]


# -- transfers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a transfer finds a part: its indices, which of its dimensions are inside of the memory, and the mask of
    what is before the end."""

    indices: Sequence[Value]
    in_bounds: ArrayAttr
    mask: Sequence[Value]


def place_of(build: Builder, op: TransferOp, parts: Parts) -> Place:
    indices: list[Value] = list(op.indices)
    flags = list(op.in_bounds.values)
    open_ended = dict[int, Part]()
    for axis, part in parts.items():
        dim = op.memory_dims[axis]
        if dim is not None:
            if part.end is not None and _ends_with_memory(op, dim, part.end):
                flags[axis] = IntegerAttr(0, I1)
            elif part.end is not None:
                open_ended[dim] = part
            indices[dim] = build.value(arith.AddIOp, indices[dim], part.start)
    return Place(indices, ArrayAttr(tuple(flags)), [_mask(build, op, parts, open_ended)] if open_ended else [])


def _ends_with_memory(op: TransferOp, dim: int, end: int) -> bool:
    start, extent = constant_int(op.indices[dim]), op.memref_type.shape[dim]
    return start is not None and extent is not None and start + end == extent


def _mask(build: Builder, op: TransferOp, parts: Parts, open_ended: Parts) -> Value:
    """In memory order; of what an open dimension has, up to its end."""
    shape = part_type_of(op, parts)
    axes = {dim: axis for axis, dim in enumerate(op.memory_dims) if dim is not None}
    extents = [shape[axes[dim]] for dim in sorted(axes)]
    bounds = [
        _left(build, open_ended[dim]) if dim in open_ended else constant(build, shape[axes[dim]], INDEX)
        for dim in sorted(axes)
    ]
    return build.value(CreateMaskOp, bounds, types=[VectorType(tuple(extents), I1)])


def part_type_of(op: TransferOp, parts: Parts) -> tuple[int, ...]:
    return tuple(parts[axis].size if axis in parts else n for axis, n in enumerate(op.shape))


def _left(build: Builder, part: Part) -> Value:
    """Elements from the start of a part to the end of its dimension."""
    assert part.end is not None
    return build.value(arith.SubIOp, constant(build, part.end, INDEX), part.start)


def _read(make: Make, build: Builder, op: TransferReadOp, parts: Parts) -> Value | None:
    if op.mask is not None:
        return None
    place = place_of(build, op, parts)
    return build.value(
        TransferReadOp,
        op.memref,
        place.indices,
        op.padding,
        place.mask,
        types=[part_type(op.vector, parts)],
        **{**op.attributes, "in_bounds": place.in_bounds},
    )


# -- others -----------------------------------------------------------------------------------------------------------


def _elementwise(make: Make, build: Builder, op: Operation, parts: Parts) -> Value:
    operands = [make(build, v, parts) if shape_of(v.type) else v for v in op.operands]
    return _again(build, op, operands, op.result, parts)


def _constant(make: Make, build: Builder, op: arith.ConstantOp, parts: Parts) -> Value | None:
    values: tuple[int | float, ...] = getattr(op.value, "values", ())
    return constant(build, values[0], part_type(op.result, parts)) if len(values) == 1 else None


def _broadcast(make: Make, build: Builder, op: BroadcastOp, parts: Parts) -> Value:
    source = shape_of(op.source.type)
    lead = len(shape_of(op.vector.type)) - len(source)
    kept = {axis - lead: part for axis, part in parts.items() if axis >= lead and source[axis - lead] != 1}
    return _again(build, op, [make(build, op.source, kept)], op.vector, parts)


def _transpose(make: Make, build: Builder, op: TransposeOp, parts: Parts) -> Value:
    source = make(build, op.vector, {op.permutation[axis]: part for axis, part in parts.items()})
    return _again(build, op, [source], op.result, parts)


def _shape_cast(make: Make, build: Builder, op: ShapeCastOp, parts: Parts) -> Value | None:
    """A part of a cast of shape, along dimensions in front that the cast keeps."""
    source, made = shape_of(op.source.type), shape_of(op.result.type)
    kept = next((n for n, (a, b) in enumerate(zip(source, made, strict=False)) if a != b), min(len(source), len(made)))
    if max(parts, default=-1) >= kept:
        return None
    return _again(build, op, [make(build, op.source, parts)], op.result, parts)


_RULES: Mapping[type[Operation], Callable[[Make, Builder, Any, Parts], Value | None]] = {
    TransferReadOp: _read,
    arith.ConstantOp: _constant,
    BroadcastOp: _broadcast,
    ShapeCastOp: _shape_cast,
    TransposeOp: _transpose,
}
"""What makes a part of a result; None where it has none."""


# -- beyond the end ---------------------------------------------------------------------------------------------------


def zero_beyond(build: Builder, value: Value, part: Value, parts: Parts) -> Value:
    """`part`, that of `value`, with zeros where it reaches over the end of one of `parts`."""
    open_ended = {axis: p for axis, p in parts.items() if p.end is not None}
    type = part.type
    if not open_ended or _is_zero_outside(value) or not isinstance(type, VectorType):
        return part
    bounds = [
        _left(build, open_ended[axis]) if axis in open_ended else constant(build, n, INDEX)
        for axis, n in enumerate(type.shape)
    ]
    inside = build.value(CreateMaskOp, bounds, types=[VectorType(type.shape, I1)])
    return select(build, inside, part, constant(build, 0, type))


def _is_zero_outside(value: Value) -> bool:
    """Whether it is read with zeros for padding, and then moved or extended at most."""
    op = value.operation
    while op is not None and _keeps_zeros(op):
        op = op.operands[0].operation
    padding = constant_attribute(op.operands[-1]) if op is not None and type(op) is TransferReadOp else None
    return getattr(padding, "value", 1) == 0


def _keeps_zeros(op: Operation) -> bool:
    """Moves them, or gives the same numbers in more or fewer bits."""
    return op.widens is not None if isinstance(op, Cast) else isinstance(op, TransposeOp)
