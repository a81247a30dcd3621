"""Arithmetic, comparisons, choices and conversions, element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from ..ir.builder import FoldingBuilder
from ..ir.core import Operation, Value
from ..ir.dialects import arith, arith_casts, math, vector
from ..ir.dialects.arith_short import ConvertFOp, FlushDenormalsOp
from ..ir.dialects.elementwise import FastMathAttr, FloatPredicateAttr, IntegerPredicateAttr
from ..ir.types import scalar_type
from ..support.named_tuples import NamedTuple
from .dtypes import DType, i1, i64, index
from .operands import Given, Operand, bits_of, checked_dtype, constant, is_float, lifted, natural, type_of
from .shapes import broadcast, common_shape
from .trace import building, fail


class Operator(NamedTuple):
    """One word for operations on two values, by what their elements are; None where it has no meaning."""

    sign: str
    floats: type[Operation] | None
    signed: type[Operation] | None
    unsigned: type[Operation] | None
    bools: type[Operation] | None = None
    hint: str = ""

    def of(self, dtype: DType) -> type[Operation] | None:
        if is_float(dtype):
            return self.floats
        if dtype.kind == "bool":
            return self.bools
        return self.unsigned if dtype.unsigned else self.signed


_BITS = "bits are of integers: x.to(lw.i32) converts a number, lw.bitcast(x, lw.i32) reads its bits"
_LOGIC = "of truth values: & | ^ ~"
OPERATORS: Mapping[str, Operator] = {
    row.sign: row
    for row in (
        Operator("+", arith.AddFOp, arith.AddIOp, arith.AddIOp, hint=_LOGIC),
        Operator("-", arith.SubFOp, arith.SubIOp, arith.SubIOp, hint=_LOGIC),
        Operator("*", arith.MulFOp, arith.MulIOp, arith.MulIOp, hint=_LOGIC),
        Operator("/", arith.DivFOp, None, None, hint="of integers: //, or convert them: x.to(lw.f32)"),
        Operator("//", None, arith.FloorDivSIOp, arith.DivUIOp, hint="of floats: lw.floor(a / b)"),
        Operator("fmod", arith.RemFOp, arith.RemSIOp, arith.RemUIOp),
        Operator("cdiv", None, arith.CeilDivSIOp, arith.CeilDivUIOp, hint="of floats: lw.ceil(a / b)"),
        Operator("&", None, arith.AndIOp, arith.AndIOp, arith.AndIOp, _BITS),
        Operator("|", None, arith.OrIOp, arith.OrIOp, arith.OrIOp, _BITS),
        Operator("^", None, arith.XOrIOp, arith.XOrIOp, arith.XOrIOp, _BITS),
        Operator("<<", None, arith.ShLIOp, arith.ShLIOp, hint=_BITS),
        Operator(">>", None, arith.ShRSIOp, arith.ShRUIOp, hint=_BITS),
        Operator("maximum", arith.MaximumFOp, arith.MaxSIOp, arith.MaxUIOp, arith.OrIOp),
        Operator("minimum", arith.MinimumFOp, arith.MinSIOp, arith.MinUIOp, arith.AndIOp),
        Operator("fmax", arith.MaxNumFOp, None, None, hint="of integers: lw.maximum"),
        Operator("fmin", arith.MinNumFOp, None, None, hint="of integers: lw.minimum"),
        Operator("pow", math.PowFOp, math.IPowIOp, None),
        Operator("atan2", math.Atan2Op, None, None),
        Operator("copysign", math.CopySignOp, None, None),
    )
}
Comparison = Literal["<", "<=", ">", ">=", "==", "!="]
_ORDERS: Sequence[Comparison] = "<", "<=", ">", ">="
_PREDICATES: Mapping[Comparison, str] = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def sides(sign: str, *given: Given) -> list[Operand]:
    """The operands with one element type, which numbers take from the others, and one shape."""
    alike = _alike(given)
    if alike is not None:
        return alike
    operands = [g for g in given if isinstance(g, Operand)]
    if operands:
        like = operands[0].dtype
    else:
        like = max((natural(g) for g in given if not isinstance(g, Operand)), key=is_float)
    for operand in operands:
        if operand.dtype is not like and operand.dtype != like:
            _fail_of_types(sign, [lifted(g, like) for g in given], like)
    shape = common_shape(sign, operands)
    return [broadcast(g, shape) if isinstance(g, Operand) else constant(g, like, shape) for g in given]


def _fail_of_types(sign: str, found: Sequence[Operand], like: DType) -> None:
    first = next(o for o in found if o.dtype == like)
    odd = next(o for o in found if o.dtype != like)
    where = "left is" if len(found) == 2 else "one is"
    other = "right is" if len(found) == 2 else "another"
    left, right = (found[0], found[1]) if len(found) == 2 else (first, odd)
    fail(
        f"'{sign}' needs one element type: {where} {left.text}, {other} {right.text}",
        left.made,
        right.made,
        hint=_conversion(left, right),
    )


def _alike(given: Sequence[Given]) -> list[Operand] | None:
    """Operands of one type, as they are."""
    first, *others = given
    if type(first) is not Operand:
        return None
    found, type_of_all = [first], first.ssa.type
    for other in others:
        if type(other) is not Operand or other.dtype is not first.dtype or other.ssa.type != type_of_all:
            return None
        found.append(other)
    return found


def _conversion(left: Operand, right: Operand) -> str:
    """What to write where two sides have two element types: of an integer and a float the integer is converted."""
    if is_float(left.dtype) == is_float(right.dtype):
        return f"convert one: .to(lw.{left.dtype}) or .to(lw.{right.dtype})"
    whole, other = (right, left) if is_float(left.dtype) else (left, right)
    return f"convert the integers: {whole.ssa.hint or 'x'}.to(lw.{other.dtype})"


def binary(sign: str, a: Given, b: Given, fastmath: str | None = None) -> Operand:
    """The operator of a sign of `OPERATORS`. Fails where the element type has none."""
    x, y = sides(sign, a, b)
    row = OPERATORS[sign]
    op = row.of(x.dtype)
    if op is None:
        fail(f"'{sign}' has no meaning for {x.text}", x.made, hint=row.hint)
    build = building()
    if x.ssa.type is index_type and sign in _FOLDED:
        return Operand(_FOLDED[sign](build, x.ssa, y.ssa), x.dtype)
    return Operand(build.value(op, x.ssa, y.ssa, fastmath=flags(fastmath)), x.dtype)


index_type = type_of(index, ())
_FOLDED: Mapping[str, Callable[[FoldingBuilder, Value, Value], Value]] = {
    "+": FoldingBuilder.add,
    "*": FoldingBuilder.mul,
}
"""Arithmetic of places, whose constants are folded while it is written."""


def remainder(a: Given, b: Given) -> Operand:
    """`%`, with the sign of the right side, as Python's."""
    x, y = sides("%", a, b)
    if is_float(x.dtype) or x.dtype.kind == "bool":
        fail(f"'%' has no meaning for {x.text}", x.made, hint="of floats: lw.fmod(a, b), with the sign of a")
    if x.dtype.unsigned:
        return binary("fmod", x, y)
    return binary("-", x, binary("*", binary("//", x, y), y))


