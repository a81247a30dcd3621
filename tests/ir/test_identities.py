"""What joining leaves every number as it is: of each combining kind in each type, against all of the small types.

Types are decoded here by what their names say (OCP's documents; Graphcore's and AMD's for FNUZ), apart from ml_dtypes.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from lanewise.ir import numerics
from lanewise.ir.dialects import load_all
from lanewise.ir.dialects.func import FunctionLike
from lanewise.ir.dialects.vector_kind import CombiningKindAttr
from lanewise.ir.parser import parse_program
from lanewise.ir.types import FLOAT_WIDTHS, INDEX, FloatType, IntegerType
from lanewise.ir.verify import verify
from lanewise.reference.evaluate import evaluate
from lanewise.support.diagnostics import VerifyError

from .legalised import legalised

load_all()

EXPONENTS = {
    "f8E4M3FN": (4, 3, 7),
    "f8E5M2": (5, 2, 15),
    "f8E4M3FNUZ": (4, 3, 8),
    "f8E5M2FNUZ": (5, 2, 16),
    "f8E4M3": (4, 3, 7),
    "f8E3M4": (3, 4, 3),
    "f8E4M3B11FNUZ": (4, 3, 11),
    "f6E2M3FN": (2, 3, 1),
    "f6E3M2FN": (3, 2, 3),
    "f4E2M1FN": (2, 1, 1),
}
"""Bits of the exponent and of the fraction, and the bias."""
WIDE = ("f64", "f32", "tf32", "f16", "bf16")
ENDS = [0.0, -0.0, 1.0, -1.0, 1e-3, -1e-3, 384.0, -384.0, math.inf, -math.inf, math.nan]
FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "and", "or", "xor", "minsi", "maxsi", "minui", "maxui")


def decoded(name: str, bits: int) -> float:
    """The number that `bits` stand for."""
    if name == "f8E8M0FNU":
        return math.nan if bits == 255 else 2.0 ** (bits - 127)
    exponents, digits, bias = EXPONENTS[name]
    sign, exponent = bits >> (exponents + digits), bits >> digits & (1 << exponents) - 1
    fraction = bits & (1 << digits) - 1
    if name.endswith("UZ"):
        if bits == 1 << (exponents + digits):
            return math.nan
    elif name == "f8E4M3FN":
        if bits & 0x7F == 0x7F:
            return math.nan
    elif name.startswith("f8") and exponent == (1 << exponents) - 1:
        return math.nan if fraction else math.copysign(math.inf, -sign)
    scaled = fraction * 2.0 ** (1 - bias - digits)
    magnitude = (1 + fraction / 2**digits) * 2.0 ** (exponent - bias) if exponent else scaled
    return math.copysign(magnitude, -1 if sign else 1)


def numbers(name: str) -> list[float]:
    if name in WIDE:
        return ENDS
    return [decoded(name, bits) for bits in range(1 << FLOAT_WIDTHS[name])]


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def joined(kind: str, a: float, b: float) -> float:
    """As IEEE 754-2019 has it: minimumNumber and maximumNumber pass over NaN, minimum and maximum hand it on."""
    if kind == "add":
        return a + b
    if kind == "mul":
        return a * b
    if math.isnan(a) or math.isnan(b):
        other = b if math.isnan(a) else a
        return other if kind.endswith("numf") else math.nan
    ordered = sorted((a, b), key=lambda x: (x, math.copysign(1, x)))
    return ordered[0] if kind.startswith("min") else ordered[1]


@pytest.mark.parametrize("name", sorted(FLOAT_WIDTHS))
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_of_floats(kind, name):
    if (kind, name) == ("add", "f8E8M0FNU"):
        pytest.skip("it has no zero: test_there_is_none_without_a_zero")
    type = FloatType(name)
    identity = CombiningKindAttr(kind).identity(type)
    dtype = numerics.dtype_of(type)
    stored = float(dtype.type(identity))
    assert same(stored, identity), "the type has the number itself"
    assert any(same(identity, x) for x in numbers(name)) or name in WIDE
    for x in numbers(name):
        assert same(joined(kind, identity, x), x)
        assert same(joined(kind, x, identity), x)


def test_types_are_read_as_they_are_stored():
    """So that what is compared above are the numbers of the type."""
    for name in (*EXPONENTS, "f8E8M0FNU"):
        dtype = numerics.dtype_of(FloatType(name))
        for x in numbers(name):
            assert same(float(dtype.type(x)), x), (name, x)


def test_there_is_none_without_a_zero():
    assert not CombiningKindAttr("add").applies_to(FloatType("f8E8M0FNU"))


@pytest.mark.parametrize("kind", INTEGER_KINDS)
@pytest.mark.parametrize("type", [IntegerType(1), IntegerType(4), IntegerType(8), IntegerType(32), INDEX], ids=str)
def test_of_integers(kind, type):
    attribute = CombiningKindAttr(kind)
    identity = attribute.identity(type)
    width = 64 if type == INDEX else type.width
    numbers = range(-8, 8) if width == 4 else (0, 1) if width == 1 else (-128, -1, 0, 1, 5, 127)
    dtype = numerics.dtype_of(type)
    for x in map(dtype.type, numbers):
        for pair in ((dtype.type(identity), x), (x, dtype.type(identity))):
            assert int(numerics.wrapped(attribute.combine(*pair), type)) == int(x), (identity, x)


@pytest.mark.parametrize("name", [*EXPONENTS, "f8E8M0FNU"])
@pytest.mark.parametrize("kind", ["minnumf", "maxnumf", "minimumf", "maximumf"])
def test_reductions_begin_with_it(kind, name):
    """Of the two numbers that come last in the order of each kind, and with a mask of one of them: what a reduction
    begins with is the result unless it changes nothing."""
    finite = sorted(x for x in numbers(name) if math.isfinite(x))
    last = finite[:2] if kind.startswith("max") else finite[-2:]
    found = reduced(kind, name, last)
    assert found == (max(last) if kind.startswith("max") else min(last), last[0])


def reduced(kind: str, name: str, values: list[float]) -> tuple[float, float]:
    """In the operations that all layers know: of all, and of the first alone."""
    text = f"""func.func @f(%v: vector<2x{name}>) -> ({name}, {name}) {{
  %on = arith.constant dense<[true, false]> : vector<2xi1>
  %r = vector.reduction <{kind}>, %v : vector<2x{name}> into {name}
  %m = vector.mask %on {{ vector.reduction <{kind}>, %v : vector<2x{name}> into {name} }} : vector<2xi1> -> {name}
  return %r, %m : {name}, {name}
}}"""
    function = next(op for op in parse_program(text).walk() if isinstance(op, FunctionLike))
    dtype = numerics.dtype_of(FloatType(name))
    whole, first = evaluate(legalised(function), np.array(values).astype(dtype))
    return float(whole), float(first)


REFUSED = {
    "reduction": "vector.reduction <add>, %v : vector<2xf8E8M0FNU> into f8E8M0FNU",
    "parallel loop": 'affine.parallel (%i) = (0) to (2) reduce ("addf") -> (f8E8M0FNU) { affine.yield %x : f8E8M0FNU }',
}


@pytest.mark.parametrize("name", REFUSED)
def test_sums_of_a_type_without_zero_are_refused(name):
    text = f"func.func @f(%v: vector<2xf8E8M0FNU>, %x: f8E8M0FNU) {{\n%r = {REFUSED[name]}\nreturn\n}}"
    with pytest.raises(VerifyError, match=r"f8E8M0FNU.*(no zero|expected one of maximumf)"):
        verify(parse_program(text))
