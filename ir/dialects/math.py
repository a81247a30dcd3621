"""math: elementary functions on scalars and, element by element, on vectors.

The reference computes in float64 and rounds once into the element type, so that results in shorter types are correctly
rounded but for the rarest ties; those of 8 bits and less by way of float32, in which chips compute them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..core import Operation, Value
from ..define import attribute, float_like, i1_like, integer_like, operand, optional_attribute, result
from ..numerics import Array
from ..rounding import NEAREST_EVEN, rounded_as
from ..types import I1, Attribute, Type, bit_width, element_type, with_element
from .elementwise import (
    NO_FASTMATH,
    FastMathAttr,
    FloatBinary,
    FloatUnary,
    IntegerBinary,
    RoundingModeAttr,
    WithFastMath,
    check_rounding,
    rounding_mode,
)

Float64Function = Callable[..., Any]


def _rounded(function: Float64Function, operands: Sequence[Array], type: Type) -> Array:
    """`function` in float64, rounded into the element type of `type`."""
    with np.errstate(all="ignore"):
        wide = np.asarray(function(*(x.astype(np.float64) for x in operands)))
    return numerics.computed(wide, element_type(type))


class UnaryFunction(FloatUnary):
    """A function of one float; `compute` takes and gives float64."""

    def reference(self, *operands: Array) -> Array:
        return _rounded(type(self).compute, operands, self.result_.type)


class BinaryFunction(FloatBinary):
    """A function of two floats; `compute` takes and gives float64."""

    def reference(self, *operands: Array) -> Array:
        return _rounded(type(self).compute, operands, self.result_.type)


def _each(function: Callable[[float], float]) -> Float64Function:
    """A scalar function of Python's applied to every element."""
    apply = np.frompyfunc(function, 1, 1)

    def compute(x: Array) -> Array:
        return np.asarray(apply(x)).astype(np.float64)

    return compute


def _reciprocal_root(x: Array) -> Array:
    return np.asarray(1.0 / np.sqrt(x))


def _round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    away = np.abs(x - whole) >= 0.5
    return np.asarray(np.copysign(whole + np.where(away, np.copysign(1.0, x), 0.0), x))


class AbsFOp(UnaryFunction, opname="math.absf"):
    compute = np.abs
    keeps_digits = True


class AcosOp(UnaryFunction, opname="math.acos"):
    compute = np.arccos


class AcoshOp(UnaryFunction, opname="math.acosh"):
    compute = np.arccosh


class AsinOp(UnaryFunction, opname="math.asin"):
    compute = np.arcsin


class AsinhOp(UnaryFunction, opname="math.asinh"):
    compute = np.arcsinh


class AtanOp(UnaryFunction, opname="math.atan"):
    compute = np.arctan


class AtanhOp(UnaryFunction, opname="math.atanh"):
    compute = np.arctanh


class CbrtOp(UnaryFunction, opname="math.cbrt"):
    compute = np.cbrt


class CeilOp(UnaryFunction, opname="math.ceil"):
    compute = np.ceil


class CosOp(UnaryFunction, opname="math.cos"):
    compute = np.cos


class CoshOp(UnaryFunction, opname="math.cosh"):
    compute = np.cosh


class ErfOp(UnaryFunction, opname="math.erf"):
    compute = staticmethod(_each(math.erf))


class ErfcOp(UnaryFunction, opname="math.erfc"):
    compute = staticmethod(_each(math.erfc))


class ExpOp(UnaryFunction, opname="math.exp"):
    compute = np.exp


class Exp2Op(UnaryFunction, opname="math.exp2"):
    compute = np.exp2


class ExpM1Op(UnaryFunction, opname="math.expm1"):
    compute = np.expm1


class FloorOp(UnaryFunction, opname="math.floor"):
    compute = np.floor


class LogOp(UnaryFunction, opname="math.log"):
    compute = np.log


class Log10Op(UnaryFunction, opname="math.log10"):
    compute = np.log10


class Log1pOp(UnaryFunction, opname="math.log1p"):
    compute = np.log1p


class Log2Op(UnaryFunction, opname="math.log2"):
    compute = np.log2


class RoundOp(UnaryFunction, opname="math.round"):
    """To the nearest integer, halves away from zero."""

    compute = staticmethod(_round_half_away)


class RoundEvenOp(UnaryFunction, opname="math.roundeven"):
    """To the nearest integer, halves to the even one."""

    compute = np.rint


