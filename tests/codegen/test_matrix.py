"""mma.sync and ldmatrix: fragments laid out by the PTX ISA's closed formulas, products by numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.targets import CHIPS, MATRIX_INSTRUCTIONS, MatrixInstruction

TYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "i4": ml_dtypes.int4,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}  # fmt: skip
SHORT = ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
"""They have a byte each in registers."""

Place = Callable[[int, int, int], tuple[int, int]]
"""(g, t, i) to (row, column): g = lane / 4, t = lane % 4, i the lane's element."""


def accumulator(g: int, t: int, i: int) -> tuple[int, int]:
    return g + 8 * (i >> 1), 2 * t + (i & 1)


FRAGMENTS: dict[tuple[int, int, int, int], tuple[Place, Place]] = {
    (16, 8, 8, 16): (
        lambda g, t, i: (g + 8 * (i >> 1), 2 * t + (i & 1)),
        lambda g, t, i: (2 * t + (i & 1), g),
    ),
    (16, 8, 16, 16): (
        lambda g, t, i: (g + 8 * ((i >> 1) & 1), 2 * t + (i & 1) + 8 * (i >> 2)),
        lambda g, t, i: (2 * t + (i & 1) + 8 * (i >> 1), g),
    ),
    (16, 8, 4, 32): (lambda g, t, i: (g + 8 * i, t), lambda g, t, i: (t, g)),
    (16, 8, 8, 32): (lambda g, t, i: (g + 8 * (i & 1), t + 4 * (i >> 1)), lambda g, t, i: (t + 4 * i, g)),
    (8, 8, 16, 8): (lambda g, t, i: (g, 4 * t + i), lambda g, t, i: (4 * t + i, g)),
    (16, 8, 16, 8): (lambda g, t, i: (g + 8 * (i >> 2), 4 * t + (i & 3)), lambda g, t, i: (4 * t + i, g)),
    (16, 8, 32, 8): (
        lambda g, t, i: (g + 8 * ((i >> 2) & 1), 4 * t + (i & 3) + 16 * (i >> 3)),
        lambda g, t, i: (4 * t + (i & 3) + 16 * (i >> 2), g),
    ),
    (8, 8, 32, 4): (lambda g, t, i: (g, 8 * t + i), lambda g, t, i: (8 * t + i, g)),
    (16, 8, 32, 4): (lambda g, t, i: (g + 8 * (i >> 3), 8 * t + (i & 7)), lambda g, t, i: (8 * t + i, g)),
    (16, 8, 64, 4): (
        lambda g, t, i: (g + 8 * ((i >> 3) & 1), 8 * t + (i & 7) + 32 * (i >> 4)),
        lambda g, t, i: (8 * t + (i & 7) + 32 * (i >> 3), g),
    ),
    (8, 8, 4, 64): (lambda g, t, i: (g, t), lambda g, t, i: (t, g)),
    (16, 8, 4, 64): (lambda g, t, i: (g + 8 * i, t), lambda g, t, i: (t, g)),
    (16, 8, 8, 64): (lambda g, t, i: (g + 8 * (i & 1), t + 4 * (i >> 1)), lambda g, t, i: (t + 4 * i, g)),
    (16, 8, 16, 64): (lambda g, t, i: (g + 8 * (i & 1), t + 4 * (i >> 1)), lambda g, t, i: (t + 4 * i, g)),
}
CASES = [i for i in MATRIX_INSTRUCTIONS if i.family == "mma.sync"]


def gather(matrix: Any, place: Place, count: int) -> Any:
    """[lane, element] of a fragment."""
    rows = [[matrix[place(lane >> 2, lane & 3, i)] for i in range(count)] for lane in range(32)]
    return np.array(rows, matrix.dtype)


def bits_of(type: str) -> int:
    """Of an element of A or B in its register."""
    return 8 if type in SHORT else 4 if type == "i4" else 8 * np.dtype(TYPES[type]).itemsize


