"""Float arithmetic and conversions on every type and chip generation, against numpy and exact rationals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's about overflow and NaN in the oracles
Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
NVIDIA = ("sm_70", "sm_80", "sm_90")  # bf16 by f32, by fma, native
AMD = ("gfx90a", "gfx950", "gfx1201")  # conversions to bf16 and maxima differ
CHIPS = (*NVIDIA, *AMD)


def special(type: str) -> Array:
    """NaN, infinities, zeros, subnormals, the ends of the range, halfway cases and ordinary numbers."""
    info = ml_dtypes.finfo(TYPES[type])
    tiny, least = float(info.smallest_subnormal), float(info.smallest_normal)
    values = [0.0, 1.0, 1.5, 2.5, 3.0, 0.1, 7.75, 100.0, tiny, 3 * tiny, least, float(info.max), 1 + float(info.eps)]
    return np.array([math.nan, math.inf, *values, -math.inf, *(-v for v in values)]).astype(TYPES[type])


def pairs(type: str) -> tuple[Array, Array]:
    values = special(type)
    a, b = np.meshgrid(values, values)
    return a.reshape(-1), b.reshape(-1)


def bits(x: Array) -> Array:
    return x.view(f"u{x.dtype.itemsize}")


def same(found: Array, expected: Array) -> bool:
    """Equal bits; NaNs by class."""
    nan = np.isnan(expected.astype(np.float64))
    return bool((np.isnan(found.astype(np.float64)) == nan).all() and (bits(found) == bits(expected))[~nan].all())


def exact_binary(operation: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """Computed in float64, or for f64 in itself, then rounded once: innocuous for +, -, *, / of shorter types."""

    def compute(a: Array, b: Array) -> Array:
        with np.errstate(all="ignore"):
            return operation(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)

    return compute


def choose(a: Array, b: Array, larger: bool, propagate: bool) -> Array:
    """maximum, minimum (propagating NaN) and their number-preferring forms, -0 below +0."""
    out = a.copy()
    for i, (x, y) in enumerate(zip(a.astype(np.float64), b.astype(np.float64), strict=True)):
        if math.isnan(x) or math.isnan(y):
            first = math.isnan(x) if propagate else not math.isnan(x)
        else:
            key = (x, math.copysign(1, x)), (y, math.copysign(1, y))
            first = key[0] >= key[1] if larger else key[0] <= key[1]
        out[i] = a[i] if first else b[i]
    return out


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "addf": exact_binary(np.add),
    "subf": exact_binary(np.subtract),
    "mulf": exact_binary(np.multiply),
    "divf": exact_binary(np.divide),
    "remf": exact_binary(np.fmod),
    "maximumf": lambda a, b: choose(a, b, True, True),
    "minimumf": lambda a, b: choose(a, b, False, True),
    "maxnumf": lambda a, b: choose(a, b, True, False),
    "minnumf": lambda a, b: choose(a, b, False, False),
}


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("type", "chip"), [*itertools.product(TYPES, CHIPS)])
def test_binary(type: str, chip: str, elementwise_on: Any) -> None:
    a, b = pairs(type)
    lines = "\n".join(f"  %y{i} = arith.{n} %x0, %x1 : {type}" for i, n in enumerate(BINARY))
    found = elementwise_on(lines, [(type, a), (type, b)], [(type, TYPES[type])] * len(BINARY), chip)
    for name, result in zip(BINARY, found, strict=True):
        expected = BINARY[name](a, b)
        judged = ~_scaled_quotient(expected) if name == "divf" and chip in AMD else ...
        assert same(result[judged], expected[judged]), name


def _scaled_quotient(quotient: Array) -> Array:
    """AMD's division ends in v_div_fmas, which scales subnormal quotients. Whether it rounds before or after is not
    published; the emulator does it before."""
    magnitude = np.abs(quotient.astype(np.float64))
    return (magnitude > 0) & (magnitude < float(ml_dtypes.finfo(quotient.dtype).smallest_normal))


def test_remainder_of_far_apart_numbers(elementwise: Any) -> None:
    """Quotients far beyond the significand, where one rounded division is wrong."""
    rng = np.random.default_rng(1)
    for type in ("f32", "f64"):
        dtype = TYPES[type]
        scale = 100 if type == "f32" else 900
        a = np.ldexp(rng.standard_normal(512), rng.integers(-scale, scale, 512)).astype(dtype)
        b = np.ldexp(rng.standard_normal(512), rng.integers(-scale, scale, 512)).astype(dtype)
        (found,) = elementwise("  %y0 = arith.remf %x0, %x1 : " + type, [(type, a), (type, b)], [(type, dtype)])
        expected = np.array([math.fmod(float(x), float(y)) for x, y in zip(a, b, strict=True)]).astype(dtype)
        assert same(found, expected)


@pytest.mark.parametrize("type", TYPES)
def test_comparisons(type: str, elementwise: Any) -> None:
    a, b = pairs(type)
    x, y = a.astype(np.float64), b.astype(np.float64)
    unordered = np.isnan(x) | np.isnan(y)
    plain = {"eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y, "ne": x != y}
    expected = {"ord": ~unordered, "uno": unordered, "false": unordered & False, "true": unordered | True}
    for name, holds in plain.items():
        expected["o" + name] = holds & ~unordered
        expected["u" + name] = holds | unordered
    del expected["one"], expected["une"]
    expected |= {"one": (x != y) & ~unordered, "une": (x != y) | unordered}
    lines = "\n".join(f"  %y{i} = arith.cmpf {p}, %x0, %x1 : {type}" for i, p in enumerate(expected))
    found = elementwise(lines, [(type, a), (type, b)], [("i1", np.bool_)] * len(expected), "sm_80")
    for name, result in zip(expected, found, strict=True):
        assert np.array_equal(result, expected[name]), name


def rounded_half_away(x: Array) -> Array:
    return np.copysign(np.where(np.abs(x - np.trunc(x)) >= 0.5, np.trunc(np.abs(x)) + 1, np.trunc(np.abs(x))), x)


UNARY: dict[str, Callable[[Array], Array]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": rounded_half_away,
    "math.sqrt": np.sqrt,
}
CLASSES: dict[str, Callable[[Array], Array]] = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("type", "chip"), [*itertools.product(TYPES, CHIPS)])
def test_unary(type: str, chip: str, elementwise_on: Any) -> None:
    x = special(type)
    names = [*UNARY, *(f"math.{n}" for n in (*CLASSES, "isnormal"))]
    lines = "\n".join(f"  %y{i} = {n} %x0 : {type}" for i, n in enumerate(names))
    outputs = [(type, TYPES[type])] * len(UNARY) + [("i1", np.bool_)] * (len(CLASSES) + 1)
    found = elementwise_on(lines, [(type, x)], outputs, chip)
    with np.errstate(all="ignore"):
        for name, result in zip(UNARY, found, strict=False):
            assert same(result, UNARY[name](x.astype(np.float64)).astype(x.dtype)), name
    for name, result in zip(CLASSES, found[len(UNARY) :], strict=False):
        assert np.array_equal(result, CLASSES[name](x.astype(np.float64))), name
    least = float(ml_dtypes.finfo(x.dtype).smallest_normal)
    wide = np.abs(x.astype(np.float64))
    assert np.array_equal(found[-1], (wide >= least) & (wide < math.inf))


FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}
"""Digits, least and greatest exponent."""


def nearest(exact: Fraction | int, type: str) -> float:
    """The float of the type nearest to a number, ties to even, by exact arithmetic; +0 for 0."""
    digits, least, greatest = FORMATS[type]
    value = Fraction(exact)
    if value == 0:
        return 0.0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent += abs(value) >= Fraction(2) ** (exponent + 1)
    exponent -= abs(value) < Fraction(2) ** exponent
    quantum = Fraction(2) ** (max(exponent, least) - digits + 1)
    rounded = round(value / quantum) * quantum  # Python rounds halves of a Fraction to even
    if abs(rounded) >= Fraction(2) ** (greatest + 1):
        return math.copysign(math.inf, value)
    return math.copysign(float(rounded), value)


def exact_fma(a: float, b: float, c: float, type: str) -> float:
    """a * b + c of finite numbers that do not cancel to zero with a sign in doubt."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return nearest(exact, type) if exact else a * b + c


