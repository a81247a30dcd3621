"""mma.sp in all its types: emitted, emulated and as the reference has it, against numpy; the assembler takes all forms.

Places of elements follow the PTX ISA, "Matrix fragments for sparse mma"; of metadata its figures and, for elements of a
byte and less, CUTLASS' layout `(2, 2, 8) : (8, K / 2, 1)` of lanes over rows and K for one register each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

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
from lanewise.targets.mma_sparse import MMA_SPARSE, SparseMma, find

from .sparse_programs import TYPES, Array, chosen, program

BITS = {"tf32": 32, "f16": 16, "bf16": 16, "i4": 4, "ui4": 4}
"""Others have a byte each in a register."""


def form(k: int, a: str, b: str, c: str) -> SparseMma:
    found = find((16, 8, k), a, b, c)
    assert found is not None
    return found


def spelled(type: str) -> str:
    return "f32" if type == "tf32" else type.removeprefix("u")


def multiply(instruction: SparseMma, selector: int, names: Sequence[str] = ("a", "b", "c", "i", "d")) -> str:
    """The operation, its operands cast from what lanes load, and its result cast to what they store."""
    width = 32 // BITS.get(instruction.a_type, 8)
    k = instruction.shape[2]
    counts = (k // 4 // width, width), (k // 4 // width, width), (2, 2)
    types = [spelled(t) for t in (instruction.a_type, instruction.b_type, instruction.c_type)]
    packs = [f"vector<{n}x{each}x{type}>" for (n, each), type in zip(counts, types, strict=True)]
    flat = [f"vector<{n * each}x{type}>" for (n, each), type in zip(counts, types, strict=True)]
    sides = (("unsignedA", instruction.a_type), ("unsignedB", instruction.b_type))
    marks = [mark for mark, type in sides if type.startswith("u")] + ["tf32Enabled"] * (instruction.a_type == "tf32")
    attributes = ", ".join([f"mmaShape = [16, 8, {k}]", f"sparsitySelector = {selector} : i32", *marks])
    *given, metadata, result = names
    lines = [
        f"  %{name}_ = vector.shape_cast %{name} : {f} to {p}" for name, f, p in zip(given, flat, packs, strict=True)
    ]
    operands = ", ".join(f"%{name}_" for name in given)
    lines += [
        f"  %{result}_ = nvgpu.mma.sp.sync({operands}) metadata(%{metadata}) {{{attributes}}}"
        f" : ({', '.join(packs)}) -> {packs[2]}",
        f"  %{result} = vector.shape_cast %{result}_ : {packs[2]} to {flat[2]}",
    ]
    return "\n".join(lines)


def mma_sparse(text: Any, instruction: SparseMma, selector: int) -> str:
    held = instruction.shape[2] // 4
    types = {"a": instruction.a_type, "b": instruction.b_type, "c": instruction.c_type}
    shapes = {name: f"{4 if name == 'c' else held}x{spelled(type)}" for name, type in types.items()}
    return program(text, 32, {**shapes, "i": "2xi16"}, multiply(instruction, selector), shapes["c"])


def data(instruction: SparseMma, selector: int) -> tuple[list[Array], Array]:
    """What the lanes hold of A, B, C and the metadata, room for the result, and the result."""
    rng, k = np.random.default_rng(6), instruction.shape[2]
    bits = BITS.get(instruction.a_type, 8)
    width = 32 // bits
    factors = (instruction.a_type, instruction.b_type)
    of_a, of_b = ((0, 1 << bits) if type.startswith("u") else (-2, 3) for type in factors)
    b, c = rng.integers(*of_b, (k, 8)), rng.integers(-3, 4, (16, 8))
    unit, count = (2, k // 8) if bits == 4 else (1, k // 2) if bits == 32 else (1, k // 4)
    places = chosen(rng, (16, count)) if bits < 32 else rng.integers(0, 2, (16, count, 1))
    held = rng.integers(*of_a, (*places.shape, unit))
    whole = np.zeros((16, count, 2 if bits == 32 else 4, unit))
    for at in np.ndindex(*places.shape):
        whole[(*at[:2], places[at])] = held[at]
    packed, whole = held.reshape(16, k // 2), whole.reshape(16, k)
    lanes = [(lane // 4, lane % 4) for lane in range(32)]
    pieces = range(k // 4)
    depth = [[width * t + i % width + 4 * width * (i // width) for i in pieces] for _, t in lanes]
    left = [
        [packed[g + 8 * (i // width % 2), width * t + i % width + 4 * width * (i // width // 2)] for i in range(k // 4)]
        for g, t in lanes
    ]
    right = [[b[row, g] for row in rows] for (g, _), rows in zip(lanes, depth, strict=True)]
    sums = [[(g + 8 * (i >> 1), 2 * t + (i & 1)) for i in range(4)] for g, t in lanes]
    parts = [_as(x, type) for x, type in zip((left, right), factors, strict=True)]
    final = TYPES[instruction.c_type]
    start = np.array([[c[at] for at in lane] for lane in sums], final)
    product = whole @ b + c
    expected = np.array([[product[at] for at in lane] for lane in sums], final)
    words = metadata(places[..., 0] if bits == 32 else places, bits, selector, rng)
    return [*parts, start, words, np.zeros_like(start)], expected


def _as(values: list[list[int]], type: str) -> Array:
    """Unsigned numbers as the signed ones of the same bits, which is what programs have."""
    found = np.array(values)
    if type.startswith("u"):
        limit = 1 << BITS.get(type, 8)
        found = (found + limit // 2) % limit - limit // 2
    return found.astype(TYPES[type.removeprefix("u")])


def metadata(places: Array, bits: int, selector: int, rng: np.random.Generator) -> Array:
    """[32, 2] numbers of 16 bits; what other lanes have does not matter."""
    code = np.array([0b0100, 0b1110])[places] if bits == 32 else places[..., 0] | places[..., 1] << 2
    halves = code.reshape(16, -1, 4) @ np.array([1, 1 << 4, 1 << 8, 1 << 12])  # [row, 16 bits of it]
    words = rng.integers(0, 1 << 16, (32, 2))
    if bits >= 16:
        lanes = halves.shape[1]
        for g in range(8):
            first = 4 * g + lanes * selector
            words[first : first + lanes] = np.stack([halves[g], halves[g + 8]], axis=1)
    else:
        pieces = halves.shape[1] // 2
        for row, piece in np.ndindex(16, pieces):
            lane = 4 * (row % 8) + 2 * pieces * selector + 2 * piece + row // 8
            words[lane] = halves[row, 2 * piece : 2 * piece + 2]
    return words.astype(np.uint16).view(np.int16)


CASES = [
    ("sm_80", (16, "f16", "f16", "f16"), 0), ("sm_80", (16, "f16", "f16", "f32"), 1),
    ("sm_80", (16, "bf16", "bf16", "f32"), 1), ("sm_80", (32, "f16", "f16", "f16"), 1),
    ("sm_80", (32, "f16", "f16", "f32"), 0), ("sm_80", (32, "bf16", "bf16", "f32"), 1),
    ("sm_80", (8, "tf32", "tf32", "f32"), 1), ("sm_80", (16, "tf32", "tf32", "f32"), 1),
    ("sm_80", (32, "i8", "ui8", "i32"), 1), ("sm_80", (64, "ui8", "i8", "i32"), 0),
    ("sm_80", (64, "i4", "i4", "i32"), 1), ("sm_80", (128, "ui4", "i4", "i32"), 0),
    ("sm_89", (64, "f8E4M3FN", "f8E5M2", "f32"), 0), ("sm_120a", (64, "f8E5M2", "f8E4M3FN", "f16"), 0),
    ("sm_120a", (64, "f4E2M1FN", "f6E3M2FN", "f32"), 0), ("sm_120a", (64, "f6E2M3FN", "f8E5M2", "f16"), 0),
]  # fmt: skip


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("chip", "types", "selector"), CASES)
def test_mma_sp(chip: str, types: tuple[int, str, str, str], selector: int, run_on: Any, text: Any) -> None:
    instruction = form(*types)
    source = mma_sparse(text, instruction, selector)
    values, expected = data(instruction, selector)
    assert np.array_equal(run_on(chip, source, values)[4], expected)
    interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)
    assert np.array_equal(values[4], expected)


def all_forms(text: Any, instructions: Sequence[SparseMma]) -> str:
    """One kernel with all of them."""
    counts = {"a": 32, "b": 32, "c": 4}
    needed = {
        (name, spelled(type)): counts[name]
        for i in instructions
        for name, type in (("a", i.a_type), ("b", i.b_type), ("c", i.c_type))
    }
    arguments = [f"%m{name}{type}: memref<32x{n}x{type}>" for (name, type), n in needed.items()]
    lines = ["  %t = gpu.thread_id x", "  %zero = arith.constant 0 : index"]
    lines.append("  %i = vector.load %mi[%t, %zero] : memref<32x2xi16>, vector<2xi16>")
    outs: list[str] = []
    for number, i in enumerate(instructions):
        names: list[str] = []
        for name, type in (("a", i.a_type), ("b", i.b_type), ("c", i.c_type)):
            count, buffer = 4 if name == "c" else i.shape[2] // 4, f"memref<32x{counts[name]}x{spelled(type)}>"
            loaded = f"vector<{count}x{spelled(type)}>"
            lines.append(f"  %{name}{number} = vector.load %m{name}{spelled(type)}[%t, %zero] : {buffer}, {loaded}")
            names.append(f"{name}{number}")
        lines.append(multiply(i, 0, (*names, "i", f"d{number}")))
        result = f"4x{i.c_type}"
        outs.append(f"%o{number}: memref<32x{result}>")
        lines.append(f"  vector.store %d{number}, %o{number}[%t, %zero] : memref<32x{result}>, vector<{result}>")
    head = ", ".join([*arguments, "%mi: memref<32x2xi16>", *outs])
    source = str(text(head, "\n".join(lines), (32, 1, 1)))
    return source.replace("attributes {gpu", "attributes {lanewise.subgroup_size = 32 : i64, gpu")


@pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")
@pytest.mark.parametrize(("chip", "feature"), [("sm_80", "mma.sp"), ("sm_89", "mma.sp.fp8"), ("sm_120a", "mma.f8f6f4")])
def test_the_assembler_accepts_all_forms(chip: str, feature: str, build: Any, text: Any) -> None:
    """Each is in the assembly once, in the type that it was asked in."""
    instructions = [i for i in MMA_SPARSE if i.requires == feature]
    artifacts = build(all_forms(text, instructions), chip)
    found = re.findall(r"mma\.sp::ordered_metadata\.sync\.aligned\.(\S+)", artifacts.assembly)
    assert len(set(found)) == len(found) == len(instructions)
    assemble(artifacts.assembly, find_chip(chip))


def test_metadata_out_of_order(run_on: Any, text: Any) -> None:
    """Of f16 the same place twice; of tf32 halves of two elements."""
    for types, wrong in (((16, "f16", "f16", "f32"), 0b0001), ((8, "tf32", "tf32", "f32"), 0b1001)):
        instruction = form(*types)
        values, _ = data(instruction, 0)
        values[3][4, 1] = wrong
        source = mma_sparse(text, instruction, 0)
        with pytest.raises(EmulationFault, match="metadata does not name two of four elements in their order"):
            run_on("sm_80", source, values)
        with pytest.raises(EvaluationError, match="has metadata that does not name two of four elements"):
            interpret_kernel(find_kernel(parse_program(source)), (1, 1, 1), values, subgroup_size=32)


def test_forms_that_a_chip_lacks(build: Any, text: Any) -> None:
    source = mma_sparse(text, form(64, "f8E4M3FN", "f8E5M2", "f32"), 0)
    missing = r"is m16n8k64 on f8E4M3FN x f8E5M2 \+ f32, which sm_80 does not have; it has m16n8k16 f16 x f16"
    with pytest.raises(CompileError, match=missing):
        build(source, "sm_80")
    with pytest.raises(CompileError, match="which sm_75 does not have; it has none"):
        build(source, "sm_75")
    with pytest.raises(CompileError, match=r"which sm_80 does not have; for these it has m16n8k16, m16n8k8"):
        build(source.replace("f8E4M3FN", "f32").replace("f8E5M2", "f32").replace("4x4xf32", "16x1xf32")
              .replace("mmaShape", "tf32Enabled, mmaShape"), "sm_80")  # fmt: skip
    unknown = source.replace("f8E4M3FN", "bf16").replace("f8E5M2", "bf16").replace("4x4xbf16", "8x2xbf16")
    values = [np.zeros((32, n), t) for n, t in ((16, TYPES["bf16"]), (16, TYPES["bf16"]), (4, np.float32),
              (2, np.int16), (4, np.float32))]  # fmt: skip
    with pytest.raises(EvaluationError, match=r"is no instruction: m16n8k64 on bf16 x bf16 \+ f32"):
        interpret_kernel(find_kernel(parse_program(unknown)), (1, 1, 1), values, subgroup_size=32)
