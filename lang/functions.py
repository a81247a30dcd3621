"""Functions of kernels that are no methods: makers of values, choices, mathematics, contractions."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from ..ir.attributes import dense_i64
from ..ir.dialects import vector
from ..ir.dialects.vector_slices import ShuffleOp
from ..ir.types import INDEX, VectorType
from . import elementwise, products, shapes
from .dtypes import DType, f32, index
from .operands import Given, Operand, constant, lifted, type_of, vector_shape
from .trace import building, fail
from .values import Numeric, Value, given

# -- makers ---------------------------------------------------------------------------------------------------------


def full(shape: int | Sequence[int], value: Numeric, dtype: DType = f32) -> Value:
    """A vector of equal elements."""
    sizes = vector_shape(shape)
    number = given(value)
    if not isinstance(number, Operand):
        return Value(constant(number, dtype, sizes))
    if number.dtype != dtype:
        fail(f"full of {dtype} is filled with {number.text}", number.made, hint=f"convert it: .to(lw.{dtype})")
    if number.shape:
        fail(f"full is filled with one number, found {number.text}", number.made, hint="x.broadcast_to(shape)")
    return Value(shapes.broadcast(number, sizes))


def zeros(shape: int | Sequence[int], dtype: DType = f32) -> Value:
    return full(shape, 0, dtype)


def ones(shape: int | Sequence[int], dtype: DType = f32) -> Value:
    return full(shape, 1, dtype)


def arange(extent: int, dtype: DType = index) -> Value:
    """0, 1, .. up to, not including, a constant."""
    steps = building().value(vector.StepOp, types=[VectorType(vector_shape(extent), INDEX)])
    return Value(elementwise.convert(Operand(steps, index), dtype))


def number(value: Numeric, dtype: DType | None = None) -> Value:
    """A number of Python as a value: a loop can start with it."""
    return Value(lifted(given(value), dtype))


# -- choices and arithmetic -----------------------------------------------------------------------------------------


def where(condition: Numeric, a: Numeric, b: Numeric) -> Value:
    """Elements of a where the condition holds, else of b; both are computed."""
    return Value(elementwise.select(given(condition), given(a), given(b)))


def maximum(a: Numeric, b: Numeric) -> Value:
    """The greater of both; NaN where one is."""
    return _binary("maximum", a, b)


def minimum(a: Numeric, b: Numeric) -> Value:
    """The lesser of both; NaN where one is."""
    return _binary("minimum", a, b)


def fmax(a: Numeric, b: Numeric) -> Value:
    """The greater of both floats; where one is NaN, the other."""
    return _binary("fmax", a, b)


def fmin(a: Numeric, b: Numeric) -> Value:
    """The lesser of both floats; where one is NaN, the other."""
    return _binary("fmin", a, b)


def fmod(a: Numeric, b: Numeric) -> Value:
    """The remainder with the sign of a, as C's."""
    return _binary("fmod", a, b)


def cdiv(a: int | Numeric, b: int | Numeric) -> Value:
    """The quotient of integers, rounded up."""
    return _binary("cdiv", a, b)


def clamp(value: Numeric, low: Numeric, high: Numeric) -> Value:
    return Value(elementwise.clamp(given(value), given(low), given(high)))


def fma(a: Numeric, b: Numeric, c: Numeric, *, fastmath: str | None = None) -> Value:
    """a * b + c of floats with one rounding."""
    return Value(elementwise.fused(given(a), given(b), given(c), fastmath))


def pow(a: Numeric, b: Numeric) -> Value:
    return Value(elementwise.power(given(a), given(b)))


def atan2(a: Numeric, b: Numeric) -> Value:
    return _binary("atan2", a, b)


def copysign(a: Numeric, b: Numeric) -> Value:
    return _binary("copysign", a, b)


def abs(value: Numeric) -> Value:
    return Value(elementwise.absolute(given(value)))


def divide(a: Numeric, b: Numeric, *, fastmath: str | None = None) -> Value:
    """a / b of floats, by what fastmath allows: `arcp` takes the reciprocal, `afn` an approximation."""
    return _binary("/", a, b, fastmath)