@pytest.mark.parametrize(("type", "chip"), [(t, c) for t in ("f16", "bf16", "f32") for c in ("sm_70", "sm_90")])
def test_fma_rounds_once(type: str, chip: str, elementwise_on: Any) -> None:
    rng = np.random.default_rng(2)
    dtype = TYPES[type]
    fraction = {"f16": 10, "bf16": 7, "f32": 23}[type]
    a, b = (np.ldexp(rng.integers(1 << fraction, 2 << fraction, 256), -fraction).astype(dtype) for _ in range(2))
    c = np.ldexp(rng.integers(1 << fraction, 2 << fraction, 256), rng.integers(-40, 12, 256) - fraction).astype(dtype)
    c[::2] = -(a.astype(np.float64) * b.astype(np.float64))[::2].astype(dtype)
    lines = f"  %y0 = math.fma %x0, %x1, %x2 : {type}"
    (found,) = elementwise_on(lines, [(type, a), (type, b), (type, c)], [(type, dtype)], chip)
    expected = np.array([exact_fma(*map(float, t), type) for t in zip(a, b, c, strict=True)]).astype(dtype)
    assert same(found, expected)


def test_bfloat_fma_at_a_midpoint(elementwise: Any) -> None:
    """a * b + c beside a midpoint of bf16 by less than f32 can hold: a first rounding to f32 would hide the side."""
    a = np.array([2.0**-8, 2.0**-8, 2.0**-8 * 1.5], ml_dtypes.bfloat16)
    b = np.array([1 + 2.0**-7, 1 - 2.0**-8, 1 + 2.0**-7], ml_dtypes.bfloat16)
    c = np.array([2.0**20, 2.0**20, 1 + 2.0**-7], ml_dtypes.bfloat16)
    # 2**20 + 2**12 is halfway between 2**20 and its neighbour; the product adds 2**-8 or so.
    lines = "  %y0 = math.fma %x0, %x1, %x2 : bf16\n  %y1 = math.fma %x3, %x4, %x5 : bf16"
    one = np.ones(3, ml_dtypes.bfloat16)
    side = np.array([2.0**12 + 2.0**5, 2.0**12 - 2.0**4, 2.0**12], ml_dtypes.bfloat16)
    base = np.full(3, 2.0**20, ml_dtypes.bfloat16)
    inputs = [("bf16", v) for v in (a, b, c, side, one, base)]
    found, sides = elementwise(lines, inputs, [("bf16", ml_dtypes.bfloat16)] * 2, "sm_70")
    assert [float(v) for v in found] == [exact_fma(*map(float, t), "bf16") for t in zip(a, b, c, strict=True)]
    assert [float(v) for v in sides] == [2.0**20 + 2.0**13, 2.0**20, 2.0**20]