class RsqrtOp(UnaryFunction, opname="math.rsqrt"):
    compute = staticmethod(_reciprocal_root)


class SinOp(UnaryFunction, opname="math.sin"):
    compute = np.sin


class SinhOp(UnaryFunction, opname="math.sinh"):
    compute = np.sinh


class SqrtOp(UnaryFunction, opname="math.sqrt"):
    """Correctly rounded: float64 has more than twice the digits of every shorter type."""

    compute = np.sqrt


class TanOp(UnaryFunction, opname="math.tan"):
    compute = np.tan


class TanhOp(UnaryFunction, opname="math.tanh"):
    compute = np.tanh


class TruncOp(UnaryFunction, opname="math.trunc"):
    compute = np.trunc


class Atan2Op(BinaryFunction, opname="math.atan2"):
    compute = np.arctan2


class CopySignOp(BinaryFunction, opname="math.copysign"):
    compute = np.copysign
    keeps_digits = True


class PowFOp(BinaryFunction, opname="math.powf"):
    """C's pow, also at its special cases: pow(1, NaN) = pow(NaN, 0) = 1."""

    compute = np.power


class FPowIOp(Operation, opname="math.fpowi"):
    """A float to a signed integer power; of 0 it is 1, whatever the float."""

    pure = True
    elementwise = True
    lhs = operand(float_like)
    rhs = operand(integer_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("lhs", "result")
    assembly = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs) `,` type($rhs)"

    def reference(self, lhs: Array, rhs: Array) -> Array:
        exponent = numerics.signed_bits(rhs).astype(np.int64)
        with np.errstate(all="ignore"):
            wide = _float_power(lhs.astype(np.float64), exponent)
        return numerics.computed(wide, element_type(self.result_.type))

    def verify(self, report: Report) -> None:
        _check_shapes(self, report)


def _float_power(base: Array, exponent: Array) -> Array:
    """In float64. An exponent too long for it is split, its parity with the short part; both parts have one sign, so
    that no power overflows where the other underflows."""
    long = (exponent < -(2**53)) | (exponent > 2**53)
    rest = np.where(long, np.fmod(exponent, 2048), 0)
    return np.asarray(np.power(base, (exponent - rest).astype(np.float64)) * np.power(base, rest.astype(np.float64)))


class FmaOp(WithFastMath, opname="math.fma"):
    """a * b + c, rounded once."""

    pure = True
    elementwise = True
    a = operand(float_like)
    b = operand(float_like)
    c = operand(float_like)
    roundingmode = optional_attribute(RoundingModeAttr)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("a", "b", "c", "result")
    assembly = "$a `,` $b `,` $c (keyword($roundingmode)^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def reference(self, a: Array, b: Array, c: Array) -> Array:
        element, mode = element_type(self.result_.type), rounding_mode(self)
        return rounded_as("fma", mode, element, a, b, c) if mode != NEAREST_EVEN else numerics.fma_as(element, a, b, c)

    def verify(self, report: Report) -> None:
        check_rounding(self, report)


class ClampFOp(WithFastMath, opname="math.clampf"):
    """minimumf(maximumf(value, min), max)."""

    pure = True
    elementwise = True
    keeps_digits = True
    chooses = True
    value = operand(float_like)
    min = operand(float_like)
    max = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("value", "min", "max", "result")
    assembly = "$value `to` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    def reference(self, value: Array, min: Array, max: Array) -> Array:
        clamped = numerics.minimumf(numerics.maximumf(value, min), max)
        return numerics.to_float(clamped, element_type(self.result_.type))


class SinCosOp(Operation, opname="math.sincos"):
    """Sine and cosine of one angle in radians."""

    pure = True
    elementwise = True
    operand_ = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    sin = result(float_like)
    cos = result(float_like)
    same_type = ("operand", "sin", "cos")
    assembly = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"

    def reference(self, x: Array) -> tuple[Array, Array]:
        return _rounded(np.sin, (x,), self.sin.type), _rounded(np.cos, (x,), self.cos.type)


class Classification(Operation):
    """A question about each float, answered by i1."""

    pure = True
    elementwise = True
    operand_ = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(i1_like)
    assembly = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [with_element(operands[0].type, I1)]

    def verify(self, report: Report) -> None:
        _check_shapes(self, report)


class IsFiniteOp(Classification, opname="math.isfinite"):
    def reference(self, x: Array) -> Array:
        return np.asarray(np.isfinite(x))


