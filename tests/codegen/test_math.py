"""Functions of math: transcendentals within their stated bound, rsqrt, and approximations under fast-math."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.codegen.mathematics import BINARY_FUNCTIONS, FUNCTIONS, evaluate, evaluate_binary

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's about overflow and NaN in the oracles
Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
ORACLES: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "tanh": np.tanh, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan,
    "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc), "sinh": np.sinh, "cosh": np.cosh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "asin": np.arcsin, "acos": np.arccos,
    "cbrt": np.cbrt,
}  # fmt: skip
VALUES = np.array([math.nan, math.inf, -math.inf, 0.0, -0.0, *np.linspace(-12, 12, 97), 1e-6, 50.0, -50.0])


def units_apart(found: Array, exact: Array) -> Array:
    """Distance in units in the last place of the exact result."""
    info = ml_dtypes.finfo(found.dtype)
    magnitude = np.maximum(np.abs(exact), float(info.smallest_normal))
    unit = 2.0 ** (np.floor(np.log2(magnitude)) - info.nmant)
    return np.abs(found.astype(np.float64) - exact) / unit


@pytest.mark.parametrize("type", TYPES)
def test_transcendentals(type: str, elementwise: Any) -> None:
    """Half an ulp more than stated in f16 and bf16, whose last rounding comes on top."""
    names = [n for n in FUNCTIONS if n in ORACLES]
    x = VALUES.astype(TYPES[type])
    lines = "\n".join(f"  %y{i} = math.{n} %x0 : {type}" for i, n in enumerate(names))
    found = elementwise(lines, [(type, x)], [(type, TYPES[type])] * len(names))
    for name, result in zip(names, found, strict=True):
        exact = ORACLES[name](x.astype(np.float64))
        rounded = exact.astype(result.dtype).astype(np.float64)
        finite = np.isfinite(rounded)
        assert np.array_equal(np.isnan(result.astype(np.float64)), np.isnan(exact)), name
        assert np.array_equal(result.astype(np.float64)[np.isinf(rounded)], rounded[np.isinf(rounded)]), name
        bound = FUNCTIONS[name].ulps[32] if type == "f32" else 1.0
        assert units_apart(result[finite], exact[finite]).max() <= bound, name


def test_double_precision(elementwise: Any) -> None:
    x = np.linspace(-3, 3, 64)
    lines = "  %y0 = math.exp %x0 : f64\n  %y1 = math.sin %x0 : f64"
    exponential, sine = elementwise(lines, [("f64", x)], [("f64", np.float64)] * 2)
    assert np.allclose(exponential, np.exp(x), rtol=4e-16, atol=0)
    assert np.allclose(sine, np.sin(x), rtol=4e-16, atol=0)


def test_sincos_and_rsqrt(elementwise: Any) -> None:
    x = np.array([0.25, 1.0, 2.0, 4.0, 9.0, math.inf, 1e-30, 3.0], np.float32)
    lines = "  %y0, %y1 = math.sincos %x0 : f32\n  %y2 = math.rsqrt %x0 : f32"
    sine, cosine, root = elementwise(lines, [("f32", x)], [("f32", np.float32)] * 3)
    wide = x.astype(np.float64)
    finite = np.isfinite(wide)
    assert np.allclose(sine[finite], np.sin(wide[finite]), rtol=2e-7)
    assert np.allclose(cosine[finite], np.cos(wide[finite]), rtol=2e-7)
    assert np.isnan(sine[~finite]).all() and np.isnan(cosine[~finite]).all()
    assert np.allclose(root, 1 / np.sqrt(wide), rtol=2e-7)


APPROXIMATE = {
    "exp2": "ex2.approx.ftz", "exp": "ex2.approx.ftz", "log2": "lg2.approx.ftz", "log": "lg2.approx.ftz",
    "log10": "lg2.approx.ftz", "rsqrt": "rsqrt.approx.ftz",
    "sqrt": "sqrt.approx", "tanh": "ex2.approx.ftz",
}  # fmt: skip
PART_OF_THE_EXPANSION = ("exp", "tanh")


@pytest.mark.parametrize("name", APPROXIMATE)
def test_approximations_need_permission(name: str, build: Any, text: Any, run: Any) -> None:
    def program(flags: str) -> str:
        return str(
            text(
                "%a: memref<64xf32>, %c: memref<64xf32>",
                f"""  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64xf32>
  %y = math.{name} %x {flags} : f32
  memref.store %y, %c[%t] : memref<64xf32>""",
            )
        )

    plain, approximate = (build(program(flags)).assembly for flags in ("", "fastmath<afn>"))
    assert (APPROXIMATE[name] in plain) == (name in PART_OF_THE_EXPANSION)
    assert APPROXIMATE[name] in approximate and len(approximate.splitlines()) <= len(plain.splitlines())
    x = np.linspace(0.5, 3, 64).astype(np.float32)
    oracle = {"rsqrt": lambda v: 1 / np.sqrt(v), "sqrt": np.sqrt, **ORACLES}[name]
    _, found = run(program("fastmath<fast>"), [x, np.zeros_like(x)])
    assert np.allclose(found, oracle(x.astype(np.float64)), rtol=1e-5, atol=1e-6)


def operands(type: str) -> Array:
    """Ordinary numbers, thresholds, and every kind of special one."""
    real = {"f32": np.float32, "f64": np.float64}[type]
    info = np.finfo(real)
    least = info.smallest_subnormal
    extremes = [info.max, info.tiny, least, 3 * least, 1e5, 1e20, 88.8, 709.9, 10.05, 27.22]
    return np.array([*VALUES, *extremes, *(-x for x in extremes), 0.25, 0.75, -0.99, 1.25]).astype(real)


def assert_same_bits(found: Array, wanted: Array, name: str) -> None:
    integer = f"u{wanted.itemsize}"
    same = (found.view(integer) == wanted.view(integer)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), f"{name}: {found[~same][:4]}, not {wanted[~same][:4]}"


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_emitted_code_has_the_bits_of_the_expansions(type: str, elementwise: Any) -> None:
    x = operands(type)
    lines = "\n".join(f"  %y{i} = math.{n} %x0 : {type}" for i, n in enumerate(FUNCTIONS))
    found = elementwise(lines, [(type, x)], [(type, x.dtype)] * len(FUNCTIONS))
    for name, result in zip(FUNCTIONS, found, strict=True):
        assert_same_bits(result, evaluate(FUNCTIONS[name], x), name)


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_binary_functions_have_the_bits_of_the_expansions(type: str, elementwise: Any) -> None:
    x, generator = np.tile(operands(type), 8), np.random.default_rng(4)
    y, integer = generator.permutation(x), f"i{type[1:]}"
    n = generator.choice([0, 1, -1, 2, 3, 4, 5, -7, 64, 2**31 - 1, -(2**31)], x.size).astype(f"i{x.itemsize}")
    lines = f"""  %y0 = math.powf %x0, %x1 : {type}
  %y1 = math.atan2 %x0, %x1 : {type}
  %y2 = math.fpowi %x0, %x2 : {type}, {integer}"""
    found = elementwise(lines, [(type, x), (type, y), (integer, n)], [(type, x.dtype)] * 3)
    for name, second, result in zip(("powf", "atan2", "fpowi"), (y, y, n), found, strict=True):
        assert_same_bits(result, evaluate_binary(BINARY_FUNCTIONS[name], x, second), name)


def test_integer_powers_of_floats_take_any_integer(elementwise: Any) -> None:
    """Exponents of other widths than the float's, parity included, and constants, which are products where small."""
    x = np.array([2.0, -2.0, -1.0, 1.0, 0.5, -1.5, 3.0, -0.0], np.float32)
    narrow = np.array([3, -3, 127, -128, 5, 6, -2, 3], np.int8)
    wide = np.array([2**40, -(2**40) - 1, 2**63 - 1, -(2**63), 2**33 + 1, 2, -3, -(2**50) - 1], np.int64)
    lines = """  %c = arith.constant 3 : i32
  %d = arith.constant -2 : i64
  %y0 = math.fpowi %x0, %x1 : f32, i8
  %y1 = math.fpowi %x0, %x2 : f32, i64
  %y2 = math.fpowi %x0, %c : f32, i32
  %y3 = math.fpowi %x0, %d : f32, i64
  %h = arith.truncf %x0 : f32 to f16
  %y4 = math.fpowi %h, %x1 : f16, i8"""
    inputs = [("f32", x), ("i8", narrow), ("i64", wide)]
    found = elementwise(lines, inputs, [("f32", np.float32)] * 4 + [("f16", np.float16)])
    exact = (
        [8, -0.125, -1, 1, 2.0**-5, 1.5**6, np.float32(1 / 9), -0.0],
        [math.inf, -0.0, -1, 1, 0, 2.25, np.float32(1 / 27), -math.inf],
        [8, -8, -1, 1, 0.125, -3.375, 27, -0.0],
        [0.25, 0.25, 1, 1, 4, np.float32(1 / 2.25), np.float32(1 / 9), math.inf],
        [8, -0.125, -1, 1, 2.0**-5, 1.5**6, np.float16(1 / 9), -0.0],
    )
    for result, wanted in zip(found, exact, strict=True):
        np.testing.assert_array_equal(result, np.array(wanted, result.dtype))
        np.testing.assert_array_equal(np.signbit(result), np.signbit(np.array(wanted, result.dtype)))


