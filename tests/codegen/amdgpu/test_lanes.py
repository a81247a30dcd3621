"""Shuffles and barriers: every way of moving values, each pattern on each generation."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.amdgpu.collectives import sources
from lanewise.codegen.amdgpu.crosslane import moves_for
from lanewise.targets import find_chip

SUBGROUPS = [
    ("gfx90a", 64), ("gfx942", 64), ("gfx950", 64), ("gfx1030", 32), ("gfx1030", 64), ("gfx1100", 32), ("gfx1100", 64),
    ("gfx1201", 32), ("gfx1201", 64),
]  # fmt: skip
MODES = ("xor", "up", "down", "idx")


def in_subgroups(text: str, lanes: int) -> str:
    return text.replace("attributes {gpu", f"attributes {{lanewise.subgroup_size = {lanes} : i64, gpu")


def read_by(mode: str, lane: int, offset: int, width: int) -> tuple[int, bool]:
    """The lane that `lane` reads, and whether it is in its group of `width`."""
    first = lane // width * width
    inner = {"xor": (lane - first) ^ offset, "up": lane - first - offset, "down": lane - first + offset, "idx": offset}
    source = inner[mode]
    return (first + source, True) if 0 <= source < width else (lane, False)


def shuffles(cases: list[tuple[str, int, int]], lanes: int, text: Any, block: int) -> str:
    """A kernel that stores, for each (mode, offset, width), the lane each thread reads, and whether it is valid."""
    lines = ["  %t = gpu.thread_id x", "  %lane = gpu.lane_id", "  %x = arith.index_cast %lane : index to i32"]
    for i, (mode, offset, width) in enumerate(cases):
        lines += [
            f"  %o{i} = arith.constant {offset} : i32",
            f"  %w{i} = arith.constant {width} : i32",
            f"  %y{i}, %k{i} = gpu.shuffle {mode} %x, %o{i}, %w{i} : i32",
            f"  %c{i} = arith.constant {i} : index",
            f"  memref.store %y{i}, %out[%c{i}, %t] : memref<{len(cases)}x{block}xi32>",
            f"  memref.store %k{i}, %valid[%c{i}, %t] : memref<{len(cases)}x{block}xi1>",
        ]
    arguments = f"%out: memref<{len(cases)}x{block}xi32>, %valid: memref<{len(cases)}x{block}xi1>"
    return in_subgroups(text(arguments, "\n".join(lines), (block, 1, 1)), lanes)


def all_cases(lanes: int) -> list[tuple[str, int, int]]:
    xors = [("xor", offset, lanes) for offset in range(lanes)]
    widths = [w for w in (2, 4, 8, 16, 32, 64) if w <= lanes]
    others = [
        (mode, offset, width)
        for mode, width in itertools.product(MODES, widths)
        for offset in {0, 1, 3, width // 2, width - 1, width}
    ]
    return xors + others


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("chip", "lanes"), SUBGROUPS)
def test_every_pattern(chip: str, lanes: int, run_on: Any, text: Any) -> None:
    """Two subgroups, all offsets of xor, and the edges of groups of every width."""
    cases, block = all_cases(lanes), 2 * lanes
    values = [np.zeros((len(cases), block), np.int32), np.zeros((len(cases), block), bool)]
    out, valid = run_on(chip, shuffles(cases, lanes, text, block), values)
    for i, case in enumerate(cases):
        mode, offset, width = case
        expected = [read_by(mode, t % lanes, offset, width) for t in range(block)]
        assert out[i].tolist() == [lane for lane, _ in expected], case
        assert valid[i].tolist() == [inside for _, inside in expected], case


@pytest.mark.turns("chip")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("chip", "lanes"), SUBGROUPS)
def test_offsets_known_at_run_time(chip: str, lanes: int, mode: str, run_on: Any, text: Any) -> None:
    """64-bit values, so that two words travel."""
    body = f"""  %t = gpu.thread_id x
  %wide = arith.index_cast %t : index to i64
  %c = arith.constant 4294967297 : i64
  %x = arith.muli %wide, %c : i64
  %y, %k = gpu.shuffle {mode} %x, %o, %w : i64
  memref.store %y, %out[%t] : memref<{lanes}xi64>
  memref.store %k, %valid[%t] : memref<{lanes}xi1>"""
    arguments = f"%out: memref<{lanes}xi64>, %valid: memref<{lanes}xi1>, %o: i32, %w: i32"
    source = in_subgroups(text(arguments, body, (lanes, 1, 1)), lanes)
    for offset, width in ((3, lanes), (lanes // 2, lanes), (1, 4), (5, 4)):
        values = [np.zeros(lanes, np.int64), np.zeros(lanes, bool), np.int32(offset), np.int32(width)]
        out, valid = run_on(chip, source, values)
        expected = [read_by(mode, t, offset, width) for t in range(lanes)]
        assert out.tolist() == [lane * (2**32 + 1) for lane, _ in expected]
        assert valid.tolist() == [inside for _, inside in expected]


@pytest.mark.parametrize(("chip", "lanes"), SUBGROUPS)
def test_lanes_stay_active_where_one_uses_the_result(chip: str, lanes: int, run_on: Any, text: Any) -> None:
    """LLVM must not move what lanes do together into the branch that uses it."""
    lines = ["  %t = gpu.thread_id x", "  %s0 = memref.load %a[%t] : memref<64xf32>"]
    lines += [f"  %w = arith.constant {lanes} : i32", "  %one = arith.constant 1 : index"]
    steps = [1 << i for i in range(lanes.bit_length() - 1)]
    for i, offset in enumerate(steps):
        lines += [
            f"  %o{i} = arith.constant {offset} : i32",
            f"  %y{i}, %k{i} = gpu.shuffle xor %s{i}, %o{i}, %w : f32",
            f"  %s{i + 1} = arith.addf %s{i}, %y{i} : f32",
        ]
    for i, _ in enumerate([0, *steps]):
        lines += [
            f"  %p{i} = arith.constant {i} : index",
            f"  %c{i} = arith.cmpi ult, %t, %one : index",
            f"  scf.if %c{i} {{ memref.store %s{i}, %b[%p{i}] : memref<8xf32> }}",
        ]
    a = np.arange(64, dtype=np.float32)
    source = in_subgroups(text("%a: memref<64xf32>, %b: memref<8xf32>", "\n".join(lines), (lanes, 1, 1)), lanes)
    _, found = run_on(chip, source, [a, np.zeros(8, np.float32)])
    assert found[: len(steps) + 1].tolist() == [a[: 1 << i].sum() for i in range(len(steps) + 1)]


CHOICES = [
    ("gfx942", 64, "xor", 1, 64, r"v_mov_b32_dpp .* quad_perm:\[1,0,3,2\]"),
    ("gfx942", 64, "xor", 8, 64, r"v_mov_b32_dpp .* row_ror:8"),
    ("gfx942", 64, "xor", 4, 64, r"row_half_mirror"),
    ("gfx942", 64, "xor", 16, 64, r"ds_swizzle_b32 .* offset:swizzle\(SWAP,16\)"),
    ("gfx942", 64, "xor", 32, 64, r"ds_bpermute_b32"),
    ("gfx950", 64, "xor", 16, 64, r"v_permlane16_swap_b32"),
    ("gfx950", 64, "xor", 32, 64, r"v_permlane32_swap_b32"),
    ("gfx1030", 32, "xor", 4, 32, r"v_mov_b32_dpp .* row_xmask:4"),
    ("gfx1030", 32, "xor", 16, 32, r"v_permlanex16_b32"),
    ("gfx1030", 64, "xor", 32, 64, r"ds_read_b32"),
    ("gfx1100", 32, "idx", 5, 16, r"v_mov_b32_dpp .* row_share:5"),
    ("gfx1100", 32, "up", 3, 16, r"v_permlane16_b32"),
    ("gfx1100", 32, "idx", 7, 32, r"v_readlane_b32"),
    ("gfx1100", 64, "xor", 32, 64, r"v_permlane64_b32"),
    ("gfx1100", 32, "down", 5, 32, r"ds_bpermute_b32"),
]


@pytest.mark.parametrize(("chip", "lanes", "mode", "offset", "width", "expected"), CHOICES)
def test_the_cheapest_instruction_is_chosen(
    chip: str, lanes: int, mode: str, offset: int, width: int, expected: str, build: Any, text: Any
) -> None:
    assembly = build(shuffles([(mode, offset, width)], lanes, text, lanes), chip).assembly
    assert re.search(expected, assembly)
    used = re.findall(r"\b(ds_swizzle|ds_bpermute|v_readlane|v_permlane[a-z0-9]+|v_mov_b32_dpp|ds_read_b32)", assembly)
    assert all(re.search(name, expected) or name == "v_mov_b32_dpp" for name in used), used


@pytest.mark.parametrize(("chip", "lanes"), SUBGROUPS)
def test_butterflies_within_rows_stay_out_of_the_lds_unit(chip: str, lanes: int) -> None:
    for offset in range(1, 16):
        if offset in (1, 2, 3, 4, 7, 8, 12, 15) or chip >= "gfx9a":
            moves = moves_for(find_chip(chip), sources("xor", offset, lanes, lanes))
            assert moves and len(moves) <= 2 and all(type(m).__name__ != "Swizzle" for m in moves)


# -- barriers -------------------------------------------------------------------------------------------------------

SHARED = "memref<64xf32, #gpu.address_space<workgroup>>"
ROTATE = f"""  %s = memref.alloc() : {SHARED}
  %t = gpu.thread_id x
  %last = arith.constant 63 : index
  %u = arith.subi %last, %t : index
  %x = memref.load %a[%t] : memref<64xf32>
  memref.store %x, %s[%t] : {SHARED}
  gpu.barrier
  %y = memref.load %s[%u] : {SHARED}
  memref.store %y, %b[%t] : memref<64xf32>"""


@pytest.mark.parametrize("chip", ["gfx90a", "gfx1030", "gfx1201"])
def test_workgroup_memory_alone_is_ordered_where_that_is_enough(chip: str, build: Any, run_on: Any, text: Any) -> None:
    """Buffers written after the barrier only; the wait in front of it is for the LDS."""
    arguments, block = "%a: memref<64xf32>, %b: memref<64xf32>", (64, 1, 1)
    llvm_ir = build(text(arguments, ROTATE, block), chip).llvm_ir
    assert llvm_ir.count("fence") == llvm_ir.count(", !mmra !2\n") == 2
    assert '!2 = !{!"amdgpu-synchronize-as", !"local"}' in llvm_ir
    a = np.arange(64, dtype=np.float32)
    assert np.array_equal(run_on(chip, text(arguments, ROTATE, block), [a, np.zeros_like(a)])[1], a[::-1])


EXCHANGE = """  %t = gpu.thread_id x
  %last = arith.constant 63 : index
  %u = arith.subi %last, %t : index
  {before}
  gpu.barrier
  {after}"""
GLOBAL_ORDER = {
    "read what was written": ("memref.store %x, %a[%t] : memref<64xf32>", "%y = memref.load %a[%u] : memref<64xf32>"),
    "write what was read": ("%y = memref.load %a[%u] : memref<64xf32>", "memref.store %x, %a[%t] : memref<64xf32>"),
    "write twice": ("memref.store %x, %a[%t] : memref<64xf32>", "memref.store %x, %a[%u] : memref<64xf32>"),
}


@pytest.mark.parametrize("case", GLOBAL_ORDER)
def test_global_memory_is_ordered_where_threads_meet_in_it(case: str, build: Any, text: Any) -> None:
    before, after = GLOBAL_ORDER[case]
    source = text("%a: memref<64xf32>, %x: f32", EXCHANGE.format(before=before, after=after))
    llvm_ir = build(source, "gfx1100").llvm_ir
    assert llvm_ir.count("fence") == 2 and "!mmra !2\n" not in llvm_ir


def test_writes_of_an_earlier_iteration_count(build: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    gpu.barrier
    memref.store %x, %a[%t] : memref<64xf32>
  }"""
    assert "!mmra !2\n" not in build(text("%a: memref<64xf32>, %x: f32", body), "gfx942").llvm_ir
    listed = body.replace("gpu.barrier", "gpu.barrier memfence [#gpu.address_space<workgroup>]")
    assert "!mmra !2\n" in build(text("%a: memref<64xf32>, %x: f32", listed), "gfx942").llvm_ir