def power(a: Given, b: Given) -> Operand:
    """`**`; a small constant power is a product."""
    if isinstance(a, Operand) and isinstance(b, int) and not isinstance(b, bool) and 1 <= b <= _PRODUCTS:
        result = a
        for _ in range(b - 1):
            result = binary("*", result, a)
        return result
    return binary("pow", a, b)


_PRODUCTS = 4
"""The highest power that is written as multiplications."""


def compare(sign: Comparison, a: Given, b: Given) -> Operand:
    """Floats compare as IEEE 754 has it: with NaN nothing but `!=` is true. Those of an index that say nothing, as
    it is never below 0, are refused."""
    x, y = sides(sign, a, b)
    if x.dtype == index and not isinstance(b, Operand) and b < (1 if sign in ("<", ">=") else 0) and sign in _ORDERS:
        fail(
            f"an index is never below 0: '{sign} {b}' is the same for all of {x.text}", x.made,
            hint="convert it where it may be: x.to(lw.i64); a span compares as it is",
        )  # fmt: skip
    word = _PREDICATES[sign]
    build = building()
    if is_float(x.dtype):
        predicate = FloatPredicateAttr("une" if word == "ne" else f"o{word}")
        return Operand(build.value(arith.CmpFOp, x.ssa, y.ssa, predicate=predicate), i1)
    prefix = "" if word in ("eq", "ne") else "u" if x.dtype.unsigned else "s"
    return Operand(build.value(arith.CmpIOp, x.ssa, y.ssa, predicate=IntegerPredicateAttr(prefix + word)), i1)


