"""Conversions of floats of 8 bits and less, and tf32: every value of the narrow types, against their definitions."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.numerics import convert_float, to_float
from lanewise.ir.types import TF32


class Format(NamedTuple):
    """`kind`: ieee (the last exponent is of infinities and NaN), fn (all ones are NaN), fnuz (-0 is NaN), finite."""

    dtype: Any
    width: int
    mantissa: int
    bias: int
    kind: str

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)


FORMATS = {
    "f8E4M3FN": Format(ml_dtypes.float8_e4m3fn, 8, 3, 7, "fn"),
    "f8E5M2": Format(ml_dtypes.float8_e5m2, 8, 2, 15, "ieee"),
    "f8E4M3FNUZ": Format(ml_dtypes.float8_e4m3fnuz, 8, 3, 8, "fnuz"),
    "f8E5M2FNUZ": Format(ml_dtypes.float8_e5m2fnuz, 8, 2, 16, "fnuz"),
    "f8E4M3": Format(ml_dtypes.float8_e4m3, 8, 3, 7, "ieee"),
    "f8E3M4": Format(ml_dtypes.float8_e3m4, 8, 4, 3, "ieee"),
    "f8E4M3B11FNUZ": Format(ml_dtypes.float8_e4m3b11fnuz, 8, 3, 11, "fnuz"),
    "f6E2M3FN": Format(ml_dtypes.float6_e2m3fn, 6, 3, 1, "finite"),
    "f6E3M2FN": Format(ml_dtypes.float6_e3m2fn, 6, 2, 3, "finite"),
    "f4E2M1FN": Format(ml_dtypes.float4_e2m1fn, 4, 1, 1, "finite"),
    "f8E8M0FNU": Format(ml_dtypes.float8_e8m0fnu, 8, 0, 127, "powers"),
}
"""Bits of the mantissa and the bias of the exponent are from the formats' definitions."""
WIDE: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


def value(code: int, type: str) -> float:
    """What a code means: NaN, an infinity, or an exact number."""
    f = FORMATS[type]
    if f.kind == "powers":
        return float("nan") if code == 255 else 2.0 ** (code - 127)
    sign, magnitude = -1.0 if code & f.sign else 1.0, code & (f.sign - 1)
    field, fraction = magnitude >> f.mantissa, magnitude & ((1 << f.mantissa) - 1)
    if (f.kind == "fnuz" and code == f.sign) or (f.kind == "fn" and magnitude == f.sign - 1):
        return float("nan")
    if f.kind == "ieee" and field == (f.sign - 1) >> f.mantissa:
        return float("nan") if fraction else sign * float("inf")
    significand = fraction if field == 0 else fraction + (1 << f.mantissa)
    return sign * significand * 2.0 ** (max(field, 1) - f.bias - f.mantissa)


def codes(type: str) -> Any:
    return np.arange(1 << FORMATS[type].width, dtype=np.uint8)


def same(a: Any, b: Any) -> bool:
    """The same numbers with the same signs of zero; NaN is NaN."""
    both_nan = np.isnan(a) & np.isnan(b)
    return bool((both_nan | ((a == b) & (np.signbit(a) == np.signbit(b)))).all())


@pytest.mark.parametrize("type", FORMATS)
def test_every_code_extends_exactly(type: str, elementwise: Any) -> None:
    lines = "\n".join(f"  %y{i} = arith.extf %x0 : {type} to {wide}" for i, wide in enumerate(WIDE))
    found = elementwise(lines, [(type, codes(type).view(FORMATS[type].dtype))], list(WIDE.items()))
    for result, dtype in zip(found, WIDE.values(), strict=True):
        with np.errstate(over="ignore"):  # f16 has not all powers of two
            expected = np.array([value(int(c), type) for c in codes(type)]).astype(dtype)
        with np.errstate(invalid="ignore"):  # a NaN may be any, of f16 one that signals, too
            assert same(result.astype(np.float64), expected.astype(np.float64))


