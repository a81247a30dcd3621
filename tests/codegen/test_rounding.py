"""Every rounding mode of every conversion and of arithmetic, against exact rationals; reference and machine text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.rounding import MODES, convert_float_by, rounded_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}
# (explicit bits of the significand, least exponent, largest number), from the definitions of the formats
FORMATS = {
    "f16": (10, -14, 65504.0),
    "bf16": (7, -126, (2 - 2.0**-7) * 2.0**127),
    "f32": (23, -126, (2 - 2.0**-23) * 2.0**127),
    "f8E4M3FN": (3, -6, 448.0),
    "f8E5M2": (2, -14, 57344.0),
    "f8E4M3FNUZ": (3, -7, 240.0),
    "f8E5M2FNUZ": (2, -15, 57344.0),
}
NARROWER = {
    "f64": tuple(FORMATS),
    "f32": tuple(t for t in FORMATS if t != "f32"),
    "f16": tuple(t for t in FORMATS if t.startswith("f8")),
}
CHIPS = ("sm_70", "sm_90", "gfx942", "gfx1201")


def rounded(x: Fraction, negative: bool, type: str, mode: str) -> float:
    """A rational number, zero with a sign, in `type`."""
    bits, least, largest = FORMATS[type]
    size = abs(x)
    exponent = max(least, _exponent(size)) if size else least
    step = Fraction(2) ** (exponent - bits)
    low = size // step
    rest = size / step - low
    up = {
        "to_nearest_even": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1),
        "to_nearest_away": rest >= Fraction(1, 2),
        "toward_zero": False,
        "downward": negative and rest > 0,
        "upward": not negative and rest > 0,
    }[mode]
    value = (low + up) * step
    if value > Fraction(largest):
        away = mode.startswith("to_nearest") or ((mode == "downward") == negative and mode != "toward_zero")
        value_float = (math.inf if type in ("f16", "bf16", "f32", "f8E5M2") else math.nan) if away else largest
    else:
        value_float = float(value)
    if type.endswith("UZ") and value_float == 0:
        return 0.0
    return -value_float if negative else value_float


def _exponent(x: Fraction) -> int:
    """floor(log2(x))."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def converted(x: float, type: str, mode: str) -> float:
    if math.isnan(x):
        return math.nan
    if math.isinf(x):
        return x if type in ("f16", "bf16", "f32", "f8E5M2") else math.nan
    return rounded(Fraction(x), math.copysign(1, x) < 0, type, mode)


def near(type: str, wide: str) -> Array:
    """Around numbers of `type`: the ends, subnormals, and each of some with ties and their neighbours in `wide`."""
    bits, least, largest = FORMATS[type]
    rng = np.random.default_rng(7)
    ordinary = rng.standard_normal(24) * 2.0 ** rng.integers(least - bits, 6, 24)
    smallest = 2.0 ** (least - bits)
    base = np.array([0.0, smallest, 2 * smallest, 3 * smallest, 2.0**least, 1.0, 1 + 2.0**-bits, largest, *ordinary])
    steps = 2.0 ** (np.maximum(np.floor(np.log2(np.maximum(np.abs(base), smallest))), least) - bits)
    with np.errstate(all="ignore"):
        grid = np.concatenate([base + k * steps for k in (0, 0.25, 0.5, 0.75, 1, 1.5)])
        x = np.concatenate([grid, [math.inf, math.nan, 2 * largest, smallest / 8]]).astype(TYPES[wide])
        x = np.concatenate([x, np.nextafter(x, x.dtype.type(0)), np.nextafter(x, x.dtype.type(np.inf))])
    return np.concatenate([x, -x])


def same(found: Array, expected: Array) -> bool:
    a, b = found.astype(np.float64), expected.astype(np.float64)
    return bool(((np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))).all())


CASES = [(wide, type) for wide, types in NARROWER.items() for type in types]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("wide", "type"), CASES)
def test_the_reference_of_conversions(wide: str, type: str, mode: str) -> None:
    x = near(type, wide)
    expected = np.array([converted(float(v), type, mode) for v in x])
    assert same(convert_float_by(x, np.dtype(TYPES[type]), mode), expected)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("mode", MODES[1:])
