"""Products of a sparse A: emitted and emulated, and as the reference has them, against numpy.

The places here are those of AMD's matrix instruction calculator (`K[2][31] = v0{50}.[7:4]` of
v_smfmac_f32_16x16x32_f16) and of the figures of the PTX ISA, "Matrix fragments for sparse mma.m16n8k16 / m16n8k32 with
.f16 and .bf16 types".
"""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault
from lanewise.ir.diagnostics import CompileError
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.reference.errors import EvaluationError
from lanewise.ir.targets import find_chip
from lanewise.ir.targets.smfmac import SparseInstruction, sparse_instructions

Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "f32": np.float32, "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
AMD = [(chip, i) for chip in ("gfx942", "gfx950") for i in sparse_instructions(find_chip(chip))]
INDICES = {4: ("4xi8", 4), 8: ("2xi16", 2), 16: ("1xi32", 1)}


def program(text: Any, lanes: int, buffers: dict[str, str], multiply: str, result: str) -> str:
    """Loads a row of each buffer (`rows x columns x element`), multiplies, and stores the result."""
    arguments = [f"%m{name}: memref<{lanes}x{shape}>" for name, shape in buffers.items()]
    lines = ["  %t = gpu.thread_id x", "  %c0 = arith.constant 0 : index"]
    for name, shape in buffers.items():
        part = "" if shape == "1xi32" else f", vector<{shape}>"
        load = "vector.load" if part else "memref.load"
        lines.append(f"  %{name} = {load} %m{name}[%t, %c0] : memref<{lanes}x{shape}>{part}")
    lines += [multiply, f"  vector.store %d, %out[%t, %c0] : memref<{lanes}x{result}>, vector<{result}>"]
    whole = str(text(", ".join([*arguments, f"%out: memref<{lanes}x{result}>"]), "\n".join(lines), (lanes, 1, 1)))
    return whole.replace("attributes {gpu", f"attributes {{lanewise.subgroup_size = {lanes} : i64, gpu")


def chosen(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """For every four, the places of the two elements that are held, in their order."""
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    return pairs[rng.integers(0, 6, shape)]


def whole(held: Array, places: Array) -> Array:
    """[row, four, 2] to [row, 4 * four]."""
    out = np.zeros((*held.shape[:2], 4))
    for row, four, which in np.ndindex(*held.shape):
        out[row, four, places[row, four, which]] = held[row, four, which]
    return out.reshape(len(held), -1)


# -- smfmac -----------------------------------------------------------------------------------------------------------


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
    columns = [b[deep * g : deep * (g + 1), column] for column, g in lanes]
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


# -- mma.sp -----------------------------------------------------------------------------------------------------------


def mma_sparse(text: Any, k: int, element: str, accumulator: str, selector: int) -> str:
    shapes = {"a": f"{k // 8}x2x{element}", "b": f"{k // 8}x2x{element}", "c": f"2x2x{accumulator}", "i": "2xi16"}
    vectors = [f"vector<{shapes[name]}>" for name in "abc"]
    attributes = f"{{mmaShape = [16, 8, {k}], sparsitySelector = {selector} : i32}}"
    multiply = (
        f"  %d = nvgpu.mma.sp.sync(%a, %b, %c) metadata(%i) {attributes} : ({', '.join(vectors)}) -> {vectors[2]}"
    )
    buffers = {name: re.sub(r"^(\d)x2x", lambda m: f"{2 * int(m[1])}x", shape) for name, shape in shapes.items()}
    casts = "".join(
        f"  %{name} = vector.shape_cast %{name}_ : vector<{buffers[name]}> to vector<{shapes[name]}>\n"
        for name in "abc"
    )
    multiply = casts + multiply.replace("%d =", "%d_ =") + (
        f"\n  %d = vector.shape_cast %d_ : vector<{shapes['c']}> to vector<{buffers['c']}>"
    )  # fmt: skip
    source = program(text, 32, buffers, multiply, buffers["c"])
    for name in "abc":
        source = source.replace(f"%{name} = vector.load", f"%{name}_ = vector.load")
    return source


def of_nvidia(k: int, element: Any, accumulator: Any, selector: int) -> tuple[list[Array], Array]:
    rng = np.random.default_rng(6)
    places, a = chosen(rng, (16, k // 4)), rng.integers(-2, 3, (16, k // 4, 2))
    b, c = rng.integers(-2, 3, (k, 8)), rng.integers(-3, 4, (16, 8))
    packed = a.reshape(16, k // 2)
    lanes = [(lane // 4, lane % 4) for lane in range(32)]
    held = [[packed[g + 8 * (i >> 1 & 1), 2 * t + (i & 1) + 8 * (i >> 2)] for i in range(k // 4)] for g, t in lanes]
    columns = [[b[2 * t + (i & 1) + 8 * (i >> 1), g] for i in range(k // 4)] for g, t in lanes]
    sums = [[(g + 8 * (i >> 1), 2 * t + (i & 1)) for i in range(4)] for g, t in lanes]
    metadata = rng.integers(0, 1 << 16, (32, 2)).astype(np.uint16)  # of other lanes it does not matter
    for row in range(16):
        for first in range(0, k // 4, 4):
            lane = 4 * (row % 8) + selector * (k // 16) + first // 4
            fields = places[row, first : first + 4].reshape(-1)
            metadata[lane, row // 8] = sum(int(p) << 2 * i for i, p in enumerate(fields))
    start = np.array([[c[at] for at in lane] for lane in sums], accumulator)
    product = whole(a, places) @ b + c
    expected = np.array([[product[at] for at in lane] for lane in sums], accumulator)
    parts = [np.array(held).astype(element), np.array(columns).astype(element)]
    return [*parts, start, metadata.view(np.int16), np.zeros_like(start)], expected


FORMS = [(k, *types) for k in (16, 32) for types in (("f16", "f16"), ("f16", "f32"), ("bf16", "f32"))]


@pytest.mark.parametrize("selector", [0, 1])
@pytest.mark.parametrize(("k", "element", "accumulator"), FORMS)
def test_mma_sp(k: int, element: str, accumulator: str, selector: int, run_on: Any, text: Any) -> None:
    source = mma_sparse(text, k, element, accumulator, selector)
    values, expected = of_nvidia(k, TYPES[element], TYPES[accumulator], selector)
    assert np.array_equal(run_on("sm_80", source, values)[4], expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[4], expected)


def test_metadata_out_of_order(run_on: Any, text: Any) -> None:
    values, _ = of_nvidia(16, np.float16, np.float32, 0)
    values[3][4, 1] = 0b0001
    source = mma_sparse(text, 16, "f16", "f32", 0)
    with pytest.raises(EmulationFault, match="metadata does not name two of four elements in their order"):
        run_on("sm_80", source, values)
    with pytest.raises(EvaluationError, match="has metadata that does not name two of four elements in their order"):
        interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)


def test_forms_that_are_not_known(build: Any, text: Any) -> None:
    source = mma_sparse(text, 32, "bf16", "bf16", 0)
    with pytest.raises(CompileError, match=r"is m16n8k32 on bf16 x bf16 \+ bf16, which lanewise does not have"):
        build(source, "sm_80")
    values, _ = of_nvidia(32, TYPES["bf16"], TYPES["bf16"], 0)
    with pytest.raises(EvaluationError, match="is no form that is known: it may be m16n8k16 bf16 x bf16"):
        interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    with pytest.raises(CompileError, match=r"needs mma\.sp, which sm_75 does not have"):
        build(mma_sparse(text, 32, "f16", "f32", 0), "sm_75")
