"""vector.reshape: a shuffle; of data whose extents are known at run time only, elements are looked up in a buffer.

A buffer of a thread is its own, one of a workgroup in its memory. Lanes of a subgroup have none: there each element is
taken out and put in where it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..ir.attributes import dense_i64
from ..ir.core import Builder, Value
from ..ir.dialects import arith, memref, memref_buffers, memref_views, vector
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.longhand import broadcast, cast_shape, constant, extract, select
from ..ir.dialects.vector_reshape import places
from ..ir.types import I1, INDEX, MemRefType, VectorType
from .affine import number
from .legalisations import Place, expands

EQUAL, BELOW = IntegerPredicateAttr("eq"), IntegerPredicateAttr("slt")


@expands(vector.ReshapeOp)
def _reshape(place: Place, op: vector.ReshapeOp) -> Sequence[Value]:
    known = _of_known_shapes(place, op)
    if known is not None:
        return [known]
    sources, inside = _sources(place, op)
    scope = place.scope
    if scope == "subgroup":
        return [_taken_out(place, op, sources)]
    source, result = op.vector.type, op.result_.type
    space, made = (None, memref_buffers.AllocaOp) if scope == "thread" else (WORKGROUP, memref.AllocOp)
    buffer = place.value(made, [], types=[MemRefType(source.shape, source.element, None, space)])
    place.op(vector.StoreOp, op.vector, buffer, [number(place, 0) for _ in source.shape], types=[])
    static = {"static_offsets": (0,), "static_sizes": (source.elements,), "static_strides": (1,)}
    none = list[Value]()
    row = place.value(
        memref_views.ReinterpretCastOp,
        *(buffer, none, none, none),
        types=[MemRefType((source.elements,), source.element, None, space)],
        **{name: dense_i64(numbers) for name, numbers in static.items()},
    )
    nothing = constant(place, 0, result)
    return place.op(vector.GatherOp, row, [number(place, 0)], sources, inside, nothing, types=[result]).results


def _of_known_shapes(build: Builder, op: vector.ReshapeOp) -> Value | None:
    """One shuffle of all elements in a row."""
    source, target = op.known_shape(op.input_shape), op.known_shape(op.output_shape)
    if source is None or target is None:
        return None
    type, fixed = op.result_.type, op.fixed_vector_sizes
    mask = [-1] * type.elements
    moved = zip(places(source, fixed, op.vector.type.shape), places(target, fixed, type.shape), strict=True)
    for old, new in moved:
        mask[new] = old
    row = cast_shape(build, op.vector, (op.vector.type.elements,))
    return cast_shape(build, build.value(vector.ShuffleOp, row, row, mask=dense_i64(mask)), type.shape)


def _sources(build: Builder, op: vector.ReshapeOp) -> tuple[Value, Value]:
    """The source of every element of the result: the number of the vector's element that it is, and whether it is of
    the data."""
    shape, fixed = op.result_.type.shape, op.fixed_vector_sizes
    own = [_along(build, shape, dim) for dim in range(len(shape))]
    outer, inner = own[: len(shape) - len(fixed)], own[len(shape) - len(fixed) :]
    first = len(outer) - len(fixed)
    tiled = [
        _add(build, _scaled(build, tile, size), i) for tile, size, i in zip(outer[first:], fixed, inner, strict=True)
    ]
    data = [*outer[:first], *tiled]
    inside = constant(build, True, VectorType(shape, I1))
    total = constant(build, 0, VectorType(shape, INDEX))
    for coordinate, extent in zip(data, op.output_shape, strict=True):
        spread = broadcast(build, extent, shape)
        below = build.value(arith.CmpIOp, coordinate, spread, predicate=BELOW)
        inside = build.value(arith.AndIOp, inside, below)
        total = _add(build, build.value(arith.MulIOp, total, spread), coordinate)
    return _number_in(build, op, total), inside


def _number_in(build: Builder, op: vector.ReshapeOp, total: Value) -> Value:
    """The number in the vector of the element that is number `total` of the data."""
    shape, fixed = op.vector.type.shape, op.fixed_vector_sizes
    coordinates: list[Value] = []
    for extent in reversed(op.input_shape[1:]):
        spread = broadcast(build, extent, op.result_.type.shape)
        coordinates.insert(0, build.value(arith.RemUIOp, total, spread))
        total = build.value(arith.DivUIOp, total, spread)
    coordinates.insert(0, total)
    first = len(coordinates) - len(fixed)
    sizes = [constant(build, size, total.type) for size in fixed]
    pairs = list(zip(coordinates[first:], sizes, strict=True))
    tiles = [build.value(arith.DivUIOp, x, size) for x, size in pairs]
    within = [build.value(arith.RemUIOp, x, size) for x, size in pairs]
    found = constant(build, 0, total.type)
    for dim, index in enumerate([*coordinates[:first], *tiles, *within]):
        found = _add(build, found, _scaled(build, index, prod(shape[dim + 1 :])))
    return found


def _taken_out(build: Builder, op: vector.ReshapeOp, sources: Value) -> Value:
    """Each element of the vector put in where it is asked for."""
    type = op.result_.type
    row = cast_shape(build, op.vector, (op.vector.type.elements,))
    result = constant(build, 0, type)
    for i in range(op.vector.type.elements):
        asked = build.value(arith.CmpIOp, sources, constant(build, i, sources.type), predicate=EQUAL)
        element = broadcast(build, extract(build, row, [i]), type.shape)
        result = select(build, asked, element, result)
    return result


def _along(build: Builder, shape: Sequence[int], dim: int) -> Value:
    """The index of every element along a dim."""
    step = build.value(vector.StepOp, types=[VectorType((shape[dim],), INDEX)])
    column = cast_shape(build, step, (shape[dim], *(1 for _ in shape[dim + 1 :])))
    return broadcast(build, column, shape)


def _scaled(build: Builder, value: Value, by: int) -> Value:
    return value if by == 1 else build.value(arith.MulIOp, value, constant(build, by, value.type))


def _add(build: Builder, a: Value, b: Value) -> Value:
    return build.value(arith.AddIOp, a, b)
