"""arith: conversions between element types."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..attributes import UnitAttr
from ..define import Constraint, attribute, float_like, integer_like, operand, optional_attribute, result, scalar_like
from ..numerics import Array, dtype_of
from ..rounding import to_float_by
from ..types import I1, INDEX, IntegerType, Type, bit_width, element_type, float_type, with_element
from .elementwise import (
    NO_FASTMATH,
    NO_OVERFLOW,
    Elementwise,
    FastMathAttr,
    OverflowAttr,
    RoundingModeAttr,
    check_rounding,
    rounding_mode,
)

DType = np.dtype[Any]


class Cast(Elementwise):
    """Conversions between element types: the shape stays."""

    in_ = operand(scalar_like)
    out = result(scalar_like)
    assembly = "$in attr-dict `:` type($in) `to` type($out)"
    source: ClassVar[Constraint[Type]] = scalar_like
    target: ClassVar[Constraint[Type]] = scalar_like
    widens: ClassVar[bool | None] = None
    """True: the result must be wider; False: narrower; None: either."""

    def verify(self, report: Report) -> None:
        source, target = self.in_.type, self.out.type
        if not self.source.holds(source) or not self.target.holds(target):
            self.error(report, f"converts {self.source.words} to {self.target.words}, found {source} to {target}")
        elif with_element(source, I1) != with_element(target, I1):
            self.error(report, f"operand and result must have one shape, found {source} and {target}")
        elif self.widens is not None:
            before, after = (bit_width(element_type(t)) for t in (source, target))
            if (after > before) != self.widens or after == before:
                words = "wider" if self.widens else "narrower"
                self.error(report, f"the result must be {words} than the operand, found {source} to {target}")

    def reference(self, *operands: Array) -> Array:
        (value,) = self.as_read(*operands)
        element = element_type(self.out.type)
        with np.errstate(all="ignore"):
            return numerics.wrapped(np.asarray(type(self).compute(value, dtype_of(element))), element)


fixed_integer: Constraint[Type] = Constraint(
    "an integer or a vector of integers", lambda t: isinstance(element_type(t), IntegerType)
)


def _low_bits(x: Array, dtype: DType) -> Array:
    return (x & 1).astype(dtype) if dtype == np.bool_ else x.astype(dtype)


def _sign_extended(x: Array, dtype: DType) -> Array:
    return _low_bits(numerics.signed_bits(x), dtype)


def _zero_extended(x: Array, dtype: DType) -> Array:
    return _low_bits(numerics.unsigned(x), dtype)


def _to_signed(x: Array, dtype: DType) -> Array:
    return _low_bits(numerics.float_to_integer(x, np.dtype(f"i{dtype.itemsize}")), dtype)


def _to_unsigned(x: Array, dtype: DType) -> Array:
    return _low_bits(numerics.float_to_integer(x, np.dtype(f"u{dtype.itemsize}")), dtype)


class ExtFOp(Cast, opname="arith.extf"):
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    assembly = "$in (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)"
    source, target, widens = float_like, float_like, True
    compute = staticmethod(numerics.convert_float)
    keeps_digits = True


class TruncFOp(Cast, opname="arith.truncf"):
    """Rounds to nearest even or as `roundingmode` says; never folded away, the rounding is part of the meaning."""

    roundingmode = optional_attribute(RoundingModeAttr)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    assembly = "$in (keyword($roundingmode)^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($in) `to` type($out)"
    source, target, widens = float_like, float_like, False

    def reference(self, *operands: Array) -> Array:
        (value,) = operands
        target = float_type(self.out.type)
        return to_float_by(value, target, rounding_mode(self))

    def verify(self, report: Report) -> None:
        super().verify(report)
        check_rounding(self, report)


class ExtSIOp(Cast, opname="arith.extsi"):
    folds = True
    source, target, widens = fixed_integer, fixed_integer, True
    compute = staticmethod(_sign_extended)


class NonNegativeCast(Cast):
    """A cast of unsigned integers. With `nneg`, the program promises that the sign bit is not set."""

    reads_unsigned = True

    nonNeg = optional_attribute(UnitAttr)
    assembly = "$in (`nneg` $nonNeg^)? attr-dict `:` type($in) `to` type($out)"

    def broken_promise(self, *operands: Array) -> str:
        return "nneg" if self.nonNeg is not None and bool(np.any(numerics.signed_bits(operands[0]) < 0)) else ""


class ExtUIOp(NonNegativeCast, opname="arith.extui"):
    folds = True
    source, target, widens = fixed_integer, fixed_integer, True
    compute = staticmethod(_zero_extended)


class TruncIOp(Cast, opname="arith.trunci"):
    """With `nsw` or `nuw`, the program promises that the signed or unsigned number stays what it is."""

    folds = True

    overflowFlags = attribute(OverflowAttr, NO_OVERFLOW)
    assembly = "$in (`overflow` `` $overflowFlags^)? attr-dict `:` type($in) `to` type($out)"
    source, target, widens = fixed_integer, fixed_integer, False
    compute = staticmethod(_low_bits)

    def broken_promise(self, *operands: Array) -> str:
        words = self.overflowFlags.value.split(", ")
        readings = (word for word in ("nsw", "nuw") if word in words)
        return next((word for word in readings if _loses(self, operands[0], signed=word == "nsw")), "")


class SIToFPOp(Cast, opname="arith.sitofp"):
    source, target = fixed_integer, float_like

    def reference(self, *operands: Array) -> Array:
        return numerics.to_float(numerics.signed_bits(operands[0]), element_type(self.out.type))


class UIToFPOp(NonNegativeCast, opname="arith.uitofp"):
    source, target = fixed_integer, float_like

    def reference(self, *operands: Array) -> Array:
        return numerics.to_float(numerics.unsigned(*self.as_read(*operands)), element_type(self.out.type))


class _ToInteger(Cast):
    """Truncates towards zero; NaN, and what the integer does not hold, leave the result undefined."""

    source, target = float_like, fixed_integer
    signed: ClassVar[bool]

    def undefined(self, *operands: Array) -> Array:
        whole = np.trunc(operands[0].astype(np.float64))
        width = bit_width(element_type(self.out.type)) - self.signed
        return ~np.asarray((whole >= (-(2.0**width) if self.signed else 0.0)) & (whole < 2.0**width))


class FPToSIOp(_ToInteger, opname="arith.fptosi"):
    signed = True
    compute = staticmethod(_to_signed)


class FPToUIOp(_ToInteger, opname="arith.fptoui"):
    signed = False
    compute = staticmethod(_to_unsigned)


def _loses(op: Cast, before: Array, *, signed: bool) -> bool:
    """Whether the result is another number than the operand, both read as signed or as unsigned."""

    def read(x: Array, type: Type) -> Array:
        found = numerics.signed_bits(x) if signed else numerics.unsigned(numerics.low_bits(x, element_type(type)))
        return found.astype(object)

    return bool(np.any(read(before, op.in_.type) != read(op.reference(before), op.out.type)))


class IndexCastOp(Cast, opname="arith.index_cast"):
    """Between index (64 bits) and an integer, sign-extending or truncating; with `exact`, nothing may get lost."""

    folds = True

    isExact = optional_attribute(UnitAttr)
    assembly = "$in (`exact` $isExact^)? attr-dict `:` type($in) `to` type($out)"
    source = target = integer_like
    compute = staticmethod(_sign_extended)

    def broken_promise(self, *operands: Array) -> str:
        return "exact" if self.isExact is not None and _loses(self, operands[0], signed=True) else ""

    def verify(self, report: Report) -> None:
        _check_index_cast(self, report)


class IndexCastUIOp(NonNegativeCast, opname="arith.index_castui"):
    folds = True

    isExact = optional_attribute(UnitAttr)
    assembly = "$in (`nneg` $nonNeg^)? (`exact` $isExact^)? attr-dict `:` type($in) `to` type($out)"
    source = target = integer_like
    compute = staticmethod(_zero_extended)

    def broken_promise(self, *operands: Array) -> str:
        lost = self.isExact is not None and _loses(self, operands[0], signed=False)
        return "exact" if lost else super().broken_promise(*operands)

    def verify(self, report: Report) -> None:
        _check_index_cast(self, report)


def _check_index_cast(op: IndexCastOp | IndexCastUIOp, report: Report) -> None:
    Cast.verify(op, report)
    kinds = [element_type(t) == INDEX for t in (op.in_.type, op.out.type)]
    if sum(kinds) != 1:
        op.error(report, f"converts between index and an integer, found {op.in_.type} to {op.out.type}")


class BitcastOp(Cast, opname="arith.bitcast"):
    def reference(self, *operands: Array) -> Array:
        source, target = (element_type(t) for t in (self.in_.type, self.out.type))
        return numerics.from_bits(numerics.to_bits(operands[0], source), target)[..., 0]

    def verify(self, report: Report) -> None:
        Cast.verify(self, report)
        source, target = (element_type(t) for t in (self.in_.type, self.out.type))
        if INDEX in (source, target) or bit_width(source) != bit_width(target):
            self.error(report, f"operand and result must have one bit width, found {source} and {target}")