def test_conversions_as_machine_text(mode: str, chip: str, elementwise_on: Any) -> None:
    for wide, types in NARROWER.items():
        x = np.unique(np.concatenate([near(t, wide) for t in types]).view(f"u{np.dtype(TYPES[wide]).itemsize}"))
        x = x.view(TYPES[wide])
        lines = "\n".join(f"  %y{i} = arith.truncf %x0 {mode} : {wide} to {t}" for i, t in enumerate(types))
        found = elementwise_on(lines, [(wide, x)], [(t, TYPES[t]) for t in types], chip)
        for t, y in zip(types, found, strict=True):
            assert same(y, convert_float_by(x, np.dtype(TYPES[t]), mode)), (wide, t)


EXACT: Mapping[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
}
SPELLED = {
    "add": "arith.addf",
    "subtract": "arith.subf",
    "multiply": "arith.mulf",
    "divide": "arith.divf",
    "fma": "math.fma",
}


def operands(type: str, count: int) -> list[Array]:
    bits, least, largest = FORMATS[type]
    rng = np.random.default_rng(3)
    special = [0.0, -0.0, 1.0, -1.0, 1 + 2.0**-bits, largest, -largest, 2.0 ** (least - bits), 3.0, math.inf, math.nan]
    columns = [rng.permutation(np.tile(special, 6)) for _ in range(count)]
    spread = [rng.standard_normal(150) * 2.0 ** rng.integers(-bits - 3, bits + 3, 150) for _ in range(count)]
    tiny = [rng.standard_normal(50) * 2.0 ** rng.integers(least // 2 - bits, least // 2 + 2, 50) for _ in range(count)]
    return [np.concatenate(parts).astype(TYPES[type]) for parts in zip(columns, spread, tiny, strict=True)]


def computed(name: str, mode: str, type: str, row: tuple[float, ...]) -> float:
    if not all(map(math.isfinite, row)) or (name == "divide" and row[1] == 0):
        ieee: dict[str, Any] = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
        if name == "fma":
            return float(np.float64(row[0]) * np.float64(row[1]) + np.float64(row[2]))
        return float(ieee[name](*map(np.float64, row)))
    exact = EXACT[name](*map(Fraction, row))
    return rounded(exact, exact < 0 if exact else zero_is_negative(name, mode, row), type, mode)


def zero_is_negative(name: str, mode: str, row: tuple[float, ...]) -> bool:
    """The sign of an exact zero: of the product's signs, and of a sum the common one, else + (- if downward)."""
    signs = [math.copysign(1, x) < 0 for x in row]
    if name in ("multiply", "divide"):
        return signs[0] != signs[1]
    first, second = {
        "add": (signs[0], signs[-1]),
        "subtract": (signs[0], not signs[-1]),
        "fma": (signs[0] != signs[1 % len(signs)], signs[-1]),
    }[name]
    return first if first == second else mode == "downward"


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("type", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("name", EXACT)
def test_the_reference_of_arithmetic(name: str, type: str, mode: str) -> None:
    columns = operands(type, 3 if name == "fma" else 2)
    expected = np.array([computed(name, mode, type, tuple(map(float, row))) for row in zip(*columns, strict=True)])
    assert same(rounded_by(name, mode, *columns), expected)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("type", ["f16", "bf16", "f32"])
def test_arithmetic_as_machine_text(type: str, chip: str, elementwise_on: Any) -> None:
    columns = operands(type, 3)
    cases = [(name, mode) for name in EXACT for mode in MODES[1:]]
    lines = []
    for i, (name, mode) in enumerate(cases):
        names = ", ".join(f"%x{n}" for n in range(3 if name == "fma" else 2))
        lines.append(f"  %y{i} = {SPELLED[name]} {names} {mode} : {type}")
    inputs, outputs = [(type, c) for c in columns], [(type, TYPES[type])] * len(cases)
    for (name, mode), found in zip(cases, elementwise_on("\n".join(lines), inputs, outputs, chip), strict=True):
        assert same(found, rounded_by(name, mode, *columns[: 3 if name == "fma" else 2])), (name, mode)