def nearest(x: Any, type: str) -> Any:
    """The nearest code to each f64: ties go to the even one; beyond the largest number's last tie is what overflows."""
    f = FORMATS[type]
    numbers = np.array([n for c in range(f.sign) if np.isfinite(n := value(c, type))])
    step = numbers[-1] - numbers[-2]
    limits = np.append((numbers[1:] + numbers[:-1]) / 2, numbers[-1] + step / 2)
    magnitude = np.abs(np.where(np.isnan(x), 0, x))
    low = np.searchsorted(limits, magnitude)  # a tie counts as below its limit: the smaller neighbour
    at_tie = np.isin(magnitude, limits) & (low % 2 == 1)
    code = low + at_tie
    infinity = f.sign - (1 << f.mantissa)
    beyond = {"fn": f.sign - 1, "ieee": infinity, "fnuz": f.sign, "finite": len(numbers) - 1}[f.kind]
    nan = {"fn": f.sign - 1, "ieee": infinity + (1 << f.mantissa >> 1), "fnuz": f.sign, "finite": f.sign}[f.kind]
    code = np.where(code >= len(numbers), beyond, code)
    code = np.where(np.isnan(x), nan, code)
    sign = np.where(np.signbit(x), f.sign, 0)
    if f.kind == "fnuz":
        return np.where((code == 0) | (code == f.sign), code, code | sign).astype(np.uint8)
    return (code | sign).astype(np.uint8)


def nearest_power(x: Any) -> Any:
    """Ties go up, and so does what lies between the two smallest; zero, negative numbers and too large ones are NaN."""
    found = np.full(x.shape, 255, np.uint8)
    usable = (x > 0) & np.isfinite(x)
    exponent = np.floor(np.log2(x, where=usable, out=np.zeros_like(x)))
    exponent += np.where(exponent == -127, x > 2.0**-127, x >= 1.5 * 2.0**exponent)
    found[usable] = np.clip(exponent[usable] + 127, 0, 255).astype(np.uint8)
    return found


def expected_codes(x: Any, type: str) -> Any:
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64)
        return nearest_power(wide) if type == "f8E8M0FNU" else nearest(wide, type)


def equal_codes(a: Any, b: Any, type: str) -> bool:
    """NaN has many codes where the format has a sign and an infinity."""
    nan = np.array([np.isnan(value(int(c), type)) for c in codes(type)])
    return bool(((a == b) | (nan[a] & nan[b])).all())


def truncated(type: str, inputs: list[tuple[str, Any]], elementwise: Any) -> list[Any]:
    lines = "\n".join(f"  %y{i} = arith.truncf %x{i} : {wide} to {type}" for i, (wide, _) in enumerate(inputs))
    results = elementwise(lines, inputs, [(type, FORMATS[type].dtype)] * len(inputs))
    return [r.view(np.uint8) for r in results]


@pytest.mark.parametrize("type", FORMATS)
def test_every_number_of_16_bits_is_rounded_to_the_nearest(type: str, elementwise: Any) -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16)
    inputs = [(wide, patterns.view(WIDE[wide])) for wide in ("f16", "bf16")]
    for found, (_, x) in zip(truncated(type, inputs, elementwise), inputs, strict=True):
        assert equal_codes(found, expected_codes(x, type), type)


def around(type: str) -> Any:
    """Numbers at, just below and just above every tie and every code of a type, as f64."""
    finite = np.array(sorted({abs(value(int(c), type)) for c in codes(type)} - {float("inf")}))
    finite = finite[np.isfinite(finite)]
    places = np.concatenate(
        [finite, (finite[1:] + finite[:-1]) / 2, [2 * finite[-1], 1.5 * finite[-1], finite[0] / 2, 0.0]]
    )
    places = np.append(places, finite[-1] + (finite[-1] - finite[-2]) / 2)
    near = np.concatenate([places, np.nextafter(places, np.inf), np.nextafter(places, -np.inf)])
    return np.concatenate([near, -near, [np.inf, -np.inf, np.nan, 1e-300, -1e300]])


