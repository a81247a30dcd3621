"""Waits at barriers: what the check says of texts with and without them, in every spelling, on every kind of path."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lanewise.codegen.amdgpu.waits import check_waits
from lanewise.codegen.llvm import CodegenError
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import CHIPS, find_chip

ROOT = Path(__file__).parents[3]
PROGRAMS = {
    "loop": (ROOT / "tests/filetests/run/barrier_in_loop.mlir").read_text().split("// -----\n")[0],
    "global loop": (ROOT / "tests/filetests/run/barrier_in_loop.mlir").read_text().split("// -----\n")[1],
    "transpose": (ROOT / "examples/transpose.mlir").read_text(),
    "matmul_f16": (ROOT / "examples/matmul_f16.mlir").read_text(),
}
AMD = [name for name, chip in CHIPS.items() if chip.vendor == "amd"]
WAITING = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201", "gfx1250")
"""One of each kind of those that do not wait for everything at each barrier."""
ALL = ("lds", "store", "load")


def loop(chip: str, *body: str) -> str:
    """A loop with a barrier at its head."""
    barrier = "s_barrier_signal -1\n\ts_barrier_wait -1" if chip >= "gfx12" and len(chip) == 7 else "s_barrier"
    lines = (
        "k:",
        ".LBB0_1:",
        f"\t{barrier}",
        *(f"\t{line}" for line in body),
        "\ts_cbranch_scc1 .LBB0_1",
        "\ts_endpgm",
    )
    return "\n".join(lines) + "\n"


ACCESSES = [
    ("gfx942", "ds_write_b64 v1, v[4:5]", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "ds_read_b64 v[4:5], v1", "s_waitcnt vmcnt(3) lgkmcnt(0)"),
    ("gfx942", "ds_add_u32 v1, v2", "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)"),
    ("gfx1030", "flat_store_dword v[0:1], v2", "s_waitcnt lgkmcnt(0)\n\ts_waitcnt_vscnt null, 0x0"),
    ("gfx1100", "ds_store_b32 v1, v2", "s_waitcnt_lgkmcnt null, 0x0"),
    ("gfx1100", "global_store_b32 v[0:1], v2, off", "s_waitcnt_vscnt null, 0x0"),
    ("gfx1100", "buffer_store_b32 v0, v1, s[0:3], 0 offen", "s_waitcnt_vscnt null, 0x0"),
    ("gfx1100", "global_atomic_add_u32 v[0:1], v2, off", "s_waitcnt_vscnt null, 0x0"),
    ("gfx1100", "global_atomic_add_u32 v3, v[0:1], v2, off glc", "s_waitcnt vmcnt(0)"),
    ("gfx1100", "global_load_b32 v2, v[0:1], off", "s_waitcnt_vmcnt null, 0x0"),
    ("gfx1201", "ds_store_b32 v1, v2", "s_wait_dscnt 0x0"),
    ("gfx1201", "ds_store_b32 v1, v2", "s_wait_loadcnt_dscnt 0x300"),
    ("gfx1201", "ds_store_b32 v1, v2", "s_wait_idle"),
    ("gfx1201", "global_store_b32 v[0:1], v2, off", "s_wait_storecnt 0x0"),
    ("gfx1201", "global_store_b32 v[0:1], v2, off", "s_wait_storecnt_dscnt 0x1"),
    ("gfx1201", "global_load_b32 v2, v[0:1], off", "s_wait_loadcnt_dscnt 0x2"),
    ("gfx1201", "global_atomic_add_u32 v3, v[0:1], v2, off th:TH_ATOMIC_RETURN", "s_wait_loadcnt 0x0"),
    ("gfx1250", "ds_store_b32 v1, v2", "s_wait_dscnt 0x0"),
    ("gfx1250", "global_store_b32 v[0:1], v2, off", "s_wait_storecnt 0x0"),
]
TOO_FEW = {
    "s_waitcnt lgkmcnt(0)": "s_waitcnt vmcnt(0)",
    "s_waitcnt vmcnt(0)": "s_waitcnt lgkmcnt(0)",
    "s_wait_dscnt 0x0": "s_wait_dscnt 0x1",
    "s_wait_storecnt 0x0": "s_wait_loadcnt 0x0",
    "s_wait_loadcnt_dscnt 0x300": "s_wait_loadcnt_dscnt 0x3",
    "s_wait_storecnt_dscnt 0x1": "s_wait_storecnt_dscnt 0x100",
    "s_wait_loadcnt_dscnt 0x2": "s_wait_loadcnt_dscnt 0x200",
    "s_waitcnt_vscnt null, 0x0": "s_waitcnt_vscnt null, 0x1",
}
"""A wait, and one that looks like it."""


@pytest.mark.parametrize(("chip", "access", "wait"), ACCESSES)
def test_an_access_over_the_back_edge_needs_its_wait(chip: str, access: str, wait: str) -> None:
    check_waits(loop(chip, access, wait), find_chip(chip), ALL)
    for text in (loop(chip, access), loop(chip, wait, access), loop(chip, access, TOO_FEW.get(wait, "s_nop 0"))):
        with pytest.raises(CodegenError, match=rf"from line [3-7] to line 3 of the machine text for {chip}"):
            check_waits(text, find_chip(chip), ALL)


@pytest.mark.parametrize(
    ("chip", "access"),
    [
        ("gfx942", "ds_bpermute_b32 v1, v2, v3"),
        ("gfx1100", "ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,16)"),
        ("gfx1201", "ds_permute_b32 v1, v2, v3"),
        ("gfx1100", "buffer_gl0_inv"),
        ("gfx1201", "global_inv scope:SCOPE_SE"),
        ("gfx942", "buffer_wbl2 sc1"),
        ("gfx942", "s_load_dwordx2 s[0:1], s[2:3], 0x0"),
        ("gfx942", "scratch_store_dword off, v1, s0"),
        ("gfx942", "global_load_lds_dword v[0:1], off"),  # the program waits for it
        ("gfx90a", "buffer_load_dword v1, s[0:3], 0 offen lds"),
    ],
)
def test_what_touches_neither_memory_needs_none(chip: str, access: str) -> None:
    check_waits(loop(chip, access), find_chip(chip), ALL)


def test_only_what_the_barriers_order_is_looked_for() -> None:
    chip, text = find_chip("gfx1100"), loop("gfx1100", "global_store_b32 v[0:1], v2, off")
    check_waits(text, chip, ("lds", "load"))
    with pytest.raises(CodegenError, match="a store to global memory is not done"):
        check_waits(text, chip, ("store",))


DIAMOND = """k:
	ds_write_b32 v1, v2
	s_cbranch_execz .LBB0_2
	{taken}