CASTS = [(a, b) for a in TYPES for b in TYPES if np.dtype(TYPES[a]).itemsize != np.dtype(TYPES[b]).itemsize]


def rounded(x: Array, type: str) -> Array:
    """Each number rounded once; the conversions of ml_dtypes from f64 pass through f32."""
    wide = [float(v) for v in x]
    exact = [math.copysign(nearest(Fraction(v), type), v) if math.isfinite(v) else v for v in wide]
    return np.array(exact).astype(TYPES[type])


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("source", "target", "chip"), [(a, b, c) for a, b in CASTS for c in CHIPS])
def test_float_conversions(source: str, target: str, chip: str, elementwise_on: Any) -> None:
    """Every f16 and bf16 pattern widened; narrowing at the midpoints of the target and one step beside them."""
    wider = np.dtype(TYPES[target]).itemsize > np.dtype(TYPES[source]).itemsize
    if wider:
        x = np.arange(1 << 16, dtype=np.uint16).view(TYPES[source]) if source != "f32" else special("f32")
    else:
        x = midpoints(source, target)
    name = "extf" if wider else "truncf"
    (found,) = elementwise_on(
        f"  %y0 = arith.{name} %x0 : {source} to {target}", [(source, x)], [(target, TYPES[target])], chip
    )
    assert same(found, x.astype(np.float64).astype(TYPES[target]) if wider else rounded(x, target))


def midpoints(source: str, target: str) -> Array:
    values = special(target)
    values = values[np.isfinite(values.astype(np.float64))]
    with np.errstate(over="ignore"):
        up = np.nextafter(values, np.array(math.inf, values.dtype))
        middle = ((values.astype(np.float64) + up.astype(np.float64)) / 2).astype(TYPES[source])
        beside = [np.nextafter(middle, TYPES[source](s)) for s in (math.inf, -math.inf)]
    return np.concatenate([middle, *beside, special(source)])


INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def integers(type: str) -> list[int]:
    bits_ = INTEGERS[type]
    if bits_ == 1:
        return [0, -1]
    top = 1 << (bits_ - 1)
    chosen = {0, 1, -1, 7, -7, 100, top - 1, -top, top // 2 + 1, top - top // 256 - 1}
    for shift in (8, 9, 24, 25, 53, 54):
        if shift + 1 < bits_:
            for delta in (-1, 0, 1):
                base = (1 << (bits_ - 2)) + (1 << (bits_ - 2 - shift))
                chosen |= {base + delta, -base + delta}
    return sorted(v for v in chosen if -top <= v < top)


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("type", "integer", "chip"), [*itertools.product(TYPES, INTEGERS, CHIPS)])
def test_integers_to_floats(type: str, integer: str, chip: str, elementwise_on: Any) -> None:
    values = integers(integer)
    stored = np.array([v & 1 for v in values] if integer == "i1" else values)
    stored = stored.astype(np.bool_ if integer == "i1" else np.dtype(integer.replace("i", "int")))
    lines = f"  %y0 = arith.sitofp %x0 : {integer} to {type}\n  %y1 = arith.uitofp %x0 : {integer} to {type}"
    signed, plain = elementwise_on(lines, [(integer, stored)], [(type, TYPES[type])] * 2, chip)
    mask = (1 << INTEGERS[integer]) - 1
    assert [float(v) for v in signed] == [nearest(v, type) for v in values]
    assert [float(v) for v in plain] == [nearest(v & mask, type) for v in values]