@pytest.mark.parametrize("type", FORMATS)
def test_ties_are_rounded_once(type: str, elementwise: Any) -> None:
    """A step of f64 beside a tie is lost in f32: the result must know of it."""
    with np.errstate(over="ignore"):
        places = around(type).astype(np.float32)
    up, down = (np.nextafter(places, np.float32(end)) for end in (np.inf, -np.inf))
    x64 = around(type)
    inputs = [("f64", np.resize(x64, 3 * places.size)), ("f32", np.concatenate([places, up, down]))]
    for found, (_, x) in zip(truncated(type, inputs, elementwise), inputs, strict=True):
        assert equal_codes(found, expected_codes(x, type), type)


@pytest.mark.parametrize("type", FORMATS)
def test_the_reference_rounds_the_same_way(type: str) -> None:
    for x in (around(type), np.arange(1 << 16, dtype=np.uint16).view(np.float16)):
        found = convert_float(x, np.dtype(FORMATS[type].dtype)).view(np.uint8)
        assert equal_codes(found, expected_codes(x, type), type)


@pytest.mark.parametrize("type", [t for t, f in FORMATS.items() if f.kind != "powers"])
def test_integers_and_bits(type: str, elementwise: Any) -> None:
    """To and from integers, and the pattern itself, of every code that is a number in range."""
    f = FORMATS[type]
    all_codes = codes(type)
    numbers = np.array([value(int(c), type) for c in all_codes])
    usable = np.isfinite(numbers)
    integers = np.arange(-600, 600, dtype=np.int32)
    bits = f"i{f.width}"
    lines = f"""  %y0 = arith.fptosi %x0 : {type} to i32
  %y1 = arith.sitofp %x1 : i32 to {type}
  %bits = arith.bitcast %x0 : {type} to {bits}
  %y2 = arith.bitcast %bits : {bits} to {type}"""
    x = np.resize(all_codes, integers.size).view(f.dtype)
    found = elementwise(lines, [(type, x), ("i32", integers)], [("i32", np.int32), (type, f.dtype), (type, f.dtype)])
    count = len(all_codes)
    assert (found[0][:count][usable] == np.trunc(numbers[usable])).all()
    assert equal_codes(found[1].view(np.uint8), expected_codes(integers, type), type)
    assert (found[2].view(np.uint8) == x.view(np.uint8)).all()


def nearest_tf32(x: Any) -> Any:
    """numpy rounds 10 bits after the point where it scales the number to integers of 11 bits."""
    fraction, exponent = np.frexp(np.where(np.isfinite(x), x, 0).astype(np.float64))
    exponent = np.maximum(exponent, -125)
    scaled = np.ldexp(np.round(np.ldexp(np.ldexp(fraction, np.frexp(x)[1]), 11 - exponent)), exponent - 11)
    scaled = np.where(np.abs(scaled) >= 2.0**128, np.copysign(np.inf, x), scaled)
    return np.where(np.isfinite(x), np.copysign(scaled, x), x)


def test_tf32_has_ten_bits_after_the_point(elementwise: Any) -> None:
    rng = np.random.default_rng(3)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1e-40, -3e-42, 3.4028e38, 1e308]
    x64 = np.concatenate([special, rng.standard_normal(500) * 2.0 ** rng.integers(-140, 120, 500)])
    x64 = np.append(x64, (1 + 2.0**-11) * (1 + 2.0**-40))  # above a tie by less than f32 has
    with np.errstate(over="ignore"):
        x32 = x64.astype(np.float32)
    lines = """  %y0 = arith.truncf %x0 : f64 to tf32
  %y1 = arith.truncf %x1 : f32 to tf32
  %bits = arith.bitcast %y1 : tf32 to i19
  %y2 = arith.bitcast %bits : i19 to tf32"""
    found = elementwise(lines, [("f64", x64), ("f32", x32)], [("tf32", np.float32)] * 3)
    with np.errstate(all="ignore"):
        for result, x in zip(found, (x64, x32, x32), strict=True):
            assert same(result.astype(np.float64), nearest_tf32(x.astype(np.float64)))
            assert same(to_float(x, TF32).astype(np.float64), nearest_tf32(x.astype(np.float64)))
