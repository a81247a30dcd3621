"""One text, every chip: the examples name nothing of a target and give the same bits on all of them, on exact data."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
TARGETS = ("sm_70", "sm_80", "sm_90", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")
MATRIX = {"sm_70": None, "sm_80": "mma.sync.aligned.m16n8k16", "sm_90": "mma.sync.aligned.m16n8k16"}
"""Those of AMD's chips are in tests/codegen/amdgpu/test_examples.py."""


def integers(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


PROGRAMS: dict[str, tuple[tuple[int, int, int], Any]] = {
    "vector_add": ((1, 1, 1), lambda: [integers(77), integers(77, seed=1), np.zeros(77, np.float32)]),
    "reduce_8x64": ((1, 1, 1), lambda: [integers(8, 64), np.zeros(8, np.float32)]),
    "transpose": ((2, 1, 1), lambda: [integers(50, 70), np.zeros((70, 50), np.float32)]),
    "matmul_f16": (
        (1, 1, 1),
        lambda: [
            integers(60, 45, dtype=np.float16),
            integers(45, 77, dtype=np.float16, seed=1),
            np.zeros((60, 77), np.float32),
        ],
    ),
}


@functools.cache
def result(name: str, target: str) -> np.ndarray:
    grid, make = PROGRAMS[name]
    arguments = make()
    lanewise.compile(EXAMPLES / f"{name}.mlir", target=target, device="emulated")[grid](*arguments)
    assert arguments[-1].any()
    return arguments[-1]


@pytest.mark.turns("target", "name")
@pytest.mark.parametrize("target", [target for target in TARGETS if target != "sm_80"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits_on_every_chip(name: str, target: str) -> None:
    np.testing.assert_array_equal(result(name, target), result(name, "sm_80"))


@pytest.mark.parametrize("target", MATRIX)
def test_the_chips_matrix_instruction_is_used(target: str) -> None:
    text = lanewise.compile(EXAMPLES / "matmul_f16.mlir", target=target).assembly
    found = set(re.findall(r"mma\.sync\.aligned\.m\w+", text))
    expected = MATRIX[target]
    assert found == ({expected} if expected else set())


def test_the_examples_name_no_target() -> None:
    for path in EXAMPLES.glob("*.mlir"):
        code = re.sub(r"//.*", "", path.read_text())
        assert not re.search(r"sm_\d|gfx\d|nvgpu|amdgpu|mma_layout", code), path.name