@pytest.mark.parametrize("bits", [1, 8, 16, 32, 64])
def test_integer_powers_wrap(bits: int, elementwise: Any) -> None:
    generator = np.random.default_rng(bits)
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    edges = [v for v in (low, low + 1, -3, -2, -1, 0, 1, 2, 3, 7, high) if low <= v <= high]
    pairs = [(b, e) for b in edges for e in edges]
    pairs += [(int(b), int(e)) for b, e in generator.integers(low, high, (60, 2), endpoint=True, dtype=np.int64)]
    constants = {2: 5, 3: -3, 4: 0} if bits > 1 else {}
    type, dtype = f"i{bits}", np.bool_ if bits == 1 else np.dtype(f"i{bits // 8}")
    lines = f"  %y0 = math.ipowi %x0, %x1 : {type}\n" + "\n".join(
        f"  %c{i} = arith.constant {n} : {type}\n  %y{i - 1} = math.ipowi %x0, %c{i} : {type}"
        for i, n in constants.items()
    )
    base, exponent = (np.array(column).astype(dtype) for column in zip(*pairs, strict=True))
    found = elementwise(lines, [(type, base), (type, exponent)], [(type, dtype)] * (1 + len(constants)))

    def exact(b: int, e: int) -> int:
        power = pow(b, e, 1 << bits) if e >= 0 else b ** (e & 1) if abs(b) == 1 else 0
        return (power - low) % (1 << bits) + low

    for result, exponents in zip(
        found, [[e for _, e in pairs], *([n] * len(pairs) for n in constants.values())], strict=True
    ):
        wanted = np.array([exact(b, e) for (b, _), e in zip(pairs, exponents, strict=True)]).astype(dtype)
        np.testing.assert_array_equal(result, wanted)


