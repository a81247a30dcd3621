"""Every fault is reached, by name and place; and mistakes planted in the text of compiled kernels are caught."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings

from . import programs
from .support import Bench, kernel_text, wavefront

LOAD = "v_lshlrev_b32_e32 v1, 2, v0\nglobal_load_dword v63, v1, s[0:1]"


def fault_of(bench: Bench, lines: str, chip: str = "gfx942", **options) -> EmulationFault:
    with pytest.raises(EmulationFault) as caught:
        bench.words(lines, chip, **options)
    return caught.value


FAULTS = {
    "out-of-bounds": ("v_mov_b32_e32 v1, 0\nglobal_load_dword v63, v1, s[0:1] offset:400\ns_waitcnt vmcnt(0)", {}),
    "misaligned": ("global_load_dword v63, v0, s[0:1]\ns_waitcnt vmcnt(0)", {"inputs": np.zeros(64, np.uint32)}),
    "uninitialised": ("v_lshlrev_b32_e32 v1, 2, v0\nds_read_b32 v63, v1\ns_waitcnt lgkmcnt(0)", {"shared": 256}),
    "race": (
        "v_mov_b32_e32 v1, 0\nds_write_b32 v1, v0\nds_read_b32 v63, v1\ns_waitcnt lgkmcnt(0)",
        {"shared": 256, "threads": 128},
    ),
    "outstanding-load": (LOAD + "\nv_add_u32_e32 v63, v63, v0", {"inputs": np.zeros(64, np.uint32)}),
    "divergent-warp-operation": (
        "v_cmp_gt_u32_e32 vcc, 5, v0\ns_and_saveexec_b64 s[4:5], vcc\n"
        "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], 0\ns_mov_b64 exec, s[4:5]\nv_mov_b32_e32 v63, 0",
        {},
    ),
    "divergent-barrier": (
        "v_lshrrev_b32_e32 v1, 6, v0\ns_nop 0\nv_readfirstlane_b32 s4, v1\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 .La\n"
        "s_barrier\ns_branch .Lb\n.La:\ns_barrier\n.Lb:\nv_mov_b32_e32 v63, 0",
        {"threads": 128},
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_kinds(kind, bench):
    lines, options = FAULTS[kind]
    fault = fault_of(bench, lines, **options)
    assert fault.kind == kind
    assert fault.line is not None
    assert fault.instruction is not None
    assert fault.block == (0, 0, 0)


def test_an_address_names_its_thread(bench):
    fault = fault_of(bench, LOAD + "\ns_waitcnt vmcnt(0)", inputs=np.zeros(40, np.uint32))
    assert fault.kind == "out-of-bounds"
    assert fault.thread == (40, 0, 0)
    assert fault.instruction == "global_load_dword v63, v1, s[0:1]"


def test_duplicate_lanes(bench):
    lines = "v_mov_b32_e32 v2, v0\nv_mov_b32_e32 v3, v0\n" + "\n".join(f"v_mov_b32_e32 v{n}, v0" for n in range(4, 30))
    fault = fault_of(bench, lines + "\nv_wmma_f32_16x16x16_f16 v[56:63], v[4:11], v[12:19], v[20:27]", "gfx1100")
    assert fault.kind == "duplicate-lanes"
    assert "lanes 0 and 16" in fault.detail


def test_stores_to_arguments(bench):
    text = kernel_text("v_mov_b32_e32 v63, 0", "gfx942").replace(
        "\ts_load", "\tv_mov_b32_e32 v1, 0\n\tglobal_store_dword v1, v0, s[0:1]\n\ts_load"
    )
    with pytest.raises(EmulationFault) as caught:
        bench.launch(text, (1, 1, 1), (64, 1, 1), [0, 0])
    assert caught.value.kind == "read-only"


UNSUPPORTED = {
    "v_frobnicate_b32 v63, v0": "v_frobnicate_b32",
    "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], 0 cbsz:1": "cbsz",
    "s_swappc_b64 s[4:5], s[6:7]": "s_swappc_b64",
    "s_setpc_b64 s[4:5]": "computed address",
    "s_round_mode 1": "rounding",
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5": "rounding",
    "v_mov_b32_e32 v63, v0 frobnicated": "frobnicated",
    "buffer_load_dword v63, v0, s[4:7], 0 idxen": "indexed",
    "v_mad_u32_u24 v63, v0, v0, v0 clamp": "clamp",
}


@pytest.mark.parametrize("line", UNSUPPORTED)
def test_unsupported_is_said_at_once(line):
    with pytest.raises(EmulationFault) as caught:
        AmdgcnModule.parse(kernel_text(line, "gfx942"))
    assert caught.value.kind == "unsupported"
    assert caught.value.instruction == line
    assert UNSUPPORTED[line] in str(caught.value)


def test_syntax():
    for line, detail in (("v_mov_b32_e32 v63, v[1:", "operand"), ("s_branch .Lnowhere", "label")):
        with pytest.raises(EmulationFault, match=detail) as caught:
            AmdgcnModule.parse(kernel_text(line, "gfx942"))
        assert caught.value.kind == "syntax"
    with pytest.raises(EmulationFault, match="amdgcn_target"):
        AmdgcnModule.parse("\t.text\n")


def test_launch_is_checked(compiled, bench):
    (kernel,) = AmdgcnModule.parse(compiled(programs.addition(), "gfx942")).kernels.values()
    for grid, block, count in (((0, 1, 1), (64, 1, 1), 28), ((1, 1, 1), (512, 1, 1), 28), ((1, 1, 1), (64, 1, 1), 27)):
        with pytest.raises(EmulationFault) as caught:
            kernel.launch(bench.memory, LaunchSettings(grid, block, bytes(count)))
        assert caught.value.kind == "launch"


@pytest.mark.parametrize(
    ("chip", "grid", "block"),
    [
        ("gfx942", (1 << 24, 1, 1), (256, 1, 1)),
        ("gfx942", (1, 1 << 32, 1), (64, 1, 1)),
        ("gfx1201", (1, 70_000, 1), (32, 1, 1)),
        ("gfx1201", (1, 1, 65_536), (32, 1, 1)),
    ],
)
def test_grids_that_no_device_takes(chip, grid, block, bench):
    (kernel,) = AmdgcnModule.parse(kernel_text("v_mov_b32_e32 v63, v0", chip)).kernels.values()
    with pytest.raises(EmulationFault, match="grid of at most") as caught:
        kernel.launch(bench.memory, LaunchSettings(grid, block, bytes(16)))
    assert caught.value.kind == "launch"


# ---- waits ----------------------------------------------------------------------------------------------------------


def waits(chip: str, lines: str) -> bool:
    """Whether the text waits long enough."""
    text = kernel_text("v_mov_b32_e32 v63, 0\n" + lines, chip, shared=256)
    (kernel,) = AmdgcnModule.parse(text).kernels.values()
    return all(block.finding is None for block in kernel._program.blocks)


FIRST, SECOND = (f"global_load_dword v{n}, v0, s[0:1]\n" for n in (1, 2))
TWO = FIRST + SECOND
THEN_STORE = "global_load_dword v1, v0, s[0:1]\nglobal_store_dword v0, v0, s[0:1]\n"
READ, REREAD = (f"ds_read_b32 v{n}, v0\n" for n in (1, 2))
READS = READ + REREAD


@pytest.mark.parametrize(
    ("chip", "lines", "right"),
    [
        ("gfx942", TWO + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v63, v1", True),
        ("gfx942", TWO + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v63, v2", False),
        ("gfx942", TWO + "s_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v63, v1", False),
        ("gfx942", TWO + "s_waitcnt vmcnt(0)\nv_mov_b32_e32 v63, v2", True),
        ("gfx942", TWO + "v_mov_b32_e32 v1, 0", False),
        ("gfx942", THEN_STORE + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v2, v1", True),
        ("gfx1100", THEN_STORE.replace("dword", "b32") + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v2, v1", False),
        ("gfx942", READS + "s_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v63, v1", True),
        ("gfx942", READS + "s_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v63, v2", False),
        ("gfx942", READS + "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v63, v1", False),
        ("gfx942", "s_load_dword s4, s[0:1], 0x0\ns_add_u32 s5, s4, s4", False),
        ("gfx942", "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s5, s4, s4", True),
        ("gfx1200", "s_load_b32 s4, s[0:1], 0x0\ns_wait_dscnt 0x0\ns_add_co_u32 s5, s4, s4", False),
        ("gfx1200", "s_load_b32 s4, s[0:1], 0x0\ns_wait_kmcnt 0x0\ns_add_co_u32 s5, s4, s4", True),
        ("gfx1200", "ds_load_b32 v1, v0\ns_wait_loadcnt_dscnt 0x3f00\nv_mov_b32_e32 v2, v1", True),
        ("gfx1200", "ds_load_b32 v1, v0\ns_wait_loadcnt 0x0\nv_mov_b32_e32 v2, v1", False),
        ("gfx942", "ds_write_b32 v0, v0\ns_barrier", False),
        ("gfx942", "ds_write_b32 v0, v0\ns_waitcnt lgkmcnt(0)\ns_barrier", True),
        # a permutation of lanes touches no memory, but its result is waited for
        ("gfx942", "ds_bpermute_b32 v1, v0, v0\ns_barrier\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v63, v1", True),
        ("gfx942", "ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,16)\ns_barrier\nv_mov_b32_e32 v63, v1", False),
        ("gfx942", "ds_write_b32 v0, v0\nds_permute_b32 v1, v0, v0\ns_waitcnt lgkmcnt(1)\ns_barrier", True),
        ("gfx942", "ds_write_b32 v0, v0\nds_permute_b32 v1, v0, v0\ns_barrier", False),
        ("gfx1200", "ds_store_b32 v0, v0\ns_barrier_signal -1\ns_barrier_wait -1", False),
        # no more than 63 can be outstanding: the last of so many was issued when the first had come
        ("gfx942", FIRST + 63 * SECOND + "v_mov_b32_e32 v63, v1", True),
        ("gfx942", FIRST + 62 * SECOND + "v_mov_b32_e32 v63, v1", False),
        ("gfx942", READ + 15 * REREAD + "v_mov_b32_e32 v63, v1", True),
        ("gfx942", READ + 14 * REREAD + "v_mov_b32_e32 v63, v1", False),
        ("gfx1030", READ + 15 * REREAD + "v_mov_b32_e32 v63, v1", False),
        ("gfx942", "s_load_dword s4, s[0:1], 0x0\n" + 70 * READS + "s_add_u32 s5, s4, s4", False),
        # a wait on one of two ways is not enough
        ("gfx942", TWO + "s_cbranch_scc1 .La\ns_waitcnt vmcnt(0)\n.La:\nv_mov_b32_e32 v63, v1", False),
        # the next round of a loop
        ("gfx942", ".La:\nv_add_u32_e32 v63, v1, v0\nglobal_load_dword v1, v0, s[0:1]\ns_cbranch_scc1 .La", False),
    ],
)  # fmt: skip
def test_waits(chip, lines, right):
    assert waits(chip, lines) is right


# ---- mutants --------------------------------------------------------------------------------------------------------

M, N, K = 33, 21, 128


def run_product(bench: Bench, text: str, chip: str) -> bool:
    rng = np.random.default_rng(7)
    a, b = rng.integers(-4, 5, (M, K)).astype(np.float16), rng.integers(-4, 5, (N, K)).astype(np.float16)
    out = bench.upload(np.zeros((M, N), np.float32))
    arguments = [bench.upload(a), bench.upload(b), out, M, N, K]
    bench.launch(text, (-(-N // 16), -(-M // 16), 1), (wavefront(chip), 1, 1), arguments)
    return np.array_equal(bench.download(out, np.float32, (M, N)), a.astype(np.float32) @ b.astype(np.float32).T)


def run_softmax(bench: Bench, text: str, chip: str) -> bool:
    m, n = 10, 200
    x = np.random.default_rng(m).standard_normal((m, n)).astype(np.float32)
    out = bench.upload(np.full((m, n), np.nan, np.float32))
    bench.launch(text, (-(-m // 4), 1, 1), (4 * wavefront(chip), 1, 1), [bench.upload(x), out, m, n])
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return bool(
        np.abs(bench.download(out, np.float32, (m, n)) / powers * powers.sum(1, keepdims=True) - 1).max() < 1e-5
    )


def run_reduction(bench: Bench, text: str, chip: str) -> bool:
    x = np.random.default_rng(3).integers(-8, 9, 3001).astype(np.float32)
    out = bench.upload(np.zeros(1, np.float32))
    bench.launch(text, (4, 1, 1), (256, 1, 1), [bench.upload(x), out, x.size])
    return bool(bench.download(out, np.float32, 1)[0] == x.sum())


def run_addition(bench: Bench, text: str, chip: str) -> bool:
    a, b = (np.arange(1000, dtype=np.float32) * k for k in (1, 3))
    out = bench.upload(np.zeros(1000, np.float32))
    bench.launch(text, (4, 1, 1), (256, 1, 1), [bench.upload(a), bench.upload(b), out, 1000])
    return np.array_equal(bench.download(out, np.float32, 1000), a + b)


PROGRAMS = {
    "addition": (lambda chip: programs.addition(), run_addition),
    "softmax": (programs.softmax, run_softmax),
    "reduction": (lambda chip: programs.reduction(), run_reduction),
    "product": (lambda chip: programs.product(chip, "half"), run_product),
}

RESTORES = r"s_or_b(64|32) exec\S*, exec\S*, \S+\n((?:.*\n){1,4}?)\ts_or_b\1 exec\S*, exec\S*, \S+"
"""A loop's end and the end of the region around it: each alone restores the mask, so both go."""