def pack(type: str, count: int, accumulates: bool) -> str:
    width = 2 if accumulates else max(1, 32 // bits_of(type))
    return f"vector<{count // width}x{width}x{type}>"


def program(
    text: Any, shape: tuple[int, int, int], a: str, b: str, c: str, counts: list[int], marks: tuple[str, ...] = ()
) -> str:
    flags = ["mmaShape = [{}, {}, {}]".format(*shape), *["tf32Enabled"] * (a == "f32"), *marks]
    types = [pack(t, n, name == "c") for name, t, n in zip("abc", (a, b, c), counts, strict=True)]
    lines = ["  %t = gpu.thread_id x"]
    for name, type, count, vector in zip("abc", (a, b, c), counts, types, strict=True):
        lines += [
            f"  %n{name} = arith.constant {count} : index",
            f"  %i{name} = arith.muli %t, %n{name} : index",
            f"  %f{name} = vector.load %{name}[%i{name}] : memref<{32 * count}x{type}>, vector<{count}x{type}>",
            f"  %v{name} = vector.shape_cast %f{name} : vector<{count}x{type}> to {vector}",
        ]
    lines += [
        f"  %d = nvgpu.mma.sync (%va, %vb, %vc) {{{', '.join(flags)}}} : ({', '.join(types)}) -> {types[2]}",
        f"  %e = vector.shape_cast %d : {types[2]} to vector<{counts[2]}x{c}>",
        f"  vector.store %e, %out[%ic] : memref<{32 * counts[2]}x{c}>, vector<{counts[2]}x{c}>",
    ]
    names = zip(("a", "b", "c", "out"), (a, b, c, c), (*counts, counts[2]), strict=True)
    arguments = ", ".join(f"%{n}: memref<{32 * count}x{t}>" for n, t, count in names)
    return str(text(arguments, "\n".join(lines), (32, 1, 1)))


def numbers(type: str) -> Any:
    """Of which sums of products are exact; of integers both ends, since signs are told apart there."""
    unsigned, bits = type.startswith("ui"), int(type[-1]) if type in ("i4", "ui4", "i8", "ui8") else 0
    if not bits:
        return np.arange(-3, 4)
    low = 0 if unsigned else -(1 << (bits - 1))
    return np.array([low, low + 1, low + (1 << bits) - 1, 0, 1, 2, low + (1 << (bits - 1)) + 1])


def spelled(type: str) -> str:
    """As programs have it."""
    return "f32" if type == "tf32" else type.removeprefix("u")


@pytest.mark.parametrize("instruction", CASES, ids=lambda i: i.name)
def test_mma(instruction: MatrixInstruction, run_on: Any, text: Any) -> None:
    """Small integers, so that every order of summation gives the same bits; an asymmetric, distinct A and B."""
    m, n, k = instruction.shape
    chip = next(name for name, chip in CHIPS.items() if chip.supports(instruction.requires))
    rng = np.random.default_rng(3)
    kinds = instruction.a_type, instruction.b_type, instruction.c_type
    a, b, c = map(spelled, kinds)
    given = ((kinds[0], (m, k)), (kinds[1], (k, n)), ("f32", (m, n)))
    wide = [rng.choice(numbers(kind), shape).astype(np.float64) for kind, shape in given]
    matrices = [x.astype(np.int64).astype(TYPES[t]) for x, t in zip(wide, (a, b, c), strict=True)]
    place_a, place_b = FRAGMENTS[(m, n, k, bits_of(a))]
    counts = [m * k // 32, k * n // 32, m * n // 32]
    places = (place_a, place_b, accumulator)
    fragments = [gather(x, p, count) for x, p, count in zip(matrices, places, counts, strict=True)]
    values = [*(f.reshape(-1) for f in fragments), np.zeros(32 * counts[2], TYPES[c])]
    marks = tuple(f"unsigned{side}" for side, kind in zip("AB", kinds, strict=False) if kind.startswith("ui"))
    source = program(text, instruction.shape, a, b, c, counts, marks)
    expected = gather((wide[0] @ wide[1] + wide[2]).astype(TYPES[c]), accumulator, counts[2])
    assert np.array_equal(run_on(chip, source, values)[3].reshape(32, -1), expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[3].reshape(32, -1), expected)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("tiles", [1, 2, 4])
@pytest.mark.parametrize("type", ["f16", "bf16"])
def test_ldmatrix(type: str, tiles: int, transpose: bool, run_on: Any, text: Any) -> None:
    """Row r of matrix j is at the address of lane 8 j + r; lane 4 r + c gets its elements 2 c and 2 c + 1."""
    space = "#gpu.address_space<workgroup>"
    shared = f"memref<32x16x{type}, {space}>"
    vector = f"vector<{tiles}x2x{type}>"
    flag = str(transpose).lower()
    body = f"""  %t = gpu.thread_id x
  %s = memref.alloc() : {shared}
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %low = vector.load %a[%t, %c0] {{alignment = 16 : i64}} : memref<32x16x{type}>, vector<8x{type}>
  %high = vector.load %a[%t, %c8] {{alignment = 16 : i64}} : memref<32x16x{type}>, vector<8x{type}>
  vector.store %low, %s[%t, %c0] {{alignment = 16 : i64}} : {shared}, vector<8x{type}>
  vector.store %high, %s[%t, %c8] {{alignment = 16 : i64}} : {shared}, vector<8x{type}>
  gpu.barrier
  %f = nvgpu.ldmatrix %s[%t, %c8] {{transpose = {flag}, numTiles = {tiles} : i32}} : {shared} -> {vector}
  %e = vector.shape_cast %f : {vector} to vector<{2 * tiles}x{type}>
  %n = arith.constant {2 * tiles} : index
  %i = arith.muli %t, %n : index
  vector.store %e, %b[%i] : memref<{64 * tiles}x{type}>, vector<{2 * tiles}x{type}>"""
    a = (np.arange(32 * 16) % 251).astype(TYPES[type]).reshape(32, 16)
    arguments = f"%a: memref<32x16x{type}>, %b: memref<{64 * tiles}x{type}>"
    _, found = run_on("sm_80", text(arguments, body, (32, 1, 1)), [a, np.zeros(64 * tiles, a.dtype)])
    matrices = a[:, 8:].reshape(4, 8, 8)
    if transpose:
        matrices = matrices.transpose(0, 2, 1)
    lanes = [[matrices[j, lane >> 2, 2 * (lane & 3) + e] for j in range(tiles) for e in range(2)] for lane in range(32)]
    assert np.array_equal(found.reshape(32, -1), np.array(lanes, a.dtype))


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("tiles", [1, 2, 4])
def test_stmatrix(tiles: int, transpose: bool, run_on: Any, text: Any) -> None:
    """Lane 4 r + c has elements 2 c and 2 c + 1 of row r of each matrix; its row goes where lane 8 j + r says."""
    shared = "memref<32x16xf16, #gpu.address_space<workgroup>>"
    vector = f"vector<{tiles}x2xf16>"
    flag = str(transpose).lower()
    body = f"""  %t = gpu.thread_id x
  %s = memref.alloc() : {shared}
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf16>
  vector.store %zero, %s[%t, %c8] {{alignment = 16 : i64}} : {shared}, vector<8xf16>
  gpu.barrier
  %e = vector.load %a[%t, %c0] : memref<32x{2 * tiles}xf16>, vector<{2 * tiles}xf16>
  %f = vector.shape_cast %e : vector<{2 * tiles}xf16> to {vector}
  nvgpu.stmatrix %f, %s[%t, %c8] {{transpose = {flag}}} : {vector}, {shared}
  gpu.barrier
  %r = vector.load %s[%t, %c8] {{alignment = 16 : i64}} : {shared}, vector<8xf16>
  vector.store %r, %b[%t, %c0] : memref<32x8xf16>, vector<8xf16>"""
    held = np.arange(64 * tiles, dtype=np.float16).reshape(32, tiles, 2)
    source = text(f"%a: memref<32x{2 * tiles}xf16>, %b: memref<32x8xf16>", body, (32, 1, 1))
    values = [held.reshape(32, -1), np.ones((32, 8), np.float16)]
    expected = np.zeros((4, 8, 8), np.float16)
    for lane in range(32):
        for j in range(tiles):
            for e in range(2):
                at = (lane >> 2, 2 * (lane & 3) + e)
                expected[(j, *(at[::-1] if transpose else at))] = held[lane, j, e]
    assert np.array_equal(run_on("sm_90", source, values)[1], expected.reshape(32, 8))
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[1], expected.reshape(32, 8))


def test_the_instruction_set_version_rises_with_what_is_used(build: Any, text: Any) -> None:
    """fp8 needs PTX 8.4; a kernel without it keeps the oldest version its chip has."""
    fp8 = build(program(text, (16, 8, 32), "f8E5M2", "f8E4M3FN", "f32", [16, 8, 4]), "sm_89")
    plain = build(text("%a: memref<4xf32>", ""), "sm_89")
    assert ".version 8.4" in fp8.assembly and ".version 7.8" in plain.assembly
    assert (fp8.chip.ptx_isa, plain.chip.ptx_isa) == (84, 78)
