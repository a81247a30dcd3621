"""Products of block-scaled elements on gfx1250: emitted, emulated and as the reference has them, against numpy.

Places follow Composable Kernel's tests for gfx1250: lane l has row l % 16 of A; along K of bytes 16 of every 32, of
shorter elements 32 of every 64, those above lane 15 the second half; and all scales of a row along K, four or eight,
are in lane l, or 16 + l. 32 rows are two tiles of 16, whose scales are in all lanes.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip
from lanewise.targets.wmma_scaled import WMMA_SCALED, ScaledWmma, find, scaled_wmma

from .sparse_programs import TYPES, Array, program

POWERS, FLOATS = "f8E8M0FNU", "f8E4M3FN"
SCALES: dict[str, Any] = {POWERS: ml_dtypes.float8_e8m0fnu, FLOATS: ml_dtypes.float8_e4m3fn}
SQUARE, TALL = (16, 16, 128), (32, 16, 128)
First = tuple[int, int]


def form(shape: tuple[int, int, int], a: str, b: str, block: int, scales: tuple[str, str]) -> ScaledWmma:
    found = find(shape, (a, b), block, scales)
    assert found is not None
    return found


def held_of(i: ScaledWmma) -> tuple[int, int, int]:
    m, n, k = i.shape
    return m * k // 32, n * k // 32, m * n // 32


def multiply(i: ScaledWmma, first: First) -> str:
    dimensions, (a, b, c), count = "x".join(map(str, i.shape)), held_of(i), 128 // i.block
    types = ", ".join(
        [
            f"vector<{count}x{i.a_scales}>, vector<{a}x{i.a_type}>",
            f"vector<{count}x{i.b_scales}>, vector<{b}x{i.b_type}>",
        ]
    )
    lanes = f"{{a_first_scale_lane = {first[0]} : i32, b_first_scale_lane = {first[1]} : i32}}"
    return f"  %d = amdgpu.scaled_wmma {dimensions} (%p * %a) * (%q * %b) + %c {lanes} : {types}, vector<{c}xf32>"


def source_of(text: Any, i: ScaledWmma, first: First) -> str:
    (a, b, c), count = held_of(i), 128 // i.block
    shapes = {"a": f"{a}x{i.a_type}", "b": f"{b}x{i.b_type}", "c": f"{c}xf32"}
    shapes |= {"p": f"{count}x{i.a_scales}", "q": f"{count}x{i.b_scales}"}
    return program(text, 32, shapes, multiply(i, first), f"{c}xf32")


def along_k(type: str, lane: int) -> list[int]:
    each = 16 if "f8" in type else 32
    return [k for k in range(128) if k // each % 2 == lane // 16]


def codes_of(rng: np.random.Generator, type: str, shape: tuple[int, ...]) -> Array:
    """Scales whose products of products are exact in f32."""
    if type == POWERS:
        return rng.integers(124, 131, shape).astype(np.uint8).view(SCALES[POWERS])
    return rng.integers(1, 9, shape).astype(np.float32).astype(SCALES[FLOATS])


def data(i: ScaledWmma, first: First) -> tuple[list[Array], Array]:
    """What the lanes hold of A, B, C and the scales, room for the result, and the result."""
    rng, (m, n, k), blocks = np.random.default_rng(4), i.shape, 128 // i.block
    a, b, c = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (k, n)), rng.integers(-3, 4, (m, n))
    words = [codes_of(rng, type, (32, blocks)) for type in (i.a_scales, i.b_scales)]  # other lanes' do not matter
    rows, columns = (
        np.repeat(word.astype(np.float64)[lane : lane + size], i.block, axis=1)
        for word, lane, size in zip(words, first, (m, n), strict=True)
    )
    left = [
        np.concatenate([a[lane % 16 + tile][along_k(i.a_type, lane)] for tile in range(0, m, 16)]) for lane in range(32)
    ]
    right = [b[along_k(i.b_type, lane), lane % 16] for lane in range(32)]
    sums = [[(16 * (r // 8) + 8 * (lane // 16) + r % 8, lane % 16) for r in range(m * n // 32)] for lane in range(32)]
    product = (a * rows) @ (b * columns.T) + c
    start, expected = (np.array([[x[at] for at in lane] for lane in sums], np.float32) for x in (c, product))
    factors = [np.array(x, np.float32).astype(TYPES[type]) for x, type in ((left, i.a_type), (right, i.b_type))]
    return [*factors, start, *words, np.zeros_like(start)], expected


CASES = [
    ((SQUARE, "f8E4M3FN", "f8E5M2", 32, (POWERS, POWERS)), (0, 0)),
    ((SQUARE, "f8E5M2", "f8E4M3FN", 16, (POWERS, POWERS)), (16, 0)),
    ((SQUARE, "f8E4M3FN", "f4E2M1FN", 32, (POWERS, FLOATS)), (0, 16)),
    ((SQUARE, "f4E2M1FN", "f6E3M2FN", 16, (FLOATS, POWERS)), (16, 16)),
    ((SQUARE, "f6E2M3FN", "f6E3M2FN", 32, (POWERS, POWERS)), (16, 0)),
    ((SQUARE, "f6E2M3FN", "f8E5M2", 16, (POWERS, POWERS)), (0, 16)),
    ((SQUARE, "f4E2M1FN", "f4E2M1FN", 16, (FLOATS, FLOATS)), (0, 0)),
    ((TALL, "f4E2M1FN", "f4E2M1FN", 32, (POWERS, POWERS)), (0, 16)),
    ((TALL, "f4E2M1FN", "f4E2M1FN", 16, (FLOATS, FLOATS)), (0, 0)),
]  # fmt: skip


def agree(source: str, values: list[Array], expected: Array, run_on: Any) -> None:
    """With what the emulator makes of the assembly, and the reference."""
    assert np.array_equal(run_on("gfx1250", source, values)[5], expected, equal_nan=True)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[5], expected, equal_nan=True)


@pytest.mark.parametrize(("types", "first"), CASES)
def test_block_scaled(types: tuple[Any, ...], first: First, run_on: Any, text: Any) -> None:
    instruction = form(*types)
    values, expected = data(instruction, first)
    agree(source_of(text, instruction, first), values, expected, run_on)


def test_a_scale_that_is_no_number(run_on: Any, text: Any) -> None:
    """It is of one row of A; the others are as they were."""
    instruction = form(SQUARE, "f8E4M3FN", "f4E2M1FN", 32, (POWERS, FLOATS))
    values, expected = data(instruction, (16, 0))
    values[3][16 + 6, 1] = np.nan  # row 6, of lanes 0 to 15 element 6
    expected[:16, 6] = np.nan
    agree(source_of(text, instruction, (16, 0)), values, expected, run_on)


def test_scales_whose_code_is_zero(run_on: Any, text: Any) -> None:
    """They are 2^-127 where they are known, too."""
    instruction = form(SQUARE, "f8E4M3FN", "f8E4M3FN", 32, (POWERS, POWERS))
    zero = "arith.constant dense<5.877471754111438e-39> : vector<4xf8E8M0FNU>"
    source = re.sub(r"%([pq]) = vector.load .*", rf"%\1 = {zero}", source_of(text, instruction, (0, 0)))
    values, _ = data(instruction, (0, 0))
    agree(source, values, values[2].copy(), run_on)


def test_all_types_meet() -> None:
    assert len(scaled_wmma(find_chip("gfx1250"))) == len(WMMA_SCALED)
    assert scaled_wmma(find_chip("gfx1201")) == ()


def test_what_a_chip_lacks(build: Any, text: Any) -> None:
    instruction = form(SQUARE, "f4E2M1FN", "f8E5M2", 32, (POWERS, POWERS))
    missing = "is 16x16x128 on f4E2M1FN x f8E5M2 with scales, which gfx1201 does not have; it has none"
    with pytest.raises(CompileError, match=missing):
        build(source_of(text, instruction, (0, 0)), "gfx1201")