MUTANTS: list[tuple[str, str, str, str, int]] = [
    # program, chip, what is replaced (each place in turn), by what, how many of the places matter (0: all)
    ("addition", "gfx942", r"s_waitcnt vmcnt\(0\)", "s_nop 0", 0),
    ("addition", "gfx1100", r"s_waitcnt vmcnt\(0\)", "s_nop 0", 0),
    ("addition", "gfx942", r"s_and_saveexec_b64 (\S+), vcc", r"s_mov_b64 \1, exec", 0),
    ("addition", "gfx90a", r"v_addc_co_u32_e32 (v\d+), vcc, (\S+), (\S+), vcc", r"v_add_u32_e32 \1, \2, \3", 0),
    ("addition", "gfx1100", r"v_add_co_ci_u32_e64 (v\d+), null, (\S+), (\S+), \S+", r"v_add_nc_u32_e32 \1, \2, \3", 0),
    ("softmax", "gfx942", r"s_waitcnt lgkmcnt\(0\)", "s_nop 0", 0),
    ("softmax", "gfx942", r"ds_bpermute_b32 (v\d+), (v\d+)", r"ds_bpermute_b32 \1, v0", 0),
    ("softmax", "gfx942", RESTORES, r"s_nop 0\n\2\ts_nop 0", 0),
    ("softmax", "gfx1200", RESTORES, r"s_nop 0\n\2\ts_nop 0", 0),
    ("softmax", "gfx1200", r"s_wait_loadcnt 0x0", "s_nop 0", 0),
    # steps below a wave's width stay within one wave, whose barriers order nothing
    ("reduction", "gfx942", r"s_barrier\b", "s_nop 0", 2),
    ("reduction", "gfx1100", r"s_barrier\b", "s_nop 0", 3),
    ("reduction", "gfx942", r"s_waitcnt lgkmcnt\(0\)\n\ts_barrier", "s_barrier", 0),
    ("product", "gfx942", r"(v_mfma_\S+ \S+), (v\[\S+), (v\[\S+),", r"\1, \3, \2,", 0),
    ("product", "gfx942", r"s_waitcnt lgkmcnt\(0\)\n\tv_mfma", "v_mfma", 0),
    ("product", "gfx1100", r"(v_wmma_\S+ \S+), (v\[\S+), (v\[\S+),", r"\1, \3, \2,", 0),
]  # fmt: skip


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("program", "chip", "pattern", "by", "matter"), MUTANTS)
def test_planted_mistakes_are_caught(program, chip, pattern, by, matter, compiled):
    make, run = PROGRAMS[program]
    text = compiled(make(chip), chip)
    assert run(Bench(), text, chip)
    places = list(re.finditer(pattern, text))
    assert places
    caught = 0
    for place in places:
        mutant = text[: place.start()] + place.expand(by) + text[place.end() :]
        try:
            caught += not run(Bench(), mutant, chip)
        except EmulationFault as fault:
            assert fault.kind != "unsupported"
            caught += 1
    assert caught == (matter or len(places))
