"""Planted mistakes in the machine text that the examples become: the emulator must fault or give another result.

This is the negative control of the emulators: machine text that they accept has survived these. `pytest -s -k by_class`
lists the mutants by class, with what each was caught by.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory
from lanewise.emulate.ptx import PtxModule
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.targets import find_chip

from ..examples import is_thorough

EXAMPLES = Path(__file__).parents[2] / "examples"
Arrays = list[np.ndarray]


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def halves(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float16)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).astype(np.float32)


def layer_norm(x: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    deviation = x - x.mean(axis=1, keepdims=True, dtype=np.float64)
    variance = (deviation**2).mean(axis=1, keepdims=True)
    return (deviation / np.sqrt(variance + 1e-5) * scale + shift).astype(np.float32)


PROGRAMS: dict[str, tuple[tuple[int, int, int], Callable[[], Arrays], Callable[[Arrays], np.ndarray]]] = {
    "reduce_8x64": ((1, 1, 1), lambda: [floats(8, 64), np.zeros(8, np.float32)], lambda a: a[0].sum(axis=1)),
    "softmax": ((3, 1, 1), lambda: [floats(3, 1030), np.zeros((3, 1030), np.float32)], lambda a: softmax(a[0])),
    "layer_norm": (
        (3, 1, 1),
        lambda: [floats(3, 700), floats(700, seed=1), floats(700, seed=2), np.zeros((3, 700), np.float32)],
        lambda a: layer_norm(*a[:3]),
    ),
    "transpose": ((2, 2, 1), lambda: [floats(70, 100), np.zeros((100, 70), np.float32)], lambda a: a[0].T),
    "matmul_f16": (
        (1, 1, 1),
        lambda: [halves(100, 72), halves(72, 90, seed=1), np.zeros((100, 90), np.float32)],
        lambda a: a[0].astype(np.float32) @ a[1].astype(np.float32),
    ),
}


@cache
def text_of(name: str, chip: str, near: bool = False) -> tuple[Compilation, str]:
    source = parse_program((EXAMPLES / f"{name}.mlir").read_text())
    facts = dict.fromkeys(range(len(PROGRAMS[name][1]())), ArgumentFacts(near=near))
    compilation = Compilation(source, None, find_chip(chip), facts)
    return compilation, compilation.artifacts.assembly


def outcome(name: str, chip: str, compilation: Compilation, text: str) -> str:
    """The kind of fault that the text ends in, "values" where it gives a wrong result, else "right"."""
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
    module = PtxModule if chip.startswith("sm_") else AmdgcnModule
    try:
        module.parse(text).kernels[name].launch(memory, LaunchSettings(grid, compilation.artifacts.block_size, packed))
    except EmulationFault as fault:
        return fault.kind
    output = memory.read(addresses[-1], arguments[-1].nbytes).view(np.float32).reshape(arguments[-1].shape)
    return "right" if np.allclose(output, expected(arguments), rtol=1e-5, atol=1e-5) else "values"


@pytest.mark.turns("chip")
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_are_right_before_they_are_changed(name: str, chip: str, near: bool) -> None:
    assert outcome(name, chip, *text_of(name, chip, near)) == "right"


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["sm_90", "gfx90a", "gfx1201"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_on_more_chips(name: str, chip: str) -> None:
    assert outcome(name, chip, *text_of(name, chip)) == "right"


def drop(pattern: str, number: int = 0) -> Callable[[str], str]:
    """Removes the line with the `number`-th match."""
    return replace(rf"^.*{pattern}.*\n", "", number)


def drop_all(pattern: str) -> Callable[[str], str]:
    """Removes every line with a match."""
    return lambda text: re.sub(rf"^.*{pattern}.*\n", "", text, flags=re.MULTILINE)


def replace(pattern: str, by: str, number: int = 0) -> Callable[[str], str]:
    def mutate(text: str) -> str:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        match = found[number]
        return text[: match.start()] + match.expand(by) + text[match.end() :]

    return mutate


class Mutant(NamedTuple):
    """A mistake: its class, where it is planted, and what it must be caught by: kinds of fault, or "values".

    `near`: in the text for buffers whose bounds the hardware checks.
    """

    fault_class: str
    program: str
    chip: str
    mutate: Callable[[str], str]
    caught_by: str
    near: bool = False


READ_AT_ONCE = replace(r"(v_mfma\S+ v\[(\d+):.*\n)", r"\1\tv_mov_b32_e32 v\2, v\2\n", -1)
LOAD, SYNC, HAZARD, POISON = "missing wait", "missing barrier", "hazard", "unwritten register"
LANES, MEMORY, MATRIX, CONTROL, VALUES = "lanes", "memory", "matrix", "control flow", "arithmetic"
SHARED = "race uninitialised values"

MUTANTS: dict[str, Mutant] = {
    # CDNA
    "wait for the arguments": Mutant(
        LOAD, "reduce_8x64", "gfx942", drop(r"s_waitcnt lgkmcnt\(0\)"), "outstanding-load"
    ),
    "wait for a global load": Mutant(LOAD, "reduce_8x64", "gfx942", drop(r"s_waitcnt vmcnt\(0\)"), "outstanding-load"),
    "wait for a shuffle": Mutant(LOAD, "reduce_8x64", "gfx942", drop(r"s_waitcnt lgkmcnt\(0\)", 1), "outstanding-load"),
    "barrier between stores and loads": Mutant(SYNC, "transpose", "gfx942", drop("s_barrier", -1), SHARED),
    "barrier before the next tile": Mutant(SYNC, "matmul_f16", "gfx942", drop("s_barrier", -1), SHARED),
    "lane of a butterfly": Mutant(
        LANES, "reduce_8x64", "gfx942", replace(r"quad_perm:\[1,0,3,2\]", "quad_perm:[2,3,0,1]"), "values"
    ),
    "distance of a swizzle": Mutant(LANES, "reduce_8x64", "gfx942", replace(r"SWAP,16", "SWAP,8"), "values"),
    "address of a permute": Mutant(
        LANES, "reduce_8x64", "gfx942", replace(r"v_xor_b32_e32 (v\d+), 0x80,", r"v_xor_b32_e32 \1, 64,"), "values"
    ),
    "restored lanes": Mutant(CONTROL, "reduce_8x64", "gfx942", drop(r"s_or_b64 exec, exec"), "values uninitialised"),
    "a carry": Mutant(
        VALUES,
        "transpose",
        "gfx90a",
        replace(r"v_addc_co_u32_e(?:32|64) (v\d+), \S+, (\S+), (\S+), \S+$", r"v_add_u32_e32 \1, \2, \3"),
        "out-of-bounds values",
    ),
    "swapped matrix operands": Mutant(
        MATRIX, "matmul_f16", "gfx942", replace(r"(v_mfma\S+ \S+), (\S+), (\S+),", r"\1, \3, \2,"), "values"
    ),
    "sign of a difference": Mutant(VALUES, "softmax", "gfx942", replace(r"v_sub_f32_e32", "v_add_f32_e32"), "values"),
    "nop before lanes are read": Mutant(
        HAZARD, "reduce_8x64", "gfx90a", replace(r"\ts_nop 1\n(\tv_add_f32_dpp)", r"\1"), "hazard"
    ),
    "nop after a comparison": Mutant(
        HAZARD, "softmax", "gfx942", replace(r"(v_cmp\S+ vcc.*\n)\ts_nop 1\n(\tv_cndmask)", r"\1\2"), "hazard"
    ),
    "nop after a reciprocal": Mutant(
        HAZARD, "layer_norm", "gfx942", replace(r"(v_rcp_f32.*\n)\ts_nop 0\n", r"\1"), "hazard"
    ),
    "a matrix result read at once": Mutant(HAZARD, "matmul_f16", "gfx942", READ_AT_ONCE, "hazard"),
    "a matrix result read at once, CDNA2": Mutant(HAZARD, "matmul_f16", "gfx90a", READ_AT_ONCE, "hazard"),
    "a vector result multiplied at once": Mutant(
        HAZARD,
        "matmul_f16",
        "gfx942",
        replace(r"^(\tv_mfma_f32\S+ \S+, v\[(\d+):)", r"\tv_mov_b32_e32 v\2, v\2\n\1"),
        "hazard",
    ),
    "an address that nothing computes": Mutant(
        POISON, "reduce_8x64", "gfx942", drop(r"v_lshlrev_b32_e32 v\d+, 2, v0"), "uninitialised"
    ),
    "arguments that nothing loads": Mutant(POISON, "softmax", "gfx90a", drop(r"s_load_dword"), "uninitialised"),
    "another scalar for the workgroup": Mutant(
        POISON, "softmax", "gfx942", replace(r"(s_mul_i32 s\d+, s\d+), s2$", r"\1, s71"), "uninitialised"
    ),
    "another scalar for the workgroup, RDNA3": Mutant(
        POISON, "softmax", "gfx1100", replace(r"(s_mul_i32 s\d+, s\d+), s15$", r"\1, s71"), "uninitialised"
    ),
    "the end of the kernel": Mutant(CONTROL, "transpose", "gfx942", drop("s_endpgm"), "out-of-bounds"),
    "a store across a word": Mutant(
        MEMORY, "softmax", "gfx942", replace(r"(ds_write_b32 v\d+, v\d+)( offset:\d+)?$", r"\1 offset:2"), "misaligned"
    ),
    "a store beyond the workgroup's memory": Mutant(
        MEMORY,
        "softmax",
        "gfx90a",
        replace(r"(ds_write_b32 v\d+, v\d+)( offset:\d+)?$", r"\1 offset:65532"),
        "out-of-bounds",
    ),
    "a guard": Mutant(
        MEMORY, "transpose", "gfx942", replace(r"v_cmp_gt_u32_e32", "v_cmp_le_u32_e32"), "values out-of-bounds", True
    ),
    # The second resource: softmax is the same with another maximum, which is what the first pass reads for.
    "bytes of a buffer": Mutant(
        MEMORY,
        "softmax",
        "gfx942",
        replace(r"s_mov_b32 (s\d+), 0x80800000", r"s_mov_b32 \1, 0x800040", 1),
        "values",
        True,
    ),
    "size of an element": Mutant(
        MEMORY, "matmul_f16", "gfx942", replace(r"buffer_load_ushort", "buffer_load_ubyte"), "values", True
    ),
    # RDNA3
    "wait before a barrier": Mutant(
        LOAD,
        "transpose",
        "gfx1100",
        replace(r"s_waitcnt lgkmcnt\(0\)\n((?:\t(?!s_waitcnt).*\n)*\ts_barrier)", r"\1", -1),
        "outstanding-load",
    ),
    "barrier of a reduction": Mutant(SYNC, "softmax", "gfx1100", drop("s_barrier", 1), SHARED),
    "a lost accumulator": Mutant(
        MATRIX, "matmul_f16", "gfx1100", replace(r"(v_wmma\S+ \S+, \S+, \S+), \S+$", r"\1, 0", -1), "values"
    ),
    "rows of the other half": Mutant(
        MATRIX,
        "matmul_f16",
        "gfx1100",
        replace(r"(v_and_or_b32 v\d+, v\d+, )15,", r"\g<1>31,"),
        "duplicate-lanes race values",
    ),
    "wait after a reciprocal": Mutant(
        HAZARD, "softmax", "gfx1100", drop(r"s_waitcnt_depctr depctr_va_vdst\(0\)"), "hazard"
    ),
    "wait for a load": Mutant(LOAD, "transpose", "gfx1100", drop(r"s_waitcnt vmcnt\(\d+\)"), "outstanding-load", True),
    "where lanes go that are not to store": Mutant(
        MEMORY,
        "transpose",
        "gfx1100",
        replace(r"(v_cndmask_b32_e\d+ v\d+), 0x80800000,", r"\1, 0x800000,", -1),
        "values out-of-bounds race",
        True,
    ),
    # RDNA4
    "wait for a lane mask": Mutant(HAZARD, "softmax", "gfx1201", drop(r"s_wait_alu depctr_va_vcc\(0\)"), "hazard"),
    "wait for a scalar of the vector unit": Mutant(
        HAZARD, "transpose", "gfx1201", drop(r"s_wait_alu depctr_va_sdst\(0\)"), "hazard"
    ),
    "wait for a scalar": Mutant(HAZARD, "matmul_f16", "gfx1201", drop(r"s_wait_alu depctr_sa_sdst\(0\)"), "hazard"),
    "wait for arguments": Mutant(LOAD, "softmax", "gfx1201", drop(r"s_wait_kmcnt"), "outstanding-load"),
    "wait for loads": Mutant(LOAD, "reduce_8x64", "gfx1201", drop(r"s_wait_loadcnt"), "outstanding-load"),
    "wait before the signal": Mutant(
        LOAD,
        "transpose",
        "gfx1201",
        replace(r"s_wait_(?:loadcnt_)?dscnt 0x0\n(\ts_barrier_signal)", r"\1"),
        "outstanding-load",
    ),
    "no barrier at all": Mutant(SYNC, "transpose", "gfx1201", drop_all(r"s_barrier_"), SHARED),
    "a branch the other way": Mutant(
        CONTROL,
        "reduce_8x64",
        "gfx1201",
        replace(r"s_cbranch_execz", "s_cbranch_execnz"),
        "values out-of-bounds uninitialised",
    ),
    "columns of the other matrix": Mutant(
        MATRIX, "matmul_f16", "gfx1201", replace(r"(v_wmma\S+ \S+), (\S+), (\S+),", r"\1, \3, \2,"), "values"
    ),
    "an address that nothing writes": Mutant(
        POISON, "reduce_8x64", "gfx1201", drop(r"v_lshlrev_b32_e32 v\d+, 2, v0"), "uninitialised"
    ),
    # NVIDIA
    "bar.sync of a reduction": Mutant(SYNC, "softmax", "sm_90", drop(r"bar\.sync", 1), SHARED),
    "bar.sync between stores and loads": Mutant(SYNC, "transpose", "sm_90", drop(r"bar\.sync", -1), SHARED),
    "bar.sync before the next tile": Mutant(SYNC, "matmul_f16", "sm_90", drop(r"bar\.sync", -1), SHARED),
    "a barrier for some threads": Mutant(
        SYNC,
        "reduce_8x64",
        "sm_90",
        replace(r"(\tsetp\.ne\.b32\s+(%p\d+),.*\n)", r"\1\t@\2 bar.sync 0;\n"),
        "divergent-barrier deadlock",
    ),
    "distance of a shuffle": Mutant(
        LANES, "reduce_8x64", "sm_90", replace(r"(shfl\.sync\.bfly\.b32 .*), 16, ", r"\1, 8, "), "values"
    ),
    "lanes of a shuffle": Mutant(
        LANES,
        "reduce_8x64",
        "sm_90",
        replace(r"(shfl\.sync\.bfly.*), -1;", r"\1, 65535;"),
        "divergent-warp-operation inactive-lane",
    ),
    "a store that is not there": Mutant(MEMORY, "transpose", "sm_90", drop(r"st\.shared"), "uninitialised"),
    "a load across a word": Mutant(
        MEMORY, "transpose", "sm_90", replace(r"(ld\.shared\.\S+ .*\[%r\w+)(?:\+\d+)?\]", r"\1+2]"), "misaligned"
    ),
    "a load beyond shared memory": Mutant(
        MEMORY,
        "reduce_8x64",
        "sm_90",
        replace(r"(ld\.shared\.b32 .*\[\S+?)(?:\+\d+)?\]", r"\1+65536]"),
        "out-of-bounds",
    ),
    "a store without its guard": Mutant(
        MEMORY, "transpose", "sm_90", replace(r"@%p\d+ (st\.global)", r"\1", -1), "out-of-bounds values"
    ),
    "a bound that is one too large": Mutant(
        MEMORY, "transpose", "sm_90", replace(r"setp\.lt\.u64", "setp.le.u64"), "out-of-bounds values"
    ),
    "swapped rows": Mutant(MATRIX, "matmul_f16", "sm_90", replace(r"\.trans\.shared", ".shared"), "values"),
    "a lost sum": Mutant(
        MATRIX,
        "matmul_f16",
        "sm_90",
        replace(r"(mma\.sync[^;]*?\{[^}]*\}[^{]*\{[^}]*\}[^{]*)\{([^}]*)\}([^{]*)\{([^}]*)\}", r"\1{\2}\3{\2, \2}", -1),
        "values",
    ),
    "sign of a difference in PTX": Mutant(VALUES, "softmax", "sm_90", replace(r"sub\.rn\.f32", "add.rn.f32"), "values"),
    "a step of a loop": Mutant(
        CONTROL, "softmax", "sm_90", replace(r"(add\.s64 .*), 1024;", r"\1, 2048;", 2), "values"
    ),
}


NOT_JUDGED: dict[str, Mutant] = {
    "another buffer": Mutant(
        MEMORY,
        "transpose",
        "gfx942",
        replace(r"(buffer_store_dword v\d+, v\d+, )s\[(?!0:)\d+:\d+\]", r"\1s[0:3]"),
        "unsupported",
        True,
    ),
    "format of a buffer": Mutant(
        MEMORY, "softmax", "gfx942", replace(r"s_mov_b32 (s\d+), 0x27000", r"s_mov_b32 \1, 0"), "unsupported", True
    ),
}
"""What the emulator says it cannot execute: such a text is neither right nor wrong."""


@cache
def planted(mistake: str) -> str:
    mutant = (MUTANTS | NOT_JUDGED)[mistake]
    compilation, text = text_of(mutant.program, mutant.chip, mutant.near)
    changed = mutant.mutate(text)
    assert changed != text
    return outcome(mutant.program, mutant.chip, compilation, changed)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("mistake", MUTANTS)
def test_a_planted_mistake_is_caught(mistake: str) -> None:
    assert planted(mistake) in MUTANTS[mistake].caught_by.split()


@pytest.mark.parametrize("mistake", NOT_JUDGED)
def test_what_is_not_executed_is_unsupported(mistake: str) -> None:
    assert planted(mistake) == "unsupported"


def test_mutants_by_class() -> None:
    """Lists them (`pytest -s`): class, chip, mistake, and with `--thorough` what caught it."""
    caught = planted if is_thorough() else lambda _: "by its turn"
    rows = sorted((m.fault_class, m.chip, name, caught(name)) for name, m in MUTANTS.items())
    for row in rows:
        print("{:20} {:8} {:40} {}".format(*row))
    assert len({row[1] for row in rows}) >= 4
    assert "right" not in {row[3] for row in rows}