def negate(x: Operand) -> Operand:
    if is_float(x.dtype):
        return Operand(building().value(arith.NegFOp, x.ssa), x.dtype)
    return binary("-", 0, x)


def invert(x: Operand) -> Operand:
    if is_float(x.dtype):
        fail(f"'~' has no meaning for {x.text}", x.made, hint=_BITS)
    if x.dtype.kind == "bool":
        return binary("^", x, True)
    ones = (
        constant(-1, x.dtype)
        if not x.dtype.unsigned or x.dtype == index
        else constant((1 << bits_of(x.dtype)) - 1, x.dtype)
    )
    return binary("^", x, ones)


def select(condition: Given, a: Given, b: Given) -> Operand:
    """Elements of a where the condition holds, else of b."""
    c = lifted(condition)
    if c.dtype != i1:
        fail(f"'where' chooses by truth values, found {c.text}", c.made, hint="compare it: x != 0")
    x, y = sides("where", a, b)
    shape = common_shape("where", [c, x, y])
    c, x, y = (broadcast(o, shape) for o in (c, x, y))
    return Operand(building().value(arith.SelectOp, c.ssa, x.ssa, y.ssa, types=[x.ssa.type]), x.dtype)


def fused(a: Given, b: Given, c: Given, fastmath: str | None = None) -> Operand:
    """a * b + c with one rounding."""
    x, y, z = sides("fma", a, b, c)
    if not is_float(x.dtype):
        fail(f"'fma' has no meaning for {x.text}", x.made, hint="of integers: a * b + c")
    return Operand(building().value(math.FmaOp, x.ssa, y.ssa, z.ssa, fastmath=flags(fastmath)), x.dtype)


def clamp(a: Given, low: Given, high: Given) -> Operand:
    x, y, z = sides("clamp", a, low, high)
    if is_float(x.dtype):
        return Operand(building().value(math.ClampFOp, x.ssa, y.ssa, z.ssa), x.dtype)
    return binary("minimum", binary("maximum", x, y), z)


def flags(fastmath: str | None) -> FastMathAttr | None:
    """What an operation may do beside IEEE 754: flags of MLIR with commas between, such as `afn,contract`."""
    if fastmath is None:
        return None
    words = str(fastmath).split(",")
    odd = next((w for w in words if w not in FastMathAttr.cases), None)
    if odd is not None:
        fail(f"fastmath is of {', '.join(FastMathAttr.cases)}, found {odd!r}")
    return FastMathAttr.of(frozenset(words))


# -- conversions ----------------------------------------------------------------------------------------------------


def convert(x: Operand, dtype: DType) -> Operand:
    """The same numbers in another type: rounded to nearest even; floats to integers towards zero."""
    source = x.dtype
    if source is dtype or source == checked_dtype(dtype):
        return x
    if source.mlir == dtype.mlir:
        return Operand(x.ssa, dtype)
    through = i64 if index in (source, dtype) and (is_float(source) or is_float(dtype)) else None
    if through is not None:
        return convert(convert(x, through), dtype)
    cast = _cast(source, dtype)
    return Operand(building().value(cast, x.ssa, types=[type_of(dtype, x.shape)]), dtype)


def _cast(source: DType, target: DType) -> type[Operation]:
    wider = bits_of(target) > bits_of(source)
    if is_float(source) and is_float(target):
        if bits_of(source) == bits_of(target):
            return ConvertFOp
        return arith_casts.ExtFOp if wider else arith_casts.TruncFOp
    if is_float(source):
        if target == i1:
            return fail("truth values are made by comparing", hint="x != 0")
        return arith_casts.FPToUIOp if target.unsigned else arith_casts.FPToSIOp
    if is_float(target):
        return arith_casts.UIToFPOp if source.unsigned else arith_casts.SIToFPOp
    if target == i1:
        return fail("truth values are made by comparing", hint="x != 0")
    if index in (source, target):
        unsigned = source.unsigned and source != index
        return arith_casts.IndexCastUIOp if unsigned else arith_casts.IndexCastOp
    if not wider:
        return arith_casts.TruncIOp
    return arith_casts.ExtUIOp if source.unsigned else arith_casts.ExtSIOp


