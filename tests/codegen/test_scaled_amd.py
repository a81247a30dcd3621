"""Products of block-scaled elements on gfx950: emitted, emulated and as the reference has them, against numpy.

Places follow Composable Kernel's `test/mx_mfma_op/mx_mfma_op.hpp`: lane l has row l % M of A; along K of bytes 16 from
16 (l // M) on in both halves, of shorter elements 32 from 32 (l // M) on; and the scale of the 32 from 32 (l // M) on.
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
from lanewise.targets.mfma_scaled import MFMA_SCALED, ScaledMfma, find, scaled_mfma

from .sparse_programs import TYPES, Array, program

E8M0 = ml_dtypes.float8_e8m0fnu
SMALL, LARGE = (16, 16, 128), (32, 32, 64)
Bytes = tuple[int, int]


def form(shape: tuple[int, int, int], a: str, b: str) -> ScaledMfma:
    found = find(shape, a, b)
    assert found is not None
    return found


def multiply(i: ScaledMfma, bytes: Bytes, scale: str = "vector<4xf8E8M0FNU>") -> str:
    dimensions, sums = "x".join(map(str, i.shape)), i.shape[0] * i.shape[1] // 64
    types = f"{scale}, vector<32x{i.a_type}>, {scale}, vector<32x{i.b_type}>, vector<{sums}xf32>"
    return f"  %d = amdgpu.scaled_mfma {dimensions} (%p[{bytes[0]}] * %a) * (%q[{bytes[1]}] * %b) + %c : {types}"


def source_of(text: Any, i: ScaledMfma, product: str) -> str:
    sums = f"{i.shape[0] * i.shape[1] // 64}xf32"
    shapes = {"a": f"32x{i.a_type}", "b": f"32x{i.b_type}", "c": sums, **dict.fromkeys("pq", "4xf8E8M0FNU")}
    return program(text, 64, shapes, product, sums)


def along_k(i: ScaledMfma, type: str, lane: int) -> list[int]:
    m, _, k = i.shape
    group = lane // m
    if "f8" in type:
        return [half * k // 2 + 16 * group + n for half in (0, 1) for n in range(16)]
    return [32 * group + n for n in range(32)]


def data(i: ScaledMfma, bytes: Bytes) -> tuple[list[Array], Array]:
    """What the lanes hold of A, B, C and the scales, room for the result, and the result."""
    rng, (m, _, k) = np.random.default_rng(4), i.shape
    a, b, c = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (k, m)), rng.integers(-3, 4, (m, m))
    codes = rng.integers(124, 131, (2, m, k // 32)).astype(np.uint8)
    words = rng.integers(1, 100, (2, 64, 4)).astype(np.uint8)  # those of other bytes do not matter
    for side, lane in np.ndindex(2, 64):
        words[side, lane, bytes[side]] = codes[side, lane % m, lane // m]
    of_a, of_b = np.repeat(np.exp2(codes - 127.0), 32, axis=2)
    left = [a[lane % m, along_k(i, i.a_type, lane)] for lane in range(64)]
    right = [b[along_k(i, i.b_type, lane), lane % m] for lane in range(64)]
    sums = [[(4 * (lane // m) + 8 * (n // 4) + n % 4, lane % m) for n in range(m * m // 64)] for lane in range(64)]
    product = (a * of_a) @ (b * of_b.T) + c
    start, expected = (np.array([[x[at] for at in lane] for lane in sums], np.float32) for x in (c, product))
    factors = [np.array(x, np.float32).astype(TYPES[type]) for x, type in ((left, i.a_type), (right, i.b_type))]
    return [*factors, start, *(x.view(E8M0) for x in words), np.zeros_like(start)], expected


CASES = [
    ((SMALL, "f8E4M3FN", "f8E5M2"), (0, 0)), ((SMALL, "f4E2M1FN", "f8E4M3FN"), (3, 1)),
    ((SMALL, "f6E2M3FN", "f4E2M1FN"), (2, 3)), ((LARGE, "f8E5M2", "f6E3M2FN"), (1, 2)),
    ((LARGE, "f8E4M3FN", "f8E4M3FN"), (0, 3)), ((LARGE, "f4E2M1FN", "f4E2M1FN"), (1, 0)),
]  # fmt: skip


def agree(source: str, values: list[Array], expected: Array, run_on: Any) -> None:
    """With what the emulator makes of the assembly, and the reference."""
    assert np.array_equal(run_on("gfx950", source, values)[5], expected, equal_nan=True)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=64)
    assert np.array_equal(values[5], expected, equal_nan=True)


@pytest.mark.parametrize(("types", "bytes"), CASES)
def test_block_scaled(types: tuple[Any, str, str], bytes: Bytes, run_on: Any, text: Any) -> None:
    instruction = form(*types)
    values, expected = data(instruction, bytes)
    agree(source_of(text, instruction, multiply(instruction, bytes)), values, expected, run_on)


def test_a_scale_that_is_no_number(run_on: Any, text: Any) -> None:
    """It is of one row of A; the others are as they were."""
    instruction, bytes = form(SMALL, "f8E4M3FN", "f4E2M1FN"), (1, 0)
    values, expected = data(instruction, bytes)
    values[3][32 + 6, 1] = np.nan  # row 6, of lanes 16 to 31 element 2
    expected[16:32, 2] = np.nan
    agree(source_of(text, instruction, multiply(instruction, bytes)), values, expected, run_on)


def test_a_single_scale(run_on: Any, text: Any) -> None:
    instruction = form(SMALL, "f4E2M1FN", "f8E5M2")
    values, expected = data(instruction, (0, 2))
    lines = [
        f"  %{n} = vector.extract %{n}_[{at}] : f8E8M0FNU from vector<4xf8E8M0FNU>" for n, at in (("p", 0), ("q", 2))
    ]
    source = source_of(text, instruction, "\n".join([*lines, multiply(instruction, (0, 0), "f8E8M0FNU")]))
    agree(re.sub(r"%([pq]) = vector.load", r"%\1_ = vector.load", source), values, expected, run_on)


def test_scales_whose_code_is_zero(run_on: Any, text: Any) -> None:
    """They are 2^-127, and known: LLVM takes registers of zeros for no scales."""
    instruction = form(SMALL, "f8E4M3FN", "f8E4M3FN")
    zero = "arith.constant dense<5.877471754111438e-39> : vector<4xf8E8M0FNU>"
    source = source_of(text, instruction, multiply(instruction, (0, 0)))
    source = re.sub(r"%([pq]) = vector.load .*", rf"%\1 = {zero}", source)
    values, _ = data(instruction, (0, 0))
    agree(source, values, values[2].copy(), run_on)


def test_forms_in_the_assembly(build: Any, text: Any) -> None:
    """Each has registers of its own and names both types by cbsz and blgp."""
    found = set[tuple[str, str, str]]()
    for i in MFMA_SCALED[::7]:
        assembly = build(source_of(text, i, multiply(i, (0, 1))), "gfx950").assembly
        (line,) = re.findall(r"v_mfma_scale_.*", assembly)
        numbers = tuple(next(iter(re.findall(rf"{name}:(\d)", line)), "0") for name in ("cbsz", "blgp"))
        assert "op_sel:[0,1,0] op_sel_hi:[0,0,0]" in line
        found.add((line.split()[0], *numbers))
    assert len(found) == len(MFMA_SCALED[::7])


@pytest.mark.parametrize("types", [case[0] for case in CASES])
def test_the_table_says_the_same(types: tuple[Any, str, str]) -> None:
    """Probes on silicon follow it."""
    i = form(*types)
    m = i.shape[0]
    for lane in range(64):
        assert i.a.coordinates(lane) == [(lane % m, k) for k in along_k(i, i.a_type, lane)]
        assert i.b.coordinates(lane) == [(k, lane % m) for k in along_k(i, i.b_type, lane)]
        assert i.scale_lane(lane % m, lane // m) == lane


def test_all_types_meet() -> None:
    assert len(scaled_mfma(find_chip("gfx950"))) == 2 * 5 * 5
    assert scaled_mfma(find_chip("gfx942")) == ()


def test_what_a_chip_lacks(build: Any, text: Any) -> None:
    instruction = form(SMALL, "f4E2M1FN", "f8E5M2")
    source = source_of(text, instruction, multiply(instruction, (0, 0)))
    missing = "is 16x16x128 on f4E2M1FN x f8E5M2 with scales, which gfx942 does not have; it has none"
    with pytest.raises(CompileError, match=missing):
        build(source, "gfx942")
    narrow = source.replace("lanewise.subgroup_size = 64", "lanewise.subgroup_size = 32")
    with pytest.raises(CompileError, match="subgroup"):
        build(narrow, "gfx950")