def test_vectors_go_element_by_element(run: Any, text: Any) -> None:
    source = text(
        "%a: memref<64x2xf32>, %n: memref<64x2xi32>, %c: memref<64x2xf32>, %d: memref<64x2xi32>",
        """  %t = gpu.thread_id x
  %z = arith.constant 0 : index
  %x = vector.load %a[%t, %z] : memref<64x2xf32>, vector<2xf32>
  %m = vector.load %n[%t, %z] : memref<64x2xi32>, vector<2xi32>
  %y = math.fpowi %x, %m : vector<2xf32>, vector<2xi32>
  %w = math.ipowi %m, %m : vector<2xi32>
  vector.store %y, %c[%t, %z] : memref<64x2xf32>, vector<2xf32>
  vector.store %w, %d[%t, %z] : memref<64x2xi32>, vector<2xi32>""",
    )
    x = np.linspace(1, 2, 128, dtype=np.float32).reshape(64, 2)
    n = (np.arange(128, dtype=np.int32) % 9).reshape(64, 2)
    *_, powers, whole = run(source, [x, n, np.zeros_like(x), np.zeros_like(n)])
    assert_same_bits(powers, evaluate_binary(BINARY_FUNCTIONS["fpowi"], x, n), "fpowi")
    np.testing.assert_array_equal(whole, [[v**v for v in row] for row in n.tolist()])
