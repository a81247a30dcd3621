"""Products of block-scaled elements on sm_120a: emitted, emulated and as the reference has them, against numpy.

Places of elements follow the PTX ISA, "Matrix fragments for mma.m16n8k32 / m16n8k64", of scales "Block Scaling for
mma.sync": row r of A has those of lane 4 (r % 8) + 2 s + r // 8, column n of B those of lane 4 n + s.
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.reference.errors import EvaluationError
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip
from lanewise.targets.mma_scaled import MMA_SCALED, ScaledMma, find

from .sparse_programs import TYPES, Array, program

E8M0, E4M3, F4 = "f8E8M0FNU", "f8E4M3FN", "f4E2M1FN"
Selectors = tuple[int, int, int, int]
"""byteIdA, threadIdA, byteIdB, threadIdB."""


def form(k: int, a: str, b: str, scale: str) -> ScaledMma:
    found = find((16, 8, k), a, b, scale)
    assert found is not None
    return found


def width(instruction: ScaledMma) -> int:
    """Elements in a register."""
    return 8 if instruction.shape[2] == 64 else 4


def multiply(instruction: ScaledMma, selectors: Selectors, number: str = "") -> str:
    k, each = instruction.shape[2], width(instruction)
    counts = (k // 2 // each, each), (k // 4 // each, each), (2, 2)
    types = [instruction.a_type, instruction.b_type, "f32"]
    packs = [f"vector<{n}x{e}x{type}>" for (n, e), type in zip(counts, types, strict=True)]
    flat = [f"vector<{n * e}x{type}>" for (n, e), type in zip(counts, types, strict=True)]
    lines = [
        f"  %{name}{number}_ = vector.shape_cast %{name}{number} : {f} to {p}"
        for name, f, p in zip("abc", flat, packs, strict=True)
    ]
    names = ("byteIdA", "threadIdA", "byteIdB", "threadIdB")
    attributes = [f"mmaShape = [16, 8, {k}]"]
    attributes += [f"{name} = {value} : i32" for name, value in zip(names, selectors, strict=True)]
    operands, scale = ", ".join(f"%{name}{number}_" for name in "abc"), f"vector<4x{instruction.scale_type}>"
    lines += [
        f"  %d{number}_ = nvgpu.mma.block_scale.sync({operands}) scales(%p{number}, %q{number})"
        f" {{{', '.join(attributes)}}} : ({', '.join(packs)}), {scale}, {scale} -> {packs[2]}",
        f"  %d{number} = vector.shape_cast %d{number}_ : {packs[2]} to {flat[2]}",
    ]
    return "\n".join(lines)


def source_of(text: Any, instruction: ScaledMma, selectors: Selectors) -> str:
    k = instruction.shape[2]
    shapes = {"a": f"{k // 2}x{instruction.a_type}", "b": f"{k // 4}x{instruction.b_type}", "c": "4xf32"}
    scales = dict.fromkeys("pq", f"4x{instruction.scale_type}")
    return program(text, 32, {**shapes, **scales}, multiply(instruction, selectors), "4xf32")


def data(instruction: ScaledMma, selectors: Selectors) -> tuple[list[Array], Array]:
    """What the lanes hold of A, B, C and the scales, room for the result, and the result."""
    rng, k, each = np.random.default_rng(8), instruction.shape[2], width(instruction)
    a, b, c = rng.integers(-2, 3, (16, k)), rng.integers(-2, 3, (k, 8)), rng.integers(-3, 4, (16, 8))
    blocks = {E8M0: k // 32, E4M3: k // 16}[instruction.scale_type]
    low, dtype = {E8M0: (125, ml_dtypes.float8_e8m0fnu), E4M3: (0x38, ml_dtypes.float8_e4m3fn)}[instruction.scale_type]
    codes = [rng.integers(low, low + 5, (extent, blocks)).astype(np.uint8) for extent in (16, 8)]
    of_a, of_b = (np.repeat(x.view(dtype).astype(np.float64), k // blocks, axis=1) for x in codes)
    words = [rng.integers(1, 100, (32, 4)).astype(np.uint8) for _ in range(2)]  # of other lanes it does not matter
    byte_a, lanes_a, byte_b, lanes_b = selectors
    for row in range(16):
        words[0][4 * (row % 8) + 2 * lanes_a + row // 8, byte_a : byte_a + blocks] = codes[0][row]
    for column in range(8):
        words[1][4 * column + lanes_b, byte_b : byte_b + blocks] = codes[1][column]
    lanes = [(lane // 4, lane % 4) for lane in range(32)]
    left = [
        [a[g + 8 * (i // each % 2), each * t + i % each + 4 * each * (i // each // 2)] for i in range(k // 2)]
        for g, t in lanes
    ]
    right = [[b[each * t + i % each + 4 * each * (i // each), g] for i in range(k // 4)] for g, t in lanes]
    sums = [[(g + 8 * (i >> 1), 2 * t + (i & 1)) for i in range(4)] for g, t in lanes]
    product = (a * of_a) @ (b * of_b.T) + c
    start, expected = (np.array([[x[at] for at in lane] for lane in sums], np.float32) for x in (c, product))
    factors = [
        np.array(x, np.float32).astype(TYPES[type])
        for x, type in ((left, instruction.a_type), (right, instruction.b_type))
    ]
    return [*factors, start, *(x.view(dtype) for x in words), np.zeros_like(start)], expected


CASES = [
    ((32, "f8E4M3FN", "f8E5M2", E8M0), (0, 0, 0, 0)), ((32, "f8E5M2", F4, E8M0), (3, 1, 2, 3)),
    ((32, "f6E2M3FN", "f6E3M2FN", E8M0), (1, 0, 3, 1)), ((32, F4, F4, E8M0), (2, 1, 0, 2)),
    ((64, F4, F4, E8M0), (0, 1, 2, 3)), ((64, F4, F4, E8M0), (2, 0, 0, 1)),
    ((64, F4, F4, E4M3), (0, 0, 0, 0)), ((64, F4, F4, E4M3), (0, 1, 0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("types", "selectors"), CASES)
def test_block_scaled(types: tuple[int, str, str, str], selectors: Selectors, run_on: Any, text: Any) -> None:
    instruction = form(*types)
    source = source_of(text, instruction, selectors)
    values, expected = data(instruction, selectors)
    assert np.array_equal(run_on("sm_120a", source, values)[5], expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[5], expected)


@pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")
def test_the_assembler_accepts_all_forms(build: Any, text: Any) -> None:
    """Each is in the assembly once, in the types that it was asked in."""
    arguments, lines = list[str](), ["  %t = gpu.thread_id x", "  %zero = arith.constant 0 : index"]
    for number, i in enumerate(MMA_SCALED):
        k = i.shape[2]
        shapes = {"a": f"{k // 2}x{i.a_type}", "b": f"{k // 4}x{i.b_type}", "c": "4xf32"}
        for name, shape in {**shapes, **dict.fromkeys("pq", f"4x{i.scale_type}")}.items():
            arguments.append(f"%m{name}{number}: memref<32x{shape}>")
            place = f"%m{name}{number}[%t, %zero] : memref<32x{shape}>"
            lines.append(f"  %{name}{number} = vector.load {place}, vector<{shape}>")
        lines.append(multiply(i, (0, 1, 0, 3), str(number)))
        lines.append(f"  vector.store %d{number}, %mc{number}[%t, %zero] : memref<32x4xf32>, vector<4xf32>")
    source = str(text(", ".join(arguments), "\n".join(lines), (32, 1, 1)))
    artifacts = build(
        source.replace("attributes {gpu", "attributes {lanewise.subgroup_size = 32 : i64, gpu"), "sm_120a"
    )
    found = re.findall(r"mma\.sync\.aligned\.(\S+block_scale\S+)", artifacts.assembly)
    assert len(set(found)) == len(found) == len(MMA_SCALED)
    assemble(artifacts.assembly, find_chip("sm_120a"))


def test_scales_with_a_sign(run_on: Any, text: Any) -> None:
    instruction, selectors = form(64, F4, F4, E4M3), (0, 0, 0, 0)
    values, _ = data(instruction, selectors)
    values[4][8, 1] = -1.0
    source = source_of(text, instruction, selectors)
    with pytest.raises(EmulationFault, match="a scale ue4m3 has its highest bit set"):
        run_on("sm_120a", source, values)
    with pytest.raises(EvaluationError, match="has a scale with a sign"):
        interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)


def test_a_scale_that_is_no_number(run_on: Any, text: Any) -> None:
    """It is of one row of A; the others are as they were."""
    instruction, selectors = form(32, "f8E4M3FN", "f8E5M2", E8M0), (1, 0, 0, 0)
    values, expected = data(instruction, selectors)
    values[3][4 * 2 + 1, 1] = np.nan  # row 2 + 8, of lanes 8 to 11 the elements 2 and 3
    expected[8:12, 2:] = np.nan
    source = source_of(text, instruction, selectors)
    assert np.array_equal(run_on("sm_120a", source, values)[5], expected, equal_nan=True)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[5], expected, equal_nan=True)


def test_selectors_that_select_nothing(build: Any, launch: Any, text: Any) -> None:
    """The assembly may have them in registers, so that they are judged when it runs."""
    instruction, selectors = form(64, F4, F4, E8M0), (0, 1, 2, 3)
    values, _ = data(instruction, selectors)
    artifacts = build(source_of(text, instruction, selectors), "sm_120a")
    changed, count = re.subn(r"(%r\d+, \{)%rs\d+", r"\g<1>1", artifacts.assembly, count=1)
    assert count == 1
    vars(artifacts)["assembly"] = changed
    with pytest.raises(EmulationFault, match=r"selectors of scales are one of 0, 2 here, found \[1\]"):
        launch(artifacts, values)


def test_what_a_chip_lacks(build: Any, text: Any) -> None:
    source = source_of(text, form(64, F4, F4, E8M0), (0, 0, 0, 0))
    missing = "is m16n8k64 on f4E2M1FN x f4E2M1FN with scales f8E8M0FNU, which sm_89 does not have; it has none"
    with pytest.raises(CompileError, match=missing):
        build(source, "sm_89")
    unknown = source_of(text, form(32, F4, F4, E8M0), (0, 0, 0, 0)).replace(E8M0, E4M3)
    with pytest.raises(CompileError, match="is m16n8k32 on f4E2M1FN x f4E2M1FN with scales f8E4M3FN"):
        build(unknown, "sm_120a")
    values = [np.zeros((32, n), t) for n, t in ((16, TYPES[F4]), (8, TYPES[F4]), (4, np.float32),
              (4, TYPES[E4M3]), (4, TYPES[E4M3]), (4, np.float32))]  # fmt: skip
    with pytest.raises(
        EvaluationError, match="is no instruction: m16n8k32 on f4E2M1FN x f4E2M1FN with scales f8E4M3FN"
    ):
        interpret_kernel(find_kernel(parse_program(unknown)), (1, 1, 1), values, subgroup_size=32)
