"""Operations that place elements of vectors anew, and tuples of vectors, in those that all layers know.

A tuple is a name for several values: nothing is left of it once its parts are found where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.attributes import IntegerAttr, dense_i64, i64_array
from ..ir.core import Builder, Value
from ..ir.dialects.arith import IndexCastOp
from ..ir.dialects.longhand import cast_shape, constant, strided_slice
from ..ir.dialects.vector_elements import (
    ExtractElementOp,
    ExtractOp,
    InsertElementOp,
    InsertOp,
    ToElementsOp,
)
from ..ir.dialects.vector_interleave import DeinterleaveOp
from ..ir.dialects.vector_shape import ShapeCastOp, StepOp
from ..ir.dialects.vector_slices import InsertStridedSliceOp
from ..ir.dialects.vector_tiles import ExtractSlicesOp, InsertSlicesOp
from ..ir.dialects.vector_tuple import TupleGetOp, TupleOp, is_tuple
from ..ir.types import I64, INDEX, Attribute, TupleType, VectorType
from .legalisations import EXPAND, Place, expands

EXPAND.needless("is a name for several values, which are found where they are used", TupleOp)


@expands(StepOp, below=True)
def _step(place: Place, op: StepOp) -> Sequence[Value] | None:
    """Steps of integers are casts of those of `index`."""
    type = op.result_.type
    if type.element == INDEX:
        return None
    return [place.value(IndexCastOp, place.value(StepOp, types=[VectorType(type.shape, INDEX)]), types=[type])]


@expands(DeinterleaveOp)
def _deinterleave(place: Place, op: DeinterleaveOp) -> Sequence[Value]:
    """Pairs along a last dim of two, and of these the first and the second."""
    shape = op.even.type.shape
    pairs = cast_shape(place, op.source, (*shape, 2))
    zeros = [0] * len(shape)
    halves = [strided_slice(place, pairs, (*zeros, number), (*shape, 1)) for number in (0, 1)]
    return [cast_shape(place, half, shape) for half in halves]


# -- elements ---------------------------------------------------------------------------------------------------------


@expands(ExtractElementOp)
def _extract(place: Place, op: ExtractElementOp) -> Sequence[Value]:
    position, static = _as_position(place, op.position)
    return [place.value(ExtractOp, op.vector, position, static_position=static)]


@expands(InsertElementOp)
def _insert(place: Place, op: InsertElementOp) -> Sequence[Value]:
    position, static = _as_position(place, op.position)
    return [place.value(InsertOp, op.source, op.dest, position, static_position=static)]


def _as_position(build: Builder, position: Value | None) -> tuple[list[Value], Attribute]:
    """Operands and static part of a position, whose number is signed."""
    if position is None:
        return [], dense_i64([])
    if position.type != INDEX:
        position = build.value(IndexCastOp, position, types=[INDEX])
    return [position], dense_i64([None])


@expands(ToElementsOp, below=True)
def _to_elements(place: Place, op: ToElementsOp) -> Sequence[Value]:
    positions = (dense_i64(position) for position in np.ndindex(op.source.type.shape))
    return [place.value(ExtractOp, op.source, [], static_position=position) for position in positions]


# -- tuples -----------------------------------------------------------------------------------------------------------


def _parts_of(build: Builder, value: Value[TupleType]) -> list[Value]:
    return [build.value(TupleGetOp, value, index=IntegerAttr(i, I64)) for i in range(len(value.type.elements))]


@expands(TupleGetOp)
def _part(place: Place, op: TupleGetOp) -> Sequence[Value] | None:
    maker = op.vectors.operation
    return [maker.vectors[op.index]] if isinstance(maker, TupleOp) else None


@expands(ShapeCastOp, below=True)
def _cast(place: Place, op: ShapeCastOp) -> Sequence[Value] | None:
    """A tuple part by part; a vector stays."""
    if not is_tuple.admits(op.source) or not isinstance(op.result_.type, TupleType):
        return None
    pairs = zip(_parts_of(place, op.source), op.result_.type.elements, strict=True)
    return [place.value(TupleOp, [place.value(ShapeCastOp, part, types=[type]) for part, type in pairs])]


@expands(ExtractSlicesOp)
def _slices(place: Place, op: ExtractSlicesOp) -> Sequence[Value]:
    return [place.value(TupleOp, [strided_slice(place, op.vector, *tile) for tile in op.tiles()])]


@expands(InsertSlicesOp)
def _joined(place: Place, op: InsertSlicesOp) -> Sequence[Value]:
    """Every element is overwritten, whatever the vector begins with."""
    type = op.result_.type
    whole, ones = constant(place, 0, type), i64_array([1] * type.rank)
    for tile, part in zip(op.tiles(), _parts_of(place, op.vectors), strict=True):
        whole = place.value(InsertStridedSliceOp, part, whole, offsets=i64_array(tile.offsets), strides=ones)
    return [whole]