.LBB0_2:
	{joined}
	s_barrier
	s_endpgm
"""
FAR = """k:
	ds_write_b32 v1, v2
	s_getpc_b64 s[4:5]
.Lpost_getpc0:
	s_add_u32 s4, s4, (.LBB0_2-.Lpost_getpc0)&4294967295
	s_addc_u32 s5, s5, (.LBB0_2-.Lpost_getpc0)>>32
	s_setpc_b64 s[4:5]
.LBB0_1:
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_endpgm
.LBB0_2:
	{there}
	s_branch .LBB0_3
.LBB0_3:
	s_barrier
	s_endpgm
"""


def test_every_path_is_followed() -> None:
    chip, wait = find_chip("gfx942"), "s_waitcnt lgkmcnt(0)"
    check_waits(DIAMOND.format(taken="s_nop 0", joined=wait), chip, ALL)
    check_waits(FAR.format(there=wait), chip, ALL)
    for text in (DIAMOND.format(taken=wait, joined="s_nop 0"), FAR.format(there="s_nop 0")):
        with pytest.raises(CodegenError, match="from line 2 to line"):
            check_waits(text, chip, ALL)
    unknown = re.sub(r".*Lpost_getpc.*\n", "", FAR).format(there=wait)
    with pytest.raises(CodegenError, match="from line 2"):  # a branch to nowhere known may go anywhere
        check_waits(unknown, chip, ALL)


def compilation(program: str, chip: str) -> Compilation:
    return Compilation(parse_program(PROGRAMS[program]), None, find_chip(chip))


@pytest.mark.parametrize("chip", AMD)
def test_barriers_in_loops_have_their_waits(chip: str) -> None:
    for program in ("loop", "global loop"):
        assert "s_barrier" in compilation(program, chip).artifacts.assembly


@pytest.mark.turns("chip")
@pytest.mark.parametrize(
    ("program", "chip"),
    [(p, c) for p in PROGRAMS for c in WAITING if p != "global loop" or find_chip(c).supports("vscnt")],
)
def test_a_wait_taken_out_of_real_code_is_missed(program: str, chip: str) -> None:
    """Everything that waits before one of the barriers."""
    artifacts = compilation(program, chip).artifacts
    text, caught = artifacts.assembly, 0
    assert artifacts.check is not None
    for barrier in re.finditer(
        r"(?:\ts_wait\w* [^\n]*\n(?:\t(?!s_wait|s_barrier|ds_|global_|buffer_)[^\n]*\n)*)+\ts_barrier(?:_signal)?\b",
        text,
    ):
        waits = re.sub(r"\ts_wait\w* [^\n]*\n", "", barrier[0])
        try:
            artifacts.check(text[: barrier.start()] + waits + text[barrier.end() :])
        except CodegenError:
            caught += 1
    assert caught, f"{program} for {chip}: no wait was missed"


SPILLS = """#layout = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [288],
  subgroup_strides = [0], thread_strides = [1]>
gpu.func @spills(%x: memref<18432xf32>, %y: memref<18432xf32>)
    kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %pad : memref<18432xf32>, vector<18432xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#layout) : vector<18432xf32>
  %2 = arith.mulf %1, %1 : vector<18432xf32>
  gpu.barrier
  %3 = arith.addf %2, %2 : vector<18432xf32>
  vector.transfer_write %3, %y[%c0] : vector<18432xf32>, memref<18432xf32>
  gpu.barrier
  gpu.return
}
"""


def test_spilled_registers_are_no_global_memory() -> None:
    """gfx10 keeps them with buffer stores; the first barrier orders workgroup memory only: nothing waits for them."""
    artifacts = Compilation(parse_program(SPILLS), None, find_chip("gfx1030")).artifacts
    before = artifacts.assembly.split("s_barrier")[0]
    assert "buffer_store_dword" in before and "s_waitcnt_vscnt" not in before