def bitcast(value: Numeric, dtype: DType) -> Value:
    """The same bits as elements of another type."""
    return Value(elementwise.reread(lifted(given(value)), dtype))


def _binary(sign: str, a: Numeric, b: Numeric, fastmath: str | None = None) -> Value:
    return Value(elementwise.binary(sign, given(a), given(b), fastmath))


# -- functions of floats: docs/mathematics.md has their accuracy ------------------------------------------------------


def acos(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("acos", x, fastmath)


def acosh(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("acosh", x, fastmath)


def asin(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("asin", x, fastmath)


def asinh(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("asinh", x, fastmath)


def atan(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("atan", x, fastmath)


def atanh(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("atanh", x, fastmath)


def cbrt(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("cbrt", x, fastmath)


def ceil(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("ceil", x, fastmath)


def cos(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("cos", x, fastmath)


def cosh(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("cosh", x, fastmath)


def erf(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("erf", x, fastmath)


def erfc(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("erfc", x, fastmath)


def exp(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("exp", x, fastmath)


def exp2(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("exp2", x, fastmath)


def expm1(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("expm1", x, fastmath)


def floor(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("floor", x, fastmath)


def log(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("log", x, fastmath)


def log10(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("log10", x, fastmath)


def log1p(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("log1p", x, fastmath)


def log2(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("log2", x, fastmath)


def round(x: Numeric, *, fastmath: str | None = None) -> Value:
    """The nearest integer; halves to the even one."""
    return _function("round", x, fastmath)


def rsqrt(x: Numeric, *, fastmath: str | None = None) -> Value:
    """1 / sqrt(x)."""
    return _function("rsqrt", x, fastmath)


def sin(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("sin", x, fastmath)


def sinh(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("sinh", x, fastmath)


def sqrt(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("sqrt", x, fastmath)


def tan(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("tan", x, fastmath)


def tanh(x: Numeric, *, fastmath: str | None = None) -> Value:
    return _function("tanh", x, fastmath)


def trunc(x: Numeric, *, fastmath: str | None = None) -> Value:
    """Without the fraction."""
    return _function("trunc", x, fastmath)


def round_away(x: Numeric, *, fastmath: str | None = None) -> Value:
    """To the nearest integer, halves away from zero, as C's `round`; `lw.round` takes halves to even."""
    return _function("round_away", x, fastmath)


def flush_denormals(x: Numeric, *, fastmath: str | None = None) -> Value:
    """Zero of its sign where a float is subnormal."""
    return _function("flush_denormals", x, fastmath)


def isfinite(x: Numeric) -> Value:
    return _function("isfinite", x, None)


def isinf(x: Numeric) -> Value:
    return _function("isinf", x, None)


def isnan(x: Numeric) -> Value:
    return _function("isnan", x, None)


def isnormal(x: Numeric) -> Value:
    return _function("isnormal", x, None)


def clz(x: Numeric) -> Value:
    """Zeros in front of the highest bit that is set."""
    return Value(elementwise.count("clz", given(x)))


def ctz(x: Numeric) -> Value:
    """Zeros behind the lowest bit that is set."""
    return Value(elementwise.count("ctz", given(x)))


def popcount(x: Numeric) -> Value:
    """Bits that are set."""
    return Value(elementwise.count("popcount", given(x)))


def _function(name: str, x: Numeric, fastmath: str | None) -> Value:
    return Value(elementwise.function(name, given(x), fastmath))


# -- contractions ---------------------------------------------------------------------------------------------------


def dot(a: Value, b: Value, acc: Value | None = None, *, into: DType | None = None, tf32: bool = False) -> Value:
    """`acc + a @ b` with the accumulators in `into`; `tf32` lets operands of f32 have the 11 significant bits of
    tf32."""
    left, right = _vector(a), _vector(b)
    start = None if acc is None else _vector(acc)
    letters = products.letters_of(left, right)
    return Value(products.contract(letters, left, right, start, "add", into, tf32))


def contract(
    letters: str,
    a: Value,
    b: Value,
    acc: Value | None = None,
    *,
    kind: str = "add",
    into: DType | None = None,
    tf32: bool = False,
    lowering: products.Lowering | None = None,
) -> Value:
    """`contract("mk,nk->mn", a, b, acc)`: products joined along the axes that the result has not, onto `acc`.

    Args:
        letters: The axes of a, of b, and of the result.
        a: The left operands.
        b: The right operands.
        acc: What the products are joined to; None is what changes nothing.
        kind: How they are joined: one of `add`, `mul`, `max`, `min`, `and`, `or`, `xor`.
        into: The type of the result, None is f32 for floats of fewer bits, i32 for integers of fewer.
        tf32: Whether operands of f32 may have the 11 significant bits of tf32.
        lowering: How it is done, where that is not to be chosen: `mma_kind`, the name of a matrix instruction (those
            of `lanewise targets --matrix`), `subgroup_m_count`, `promote_operands`, tiles .. (docs/files.md).
    """
    start = None if acc is None else _vector(acc)
    return Value(products.contract(letters, _vector(a), _vector(b), start, kind, into, tf32, lowering))


def _vector(value: Value) -> Operand:
    found: Given = given(value)
    return found if isinstance(found, Operand) else fail(f"a vector is expected, found the number {found}")


# -- more shapes ----------------------------------------------------------------------------------------------------


def interleave(a: Value, b: Value) -> Value:
    """a[0], b[0], a[1], b[1], .. along the last axis."""
    left, right = elementwise.sides("interleave", given(a), given(b))
    shape = left.shape
    if not shape:
        fail(f"'interleave' takes vectors, found {left.text}", left.made)
    types = [type_of(left.dtype, (*shape[:-1], 2 * shape[-1]))]
    return Value(Operand(building().value(vector.InterleaveOp, left.ssa, right.ssa, types=types), left.dtype))


def deinterleave(value: Value) -> tuple[Value, Value]:
    """The elements at even places and those at odd places of the last axis."""
    x = _vector(value)
    if not x.shape or x.shape[-1] % 2:
        fail(f"'deinterleave' takes rows of an even extent, found {x.text}", x.made)
    part = type_of(x.dtype, (*x.shape[:-1], x.shape[-1] // 2))
    op = building().op(vector.DeinterleaveOp, x.ssa, types=[part, part])
    return Value(Operand(op.results[0], x.dtype)), Value(Operand(op.results[1], x.dtype))


def take(value: Value, places: Sequence[int]) -> Value:
    """Rows of the first axis at constant places, in their order; places may repeat."""
    x = _vector(value)
    rows = [operator.index(place) for place in places]
    if not x.shape or not rows or not all(0 <= row < x.shape[0] for row in rows):
        fail(f"'take' has constant places of the first axis of {x.text}, found {rows}", x.made)
    types = [type_of(x.dtype, (len(rows), *x.shape[1:]))]
    return Value(Operand(building().value(ShuffleOp, x.ssa, x.ssa, types=types, mask=dense_i64(rows)), x.dtype))


def concat(*values: Value, axis: int = 0) -> Value:
    """Vectors one behind the other along an axis."""
    operands = [_vector(v) for v in values]
    if not operands:
        fail("'concat' takes vectors, found none")
    first = operands[0]
    rank = len(first.shape)
    if not -rank <= axis < rank:
        fail(f"axis {axis} is none of {first.text}", first.made)
    dim = axis % rank
    for other in operands[1:]:
        same = other.dtype == first.dtype and len(other.shape) == rank
        if not same or any(a != b for d, (a, b) in enumerate(zip(first.shape, other.shape, strict=True)) if d != dim):
            fail(f"'concat' along axis {axis}: {first.text} and {other.text} differ beside it", first.made, other.made)
    return Value(shapes.concatenated(operands, dim))


def stack(*values: Value, axis: int = 0) -> Value:
    """Vectors of one shape along a new axis."""
    rank = _vector(values[0]).shape if values else fail("'stack' takes vectors, found none")
    dim = axis % (len(rank) + 1)
    return concat(*(v[(slice(None),) * dim + (None,)] for v in values), axis=dim)
