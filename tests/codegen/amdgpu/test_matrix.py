"""mfma and wmma: fragments laid out by the closed formulas of AMD's documents, products by numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.diagnostics import CompileError
from lanewise.ir.reference.matrix_amd import Fragments, mfma_fragments, wmma_fragments
from lanewise.ir.targets import ELEMENT_BITS, MatrixInstruction, find_chip, matrix_instructions

TYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "tf32": np.float32, "f64": np.float64,
    "i8": np.int8, "i32": np.int32, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
CASES = [(chip, i) for chip in CHIPS for i in matrix_instructions(find_chip(chip))]
Array = np.ndarray[Any, Any]


def spelled(type: str) -> str:
    return "f32" if type == "tf32" else type


def fragments_of(instruction: MatrixInstruction) -> Fragments:
    bits = ELEMENT_BITS[instruction.a_type]
    if instruction.family == "mfma":
        found = mfma_fragments(instruction.shape, instruction.a.elements, bits == 64)
    else:
        found = wmma_fragments(instruction.shape, instruction.a.elements, bits)
    assert found is not None
    return found


def program(instruction: MatrixInstruction, text: Any, attributes: str = "", use: str = "") -> str:
    """Loads the lanes' fragments, multiplies, and stores the result; `use` opens a region around the store."""
    parts = (("a", instruction.a_type, instruction.a), ("b", instruction.b_type, instruction.b))
    parts = (*parts, ("c", instruction.c_type, instruction.c))
    lanes = instruction.subgroup_size
    arguments, lines, types = [], ["  %t = gpu.thread_id x", "  %c0 = arith.constant 0 : index"], []
    for name, type, fragment in parts:
        buffer = f"memref<{lanes}x{fragment.elements}x{spelled(type)}>"
        several = fragment.elements > 1
        types.append(f"vector<{fragment.elements}x{spelled(type)}>" if several else spelled(type))
        load, part = ("vector.load", f", {types[-1]}") if several else ("memref.load", "")
        arguments.append(f"%m{name}: {buffer}")
        lines.append(f"  %{name} = {load} %m{name}[%t, %c0] : {buffer}{part}")
    shape = "x".join(map(str, instruction.shape))
    blocks = f"blocks({instruction.blocks}) " if instruction.blocks > 1 else ""
    lines.append(f"  %d = amdgpu.{instruction.family} {blocks}{shape} %a * %b + %c {attributes}: {', '.join(types)}")
    store = load.replace("load", "store")
    lines.append(f"  {use} {store} %d, %out[%t, %c0] : {buffer}{part} {'}' if use else ''}")
    return str(text(", ".join([*arguments, f"%out: {buffer}"]), "\n".join(lines), (lanes, 1, 1)))


def gather(matrix: Array, formula: Any, lanes: int, count: int) -> Array:
    """[lane, element] of a [block, row, column] matrix."""
    return np.array([[matrix[formula(lane, i)] for i in range(count)] for lane in range(lanes)])


def multiplied(
    chip: str, instruction: MatrixInstruction, low: int, high: int, run_on: Any, source: str
) -> tuple[Array, Array]:
    """Every lane's part of a product of small integers, as found and as numpy has it."""
    fragments, (m, n, k) = fragments_of(instruction), instruction.shape
    rng, blocks, lanes = np.random.default_rng(3), instruction.blocks, instruction.subgroup_size
    assert (fragments.blocks, fragments.lanes) == (blocks, lanes)
    a = rng.integers(low, high, (blocks, m, k))
    b = rng.integers(low, high, (blocks, k, n))
    c = rng.integers(-3, 4, (blocks, m, n))
    parts = [
        gather(a, fragments.a, lanes, instruction.a.elements).astype(TYPES[instruction.a_type]),
        gather(b, fragments.b, lanes, instruction.b.elements).astype(TYPES[instruction.b_type]),
        gather(c, fragments.c, lanes, instruction.c.elements).astype(TYPES[instruction.c_type]),
    ]
    found = run_on(chip, source, [*parts, np.zeros_like(parts[2])])[3]
    return found, gather(a @ b + c, fragments.c, lanes, instruction.c.elements).astype(TYPES[instruction.c_type])


@pytest.mark.parametrize(("chip", "instruction"), CASES, ids=lambda x: getattr(x, "name", x))
def test_every_instruction(chip: str, instruction: MatrixInstruction, run_on: Any, text: Any) -> None:
    found, expected = multiplied(chip, instruction, -2, 3, run_on, program(instruction, text))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("chip", CHIPS)
def test_all_lanes_multiply_where_some_store(chip: str, run_on: Any, text: Any) -> None:
    """LLVM must not move the product into the branch that uses it."""
    instruction = matrix_instructions(find_chip(chip))[0]
    use = "%c9 = arith.constant 9 : index\n  %few = arith.cmpi ult, %t, %c9 : index\n  scf.if %few {"
    found, expected = multiplied(chip, instruction, -2, 3, run_on, program(instruction, text, use=use))
    assert np.array_equal(found[:9], expected[:9]) and not found[9:].any()


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize("marks", [("unsignedA",), ("unsignedB",), ("unsignedA", "unsignedB")])
def test_unsigned_operands(chip: str, marks: tuple[str, ...], run_on: Any, text: Any) -> None:
    instruction = next(i for i in matrix_instructions(find_chip(chip)) if i.a_type == "i8")
    fragments, lanes = fragments_of(instruction), 32
    matrix = np.arange(256).reshape(1, 16, 16)
    ones, zero = np.ones((1, 16, 16), int), np.zeros((1, 16, 16), int)
    parts = [
        gather(x, f, lanes, count).astype(d)
        for x, f, count, d in (
            (matrix, fragments.a, instruction.a.elements, np.int8),
            (-ones, fragments.b, instruction.b.elements, np.int8),
            (zero, fragments.c, instruction.c.elements, np.int32),
        )
    ]
    source = program(instruction, text, f"{{{', '.join(marks)}}} ")
    found = run_on(chip, source, [*parts, np.zeros_like(parts[2])])[3]
    left = matrix if "unsignedA" in marks else matrix.astype(np.int8).astype(int)
    right = ones * 255 if "unsignedB" in marks else -ones
    assert np.array_equal(found, gather(left @ right, fragments.c, lanes, instruction.c.elements))


def test_errors(build: Any, text: Any) -> None:
    wide = next(i for i in matrix_instructions(find_chip("gfx950")) if i.requires == "mfma.wide")
    with pytest.raises(CompileError, match=r"'amdgpu.mfma' op is 16x16x32 on .* which gfx942 does not have"):
        build(program(wide, text), "gfx942")
    with pytest.raises(CompileError, match=r"which gfx1030 does not have; it has no such instruction"):
        build(program(wide, text), "gfx1030")
    half = matrix_instructions(find_chip("gfx1100"))[0]
    source = program(half, text).replace("attributes {gpu", "attributes {lanewise.subgroup_size = 64 : i64, gpu")
    with pytest.raises(CompileError, match="needs subgroups of 32 lanes, found 64"):
        build(source, "gfx1100")
    with pytest.raises(CompileError, match="has unsignedA, which 8-bit integers have only"):
        build(program(half, text, "{unsignedA} "), "gfx1100")
    with pytest.raises(CompileError, match="an instruction that nvidia chips do not have"):
        build(program(half, text), "sm_90")
