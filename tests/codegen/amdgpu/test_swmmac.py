"""RDNA 4's products of a sparse A: emitted and emulated, and as the reference has them, against numpy.

Places are those of AMD's matrix instruction calculator: `K[2][31] = v0{18}.[15:12]` of v_swmmac_f32_16x16x32_f16, that
is of 16 lanes each half of K, two bits for each element that is held.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.reference.errors import EvaluationError
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip
from lanewise.targets.smfmac import SparseInstruction, sparse_instructions

from ..sparse_programs import TYPES, Array, chosen, program, whole

FORMS = sparse_instructions(find_chip("gfx1201"))


def plain(type: str) -> str:
    return type.removeprefix("u")


def sparse_wmma(instruction: SparseInstruction, text: Any, lanes: int = 32) -> str:
    (m, n, k), held = instruction.shape, instruction.shape[2] // 4
    shapes = {
        "a": f"{held}x{plain(instruction.a_type)}",
        "b": f"{2 * held}x{plain(instruction.b_type)}",
        "c": f"8x{instruction.c_type}",
        "i": "4xi8",
    }
    types = ", ".join(f"vector<{shapes[name]}>" for name in "abc")
    unsigned = (("unsignedA", instruction.a_type), ("unsignedB", instruction.b_type))
    marks = " ".join(word for word, type in unsigned if type.startswith("u"))
    multiply = f"  %d = amdgpu.sparse_wmma {m}x{n}x{k} %a * %b + %c sparse(%i : vector<4xi8>) {marks} : {types}"
    return program(text, lanes, shapes, multiply, shapes["c"])


def numbers(type: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Of integers both ends, where signs are told apart."""
    if not type.endswith(("i8", "i4")):
        return rng.integers(-2, 3, shape)
    bits, unsigned = int(type[-1]), type.startswith("u")
    low = 0 if unsigned else -(1 << (bits - 1))
    return rng.choice(np.array([low, low + (1 << bits) - 1, low + 1, 1, 2]), shape)


def multiplied(instruction: SparseInstruction) -> tuple[list[Array], Array]:
    """What the lanes hold of A, B, C and the indices, room for the result, and the result."""
    (m, n, k), rng = instruction.shape, np.random.default_rng(7)
    half, fours = k // 2, k // 8
    places, a = chosen(rng, (m, k // 4)), numbers(instruction.a_type, rng, (m, k // 4, 2))
    b, c = numbers(instruction.b_type, rng, (k, n)), rng.integers(-3, 4, (m, n))
    lanes = [(lane % 16, lane // 16) for lane in range(32)]
    held = np.array([a[row, fours * g : fours * (g + 1)].reshape(-1) for row, g in lanes])
    columns = np.array([b[half * g : half * (g + 1), column] for column, g in lanes])
    sums = [[(8 * g + i, column) for i in range(8)] for column, g in lanes]
    drawn = [places[row, fours * g : fours * (g + 1)].reshape(-1) for row, g in lanes]
    fields = [sum(int(p) << 2 * i for i, p in enumerate(of_lane)) for of_lane in drawn]
    noise = np.uint32(0xABCD << 16 if held.shape[1] == 8 else 0)  # another set
    words = np.array(fields, np.uint32) | noise
    product = whole(a, places) @ b + c
    final = TYPES[instruction.c_type]
    start = np.array([[c[at] for at in lane] for lane in sums], final)
    expected = np.array([[product[at] for at in lane] for lane in sums], final)
    parts = [held.astype(TYPES[plain(instruction.a_type)]), columns.astype(TYPES[plain(instruction.b_type)])]
    return [*parts, start, words.view(np.int8).reshape(32, 4), np.zeros_like(start)], expected


@pytest.mark.parametrize("instruction", FORMS, ids=lambda i: f"{i.llvm_name}.{i.a_type}.{i.b_type}")
def test_every_form(instruction: SparseInstruction, run_on: Any, text: Any) -> None:
    source = sparse_wmma(instruction, text)
    values, expected = multiplied(instruction)
    assert np.array_equal(run_on("gfx1201", source, values)[4], expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[4], expected)


def test_all_are_there() -> None:
    """f16 and bf16 with sums of either kind, fp8 of either kind, bytes and nibbles of either sign, these two deep."""
    assert len(FORMS) == 2 * 2 + 4 + 3 * 4
    assert {i.opcode for i in FORMS} == {f"v_swmmac_{name}" for name in (
        "f32_16x16x32_f16", "f16_16x16x32_f16", "f32_16x16x32_bf16", "bf16_16x16x32_bf16", "i32_16x16x32_iu8",
        "i32_16x16x32_iu4", "i32_16x16x64_iu4", "f32_16x16x32_fp8_fp8", "f32_16x16x32_fp8_bf8",
        "f32_16x16x32_bf8_fp8", "f32_16x16x32_bf8_bf8",
    )}  # fmt: skip
    assert sparse_instructions(find_chip("gfx1200")) == FORMS
    assert sparse_instructions(find_chip("gfx1100")) == () == sparse_instructions(find_chip("gfx1250"))


def test_indices_that_name_an_element_twice(run_on: Any, text: Any) -> None:
    values, _ = multiplied(FORMS[0])
    values[3][3, 0] = 0b0101
    source = sparse_wmma(FORMS[0], text)
    with pytest.raises(EmulationFault, match="indices name the same of four elements twice"):
        run_on("gfx1201", source, values)
    with pytest.raises(EvaluationError, match="has indices that name the same of four elements twice"):
        interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)


def test_where_it_is_not(build: Any, text: Any) -> None:
    source = sparse_wmma(FORMS[0], text)
    with pytest.raises(CompileError, match=r"is 16x16x32 f16 x f16 \+ f32, which gfx942 does not have; it has none"):
        build(source.replace("subgroup_size = 32", "subgroup_size = 64"), "gfx942")
    with pytest.raises(CompileError, match="which gfx1100 does not have; it has none"):
        build(source, "gfx1100")
    with pytest.raises(CompileError, match="needs subgroups of 32 lanes, found 64"):
        build(sparse_wmma(FORMS[0], text, lanes=64), "gfx1201")
