"""arith: operations that are short for others: scaled conversions, those between types of one width, and the like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..core import Operation, Value
from ..define import attribute, float_like, i1_like, integer_like, operand, optional_attribute, result
from ..numerics import Array, convert_float, dtype_of
from ..rounding import NEAREST_EVEN, convert_float_by
from ..types import I1, Attribute, FloatType, Type, bit_width, float_type, scalar_type, with_element
from . import arith
from .elementwise import (
    NO_FASTMATH,
    Elementwise,
    FastMathAttr,
    FloatBinary,
    FloatUnary,
    RoundingModeAttr,
    rounding_mode,
)

E8M0 = FloatType("f8E8M0FNU")


class NumberBinary(FloatBinary):
    """The extreme of two numbers; NaN only where both are. Of zeros, +0.0 is the greater."""

    commutative = True
    of_numbers: type[FloatBinary]

    def reference(self, *operands: Array) -> Array:
        lhs, rhs = operands
        extreme = self.of_numbers.compute(lhs, rhs)
        return np.asarray(np.where(np.isnan(rhs), lhs, np.where(np.isnan(lhs), rhs, extreme)))


class MaximumNumFOp(NumberBinary, opname="arith.maximumnumf"):
    of_numbers = arith.MaximumFOp


class MinimumNumFOp(NumberBinary, opname="arith.minimumnumf"):
    of_numbers = arith.MinimumFOp


class FlushDenormalsOp(FloatUnary, opname="arith.flush_denormals"):
    """Zero of the operand's sign where it is subnormal."""

    assembly = "$operand attr-dict `:` type($operand)"

    def reference(self, *operands: Array) -> Array:
        (value,) = operands
        least = numerics.least_normal(self.element)
        with np.errstate(all="ignore"):
            small = np.abs(value.astype(np.float64)) < least
        return np.where(small, np.copysign(np.zeros((), value.dtype), value), value)

    @property
    def element(self) -> FloatType:
        element = float_type(self.operand_.type)
        return element


class SubUIExtendedOp(Operation, opname="arith.subui_extended"):
    """The wrapped difference and its borrow."""

    pure = True
    elementwise = True
    lhs = operand(integer_like)
    rhs = operand(integer_like)
    diff = result(integer_like)
    borrow = result(i1_like)
    same_type = ("lhs", "rhs", "diff")
    assembly = "$lhs `,` $rhs attr-dict `:` type($diff) `,` type($borrow)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[0].type, with_element(operands[0].type, I1)]

    def reference(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        return arith.SubIOp.compute(lhs, rhs), numerics.unsigned(lhs) < numerics.unsigned(rhs)


class ConvertFOp(Elementwise, opname="arith.convertf"):
    """Between floats of one width: exact to a wider type, then rounded once."""

    in_ = operand(float_like)
    out = result(float_like)
    roundingmode = optional_attribute(RoundingModeAttr)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    assembly = "$in (keyword($roundingmode)^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)"

    def verify(self, report: Report) -> None:
        source, target = self.in_.type, self.out.type
        widths = [bit_width(scalar_type(t)) for t in (source, target)]
        if with_element(source, scalar_type(target)) != target:
            self.error(report, f"operand and result must have one shape, found {source} and {target}")
        elif source == target or widths[0] != widths[1]:
            self.error(report, f"converts between two types of one width, found {source} to {target}")

    def reference(self, *operands: Array) -> Array:
        (value,) = operands
        return _rounded(convert_float(value, np.dtype(np.float32)), scalar_type(self.out.type), rounding_mode(self))


def _rounded(value: Array, type: Type, mode: str) -> Array:
    dtype = dtype_of(type)
    return convert_float(value, dtype) if mode == NEAREST_EVEN else convert_float_by(value, dtype, mode)


class Scaling(Elementwise):
    """Conversions by a power of two that many numbers share, as in microscaling formats: `scale`, rounded to one."""

    in_ = operand(float_like)
    scale = operand(float_like)
    out = result(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    widens = True

    def verify(self, report: Report) -> None:
        source, scale, target = (v.type for v in (self.in_, self.scale, self.out))
        if with_element(source, scalar_type(scale)) != scale or with_element(source, scalar_type(target)) != target:
            self.error(report, f"operands and result must have one shape, found {source}, {scale} and {target}")
        elif bit_width(scalar_type(source)) == bit_width(scalar_type(target)) or self.widens != (
            bit_width(scalar_type(target)) > bit_width(scalar_type(source))
        ):
            words = "wider" if self.widens else "narrower"
            self.error(report, f"the result must be {words} than the operand, found {source} to {target}")

    def power(self, scale: Array, type: Type) -> Array:
        """The scale as a number of a type."""
        return convert_float(convert_float(scale, dtype_of(E8M0)), dtype_of(scalar_type(type)))


class ScalingExtFOp(Scaling, opname="arith.scaling_extf"):
    """`in * scale` in the result's type."""

    assembly = "$in `,` $scale (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `,` type($scale) `to` type($out)"

    def reference(self, *operands: Array) -> Array:
        value, scale = operands
        with np.errstate(all="ignore"):
            wide = convert_float(value, dtype_of(scalar_type(self.out.type)))
            return np.asarray(wide * self.power(scale, self.out.type))


class ScalingTruncFOp(Scaling, opname="arith.scaling_truncf"):
    """`in / scale` in the operand's type, rounded to the result's."""

    roundingmode = optional_attribute(RoundingModeAttr)
    widens = False
    assembly = (
        "$in `,` $scale (keyword($roundingmode)^)? (`fastmath` `` $fastmath^)? attr-dict"
        " `:` type($in) `,` type($scale) `to` type($out)"
    )

    def reference(self, *operands: Array) -> Array:
        value, scale = operands
        with np.errstate(all="ignore"):
            quotient = np.asarray(value / self.power(scale, self.in_.type))
            return _rounded(quotient, scalar_type(self.out.type), rounding_mode(self))
