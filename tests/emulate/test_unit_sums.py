"""Sums as matrix units form them: what the emulators make of a kernel is what the models say of its matrices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.emulate.unit_sums import (
    UnitSum,
    cdna2,
    cdna3,
    chain,
    of_matrix_core,
    of_tensor_core,
    tensor_core,
    whole,
)
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
ROWS, DEPTH = 128, 64
MODELS: dict[str, UnitSum] = {
    "sm_75": tensor_core(8, 24, "f32"),
    "sm_80": tensor_core(8, 24, "f32"),
    "sm_90": tensor_core(16, 25, "f32"),
    "sm_90a": tensor_core(16, 25, "f32"),
    "gfx908": cdna2(flushes=False),
    "gfx90a": cdna2(flushes=True),
    "gfx942": cdna3(8),
    "gfx1100": chain(np.float32),
}
"""Of products of f16."""


def launched(target: str, a: NDArray[Any], b: NDArray[Any], arithmetic: Any) -> NDArray[Any]:
    """On sm_90a by wgmma, elsewhere by instructions of one subgroup."""
    device = lanewise.EmulatedDevice(target, arithmetic=arithmetic)
    kernel = lanewise.compile(ROOT / "examples/matmul_f16.mlir", target=target, device=device)
    result = np.empty((ROWS, ROWS), np.float32)
    kernel[1](a, b, result)
    assert device.counters is not None and device.counters.matrix_instructions
    return result


@pytest.mark.parametrize("target", MODELS)
def test_products_of_the_emulator_are_those_of_the_model(target: str) -> None:
    """Of numbers that are the same along K, which instructions take in another order than the program has."""
    random = np.random.default_rng(1)
    a = np.repeat(random.standard_normal((ROWS, 1)).astype(np.float16), DEPTH, axis=1)
    b = np.repeat(random.standard_normal((1, ROWS)).astype(np.float16), DEPTH, axis=0)
    expected = MODELS[target](a.astype(np.float64), b.astype(np.float64), np.zeros((ROWS, ROWS)))
    unit, exact = launched(target, a, b, "unit"), launched(target, a, b, "exact")
    assert np.array_equal(unit, expected.astype(np.float32))
    # of eight equal products CDNA 3 loses nothing but what it rounds once, as the exact sum does
    assert np.array_equal(unit, exact) == (target == "gfx942")


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942"])
def test_what_is_exact_and_what_is_no_number_is_the_same(target: str) -> None:
    random = np.random.default_rng(2)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((ROWS, DEPTH), (DEPTH, ROWS)))
    a[3, 5], a[4, 6], b[7, 9] = np.inf, np.nan, -np.inf
    assert np.array_equal(launched(target, a, b, "unit"), launched(target, a, b, "exact"), equal_nan=True)


def test_overflow_is_infinite() -> None:
    big = np.full((1, 16), 60000.0)
    sums = whole(tensor_core(16, 25, "f16"), big, big.T, np.zeros((1, 1)), "f16")
    with np.errstate(over="ignore"):
        assert np.isposinf(sums.astype(np.float16)).all()


@pytest.mark.parametrize(
    ("add", "lost"),
    [
        (of_tensor_core("sm_80", "f16", "f32", 16), 2.0**-25),  # below the 24 bits of the largest addend
        (of_tensor_core("sm_90", "bf16", "f32", 16), 2.0**-26),
        (of_tensor_core("sm_89", "e4m3", "f32", 32), 2.0**-14),
        (of_tensor_core("sm_80", "tf32", "f32", 4), 2.0**-25),
        (of_matrix_core("gfx942", "bf16", "f32", 16, 4), 2.0**-25),
        (of_matrix_core("gfx942", "fp8", "f32", 32, 8), 2.0**-25),
    ],
)
def test_small_addends_beside_a_large_one_are_cut(add: UnitSum | None, lost: float) -> None:
    """Two of them would be seen in the sum of four: of each the part below the cut is gone before they are added."""
    assert add is not None
    a, b = np.array([[1.0, 1.0, 1.0, -1.0]]), np.array([[1.0], [lost], [lost], [1.0]])
    zero = np.zeros((1, 1))
    assert add(a, b, zero) == 0
    assert add(a, b * [[1.0], [2.0], [2.0], [1.0]], zero) == 4 * lost


def test_sums_without_a_model_are_exact() -> None:
    assert of_tensor_core("sm_80", "s8", "s32", 32) is None
    assert of_tensor_core("sm_80", "f64", "f64", 4) is None
    assert of_matrix_core("gfx950", "fp4", "f32", 128, 32) is None


def test_another_name_is_refused() -> None:
    with pytest.raises(lanewise.DeviceError, match="arithmetic is one of exact, unit, found 'fast'"):
        lanewise.EmulatedDevice("sm_80", arithmetic="fast")  # type: ignore[arg-type]