class IsInfOp(Classification, opname="math.isinf"):
    def reference(self, x: Array) -> Array:
        return np.asarray(np.isinf(x))


class IsNaNOp(Classification, opname="math.isnan"):
    def reference(self, x: Array) -> Array:
        return np.asarray(np.isnan(x))


class IsNormalOp(Classification, opname="math.isnormal"):
    """Finite, and neither zero nor subnormal."""

    def reference(self, x: Array) -> Array:
        return np.asarray(np.isfinite(x) & (np.abs(x.astype(np.float64)) >= 2.0**self.least_exponent))

    @property
    def least_exponent(self) -> int:
        """The binary exponent of the operand's least value with a full significand."""
        return _LEAST_NORMAL[str(element_type(self.operand_.type))]


_LEAST_NORMAL: dict[str, int] = {
    "f64": -1022,
    "f32": -126,
    "tf32": -126,
    "f16": -14,
    "bf16": -126,
    "f8E4M3FN": -6,
    "f8E5M2": -14,
    "f8E4M3FNUZ": -7,
    "f8E5M2FNUZ": -15,
    "f8E8M0FNU": -127,
    "f8E4M3": -6,
    "f8E3M4": -2,
    "f8E4M3B11FNUZ": -10,
    "f6E2M3FN": 0,
    "f6E3M2FN": -2,
    "f4E2M1FN": 0,
}
"""See `least_exponent`."""


class IntegerUnary(Operation):
    """A function of the bits of one integer."""

    pure = True
    elementwise = True
    operand_ = operand(integer_like)
    result_ = result(integer_like)
    same_type = ("operand", "result")
    assembly = "$operand attr-dict `:` type($result)"

    def reference(self, x: Array) -> Array:
        width = bit_width(element_type(self.result_.type))
        bits = numerics.unsigned(x).astype(np.uint64) & np.uint64((1 << width) - 1)
        return numerics.wrapped(np.asarray(self.count(bits, width)).astype(x.dtype), element_type(self.result_.type))

    def count(self, bits: Array, width: int) -> Array:
        """The result for the low `width` bits, as uint64."""
        raise AssertionError


class AbsIOp(IntegerUnary, opname="math.absi"):
    """The magnitude; that of the least value wraps to itself."""

    def reference(self, x: Array) -> Array:
        return x if x.dtype == np.bool_ else numerics.wrapped(np.abs(x), element_type(self.result_.type))


class CountLeadingZerosOp(IntegerUnary, opname="math.ctlz"):
    def count(self, bits: Array, width: int) -> Array:
        for shift in (1, 2, 4, 8, 16, 32):
            bits = bits | (bits >> np.uint64(shift))
        return np.asarray(width - np.bitwise_count(bits).astype(np.int64))


class CountTrailingZerosOp(IntegerUnary, opname="math.cttz"):
    def count(self, bits: Array, width: int) -> Array:
        below = ~bits & (bits - np.uint64(1))
        return np.asarray(np.minimum(np.bitwise_count(below), width))


class CtPopOp(IntegerUnary, opname="math.ctpop"):
    def count(self, bits: Array, width: int) -> Array:
        return np.asarray(np.bitwise_count(bits))


class IPowIOp(IntegerBinary, opname="math.ipowi"):
    """An integer to a signed integer power, wrapping; a negative power of anything but 1 and -1 gives 0."""

    def reference(self, *operands: Array) -> Array:
        with np.errstate(over="ignore"):
            return numerics.wrapped(_integer_power(*operands), element_type(self.result_.type))


def _integer_power(base: Array, exponent: Array) -> Array:
    one = np.ones_like(base)
    negative = np.where(np.abs(base) == 1, np.where(exponent & 1, base, one), np.zeros_like(base))
    power, square, rest = one, base, np.maximum(exponent, 0)
    while rest.any():
        power = np.where(rest & 1, power * square, power)
        square, rest = square * square, rest >> 1
    return np.asarray(np.where(exponent < 0, negative, power).astype(base.dtype))


def _check_shapes(op: Operation, report: Report) -> None:
    shapes = {with_element(v.type, I1) for v in (*op.operands, *op.results)}
    if len(shapes) > 1:
        types = ", ".join(str(v.type) for v in (*op.operands, *op.results))
        op.error(report, f"operands and result must have one shape, found {types}")
