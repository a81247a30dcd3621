"""The examples on AMD generations that differ most: what emulated machine text computes is what the program means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.reference.evaluate import run_kernel
from lanewise.targets import find_chip

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
CHIPS = ("gfx942", "gfx1030", "gfx1201")
Array = np.ndarray[Any, Any]
Grid = tuple[int, int, int]


def integers(*shape: int, dtype: Any = np.float32) -> Array:
    """Small integers, distinct along every axis: sums of them are exact in any order."""
    values = np.arange(np.prod(shape), dtype=np.int64)
    return ((values * 7 + values // 5) % 7 - 3).reshape(shape).astype(dtype)


def reals(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def empty(*shape: int) -> Array:
    return np.full(shape, np.nan, np.float32)


def vector_add(n: int) -> tuple[list[Array], Grid]:
    return [integers(n), integers(n)[::-1].copy(), empty(n)], (-(-n // 1024), 1, 1)


def transpose(m: int, n: int) -> tuple[list[Array], Grid]:
    return [integers(m, n), empty(n, m)], (-(-n // 64), -(-m // 64), 1)


def softmax(m: int, n: int) -> tuple[list[Array], Grid]:
    return [reals(m, n), empty(m, n)], (m, 1, 1)


def layer_norm(m: int, n: int) -> tuple[list[Array], Grid]:
    return [reals(m, n), reals(n), reals(n), empty(m, n)], (m, 1, 1)


def reduce_8x64() -> tuple[list[Array], Grid]:
    return [integers(8, 64), empty(8)], (1, 1, 1)


def matmul_f16(m: int, n: int, k: int) -> tuple[list[Array], Grid]:
    a, b = integers(m, k, dtype=np.float16), integers(k, n, dtype=np.float16)
    return [a, b, empty(m, n)], (-(-n // 128), -(-m // 128), 1)


EXACT = [(vector_add, (1000,)), (transpose, (67, 5)), (reduce_8x64, ()), (matmul_f16, (130, 70, 40))]
ROUNDED = [(softmax, (3, 1025)), (layer_norm, (2, 700))]
SMALL = [(vector_add, (1,)), (transpose, (1, 64)), (softmax, (2, 37)), (layer_norm, (2, 1)), (matmul_f16, (3, 5, 7))]


def outcomes(
    name: str, chip: str, arguments: Sequence[Array], grid: Grid, launch: Any, facts: Any = None
) -> tuple[Array, Array]:
    """The last argument after the emulated launch, and after the reference."""
    module = parse_program((EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8"))
    verify(module)
    compilation = Compilation(module, None, find_chip(chip), facts)
    found = launch(compilation.artifacts, arguments, grid)
    expected = [a.copy() for a in arguments]
    run_kernel(find_kernel(module), grid, expected, compilation.subgroup_size)
    for before, after in zip(arguments[:-1], found[:-1], strict=True):
        assert np.array_equal(before, after), "an input was written"
    return found[-1], expected[-1]


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("example", "sizes"), EXACT, ids=lambda x: getattr(x, "__name__", str(x)))
def test_exact(example: Any, sizes: tuple[int, ...], chip: str, launch: Any) -> None:
    arguments, grid = example(*sizes)
    found, expected = outcomes(example.__name__, chip, arguments, grid, launch)
    assert np.array_equal(found, expected)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["gfx90a", "gfx1100"])
@pytest.mark.parametrize(("example", "sizes"), EXACT, ids=lambda x: getattr(x, "__name__", str(x)))
def test_exact_in_near_buffers(example: Any, sizes: tuple[int, ...], chip: str, launch: Any) -> None:
    arguments, grid = example(*sizes)
    facts = dict.fromkeys(range(len(arguments)), ArgumentFacts(near=True))
    found, expected = outcomes(example.__name__, chip, arguments, grid, launch, facts)
    assert np.array_equal(found, expected)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("example", "sizes"), ROUNDED, ids=lambda x: getattr(x, "__name__", str(x)))
def test_rounded(example: Any, sizes: tuple[int, ...], chip: str, launch: Any) -> None:
    """Sums in another order: within a bound on the rounding of some hundred additions of numbers of size one."""
    arguments, grid = example(*sizes)
    found, expected = outcomes(example.__name__, chip, arguments, grid, launch)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(("example", "sizes"), SMALL, ids=lambda x: getattr(x, "__name__", str(x)))
def test_data_smaller_than_a_tile(example: Any, sizes: tuple[int, ...], chip: str, launch: Any) -> None:
    arguments, grid = example(*sizes)
    found, expected = outcomes(example.__name__, chip, arguments, grid, launch)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_with_facts(chip: str, launch: Any) -> None:
    """Aligned buffers and extents that are multiples of 16 make wide accesses, guarded as a whole."""
    arguments, grid = matmul_f16(144, 80, 48)
    facts = dict.fromkeys(range(3), ArgumentFacts(16, (16, 16)))
    found, expected = outcomes("matmul_f16", chip, arguments, grid, launch, facts)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("chip", "instruction"),
    [
        ("gfx90a", "v_mfma_f32_32x32x8"),
        ("gfx942", "v_mfma_f32_32x32x8"),
        ("gfx950", "v_mfma_f32_32x32x16"),
        ("gfx1030", None),
        ("gfx1100", "v_wmma_f32_16x16x16"),
        ("gfx1201", "v_wmma_f32_16x16x16"),
        ("gfx1250", "v_wmma_f32_16x16x32"),
    ],
)
def test_matmul_uses_the_matrix_unit(chip: str, instruction: str | None) -> None:
    module = parse_program((EXAMPLES / "matmul_f16.mlir").read_text(encoding="utf-8"))
    verify(module)
    artifacts = Compilation(module, None, find_chip(chip)).artifacts
    found = set(re.findall(r"v_mfma_\w+?x\d+x\d+|v_wmma_\w+?x\d+x\d+", artifacts.assembly))
    assert found == ({instruction} if instruction else set())
    info = artifacts.kernel_info
    # Without a matrix unit and facts of the arguments, addresses of 32 rows are five registers too many.
    spilled = 5 if chip == "gfx1030" else 0
    assert info.vgpr_spills <= spilled and info.private_segment_bytes <= 8 * spilled
    assert info.kernarg_size == info.argument_bytes == 72
