"""Planted mistakes in the AMDGCN that the examples become: the emulator must fault or give another result.

This is the negative control of the emulator: machine text that it accepts has survived these.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lanewise.codegen.pipeline import ArgumentFacts, Compilation
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.memory import GlobalMemory
from lanewise.ir.parser import parse_program
from lanewise.ir.targets import find_chip

EXAMPLES = Path(__file__).parents[3] / "examples"
Arrays = list[np.ndarray]


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def halves(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float16)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).astype(np.float32)


PROGRAMS: dict[str, tuple[tuple[int, int, int], Callable[[], Arrays], Callable[[Arrays], np.ndarray]]] = {
    "reduce_8x64": ((1, 1, 1), lambda: [floats(8, 64), np.zeros(8, np.float32)], lambda a: a[0].sum(axis=1)),
    "softmax": ((3, 1, 1), lambda: [floats(3, 1030), np.zeros((3, 1030), np.float32)], lambda a: softmax(a[0])),
    "transpose": ((2, 2, 1), lambda: [floats(70, 100), np.zeros((100, 70), np.float32)], lambda a: a[0].T),
    "matmul_f16": (
        (1, 1, 1),
        lambda: [halves(100, 72), halves(72, 90, seed=1), np.zeros((100, 90), np.float32)],
        lambda a: a[0].astype(np.float32) @ a[1].astype(np.float32),
    ),
}


def text_of(name: str, chip: str, near: bool = False) -> tuple[Compilation, str]:
    source = parse_program((EXAMPLES / f"{name}.mlir").read_text())
    facts = dict.fromkeys(range(len(PROGRAMS[name][1]())), ArgumentFacts(near=near))
    compilation = Compilation(source, None, find_chip(chip), facts)
    return compilation, compilation.artifacts.assembly


def right(name: str, compilation: Compilation, text: str) -> bool:
    """Whether the text runs without a fault and gives the right result."""
    grid, make, expected = PROGRAMS[name]
    memory, arguments, packed, addresses = GlobalMemory(), make(), b"", []
    for array in arguments:
        addresses.append(memory.allocate(array.nbytes))
        memory.write(addresses[-1], array)
    for parameter in compilation.artifacts.parameters:
        packed = packed.ljust(parameter.offset, b"\0")
        values = {
            "pointer": lambda p: addresses[p.argument],
            "size": lambda p: arguments[p.argument].shape[p.dimension],
        }
        packed += struct.pack("<Q", values[parameter.role](parameter))
    try:
        kernel = AmdgcnModule.parse(text).kernels[name]
        kernel.launch(grid, compilation.artifacts.block_size, packed, memory)
    except EmulationFault:
        return False
    output = memory.read(addresses[-1], arguments[-1].nbytes).view(np.float32).reshape(arguments[-1].shape)
    return np.allclose(output, expected(arguments), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_are_right_before_they_are_changed(name: str, chip: str, near: bool) -> None:
    assert right(name, *text_of(name, chip, near))


def drop(pattern: str, number: int = 0) -> Callable[[str], str]:
    """Removes the line with the `number`-th match."""
    return replace(rf"^.*{pattern}.*\n", "", number)


def replace(pattern: str, by: str, number: int = 0) -> Callable[[str], str]:
    def mutate(text: str) -> str:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        match = found[number]
        return text[: match.start()] + match.expand(by) + text[match.end() :]

    return mutate


MUTANTS: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "wait for the arguments": ("reduce_8x64", "gfx942", drop(r"s_waitcnt lgkmcnt\(0\)")),
    "wait for a global load": ("reduce_8x64", "gfx942", drop(r"s_waitcnt vmcnt\(0\)")),
    "wait for a shuffle": ("reduce_8x64", "gfx942", drop(r"s_waitcnt lgkmcnt\(0\)", 1)),
    "wait before a barrier": ("transpose", "gfx1100", replace(r"s_waitcnt lgkmcnt\(0\)\n(\ts_barrier)", r"\1", -1)),
    "barrier between stores and loads": ("transpose", "gfx942", drop("s_barrier", -1)),
    "barrier before the next tile": ("matmul_f16", "gfx942", drop("s_barrier", -1)),
    "barrier of a reduction": ("softmax", "gfx1100", drop("s_barrier", 1)),
    "lane of a butterfly": ("reduce_8x64", "gfx942", replace(r"quad_perm:\[1,0,3,2\]", "quad_perm:[2,3,0,1]")),
    "distance of a swizzle": ("reduce_8x64", "gfx942", replace(r"SWAP,16", "SWAP,8")),
    "address of a permute": (
        "reduce_8x64",
        "gfx942",
        replace(r"v_xor_b32_e32 (v\d+), 0x80,", r"v_xor_b32_e32 \1, 64,"),
    ),
    "restored lanes": ("reduce_8x64", "gfx942", drop(r"s_or_b64 exec, exec")),
    "a carry": (
        "transpose",
        "gfx90a",
        replace(r"v_addc_co_u32_e64 (v\d+), \S+, (\S+), (\S+), \S+$", r"v_add_u32_e32 \1, \2, \3", -1),
    ),
    "swapped matrix operands": (
        "matmul_f16",
        "gfx942",
        replace(r"(v_mfma\S+ \S+), (\S+), (\S+),", r"\1, \3, \2,"),
    ),
    "a lost accumulator": (
        "matmul_f16",
        "gfx1100",
        replace(r"(v_wmma\S+ \S+, \S+, \S+), \S+$", r"\1, 0", -1),
    ),
    "sign of a difference": ("softmax", "gfx942", replace(r"v_sub_f32_e32", "v_add_f32_e32")),
}


NEAR_MUTANTS: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "where lanes go that are not to store": (
        "transpose",
        "gfx1100",
        replace(r"(v_cndmask_b32_e\d+ v\d+), 0x80800000,", r"\1, 0x800000,", -1),
    ),
    "a guard": ("transpose", "gfx942", replace(r"v_cmp_gt_u64_e32", "v_cmp_le_u64_e32")),
    # The second resource: softmax is the same with another maximum, which is what the first pass reads for.
    "bytes of a buffer": ("softmax", "gfx942", replace(r"s_mov_b32 (s\d+), 0x80800000", r"s_mov_b32 \1, 0x800040", 1)),
    "format of a buffer": ("softmax", "gfx942", replace(r"s_mov_b32 (s\d+), 0x27000", r"s_mov_b32 \1, 0")),
    "another buffer": (
        "transpose",
        "gfx942",
        replace(r"(buffer_store_dword v\d+, v\d+, )s\[(?!0:)\d+:\d+\]", r"\1s[0:3]"),
    ),
    "size of an element": ("matmul_f16", "gfx942", replace(r"buffer_load_ushort", "buffer_load_ubyte")),
    "wait for a load": ("transpose", "gfx1100", drop(r"s_waitcnt vmcnt\(\d+\)")),
}


@pytest.mark.parametrize("mistake", [*MUTANTS, *NEAR_MUTANTS])
def test_a_planted_mistake_is_caught(mistake: str) -> None:
    name, chip, mutate = (MUTANTS | NEAR_MUTANTS)[mistake]
    compilation, text = text_of(name, chip, near=mistake in NEAR_MUTANTS)
    changed = mutate(text)
    assert changed != text
    assert not right(name, compilation, changed)
