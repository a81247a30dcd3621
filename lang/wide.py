"""Arithmetic whose result is wider than its operands, or that is rounded another way: carries, high halves, powers,
conversions by a shared scale."""

from __future__ import annotations

from ..ir.core import Operation
from ..ir.dialects import arith, math
from ..ir.dialects.arith_extended import AddUIExtendedOp, MulSIExtendedOp, MulUIExtendedOp
from ..ir.dialects.arith_short import ScalingExtFOp, ScalingTruncFOp, SubUIExtendedOp
from . import shapes
from .dtypes import DType, f32, i1, i32
from .elementwise import flags, sides
from .operands import Given, Operand, bits_of, is_float, lifted, type_of
from .trace import building, fail
from .values import Numeric, Value, as_value, given


def add_carry(a: Numeric, b: Numeric) -> tuple[Value, Value]:
    """The sum of two integers without a sign, which wraps, and whether it did: the carry."""
    return _with_carry("add_carry", AddUIExtendedOp, a, b)


def sub_borrow(a: Numeric, b: Numeric) -> tuple[Value, Value]:
    """The difference of two integers without a sign, which wraps, and whether it did: the borrow."""
    return _with_carry("sub_borrow", SubUIExtendedOp, a, b)


def _with_carry(name: str, op: type[Operation], a: Numeric, b: Numeric) -> tuple[Value, Value]:
    x, y = _integers(name, a, b)
    if not x.dtype.unsigned:
        fail(f"'{name}' takes integers without a sign, found {x.text}", x.made, hint="convert both: x.to(lw.u32)")
    made = building().op(op, x.ssa, y.ssa)
    total, carry = made.results
    return Value(Operand(total, x.dtype)), Value(Operand(carry, i1))


def mulhi(a: Numeric, b: Numeric) -> Value:
    """The upper half of the product of two integers, as CUDA's `__mulhi` and `__umulhi`; the lower half is `a * b`."""
    x, y = _integers("mulhi", a, b)
    made = building().op(MulUIExtendedOp if x.dtype.unsigned else MulSIExtendedOp, x.ssa, y.ssa)
    return Value(Operand(made.high, x.dtype))


def tdiv(a: Numeric, b: Numeric) -> Value:
    """The quotient of integers, rounded towards zero, as C's; `lw.fmod` is its remainder, `//` rounds down."""
    x, y = _integers("tdiv", a, b)
    op = arith.DivUIOp if x.dtype.unsigned else arith.DivSIOp
    return Value(Operand(building().value(op, x.ssa, y.ssa), x.dtype))


def _integers(name: str, a: Numeric, b: Numeric) -> list[Operand]:
    x, y = sides(name, given(a), given(b))
    if x.dtype.kind not in ("integer", "index"):
        fail(f"'{name}' takes integers, found {x.text}", x.made)
    return [x, y]


def powi(a: Numeric, b: Numeric, *, fastmath: str | None = None) -> Value:
    """A float to the power of a signed integer; of 0 it is 1, whatever the float."""
    base, exponent = lifted(given(a)), _exponent(given(b))
    if not is_float(base.dtype):
        fail(f"'powi' takes a float to an integer power, found {base.text}", base.made, hint="of integers: a ** b")
    shape = shapes.common_shape("powi", [base, exponent])
    base, exponent = shapes.broadcast(base, shape), shapes.broadcast(exponent, shape)
    return Value(Operand(building().value(math.FPowIOp, base.ssa, exponent.ssa, fastmath=flags(fastmath)), base.dtype))


def _exponent(power: Given) -> Operand:
    found = lifted(power, i32)
    if found.dtype.kind != "integer" or found.dtype.unsigned:
        fail(f"'powi' takes a power with a sign, found {found.text}", found.made, hint="of floats: a ** b")
    return found


def sincos(x: Numeric, *, fastmath: str | None = None) -> tuple[Value, Value]:
    """The sine and the cosine, whose common part is computed once."""
    angle = lifted(given(x))
    if not is_float(angle.dtype):
        fail(f"'sincos' takes floats, found {angle.text}", angle.made, hint="convert it: x.to(lw.f32)")
    made = building().op(math.SinCosOp, angle.ssa, fastmath=flags(fastmath))
    sine, cosine = made.results
    return Value(Operand(sine, angle.dtype)), Value(Operand(cosine, angle.dtype))


# -- numbers with a scale that neighbours share ------------------------------------------------------------------------


def mx_decode(codes: Value, scales: Numeric, dtype: DType = f32) -> Value:
    """Short floats times their scales, as microscaling formats (mxfp8, mxfp4) have them, in a wider type.

    Args:
        codes: Floats of 8 bits or less.
        scales: Powers of two, as `f8e8m0fnu`, or floats, of which the power of two below counts. One number, or one
            for each group of neighbours along the last axis: `scales.shape[-1]` divides `codes.shape[-1]`.
        dtype: The type of the result, wider than the codes.
    """
    x = as_value(codes).operand
    if not is_float(x.dtype) or not is_float(dtype) or bits_of(dtype) <= bits_of(x.dtype):
        fail(f"'mx_decode' widens floats, found {x.text} to {dtype}", x.made)
    scale = _of_groups("mx_decode", x, lifted(given(scales), f32))
    types = [type_of(dtype, x.shape)]
    return Value(Operand(building().value(ScalingExtFOp, x.ssa, scale.ssa, types=types), dtype))


def mx_encode(value: Value, scales: Numeric, dtype: DType) -> Value:
    """Numbers divided by their scales and rounded to a shorter type: what `mx_decode` takes with the same scales."""
    x = as_value(value).operand
    if not is_float(x.dtype) or not is_float(dtype) or bits_of(dtype) >= bits_of(x.dtype):
        fail(f"'mx_encode' shortens floats, found {x.text} to {dtype}", x.made)
    scale = _of_groups("mx_encode", x, lifted(given(scales), f32))
    types = [type_of(dtype, x.shape)]
    return Value(Operand(building().value(ScalingTruncFOp, x.ssa, scale.ssa, types=types), dtype))


def _of_groups(name: str, x: Operand, scale: Operand) -> Operand:
    """A scale for each element, of one for each group of neighbours along the last axis."""
    if not is_float(scale.dtype):
        fail(f"'{name}' takes scales that are floats, found {scale.text}", scale.made, hint="lw.f8e8m0fnu are powers")
    if not scale.shape or scale.shape == x.shape:
        return shapes.broadcast(scale, x.shape)
    own, whole = scale.shape, x.shape
    if len(own) != len(whole) or own[:-1] != whole[:-1] or whole[-1] % own[-1]:
        fail(f"'{name}' has a scale for each group along the last axis: {x.text} with {scale.text}", x.made, scale.made)
    groups = shapes.reshape(scale, (*own, 1))
    return shapes.reshape(shapes.broadcast(groups, (*own, whole[-1] // own[-1])), whole)
