"""Floating-point instructions against rational arithmetic rounded by an independent oracle."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt

import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.floats import fma_f64

FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}
TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
MODES = ["rn", "rz", "rm", "rp"]


def rounded(x: Fraction, name: str, mode: str) -> float:
    """x (not zero) in a format, straight from the definition: scale, round the integer, scale back."""
    precision, lowest, highest = FORMATS[name]
    magnitude = abs(x)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > magnitude
    unit = Fraction(2) ** (max(exponent, lowest) - precision + 1)
    scaled = x / unit
    low = floor(scaled)
    rest = scaled - low
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1),
        "rz": rest > 0 and x < 0,
        "rm": False,
        "rp": rest > 0,
    }[mode]
    result = (low + up) * unit
    limit = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** highest
    if abs(result) > limit:
        stays = mode == "rz" or (mode == "rm" and x > 0) or (mode == "rp" and x < 0)
        return float(limit if x > 0 else -limit) if stays else float("inf") * (1 if x > 0 else -1)
    return float(result)


def samples(name: str, count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 1 << 8 * np.dtype(TYPES[name]).itemsize - 1, count, np.uint64)
    wild = bits.astype(f"u{np.dtype(TYPES[name]).itemsize}").view(TYPES[name])
    tame = (rng.standard_normal(count) * 2.0 ** rng.integers(-3, 4, count)).astype(TYPES[name])
    values = np.where(rng.integers(0, 2, count) == 0, wild, tame)
    values = np.where(np.isfinite(values.astype(np.float64)), values, TYPES[name](1))
    values = values * rng.choice([-1, 1], count).astype(TYPES[name])
    return np.where(np.isfinite(values.astype(np.float64)) & (values != 0), values, TYPES[name](1.5))


EXACT = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "fma": lambda a, b, c: a * b + c,
    "div": lambda a, b, c: a / b,
}
ARITY = {"add": 2, "sub": 2, "mul": 2, "fma": 3, "div": 2}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("op", sorted(EXACT))
def test_one_rounding(bench, op, name, mode):
    check_rounding(bench, op, name, mode)


@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "fma"])
def test_one_rounding_of_narrow_formats(bench, op, name):
    check_rounding(bench, op, name, "rn")


def check_rounding(bench, op, name, mode):
    a, b, c = (samples(name, 150, seed) for seed in (1, 2, 3))
    # Addends that nearly cancel the product, and ones far below it, are where a second rounding would show.
    with np.errstate(over="ignore", under="ignore"):
        product = a.astype(np.float64) * b.astype(np.float64)
        c[:50] = -product[:50].astype(TYPES[name])
        c[50:80] = (product[50:80] * 2.0 ** -FORMATS[name][0]).astype(TYPES[name])
    c = np.where(np.isfinite(c.astype(np.float64)), c, TYPES[name](1))
    lines = f"{op}.{mode}.{name} %d, {', '.join(f'%a{n}' for n in range(ARITY[op]))};"
    found = bench.evaluate(lines, [a, b, c], TYPES[name]).astype(np.float64)
    for x, y, z, got in zip(a, b, c, found, strict=True):
        exact = EXACT[op](*(Fraction(float(v)) for v in (x, y, z)))
        if exact == 0:
            assert got == 0
        else:
            want = rounded(exact, name, mode)
            assert got == want and np.signbit(got) == (exact < 0), (x, y, z, got, want)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f32", "f64"])
def test_square_root_and_reciprocal(bench, name, mode):
    a = np.abs(samples(name, 120, 5))
    a[:4] = [4, 2, 9, 0.25]
    found = bench.evaluate(f"sqrt.{mode}.{name} %d, %a0;", [a], TYPES[name]).astype(np.float64)
    for x, got in zip(a, found, strict=True):
        exact = Fraction(float(x)) * Fraction(4) ** 600
        root = Fraction(isqrt(exact.numerator // exact.denominator), 2**600)
        exactly = root * root == Fraction(float(x))
        assert got == rounded(root if exactly else root + Fraction(1, 2**700), name, mode), x
    found = bench.evaluate(f"rcp.{mode}.{name} %d, %a0;", [a], TYPES[name]).astype(np.float64)
    assert found.tolist() == [rounded(1 / Fraction(float(x)), name, mode) for x in a]


def test_fma_is_not_two_roundings(bench):
    a = np.float32([4097])
    assert bench.evaluate("fma.rn.f32 %d, %a0, %a0, 0fCB801000;", [a], np.float32).tolist() == [1.0]
    assert bench.evaluate("mul.rn.f32 %a0, %a0, %a0;\nadd.rn.f32 %d, %a0, 0fCB801000;", [a], np.float32).tolist() == [
        0.0
    ]


def test_packed_halves_work_separately(bench):
    a = np.float16([1, 2, 2048, -3]).view(np.uint32)
    b = np.float16([0.5, 4, 1, 5]).view(np.uint32)
    found = bench.evaluate("fma.rn.f16x2 %d, %a0, %a1, %a0;", [a, b], np.uint32).view(np.float16)
    assert found.tolist() == [1.5, 10, 4096, -18]
    x = np.array([1, 2, 256, -3], ml_dtypes.bfloat16).view(np.uint32)
    y = np.array([0.5, 4, 1, 5], ml_dtypes.bfloat16).view(np.uint32)
    found = bench.evaluate("add.rn.bf16x2 %d, %a0, %a1;", [x, y], np.uint32).view(ml_dtypes.bfloat16)
    assert found.astype(float).tolist() == [1.5, 6, 256, 2]
    assert bench.evaluate("neg.f16x2 %d, %a0;", [a], np.uint32).view(np.float16).tolist() == [-1, -2, -2048, 3]


NAN = float("nan")
LEFT = np.float32([NAN, 1, NAN, -0.0, 0.0, -np.inf, 3])
RIGHT = np.float32([1, NAN, NAN, 0.0, -0.0, NAN, 2])


def same(found, expected):
    expected = np.asarray(expected, found.dtype)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    known = ~np.isnan(found)
    np.testing.assert_array_equal(found[known], expected[known])
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))


def test_minimum_and_maximum_of_special_values(bench):
    # Rows of the table for maximumf/maxnumf; PTX orders -0 below +0 in all forms.
    same(bench.evaluate("max.NaN.f32 %d, %a0, %a1;", [LEFT, RIGHT], np.float32), [NAN, NAN, NAN, 0.0, 0.0, NAN, 3])
    same(bench.evaluate("max.f32 %d, %a0, %a1;", [LEFT, RIGHT], np.float32), [1, 1, NAN, 0.0, 0.0, -np.inf, 3])
    same(bench.evaluate("min.NaN.f32 %d, %a0, %a1;", [LEFT, RIGHT], np.float32), [NAN, NAN, NAN, -0.0, -0.0, NAN, 2])
    same(bench.evaluate("min.f32 %d, %a0, %a1;", [LEFT, RIGHT], np.float32), [1, 1, NAN, -0.0, -0.0, -np.inf, 2])
    bits = bench.evaluate("max.NaN.f32 %d, %a0, %a1;", [LEFT[:1], RIGHT[:1]], np.uint32)
    assert bits.tolist() == [0x7FFFFFFF]


@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_ordered_and_unordered_comparisons(bench, op):
    relation = {"eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}[op]
    pairs = [(float(a), float(b)) for a, b in zip(LEFT, RIGHT, strict=True)]
    unordered = [a != a or b != b for a, b in pairs]
    plain = [getattr(a, relation)(b) for a, b in pairs]
    for suffix, nan_value in (("", False), ("u", True)):
        lines = f"setp.{op}{suffix}.f32 %p2, %a0, %a1;\nselp.b32 %d, 1, 0, %p2;"
        found = bench.evaluate(lines, [LEFT, RIGHT], np.uint32).tolist()
        assert found == [int(nan_value if u else p) for u, p in zip(unordered, plain, strict=True)]
    for form, expected in (("nan", unordered), ("num", [not u for u in unordered])):
        lines = f"setp.{form}.f32 %p2, %a0, %a1;\nselp.b32 %d, 1, 0, %p2;"
        assert bench.evaluate(lines, [LEFT, RIGHT], np.uint32).tolist() == [int(e) for e in expected]


def test_flush_saturate_relu_and_signs(bench):
    tiny = np.float32([1e-40, -1e-40, 2.0**-126])
    same(bench.evaluate("add.ftz.f32 %d, %a0, 0f80000000;", [tiny], np.float32), [0.0, -0.0, 2.0**-126])
    same(bench.evaluate("add.f32 %d, %a0, 0f80000000;", [tiny], np.float32), tiny)
    same(
        bench.evaluate("mul.sat.f32 %d, %a0, 0f3F800000;", [np.float32([2, -1, 0.5, NAN])], np.float32), [1, 0, 0.5, 0]
    )
    same(bench.evaluate("neg.f32 %d, %a0;", [np.float32([0.0, -2, np.inf])], np.float32), [-0.0, 2, -np.inf])
    same(
        bench.evaluate("copysign.f32 %d, %a0, %a1;", [np.float32([-0.0, 1]), np.float32([3, -4])], np.float32), [-3, 4]
    )
    found = bench.evaluate("testp.subnormal.f32 %p2, %a0;\nselp.b32 %d, 1, 0, %p2;", [tiny], np.uint32)
    assert found.tolist() == [1, 1, 0]


def test_approximations_are_close(bench):
    x = np.float32(np.linspace(0.1, 3, 50))
    for op, exact in (
        ("ex2", np.exp2),
        ("lg2", np.log2),
        ("sin", np.sin),
        ("cos", np.cos),
        ("tanh", np.tanh),
        ("rsqrt", lambda v: v**-0.5),
    ):
        found = bench.evaluate(f"{op}.approx.f32 %d, %a0;", [x], np.float32)
        np.testing.assert_allclose(found, exact(x.astype(np.float64)), rtol=1e-6, atol=1e-6)


def test_truncation_table(bench):
    """The table of facts about rounding to f16 and bf16."""
    f16 = np.float32([65519.996, 65520, 2049, 2051, 2.0**-25, 1.5 * 2.0**-25])
    found = bench.evaluate("cvt.rn.f16.f32 %d, %a0;", [f16], np.float16)
    same(found, [65504, np.inf, 2048, 2052, 0, 2.0**-24])
    bf16 = np.float32([1 + 2.0**-8, 1 + 3 * 2.0**-8, 3.4e38])
    found = bench.evaluate("cvt.rn.bf16.f32 %d, %a0;", [bf16], ml_dtypes.bfloat16).astype(np.float32)
    same(found, [1, 1.015625, np.inf])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("out", "source"), [("f32", "f64"), ("f16", "f32"), ("f16", "f64"), ("bf16", "f32")])
def test_narrowing(bench, out, source, mode):
    rng = np.random.default_rng(9)
    x = (rng.standard_normal(200) * 2.0 ** rng.integers(-30, 16, 200)).astype(TYPES[source])
    found = bench.evaluate(f"cvt.{mode}.{out}.{source} %d, %a0;", [x], TYPES[out]).astype(np.float64)
    assert found.tolist() == [rounded(Fraction(float(v)), out, mode) for v in x]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("out", "kind", "bits"),
    [("f32", "s", 32), ("f32", "u", 64), ("f32", "s", 64), ("f64", "s", 64), ("f16", "s", 32), ("f64", "u", 64)],
)
def test_integers_to_floats(bench, out, kind, bits, mode):
    rng = np.random.default_rng(4)
    raw = rng.integers(0, 1 << 63, 100, np.uint64) >> rng.integers(0, 60, 100).astype(np.uint64)
    x = raw.astype(f"u{bits // 8}").view(f"{'i' if kind == 's' else 'u'}{bits // 8}")
    x = np.concatenate([x, -x]) if kind == "s" else x
    x = np.where(x == 0, x.dtype.type(16777217), x)
    found = bench.evaluate(f"cvt.{mode}.{out}.{kind}{bits} %d, %a0;", [x], TYPES[out]).astype(np.float64)
    assert found.tolist() == [rounded(Fraction(int(v)), out, mode) for v in x]


def test_floats_to_integers(bench):
    x = np.float32([2.5, -2.5, 3.5, 1e20, -1e20, NAN, 2147483648.0, -0.5])
    table = {
        "rzi": [2, -2, 3, 2**31 - 1, -(2**31), 0, 2**31 - 1, 0],
        "rni": [2, -2, 4, 2**31 - 1, -(2**31), 0, 2**31 - 1, 0],
        "rmi": [2, -3, 3, 2**31 - 1, -(2**31), 0, 2**31 - 1, -1],
        "rpi": [3, -2, 4, 2**31 - 1, -(2**31), 0, 2**31 - 1, 0],
    }
    for mode, expected in table.items():
        assert bench.evaluate(f"cvt.{mode}.s32.f32 %d, %a0;", [x], np.int32).tolist() == expected
    assert bench.evaluate("cvt.rzi.u32.f32 %d, %a0;", [np.float32([-5, 4e9, 1e10])], np.uint32).tolist() == [
        0,
        4000000000,
        2**32 - 1,
    ]
    same(bench.evaluate("cvt.rpi.f32.f32 %d, %a0;", [np.float32([-0.5, 1.25])], np.float32), [-0.0, 2])


def test_packed_and_eight_bit_conversions(bench):
    a, b = np.float32([1.5, 1000, -3]), np.float32([2, -0.0625, 1e-9])
    pair = bench.evaluate("cvt.rn.f16x2.f32 %d, %a0, %a1;", [a, b], np.uint32).view(np.float16).reshape(-1, 2)
    np.testing.assert_array_equal(pair, np.stack([b, a], 1).astype(np.float16))  # the first source is the upper half
    eight = bench.evaluate("cvt.rn.satfinite.e4m3x2.f32 %d, %a0, %a1;", [a, b], np.uint16).view(np.uint8).reshape(-1, 2)
    values = eight.view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    np.testing.assert_array_equal(values, np.float32([[2, 1.5], [-0.0625, 448], [0, -3]]))
    back = bench.evaluate("cvt.rn.f16x2.e4m3x2 %d, %a0;", [eight.view(np.uint16).reshape(-1)], np.uint32).view(
        np.float16
    )
    np.testing.assert_array_equal(back.reshape(-1, 2), values.astype(np.float16))


def test_tf32_rounds_halves_away(bench):
    x = np.uint32([0x3F801000, 0x3F800FFF, 0xBF801000, 0x3F803000])
    found = bench.evaluate("cvt.rna.tf32.f32 %d, %a0;", [x], np.uint32)
    assert found.tolist() == [0x3F802000, 0x3F800000, 0xBF802000, 0x3F804000]


def test_fma_of_single_numbers_with_extreme_exponents():
    """Where the error-free parts would underflow, also of numbers that all threads share."""
    with np.errstate(all="ignore"):
        assert fma_f64(np.float64(2.0**-600), np.float64(2.0**-474), np.float64(0)) == 2.0**-1074
        assert fma_f64(np.float64(2.0**1000), np.float64(2.0**-1000), np.float64(2.0**950)) == 2.0**950
