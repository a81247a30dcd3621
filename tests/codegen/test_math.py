"""Functions of math: transcendentals within their stated bound, rsqrt, and approximations under fast-math."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.codegen.mathematics import FUNCTIONS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's about overflow and NaN in the oracles
Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
ORACLES: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "tanh": np.tanh, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan,
    "erf": np.vectorize(math.erf),
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
    "exp2": "ex2.approx", "exp": "ex2.approx", "log2": "lg2.approx", "log": "lg2.approx", "log10": "lg2.approx",
    "sin": "sin.approx", "cos": "cos.approx", "rsqrt": "rsqrt.approx", "sqrt": "sqrt.approx",
}  # fmt: skip


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

    assert "approx" not in build(program("")).assembly
    assert APPROXIMATE[name] in build(program("fastmath<afn>")).assembly
    x = np.linspace(0.5, 3, 64).astype(np.float32)
    oracle = {"rsqrt": lambda v: 1 / np.sqrt(v), "sqrt": np.sqrt, **ORACLES}[name]
    _, found = run(program("fastmath<fast>"), [x, np.zeros_like(x)])
    assert np.allclose(found, oracle(x.astype(np.float64)), rtol=1e-5, atol=1e-6)