@pytest.mark.parametrize(("type", "integer"), [*itertools.product(TYPES, [i for i in INTEGERS if i != "i1"])])
def test_floats_to_integers(type: str, integer: str, elementwise: Any) -> None:
    """Values in range: outside, the result is poison."""
    top = 2.0 ** (INTEGERS[integer] - 1)
    values = [0.0, -0.0, 0.75, 1.5, 2.5, 99.9, 100.0]
    x = np.array([v for v in values if v < top]).astype(TYPES[type])
    signed_x = np.concatenate([x, -x])
    dtype = np.dtype(integer.replace("i", "int"))
    lines = f"  %y0 = arith.fptosi %x0 : {type} to {integer}\n  %y1 = arith.fptoui %x1 : {type} to {integer}"
    unsigned_x = np.resize(x, signed_x.size)
    found = elementwise(lines, [(type, signed_x), (type, unsigned_x)], [(integer, dtype)] * 2)
    for result, source in zip(found, (signed_x, unsigned_x), strict=True):
        assert [int(v) for v in result] == [int(float(v)) for v in source]


def test_copysign_clamp_bitcast_and_select(elementwise: Any) -> None:
    for type, dtype in TYPES.items():
        a, b = pairs(type)
        width = np.dtype(dtype).itemsize * 8
        lines = f"""  %y0 = math.copysign %x0, %x1 : {type}
  %y1 = arith.bitcast %x0 : {type} to i{width}
  %low = arith.constant -1.0 : {type}
  %high = arith.constant 2.0 : {type}
  %y2 = math.clampf %x0 to [%low, %high] : {type}
  %c = arith.cmpf olt, %x0, %x1 : {type}
  %y3 = arith.select %c, %x0, %x1 : {type}"""
        outputs = [(type, dtype), (f"i{width}", np.dtype(f"int{width}")), (type, dtype), (type, dtype)]
        signed, pattern, clamped, chosen = elementwise(lines, [(type, a), (type, b)], outputs)
        wide, other = a.astype(np.float64), b.astype(np.float64)
        assert same(signed, np.copysign(wide, other).astype(dtype))
        assert np.array_equal(pattern.view(bits(a).dtype), bits(a))
        assert same(clamped, np.where(np.isnan(wide), wide, np.clip(wide, -1, 2)).astype(dtype))
        assert same(chosen, np.where(wide < other, wide, other).astype(dtype))


def test_nothing_is_contracted_unless_asked(build: Any, text: Any) -> None:
    """Assemblers may fuse `add.f32` and `mul.f32`; they may not fuse the `.rn` forms."""
    arguments = "%a: memref<64xf32>, %c: memref<64xf32>"

    def assembly(flags: str) -> str:
        body = f"""  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64xf32>
  %m = arith.mulf %x, %x {flags} : f32
  %s = arith.addf %m, %x {flags} : f32
  memref.store %s, %c[%t] : memref<64xf32>"""
        return str(build(text(arguments, body)).assembly)

    plain, contracted = assembly(""), assembly("fastmath<contract>")
    for opcode in ("add.f32", "mul.f32", "fma"):
        assert opcode not in plain
    assert "mul.rn.f32" in plain and "add.rn.f32" in plain
    assert "fma.rn.f32" in contracted


def test_approximate_division_only_when_asked(build: Any, text: Any) -> None:
    arguments = "%a: memref<64xf32>, %c: memref<64xf32>"
    for flags, opcode in (
        ("", "div.rn.f32"),
        ("fastmath<afn>", "rcp.approx.ftz.f32"),
        ("fastmath<arcp>", "rcp.rn.f32"),
    ):
        body = f"""  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64xf32>
  %m = arith.divf %x, %x {flags} : f32
  memref.store %m, %c[%t] : memref<64xf32>"""
        assert opcode in build(text(arguments, body)).assembly
