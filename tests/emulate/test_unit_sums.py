"""Sums as matrix units form them: what the emulators make of a kernel is what the models say of its matrices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.emulate.unit_sums import UnitSum, cdna2, cdna3, chain, of_matrix_core, of_tensor_core, tensor_core, whole
from lanewise.targets import find_chip, matrix_instructions, warpgroup_instructions
from lanewise.targets.accumulation import accumulation
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


NAMES = {
    "f8E4M3FN": ("e4m3", "fp8"),
    "f8E5M2": ("e5m2", "bf8"),
    "f8E4M3FNUZ": ("", "fp8"),
    "f8E5M2FNUZ": ("", "bf8"),
    "tf32": ("tf32", "xf32"),
}
"""What PTX and AMD's instructions call types that the table calls otherwise."""
CUT = [
    (chip, i)
    for chip in ("sm_75", "sm_80", "sm_89", "sm_90a", "gfx942", "gfx950")
    for i in (*matrix_instructions(find_chip(chip)), *warpgroup_instructions(find_chip(chip)))
    if (unit := accumulation(i, find_chip(chip))) is not None and unit.fraction_bits is not None
]


@pytest.mark.parametrize("chip", dict.fromkeys(chip for chip, _ in CUT))
def test_small_addends_beside_a_large_one_are_cut_where_the_table_says(chip: str) -> None:
    """Of two addends between 1 and -1 the part below the cut is gone before they are added, and what is above stays."""
    for i in (i for other, i in CUT if other == chip):
        unit, k, amd = accumulation(i, find_chip(chip)), i.shape[2], chip.startswith("gfx")
        assert unit is not None and unit.fraction_bits is not None and unit.group >= 4
        a_type, b_type = (NAMES.get(t, (t, t))[amd] for t in (i.a_type, i.b_type))
        add = (
            of_matrix_core(chip, a_type, b_type, i.c_type, k, 4)
            if amd
            else of_tensor_core(chip, a_type, b_type, i.c_type, k)
        )
        assert add is not None
        lost = 2.0 ** -(unit.fraction_bits + 1)
        a, b = np.zeros((1, k)), np.zeros((k, 1))
        a[0, :4], b[:4, 0] = (1, 1, 1, -1), (1, lost, lost, 1)
        start = np.zeros((1, 1))
        assert add(a, b, start) == 0, i.name
        b[1:3] *= 2
        assert add(a, b, start) == (4 * lost if i.c_type == "f32" else np.float16(4 * lost)), i.name


def test_sums_without_a_model_are_exact() -> None:
    assert of_tensor_core("sm_80", "s8", "s8", "s32", 32) is None
    assert of_tensor_core("sm_80", "f64", "f64", "f64", 4) is None
    assert of_matrix_core("gfx950", "fp4", "fp4", "f32", 128, 32) is None


def test_another_name_is_refused() -> None:
    with pytest.raises(lanewise.DeviceError, match="arithmetic is one of exact, unit, found 'fast'"):
        lanewise.EmulatedDevice("sm_80", arithmetic="fast")  # type: ignore[arg-type]


def test_without_the_emulator_it_is_refused() -> None:
    kernel = lanewise.compile(ROOT / "examples/vector_add.mlir", target="sm_80")
    x = np.ones(4, np.float32)
    with pytest.raises(lanewise.LanewiseError, match="arithmetic 'unit' is the emulator's: 'emulated' is expected"):
        lanewise.validate(kernel, 1, x, x.copy(), x.copy(), on=["interpret"], arithmetic="unit")
