"""Operations of math: what the hardware computes exactly by intrinsic, transcendentals through our expansions.

Functions of f16 and bf16 are computed in f32. Under `afn` the machine's approximations are used where it has one.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.core import Operation
from ...ir.dialects import math
from ...ir.dialects.elementwise import rounding_mode
from ...ir.rounding import NEAREST_EVEN
from ..mathematics import BINARY_FUNCTIONS, FUNCTIONS
from . import floats, integers, rounding
from .approximations import APPROXIMATE
from .emission import Emission
from .emit_rules import SCALAR
from .expansion import LlvmArithmetic
from .text import Ssa, float_constant, integer
from .widened import on_floats

_EXACT: Mapping[type[Operation], str] = {
    math.AbsFOp: "fabs",
    math.SqrtOp: "sqrt",
    math.FloorOp: "floor",
    math.CeilOp: "ceil",
    math.TruncOp: "trunc",
    math.RoundOp: "round",
    math.RoundEvenOp: "roundeven",
    math.CopySignOp: "copysign",
}
_EXPANDED: Mapping[type[Operation], str] = {
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.TanhOp: "tanh",
    math.LogOp: "log",
    math.Log2Op: "log2",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.ErfOp: "erf",
    math.SinOp: "sin",
    math.CosOp: "cos",
    math.TanOp: "tan",
    math.AtanOp: "atan",
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanhOp: "atanh",
    math.CbrtOp: "cbrt",
    math.CoshOp: "cosh",
    math.ErfcOp: "erfc",
    math.SinhOp: "sinh",
    math.RsqrtOp: "rsqrt",
}
_EXPANDED_BINARY: Mapping[type[Operation], str] = {math.PowFOp: "powf", math.Atan2Op: "atan2"}


@on_floats(*_EXACT)
def _exact(em: Emission, op: math.UnaryFunction, *operands: Ssa) -> Ssa:
    return floats.call(em.w, _EXACT[type(op)], *operands, flags=floats.flags_text(op))


@on_floats(*_EXPANDED)
def _expanded(em: Emission, op: math.UnaryFunction, x: Ssa) -> Ssa:
    wide = floats.in_single(em, x)
    return floats.resize(em.w, _function(em, op, _EXPANDED[type(op)], wide), x.type)


@on_floats(*_EXPANDED_BINARY)
def _expanded_binary(em: Emission, op: math.BinaryFunction, x: Ssa, y: Ssa) -> Ssa:
    first, second = floats.in_single(em, x), floats.in_single(em, y)
    expansion = BINARY_FUNCTIONS[_EXPANDED_BINARY[type(op)]]
    return floats.resize(em.w, expansion.build(LlvmArithmetic(em, first.type), first, second), x.type)


def _function(em: Emission, op: Operation, name: str, x: Ssa) -> Ssa:
    arithmetic = LlvmArithmetic(em, x.type)
    if floats.approximates(op) and x.type == "float" and name in APPROXIMATE:
        return APPROXIMATE[name](arithmetic, x)
    return FUNCTIONS[name].build(arithmetic, x)


@on_floats(math.SinCosOp)
def _sine_and_cosine(em: Emission, op: math.SinCosOp, x: Ssa) -> tuple[Ssa, Ssa]:
    wide = floats.in_single(em, x)
    sine, cosine = (floats.resize(em.w, _function(em, op, name, wide), x.type) for name in ("sin", "cos"))
    return sine, cosine


@on_floats(math.FmaOp)
def _fused(em: Emission, op: math.FmaOp, a: Ssa, b: Ssa, c: Ssa) -> Ssa:
    mode = rounding_mode(op)
    if mode != NEAREST_EVEN:
        return rounding.arithmetic(em, "fma", mode, a, b, c)
    return floats.fused(em, a, b, c, floats.flags_text(op))


@on_floats(math.ClampFOp)
def _clamp(em: Emission, op: math.ClampFOp, x: Ssa, low: Ssa, high: Ssa) -> Ssa:
    flags = floats.flags_text(op)
    return floats.extremum(em.w, "minimum", floats.extremum(em.w, "maximum", x, low, flags=flags), high, flags=flags)


@on_floats(math.IsNaNOp)
def _is_nan(em: Emission, op: math.IsNaNOp, x: Ssa) -> Ssa:
    return floats.compare(em.w, "uno", x, x)


@on_floats(math.IsInfOp)
def _is_infinite(em: Emission, op: math.IsInfOp, x: Ssa) -> Ssa:
    return floats.compare(em.w, "oeq", floats.call(em.w, "fabs", x), float_constant(float("inf"), x.type))


@on_floats(math.IsFiniteOp)
def _is_finite(em: Emission, op: math.IsFiniteOp, x: Ssa) -> Ssa:
    return floats.compare(em.w, "olt", floats.call(em.w, "fabs", x), float_constant(float("inf"), x.type))


@on_floats(math.IsNormalOp)
def _is_normal(em: Emission, op: math.IsNormalOp, x: Ssa) -> Ssa:
    magnitude = floats.call(em.w, "fabs", x)
    least = float_constant(2.0**op.least_exponent, x.type)
    large = floats.compare(em.w, "oge", magnitude, least)
    finite = floats.compare(em.w, "olt", magnitude, float_constant(float("inf"), x.type))
    return integers.binary(em.w, "and", large, finite)


@SCALAR.of(math.AbsIOp)
def _magnitude(em: Emission, op: math.AbsIOp, x: Ssa) -> Ssa:
    return em.w.call(x.type, f"llvm.abs.{x.type}", x, integer(0, "i1"))


_COUNTS: Mapping[type[Operation], str] = {math.CountLeadingZerosOp: "ctlz", math.CountTrailingZerosOp: "cttz"}


@SCALAR.of(*_COUNTS)
def _zeros(em: Emission, op: math.IntegerUnary, x: Ssa) -> Ssa:
    """The number of zeros in front or behind; all bits for 0."""
    return em.w.call(x.type, f"llvm.{_COUNTS[type(op)]}.{x.type}", x, integer(0, "i1"))


@SCALAR.of(math.CtPopOp)
def _ones(em: Emission, op: math.CtPopOp, x: Ssa) -> Ssa:
    return em.w.call(x.type, f"llvm.ctpop.{x.type}", x)
