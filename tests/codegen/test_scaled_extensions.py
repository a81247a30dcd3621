"""amdgpu.scaled_ext_packed_matrix on gfx1250: emitted, emulated and as the reference has it, against numpy.

A lane's elements lie along K as a product's do: of bytes 16 in either half of a wave by turns, of shorter ones 32. Its
scale is that of its block of K: the byte follows from where the lane's elements begin.
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

from .sparse_programs import TYPES, Array, program

SHORT = [(32, 0, 0), (32, 16, 0), (32, 0, 2), (32, 16, 2), (16, 0, 0), (16, 16, 0), (16, 0, 1), (16, 16, 1)]
BYTES = [*((32, lane, byte) for lane in (0, 16) for byte in range(4)), (16, 0, 0), (16, 16, 2)]
"""Upstream's verifier: block size, first lane, first byte."""
COUNTS = {"f4E2M1FN": 8, "f6E2M3FN": 16, "f6E3M2FN": 16, "f8E4M3FN": 8, "f8E5M2": 8}


def extension(type: str, long: str, choice: tuple[int, int, int]) -> str:
    block, lane, byte = choice
    count = COUNTS[type]
    places = f"blockSize({block}) firstScaleLane({lane}) firstScaleByte({byte})"
    types = f"vector<{count}x{type}>, vector<4xf8E8M0FNU> -> vector<{count}x{long}>"
    return f"  %d = amdgpu.scaled_ext_packed_matrix %a scale(%p) {places} : {types}"


def source_of(text: Any, type: str, long: str, choice: tuple[int, int, int]) -> str:
    shapes = {"a": f"{COUNTS[type]}x{type}", "p": "4xf8E8M0FNU"}
    return program(text, 32, shapes, extension(type, long, choice), f"{COUNTS[type]}x{long}")


def data(type: str, long: str, choice: tuple[int, int, int]) -> tuple[list[Array], Array]:
    rng, (block, first_lane, first_byte) = np.random.default_rng(3), choice
    values = rng.integers(-4, 5, (32, COUNTS[type])).astype(np.float32)
    codes = rng.integers(120, 134, (32, 4)).astype(np.uint8)
    held = 16 if "f8" in type else 32
    lane = np.arange(32)
    byte = first_byte + held * (lane // 16) // block
    scales = np.exp2(codes[first_lane + lane % 16, byte] - 127.0)
    dtype = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[long]
    expected = (values * scales[:, None]).astype(dtype)
    return [values.astype(TYPES[type]), codes.view(ml_dtypes.float8_e8m0fnu), np.zeros_like(expected)], expected


CASES = [
    *(("f4E2M1FN", "f32", choice) for choice in SHORT),
    *(("f8E5M2", "f32", choice) for choice in BYTES),
    ("f6E2M3FN", "bf16", SHORT[3]), ("f6E3M2FN", "f16", SHORT[6]), ("f8E4M3FN", "f16", BYTES[9]),
    ("f4E2M1FN", "bf16", SHORT[5]), ("f6E2M3FN", "f32", SHORT[1]), ("f8E4M3FN", "bf16", BYTES[6]),
]  # fmt: skip


@pytest.mark.parametrize(("type", "long", "choice"), CASES)
def test_each_choice_of_scales(type: str, long: str, choice: tuple[int, int, int], run_on: Any, text: Any) -> None:
    source = source_of(text, type, long, choice)
    values, expected = data(type, long, choice)
    assert np.array_equal(run_on("gfx1250", source, values)[2], expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[2], expected)


def test_lanes_that_are_told_the_same(build: Any, run_on: Any, text: Any) -> None:
    """Take different bytes, so that what they get differs: LLVM may not keep it once for all."""
    source = source_of(text, "f4E2M1FN", "f32", SHORT[0])
    source = re.sub(r"%a = vector.load .*", "%a = arith.constant dense<1.0> : vector<8xf4E2M1FN>", source)
    known = "%p = arith.constant dense<[1.0, 4.0, 1.0, 1.0]> : vector<4xf8E8M0FNU>"
    source = re.sub(r"%p = vector.load .*", known, source)
    expected = np.repeat(np.float32([1, 4]), 16)[:, None].repeat(8, axis=1)
    values, _ = data("f4E2M1FN", "f32", SHORT[0])
    assert np.array_equal(run_on("gfx1250", source, values)[2], expected)
    assert "v_mov_b32_dpp" in build(source, "gfx1250").assembly


def test_what_a_chip_lacks(build: Any, text: Any) -> None:
    with pytest.raises(CompileError, match=r"needs cvt\.scale\.pk8, which gfx1201 does not have"):
        build(source_of(text, "f4E2M1FN", "f32", SHORT[0]), "gfx1201")
