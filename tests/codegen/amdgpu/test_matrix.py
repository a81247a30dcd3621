"""mfma and wmma: operands laid out by the formulas of AMD's documents, products by numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.support.diagnostics import CompileError, VerifyError
from lanewise.targets import ELEMENT_BITS, MatrixInstruction, find_chip, matrix_instructions

from ...targets.amd_formulas import table
from ...targets.voices import hardware_holders

TYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "tf32": np.float32, "f64": np.float64,
    "i4": ml_dtypes.int4, "i8": np.int8, "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}  # fmt: skip
CHIPS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
CASES = [(chip, i) for chip in CHIPS for i in matrix_instructions(find_chip(chip))]
Array = np.ndarray[Any, Any]


def spelled(type: str) -> str:
    """As programs have it, which say on the operation what is unsigned."""
    return "f32" if type == "tf32" else type.removeprefix("u")


def numbers(type: str) -> Array:
    """Of which sums of products are exact; of integers both ends, since signs are told apart there."""
    unsigned, bits = type.startswith("ui"), int(type[-1]) if type in ("i4", "ui4", "i8", "ui8") else 0
    if not bits:
        return np.arange(-2, 3)
    low = 0 if unsigned else -(1 << (bits - 1))
    return np.array([low, low + 1, low + (1 << bits) - 1, 0, 1, 2, low + (1 << (bits - 1)) + 1])


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
        size = fragment.elements * (8 if ELEMENT_BITS[type] == 6 else ELEMENT_BITS[type]) // 8
        aligned = f"{{alignment = {min(size & -size, 16)} : i64}}"
        lines.append(f"  %{name} = {load} %m{name}[%t, %c0] {aligned} : {buffer}{part}")
    shape = "x".join(map(str, instruction.shape))
    blocks = f"blocks({instruction.blocks}) " if instruction.blocks > 1 else ""
    lines.append(f"  %d = amdgpu.{instruction.family} {blocks}{shape} %a * %b + %c {attributes}: {', '.join(types)}")
    store = load.replace("load", "store")
    lines.append(f"  {use} {store} %d, %out[%t, %c0] {aligned} : {buffer}{part} {'}' if use else ''}")
    whole = str(text(", ".join([*arguments, f"%out: {buffer}"]), "\n".join(lines), (lanes, 1, 1)))
    return whole.replace("attributes {gpu", f"attributes {{lanewise.subgroup_size = {lanes} : i64, gpu")


def scattered(matrix: Array, holder: Any, lanes: int, count: int, is_b: bool = False) -> Array:
    """[lane, element] of a [block, row, column] matrix; every 16 lanes of gfx11 have the same of A and B."""
    lane, element = table(holder, matrix.shape[1:], matrix.shape[0], is_b=is_b)
    held = np.zeros((lanes, count), matrix.dtype)
    for copy in range(lanes * count // matrix.size):
        held[lane + 16 * copy, element] = matrix
    return held


def multiplied(instruction: MatrixInstruction) -> tuple[list[Array], Array]:
    """Every lane's parts of A, B and C, room for the result, and the result as numpy has it."""
    holders, (m, n, k) = hardware_holders(instruction), instruction.shape
    rng, blocks, lanes = np.random.default_rng(3), instruction.blocks, instruction.subgroup_size
    a = rng.choice(numbers(instruction.a_type), (blocks, m, k))
    b = rng.choice(numbers(instruction.b_type), (blocks, k, n))
    c = rng.integers(-3, 4, (blocks, m, n))
    count = instruction.a.elements
    parts = [
        scattered(a, holders.a, lanes, count).astype(TYPES[spelled(instruction.a_type)]),
        scattered(b, holders.b, lanes, count, is_b=True).astype(TYPES[spelled(instruction.b_type)]),
        scattered(c, holders.c, lanes, instruction.c.elements).astype(TYPES[instruction.c_type]),
    ]
    expected = scattered(a @ b + c, holders.c, lanes, instruction.c.elements).astype(TYPES[instruction.c_type])
    return [*parts, np.zeros_like(parts[2])], expected


def marks(instruction: MatrixInstruction) -> str:
    """What the operation says of its operands."""
    types = (("unsignedA", instruction.a_type), ("unsignedB", instruction.b_type))
    return " ".join(mark for mark, type in types if type.startswith("ui"))


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("chip", "instruction"), CASES, ids=lambda x: getattr(x, "name", x))
def test_every_instruction(chip: str, instruction: MatrixInstruction, run_on: Any, text: Any) -> None:
    """Emitted, and as the interpreter has it."""
    source = program(instruction, text, f"{marks(instruction)} ")
    values, expected = multiplied(instruction)
    assert np.array_equal(run_on(chip, source, values)[3], expected)
    lanes = instruction.subgroup_size
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=lanes)
    assert np.array_equal(values[3], expected)


@pytest.mark.parametrize("chip", CHIPS)
def test_all_lanes_multiply_where_some_store(chip: str, run_on: Any, text: Any) -> None:
    """LLVM must not move the product into the branch that uses it."""
    instruction = matrix_instructions(find_chip(chip))[0]
    use = "%c9 = arith.constant 9 : index\n  %few = arith.cmpi ult, %t, %c9 : index\n  scf.if %few {"
    values, expected = multiplied(instruction)
    found = run_on(chip, program(instruction, text, use=use), values)[3]
    assert np.array_equal(found[:9], expected[:9]) and not found[9:].any()


def test_errors(build: Any, text: Any) -> None:
    wide = next(i for i in matrix_instructions(find_chip("gfx950")) if i.requires == "mfma.wide")
    with pytest.raises(CompileError, match=r"'amdgpu.mfma' op is 16x16x32 on .* which gfx942 does not have"):
        build(program(wide, text), "gfx942")
    with pytest.raises(CompileError, match=r"which gfx1030 does not have; it has no such instruction"):
        build(program(wide, text), "gfx1030")
    half = matrix_instructions(find_chip("gfx1100"))[0]
    source = program(half, text).replace("subgroup_size = 32", "subgroup_size = 64")
    with pytest.raises(CompileError, match="needs subgroups of 32 lanes, found 64"):
        build(source, "gfx1100")
    with pytest.raises(VerifyError, match="has unsignedA, which is of integers, found f16"):
        build(program(half, text, "unsignedA "), "gfx1100")
    with pytest.raises(CompileError, match="an instruction that NVIDIA's chips do not have"):
        build(program(half, text), "sm_90")
