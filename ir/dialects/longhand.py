"""What decompositions are written with: constants, other shapes, and joins of two values."""

from __future__ import annotations

from collections.abc import Sequence

from ..attributes import dense_i64, i64_array, scalar_attr
from ..core import Builder, Value
from ..types import Type, VectorType, element_type, shape_of, with_shape
from . import arith
from .vector_elements import ExtractOp
from .vector_kind import CombiningKindAttr
from .vector_shape import BroadcastOp, ShapeCastOp, TransposeOp
from .vector_slices import ExtractStridedSliceOp, InsertStridedSliceOp


def constant(build: Builder, number: float, type: Type) -> Value:
    """A number, in every element where the type is a vector's."""
    return build.value(arith.ConstantOp, types=[type], value=scalar_attr(number, type))


def neutral(build: Builder, kind: CombiningKindAttr, type: Type) -> Value:
    """What changes nothing when it is joined, in every element."""
    return constant(build, kind.identity(element_type(type)), type)


def cast_shape(build: Builder, value: Value, shape: Sequence[int]) -> Value:
    """The same elements, in row-major order, under another shape."""
    if shape_of(value.type) == tuple(shape):
        return value
    return build.value(ShapeCastOp, value, types=[VectorType(tuple(shape), element_type(value.type))])


def broadcast(build: Builder, value: Value, shape: Sequence[int]) -> Value:
    type = VectorType(tuple(shape), element_type(value.type))
    return value if value.type == type else build.value(BroadcastOp, value, types=[type])


def transpose(build: Builder, value: Value, permutation: Sequence[int]) -> Value:
    shape = shape_of(value.type)
    type = VectorType(tuple(shape[p] for p in permutation), element_type(value.type))
    return build.value(TransposeOp, value, types=[type], permutation=dense_i64(permutation))


def strided_slice(build: Builder, value: Value, offsets: Sequence[int], sizes: Sequence[int]) -> Value:
    type = VectorType(tuple(sizes), element_type(value.type))
    attributes = {"offsets": offsets, "sizes": sizes, "strides": [1] * len(offsets)}
    named = {name: i64_array(tuple(numbers)) for name, numbers in attributes.items()}
    return build.value(ExtractStridedSliceOp, value, types=[type], **named)


def with_slice(build: Builder, part: Value, value: Value, offsets: Sequence[int]) -> Value:
    """The value with `part` in the place of what is there, from `offsets` on."""
    numbers = {"offsets": i64_array(tuple(offsets)), "strides": i64_array((1,) * len(shape_of(part.type)))}
    return build.value(InsertStridedSliceOp, part, value, types=[value.type], **numbers)


def extract(build: Builder, value: Value, position: Sequence[int]) -> Value:
    rest = shape_of(value.type)[len(position) :]
    type = with_shape(element_type(value.type), rest or None)
    return build.value(ExtractOp, value, [], types=[type], static_position=dense_i64(position))


def multiply(build: Builder, a: Value, b: Value) -> Value:
    return build.value(arith.MulFOp if element_type(a.type).is_float else arith.MulIOp, a, b)


def join(build: Builder, kind: CombiningKindAttr, a: Value, b: Value) -> Value:
    """Two values combined, element by element."""
    return build.value(kind.operation(element_type(a.type)), a, b)


def select(build: Builder, condition: Value, yes: Value, no: Value) -> Value:
    return build.value(arith.SelectOp, condition, yes, no, types=[yes.type])
