"""Matrix instructions over outer dimensions: whole tiles, what lanes hold, and loops over that are one product."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lanewise.ir.kernels import kernels
from lanewise.jit.source import parse
from lanewise.reference.evaluate import run_kernel

FILES = Path(__file__).resolve().parent.parent / "filetests" / "iree_gpu"
LANES = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}


@pytest.mark.parametrize("target", LANES)
@pytest.mark.parametrize("section", [0, 1, 2])
def test_all_are_the_product(target: str, section: int) -> None:
    text = (FILES / f"tiles_{target}.mlir").read_text(encoding="utf-8").split("// -----\n")[section]
    (kernel,) = kernels(parse(text))
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-4, 5, (32, 32)).astype(np.float16) for _ in range(2))
    c = np.full((32, 32), np.nan, np.float32)
    run_kernel(kernel, 1, [a, b, c], LANES[target])
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def _section(name: str, number: int, *arguments: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> None:
    text = (FILES / f"{name}.mlir").read_text(encoding="utf-8").split("// -----\n")[number]
    (kernel,) = kernels(parse(text))
    run_kernel(kernel, 1, list(arguments), 64)


def test_lanes_of_data_tiles() -> None:
    """CDNA 3 ISA: lane l of v_mfma_f32_16x16x16_f16 has of A row l % 16, k = 4 (l / 16) + i; of C rows 4 (l / 16) + i,
    column l % 16. Letters: m, n instructions, s steps along K, g subgroups, h = l / 16, r = l % 16, i, j elements."""
    numbers = np.random.default_rng(0)
    a = numbers.integers(-4, 5, (2, 4, 16, 2, 4)).astype(np.float16)
    b = numbers.integers(-4, 5, (2, 4, 16, 2, 4)).astype(np.float16)
    c = np.full((2, 2, 4, 16, 4), np.nan, np.float32)
    _section("data_tiled_lanes", 0, a, b, c)
    wide = np.einsum("mhrsi,ghqsi->gmrq", a.astype(np.float32), b.astype(np.float32))  # rows r, columns q
    assert np.array_equal(c, wide.reshape(2, 2, 4, 4, 16).transpose(0, 1, 2, 4, 3))


def test_lanes_of_interleaved_rows_and_columns() -> None:
    numbers = np.random.default_rng(0)
    a = numbers.integers(-4, 5, (2, 4, 16, 2, 4)).astype(np.float16)
    b = numbers.integers(-4, 5, (3, 4, 16, 4)).astype(np.float16)
    c = numbers.integers(-4, 5, (2, 2, 4, 16, 3, 4)).astype(np.float32)
    wide = np.einsum("ohrmi,nhqi->omrnq", a.astype(np.float32), b.astype(np.float32))
    wanted = c + wide.reshape(2, 2, 4, 4, 3, 16).transpose(0, 1, 2, 5, 4, 3)
    _section("data_tiled_lanes", 1, a, b, c)
    assert np.array_equal(c, wanted)


def test_lanes_of_exchanged_operands() -> None:
    """The instruction multiplies B^T by A^T, so lane l has of C row l % 16, columns 4 (l / 16) + i."""
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-4, 5, (16, 16)).astype(np.float16) for _ in range(2))
    c = np.full((16, 16), np.nan, np.float32)
    _section("tiles_exchanged", 0, a, b, c)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
