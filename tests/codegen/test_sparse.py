"""AMD's products of a sparse A: emitted and emulated, and as the reference has them, against numpy.

The places here are those of AMD's matrix instruction calculator (`K[2][31] = v0{50}.[7:4]` of
v_smfmac_f32_16x16x32_f16), and of B of 32 bytes a lane, which only gfx950 has, what AMD's fpsan found on an MI350
(`fpsan/amdgcn_smfmac.hpp`): lane g has 16 bytes from g on of either half of K.
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

from .sparse_programs import TYPES, Array, chosen, program, whole

AMD = [(chip, i) for chip in ("gfx942", "gfx950") for i in sparse_instructions(find_chip(chip))]
INDICES = {4: ("4xi8", 4), 8: ("2xi16", 2), 16: ("1xi32", 1)}


def sparse_mfma(instruction: SparseInstruction, text: Any, attributes: str) -> str:
    (m, n, k), held = instruction.shape, instruction.shape[0] * instruction.shape[2] // 128
    shapes = {
        "a": f"{held}x{instruction.a_type}",
        "b": f"{2 * held}x{instruction.b_type}",
        "c": f"{m * n // 64}x{instruction.c_type}",
        "i": INDICES[held][0],
    }
    index = "i32" if shapes["i"] == "1xi32" else f"vector<{shapes['i']}>"
    types = ", ".join(f"vector<{shapes[name]}>" for name in "abc")
    multiply = f"  %d = amdgpu.sparse_mfma {m}x{n}x{k} %a * %b + %c sparse(%i : {index}) {attributes} : {types}"
    return program(text, 64, shapes, multiply, shapes["c"])


def of_amd(instruction: SparseInstruction, chosen_set: int) -> tuple[list[Array], Array]:
    """What the lanes hold of A, B, C and the indices, room for the result, and the result."""
    (m, n, k), rng = instruction.shape, np.random.default_rng(5)
    groups = 64 // m
    deep = k // groups
    places, a = chosen(rng, (m, k // 4)), rng.integers(-2, 3, (m, k // 4, 2))
    b, c = rng.integers(-2, 3, (k, n)), rng.integers(-3, 4, (m, n))
    lanes = [(lane % m, lane // m) for lane in range(64)]
    fours = deep // 4
    held = [a[row, fours * g : fours * (g + 1)].reshape(-1) for row, g in lanes]
    each = 2 if instruction.b_type in ("f16", "bf16") else 1  # bytes of an element
    halves = max(1, deep * each // 16)
    part = deep // halves
    columns = [
        np.concatenate([b[half * k // halves + part * g :][:part, column] for half in range(halves)])
        for column, g in lanes
    ]
    sums = [[(8 * (i // 4) + 4 * g + i % 4 if m == 32 else 4 * g + i, column) for i in range(m * n // 64)]
            for column, g in lanes]  # fmt: skip
    indices = [
        sum(int(p) << 2 * i for i, p in enumerate(places[row, fours * g : fours * (g + 1)].reshape(-1)))
        for row, g in lanes
    ]
    words = np.array([index << (deep * chosen_set) for index in indices], np.uint64).astype(np.uint32)
    final = TYPES[instruction.c_type]
    start = np.array([[c[at] for at in lane] for lane in sums], final)
    whole_product = whole(a, places) @ b + c
    expected = np.array([[whole_product[at] for at in lane] for lane in sums], final)
    parts = [np.array(held).astype(TYPES[instruction.a_type]), np.array(columns).astype(TYPES[instruction.b_type])]
    view = {4: np.int8, 8: np.int16, 16: np.int32}[deep // 2]
    return [*parts, start, words.view(view).reshape(64, -1), np.zeros_like(start)], expected


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("chip", "instruction"), AMD, ids=lambda x: getattr(x, "llvm_name", x))
def test_smfmac(chip: str, instruction: SparseInstruction, run_on: Any, text: Any) -> None:
    """All sets of indices; the last one is chosen."""
    held = instruction.shape[0] * instruction.shape[2] // 128
    last = 16 // held - 1
    source = sparse_mfma(instruction, text, f"{{abid = {last} : i32}}" if last else "")
    values, expected = of_amd(instruction, last)
    assert np.array_equal(run_on(chip, source, values)[4], expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=64)
    assert np.array_equal(values[4], expected)


def test_the_first_set_where_cbsz_is_not_0(run_on: Any, text: Any) -> None:
    instruction = sparse_instructions(find_chip("gfx942"))[0]
    values, expected = of_amd(instruction, 0)
    source = sparse_mfma(instruction, text, "{abid = 2 : i32, cbsz = 1 : i32}")
    assert np.array_equal(run_on("gfx942", source, values)[4], expected)


def test_indices_that_name_an_element_twice(run_on: Any, text: Any) -> None:
    instruction = sparse_instructions(find_chip("gfx942"))[0]
    values, _ = of_amd(instruction, 0)
    values[3][3, 0] = 0b0101
    source = sparse_mfma(instruction, text, "")
    with pytest.raises(EmulationFault, match="indices name the same of four elements twice"):
        run_on("gfx942", source, values)
    with pytest.raises(EvaluationError, match="has indices that name the same of four elements twice"):
        interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=64)


def test_chips_without(build: Any, text: Any) -> None:
    wide = next(i for i in sparse_instructions(find_chip("gfx950")) if i.requires == "smfmac.wide")
    with pytest.raises(
        CompileError, match=r"is 16x16x64 f16 x f16 \+ f32, which gfx942 does not have; it has 16x16x32"
    ):
        build(sparse_mfma(wide, text, ""), "gfx942")
    with pytest.raises(CompileError, match="which gfx90a does not have; it has none"):
        build(sparse_mfma(wide, text, ""), "gfx90a")
