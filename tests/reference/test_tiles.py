"""Matrix instructions over outer dimensions: whole tiles, what lanes hold, and loops over that are one product."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lanewise.ir.kernels import kernels
from lanewise.ir.reference.evaluate import run_kernel
from lanewise.jit.source import parse

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