def reread(x: Operand, dtype: DType) -> Operand:
    """The same bits as elements of another type; of another width, along the last axis."""
    if x.dtype.mlir == checked_dtype(dtype).mlir:
        return Operand(x.ssa, dtype)
    if index in (x.dtype, dtype):
        fail(f"the bits of an index are not read: {x.text} to {dtype}", x.made, hint="convert it: x.to(lw.i64)")
    mine, other = bits_of(x.dtype), bits_of(dtype)
    if mine == other:
        types = [type_of(dtype, x.shape)]
        return Operand(building().value(arith_casts.BitcastOp, x.ssa, types=types), dtype)
    if not x.shape or x.shape[-1] * mine % other:
        fail(f"{x.text} has no whole number of {dtype} in a row", x.made)
    types = [type_of(dtype, (*x.shape[:-1], x.shape[-1] * mine // other))]
    return Operand(building().value(vector.BitCastOp, x.ssa, types=types), dtype)


# -- functions of one value -----------------------------------------------------------------------------------------

FUNCTIONS: Mapping[str, type[Operation]] = {
    "acos": math.AcosOp, "acosh": math.AcoshOp, "asin": math.AsinOp, "asinh": math.AsinhOp, "atan": math.AtanOp,
    "atanh": math.AtanhOp, "cbrt": math.CbrtOp, "ceil": math.CeilOp, "cos": math.CosOp, "cosh": math.CoshOp,
    "erf": math.ErfOp, "erfc": math.ErfcOp, "exp": math.ExpOp, "exp2": math.Exp2Op, "expm1": math.ExpM1Op,
    "floor": math.FloorOp, "log": math.LogOp, "log10": math.Log10Op, "log1p": math.Log1pOp, "log2": math.Log2Op,
    "round": math.RoundEvenOp, "rsqrt": math.RsqrtOp, "sin": math.SinOp, "sinh": math.SinhOp, "sqrt": math.SqrtOp,
    "tan": math.TanOp, "tanh": math.TanhOp, "trunc": math.TruncOp,
    "round_away": math.RoundOp, "flush_denormals": FlushDenormalsOp,
    "isfinite": math.IsFiniteOp, "isinf": math.IsInfOp, "isnan": math.IsNaNOp, "isnormal": math.IsNormalOp,
}  # fmt: skip
COUNTS: Mapping[str, type[Operation]] = {
    "clz": math.CountLeadingZerosOp,
    "ctz": math.CountTrailingZerosOp,
    "popcount": math.CtPopOp,
}


def function(name: str, given: Given, fastmath: str | None = None) -> Operand:
    """A function of floats of `FUNCTIONS`."""
    x = lifted(given)
    if not is_float(x.dtype):
        fail(f"'{name}' takes floats, found {x.text}", x.made, hint="convert it: x.to(lw.f32)")
    op = FUNCTIONS[name]
    if fastmath is not None and "fastmath" not in {slot.name for slot in op.attribute_slots}:
        fail(f"'{name}' has no fastmath")
    result = building().value(op, x.ssa, fastmath=flags(fastmath))
    return Operand(result, i1 if str(scalar_type(result.type)) == "i1" else x.dtype)


def count(name: str, given: Given) -> Operand:
    """A function of an integer's bits of `COUNTS`."""
    x = lifted(given)
    if x.dtype.kind != "integer":
        fail(f"'{name}' takes integers, found {x.text}", x.made)
    return Operand(building().value(COUNTS[name], x.ssa), x.dtype)


def absolute(given: Given) -> Operand:
    x = lifted(given)
    if x.dtype.unsigned:
        return x
    return Operand(building().value(math.AbsFOp if is_float(x.dtype) else math.AbsIOp, x.ssa), x.dtype)
