"""Instructions that come too early after another, and registers that nothing has written.

The distances are those of AMD's instruction set documents (Manually Inserted Wait States), written down here apart from
the rules; and LLVM's own waits must be just long enough.
"""

from __future__ import annotations

import re

import pytest
from lanewise.emulate.amdgcn import AmdgcnModule

from . import programs
from .support import kernel_text


def findings(text: str) -> dict[str, str]:
    """Kind of each block's first finding, and its detail."""
    (kernel,) = AmdgcnModule.parse(text).kernels.values()
    return {b.finding[1].kind: b.finding[1].detail for b in kernel._program.blocks if b.finding}


def found(lines: str, chip: str, kind: str) -> bool:
    end = "\ns_nop 15\ns_nop 7"
    return kind in findings(kernel_text("v_mov_b32_e32 v63, 0\n" + lines + end, chip, shared=256))


def zeros(file: str, count: int) -> str:
    name = {"v": "v_mov_b32_e32 v{}, 0", "a": "v_accvgpr_write_b32 a{}, v63"}[file]
    return "\n".join(name.format(n) for n in range(count)) + "\ns_nop 7\ns_nop 7\n"


SMALL = "v_mfma_f32_4x4x4f16 v[0:3], v[8:9], v[10:11], v[0:3]"
MIDDLE = "v_mfma_f32_16x16x16f16 v[0:3], v[8:9], v[10:11], v[0:3]"
LARGE = "v_mfma_f32_32x32x8f16 v[0:15], v[18:19], v[20:21], v[0:15]"
DOUBLE = "v_mfma_f64_16x16x4f64 v[0:7], v[8:9], v[10:11], v[0:7]"
NEW = {i: re.sub(r"(x\d+)(f16|f64) ", r"\1_\2 ", i) for i in (SMALL, MIDDLE, LARGE, DOUBLE)}
READ, WRITE = "v_add_f32_e32 v20, v0, v1", "v_mov_b32_e32 v1, 0"
STORE = "v_mov_b32_e32 v21, 0\nglobal_store_dword v21, v0, s[0:1]"
AGAIN = "v_mfma_f32_4x4x4f16 v[24:27], v[0:1], v[10:11], 0"
DISTANCES = [
    ("gfx90a", SMALL, READ, 5),
    ("gfx90a", MIDDLE, READ, 11),
    ("gfx90a", LARGE, READ, 19),
    ("gfx90a", LARGE, WRITE, 19),
    ("gfx90a", MIDDLE, AGAIN, 11),
    ("gfx90a", MIDDLE, MIDDLE, 0),
    ("gfx90a", DOUBLE, READ, 11),
    ("gfx942", NEW[SMALL], READ, 5),
    ("gfx942", NEW[MIDDLE], READ, 7),
    ("gfx942", NEW[LARGE], READ, 11),
    ("gfx942", NEW[LARGE], WRITE, 11),
    ("gfx942", NEW[MIDDLE], NEW[MIDDLE], 0),
    ("gfx942", NEW[SMALL], NEW[SMALL], 2),
    ("gfx950", NEW[MIDDLE], READ, 8),
    ("gfx950", NEW[LARGE], READ, 12),
    ("gfx90a", "v_mov_b32_e32 v8, 0", SMALL, 2),
    ("gfx942", "v_mov_b32_e32 v0, 0", NEW[SMALL], 2),
    ("gfx90a", "v_mov_b32_e32 v1, v0", "v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", 2),
    ("gfx908", "v_cmp_eq_u32_e32 vcc, 0, v0", "v_div_fmas_f32 v4, v0, v0, v0", 4),
    ("gfx942", "v_readfirstlane_b32 s4, v0", "v_readlane_b32 s5, v1, s4", 4),
    ("gfx942", "v_readfirstlane_b32 s4, v0", "v_mov_b32_e32 v1, s4", 2),
    ("gfx90a", "v_readfirstlane_b32 s4, v0", "v_mov_b32_e32 v1, s4", 0),
    ("gfx942", "v_exp_f32_e32 v1, v0", "v_add_f32_e32 v2, v1, v1", 1),
    ("gfx90a", "v_exp_f32_e32 v1, v0", "v_add_f32_e32 v2, v1, v1", 0),
    ("gfx942", "v_mov_b32_e32 v1, v0", "v_readfirstlane_b32 s5, v1", 1),
    ("gfx942", "s_mov_b32 m0, 0", "global_load_lds_dword v0, s[0:1]\ns_waitcnt vmcnt(0)", 1),
    ("gfx942", "s_mov_b32 m0, 0", "buffer_load_dword v0, s[0:3], 0 offen lds\ns_waitcnt vmcnt(0)", 1),
    ("gfx90a", "global_store_dwordx4 v4, v[0:3], s[0:1]", "v_mov_b32_e32 v2, 0", 1),
    ("gfx942", "global_store_dwordx4 v4, v[0:3], s[0:1]", "v_mov_b32_e32 v2, 0", 2),
    ("gfx950", "v_mov_b32_e32 v1, 0", "v_permlane32_swap_b32_e32 v1, v2", 2),
    ("gfx1100", "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[8:15], v[0:7]",
     "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]", 1),
    ("gfx1200", "v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[16:23], v30",
     "v_swmmac_f32_16x16x32_f16 v[40:47], v[8:11], v[16:23], v0", 1),
]  # fmt: skip


@pytest.mark.parametrize(("chip", "before", "after", "distance"), DISTANCES)
def test_distances(chip, before, after, distance):
    """One wait less is reported, and no wait more is asked for."""
    nop, start = "v_nop" if "wmma" in before else "s_nop 0", zeros("v", 32)
    for between in {max(distance - 1, 0), distance}:
        lines = start + "\n".join([before, *[nop] * between, after])
        assert found(lines, chip, "hazard") is (between < distance), between
    if distance > 1 and "wmma" not in before:
        assert not found(
            f"{start}{before}\ns_nop {distance - 1 & 7}\ns_nop {min(distance, 15)}\n{after}", chip, "hazard"
        )


@pytest.mark.parametrize(
    ("instruction", "distance"),
    [("v_mfma_f32_4x4x1f32 a[0:3], v8, v9, a[0:3]", 4), ("v_mfma_f32_16x16x4f32 a[0:3], v8, v9, a[0:3]", 10)],
)
def test_accumulators_of_gfx908(instruction, distance):
    start = zeros("v", 16) + zeros("a", 8)
    for between in (distance - 1, distance):
        lines = start + "\n".join([instruction, *["s_nop 0"] * between, "v_accvgpr_read_b32 v1, a0"])
        assert found(lines, "gfx908", "hazard") is (between < distance)


WAITS = [
    ("gfx1100", "v_exp_f32_e32 v1, v0\n{}\nv_add_f32_e32 v2, v1, v1", "s_waitcnt_depctr depctr_va_vdst(0)"),
    ("gfx1100", "v_exp_f32_e32 v1, v0\n{}\nv_add_f32_e32 v2, v1, v1", "s_waitcnt_depctr 0xfff"),
    ("gfx1100", "v_exp_f32_e32 v1, v0\n{}\nv_add_f32_e32 v2, v1, v1", "\n".join(["v_mov_b32_e32 v3, 0"] * 6)),
    ("gfx1010", "global_load_dword v1, v0, s[4:5]\n{}\ns_mov_b32 s4, 0\ns_waitcnt vmcnt(0)",
     "s_waitcnt_depctr 0xffe3"),
    ("gfx1010", "global_load_dword v1, v0, s[4:5]\n{}\nv_cmpx_eq_u32_e32 0, v0\ns_waitcnt vmcnt(0)",
     "s_waitcnt_depctr 0xfffe"),
    ("gfx1010", "s_load_dword s6, s[4:5], 0x0\n{}\nv_readfirstlane_b32 s4, v0\ns_waitcnt lgkmcnt(0)",
     "s_mov_b32 s8, 0"),
    ("gfx1030", "v_cmpx_eq_u32_e32 0, v0\n{}\nv_permlane16_b32 v1, v0, s4, s5", "v_mov_b32_e32 v2, v0"),
    ("gfx1201", "v_mov_b32_e32 v1, s4\ns_mov_b32 s4, 0\n{}\ns_add_co_u32 s6, s4, s4", "s_wait_alu depctr_sa_sdst(0)"),
    ("gfx1201", "v_mov_b32_e32 v1, s4\nv_readfirstlane_b32 s4, v0\n{}\nv_mov_b32_e32 v1, s4",
     "s_wait_alu depctr_va_sdst(0)"),
    ("gfx1201", "v_cndmask_b32_e32 v1, v0, v0, vcc_lo\nv_cmp_eq_u32_e32 vcc_lo, 0, v0\n{}\n"
     "v_cndmask_b32_e32 v1, v0, v0, vcc_lo", "s_wait_alu depctr_va_vcc(0)"),
]  # fmt: skip


@pytest.mark.parametrize(("chip", "lines", "wait"), WAITS)
def test_waits(chip, lines, wait):
    start = zeros("v", 4) + "s_mov_b32 s4, 0\ns_mov_b32 s5, 0\nv_cmp_eq_u32_e32 vcc_lo, 0, v0\n"
    assert found(start + lines.format(""), chip, "hazard")
    assert not found(start + lines.format(wait), chip, "hazard")


SCALAR, MASK = "s_mov_b32 vcc_hi, 0", "v_cmp_eq_u32_e32 vcc_lo, 0, v0"
USE = "v_cndmask_b32_e32 v1, v0, v0, vcc_lo"
WAIT_SCALAR, WAIT_MASK = "s_wait_alu depctr_sa_sdst(0)", "s_wait_alu depctr_va_vcc(0)"


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        ((MASK, SCALAR, WAIT_SCALAR, USE), False),
        ((MASK, SCALAR, USE), True),
        ((MASK, WAIT_SCALAR, USE), True),
        ((SCALAR, MASK, WAIT_MASK, USE), False),
        ((SCALAR, MASK, WAIT_MASK, "s_add_co_u32 s6, vcc_hi, 1"), False),
        ((SCALAR, MASK, WAIT_SCALAR, USE), True),
        ((SCALAR, "s_add_co_u32 s6, vcc_hi, 1"), True),
    ],
)
def test_of_vcc_the_last_writer_counts_whichever_half_it_wrote(lines, reported):
    """What LLVM waits for (AMDGPUWaitSGPRHazards keeps one writer for all of vcc), no less and no more."""
    start = zeros("v", 4) + "\n".join([SCALAR, MASK, USE, ""])
    assert found(start + "\n".join(lines), "gfx1201", "hazard") is reported


@pytest.mark.parametrize(
    ("between", "reported"),
    [
        ("s_cmp_eq_u32 s6, 0", False),
        ("s_cmp_eq_u32 ttmp7, 0", False),
        ("s_add_co_u32 s6, ttmp9, 1", False),
        ("s_cmp_eq_u32 m0, 0", True),
        ("s_cmp_eq_u32 vcc_hi, 0", True),
        ("s_mov_b32 s6, 0", True),
        ("s_cselect_b32 s6, -1, 0", True),
        ("v_mov_b32_e32 v2, ttmp7", True),
    ],
)
def test_a_scalar_that_is_read_by_the_scalar_unit_waits_for_the_vector_unit(between, reported):
    """ttmp registers are numbered as scalars are (RDNA 4's document, scalar operands 108 to 123): LLVM
    (AMDGPUWaitSGPRHazards) takes any that the scalar unit reads for the end."""
    lines = f"v_mov_b32_e32 v1, s4\nv_readfirstlane_b32 s4, v0\n{between}\nv_mov_b32_e32 v1, s4"
    start = zeros("v", 4) + "s_mov_b32 s4, 0\ns_mov_b32 s6, 0\ns_mov_b32 vcc_hi, 0\ns_mov_b32 m0, 0\n"
    assert found(start + "s_wait_alu depctr_sa_sdst(0)\n" + lines, "gfx1201", "hazard") is reported


def test_a_scalar_that_the_vector_unit_never_read_is_safe():
    assert not found("s_mov_b32 s4, 0\ns_add_co_u32 s6, s4, s4", "gfx1201", "hazard")


def wave64(text: str) -> str:
    return text.replace("wavefront_size32 1", "wavefront_size32 0").replace(
        ".wavefront_size: 32", ".wavefront_size: 64"
    )


MASK_USES = {
    "": True,
    "s_waitcnt_depctr 0xfffe": False,
    "v_cndmask_b32_e32 v1, v0, v0, vcc": False,  # another mask is a scalar like any other
    "v_cndmask_b32_e64 v1, v0, v0, s[6:7]": False,
    "v_add_f32_e32 v1, s6, v0": False,
    "v_mul_u32_u24_e32 v1, 0x12345, v0": False,  # a literal constant
    "v_add_f32_e32 v1, 0x3f9d70a4, v0": False,
    "v_mul_u32_u24_e32 v1, 64, v0": True,  # operands encode these themselves
    "v_add_f32_e32 v1, 0.5, v0": True,
    "v_mul_f32_e32 v1, 0.15915494, v0": True,
    "v_cndmask_b32_e64 v1, v0, v0, s[4:5]": True,  # the mask in question
    "v_add_f32_e32 v1, v0, v0": True,
    "v_cmp_eq_u32_e64 s[4:5], 0, v0\ns_waitcnt_depctr 0xf1ff": False,  # replaced before, and waited for
    "v_cmp_eq_u32_e64 s[6:7], 0, v0\ns_waitcnt_depctr 0xf1ff": True,
    "v_cmp_eq_u32_e64 s[4:5], 0, v0\nv_cndmask_b32_e64 v1, v0, v0, s[4:5]": True,  # and read again
    "s_add_u32 s6, s6, s7": True,
}


@pytest.mark.parametrize("between", MASK_USES)
def test_a_mask_that_is_replaced(between):
    """Until the vector unit reads another scalar or a literal constant, or is waited for: what LLVM 18 took for the
    hazard's end (GCNHazardRecognizer, VALUMaskWriteHazard). Only waves of 64 have it."""
    lines = (
        "s_mov_b64 s[4:5], 0\ns_mov_b64 s[6:7], 0\ns_mov_b64 vcc, 0\nv_cndmask_b32_e64 v63, v0, v0, s[4:5]\n"
        f"{between}\ns_mov_b32 s4, 1\ns_add_u32 s6, s4, s4"
    )
    text = kernel_text(lines, "gfx1100")
    assert "hazard" not in findings(text)
    assert ("hazard" in findings(wave64(text))) is MASK_USES[between]


def test_a_scalar_that_is_no_mask_may_be_replaced():
    """Of v_cndmask, only the last operand selects."""
    lines = "s_mov_b64 s[4:5], 0\nv_cndmask_b32_e64 v63, v0, s4, vcc\ns_mov_b32 s4, 1\ns_add_u32 s6, s4, s4"
    assert "hazard" not in findings(wave64(kernel_text("s_mov_b64 vcc, 0\n" + lines, "gfx1100")))


def test_a_mask_that_is_waited_for_after_it_was_replaced():
    lines = "s_mov_b64 s[4:5], 0\nv_cndmask_b32_e64 v63, v0, v0, s[4:5]\ns_mov_b32 s4, 1\n{}\ns_add_u32 s6, s4, s4"
    for wait, is_reported in (("", True), ("s_waitcnt_depctr 0xfffe", False), ("v_mov_b32_e32 v1, v0", False)):
        assert ("hazard" in findings(wave64(kernel_text(lines.format(wait), "gfx1100")))) is is_reported


def test_a_hazard_over_the_edge_of_a_loop():
    lines = zeros("v", 32) + ".La:\n{}v_add_f32_e32 v20, v0, v1\n" + MIDDLE + "\ns_cbranch_scc1 .La\ns_nop 15"
    lines = "s_cmp_eq_u32 s0, 0\n" + lines
    assert found(lines.format(""), "gfx90a", "hazard")
    assert not found(lines.format("s_nop 15\n"), "gfx90a", "hazard")


LLVM_TEXTS = [
    ("gfx90a", "product", r"s_nop"),
    ("gfx942", "softmax", r"s_nop"),
    ("gfx950", "softmax", r"s_nop"),
    ("gfx1201", "softmax", r"s_wait_alu"),
    ("gfx1201", "product", r"s_wait_alu"),
]


@pytest.mark.parametrize(("chip", "name", "wait"), LLVM_TEXTS)
def test_the_waits_of_llvm_are_needed(chip, name, wait, compiled):
    source = programs.product(chip, "half") if name == "product" else programs.softmax(chip)
    lines = compiled(source, chip).splitlines()
    assert "hazard" not in findings("\n".join(lines))
    places = [n for n, line in enumerate(lines) if line.strip().startswith(wait)]
    caught = sum("hazard" in findings("\n".join(lines[:n] + lines[n + 1 :])) for n in places)
    assert places
    # a few waits are there for speed, or longer than they have to be
    assert caught >= 0.7 * len(places), f"{caught} of {len(places)}"


# ---- registers that nothing has written -----------------------------------------------------------------------------

POISON = {
    "an address": "global_load_dword v1, v5, s[0:1]\ns_waitcnt vmcnt(0)",
    "what is stored": "global_store_dword v0, v5, s[0:1]",
    "what is computed and stored": "v_add_f32_e32 v6, v5, v0\nglobal_store_dword v0, v6, s[0:1]",
    "the base of a scalar load": "s_load_dword s8, s[20:21], 0x0\ns_waitcnt lgkmcnt(0)",
    "the word that a field is in": (
        "s_mov_b32 s20, s0\ns_bfe_u64 s[6:7], s[20:21], 0x8001c\nv_mov_b32_e32 v5, s6\nds_write_b32 v0, v5"
    ),
    "an address in scratch": "scratch_store_dword v5, v0, off",
    "a branch": "s_cmp_eq_u32 s30, 0\ns_cbranch_scc1 .La\n.La:",
    "active lanes": "s_and_saveexec_b64 s[4:5], s[20:21]\ns_mov_b64 exec, s[4:5]",
    "an accumulator": ".La:\nv_add_f32_e32 v5, v5, v0\ns_cmp_eq_u32 s0, 0\ns_cbranch_scc1 .La\nds_write_b32 v0, v5",
    "what was kept": (
        "scratch_store_dword off, v5, off offset:4\nscratch_load_dword v7, off, off offset:4\ns_waitcnt vmcnt(0)\n"
        "ds_write_b32 v0, v7"
    ),
    "what was kept in a pair": (
        "v_mov_b32_e32 v5, 0\nscratch_store_dwordx2 off, v[5:6], off offset:4\n"
        "scratch_load_dword v7, off, off offset:8\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v7"
    ),
    "what was kept on both ways": (
        "s_cmp_eq_u32 s0, 0\nscratch_store_dword off, v5, off\ns_cbranch_scc1 .La\nv_mov_b32_e32 v7, 0\n.La:\n"
        "scratch_load_dword v7, off, off\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v7"
    ),
    "a value of both ways": (
        "s_cmp_eq_u32 s0, 0\ns_cbranch_scc1 .La\nv_mov_b32_e32 v6, v5\ns_branch .Lb\n.La:\nv_mov_b32_e32 v6, v7\n.Lb:\n"
        "ds_write_b32 v0, v6"
    ),
}
NO_POISON = {
    "one way writes": (
        "s_cmp_eq_u32 s0, 0\ns_cbranch_scc1 .La\nv_mov_b32_e32 v5, 0\n.La:\nds_write_b32 v0, v5\ns_waitcnt lgkmcnt(0)"
    ),
    "bits that are masked off": "v_bfi_b32 v5, v0, v0, v6\nds_write_b32 v0, v5",
    "a half": "v_mov_b32_e32 v5, 0\nglobal_load_short_d16 v6, v5, s[0:1]\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v6",
    "the high word of a sum": "v_mad_u64_u32 v[6:7], s[8:9], v0, v0, v[10:11]\nds_write_b32 v0, v6",
    "the word beside a field": (
        "s_bfe_i64 s[4:5], s[0:1], 0x80000\ns_mov_b32 s20, s0\ns_bfe_i64 s[6:7], s[20:21], 0x80000\n"
        "v_mov_b32_e32 v5, s7\nds_write_b32 v0, v5"
    ),
    "a lane": "v_writelane_b32 v5, s0, 1\nds_write_b32 v0, v5",
    "what is kept for later": "scratch_store_dword off, v5, off offset:4",
    "nothing comes of it": "v_add_f32_e32 v6, v5, v0",
    "kept, and fetched for nothing": (
        "scratch_store_dwordx2 off, v[5:6], off offset:4\nscratch_load_dword v7, off, off offset:8\ns_waitcnt vmcnt(0)"
    ),
    "kept, and replaced": (
        "scratch_store_dword off, v5, off offset:4\nscratch_store_dword off, v0, off offset:4\n"
        "scratch_load_dword v7, off, off offset:4\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v7"
    ),
    "kept, and perhaps replaced": (
        "scratch_store_dword off, v5, off offset:4\nscratch_store_dword v0, v0, off\n"
        "scratch_load_dword v7, off, off offset:4\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v7"
    ),
    "kept beside": (
        "scratch_store_dwordx2 off, v[5:6], off offset:4\nscratch_store_dword off, v0, off offset:8\n"
        "scratch_load_dword v7, off, off offset:8\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v7"
    ),
}


@pytest.mark.parametrize("name", POISON)
def test_poison(name):
    assert found(POISON[name], "gfx90a", "uninitialised")


@pytest.mark.parametrize("name", NO_POISON)
def test_no_poison(name):
    prefix = "v_mov_b32_e32 v10, 0\n" if "high word" in name else ""
    assert not found(prefix + NO_POISON[name], "gfx90a", "uninitialised")


KEPT = "buffer_store_dword v5, off, {0}, 0 offset:8"
FETCHED = KEPT + "\nbuffer_load_dword v6, off, {0}, 0 offset:{1}\ns_waitcnt vmcnt(0)\nds_write_b32 v0, v6"


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        (KEPT.format("s[0:3]"), False),
        (KEPT.format("s[96:99]"), False),
        ("s_mov_b64 s[2:3], 0\n" + KEPT.format("s[96:99]"), False),
        (KEPT.format("s[96:99]") + "\ns_mov_b64 s[98:99], 0", True),
        (KEPT.format("s[8:11]"), True),  # any other buffer
        (KEPT.format("s[96:99]").replace("v5, off", "v5, v5").replace("0 offset", "0 offen offset"), True),
        (FETCHED.format("s[96:99]", 8), True),
        (FETCHED.format("s[96:99]", 12), False),
    ],
)
def test_registers_that_are_kept_in_the_private_buffer(lines, reported):
    """Where no chip has `scratch_store`: the calling convention passes it in s[0:3], LLVM copies it at once."""
    start = "s_mov_b64 s[98:99], s[2:3]\ns_mov_b64 s[96:97], s[0:1]\ns_add_u32 s96, s96, s7\ns_addc_u32 s97, s97, 0\n"
    start += "s_load_dwordx4 s[8:11], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v63, 0\n"
    text = kernel_text(start + lines, "gfx90a", private=64, shared=1024)
    text = text.replace("s_load_dwordx4 s[92:95], s[0:1]", "s_load_dwordx4 s[92:95], s[4:5]").replace(
        "\ts_mov_b64 s[0:1], s[92:93]\n", ""
    )
    private = (
        "user_sgpr_private_segment_buffer 1",
        "system_sgpr_private_segment_wavefront_offset 1",
        "user_sgpr_count 6",
    )
    text = text.replace("user_sgpr_count 2", "\n\t\t.amdhsa_".join(private))
    assert ("uninitialised" in findings(text)) is reported


@pytest.mark.parametrize("chip", ["gfx908", "gfx1030"])
def test_numbers_of_work_items_in_registers_of_their_own(chip, bench):
    text = kernel_text("v_mov_b32_e32 v63, v1\nv_lshlrev_b32_e32 v1, 3, v1\nv_add_u32_e32 v0, v0, v1", "gfx942")
    if chip == "gfx1030":
        text = kernel_text("v_mov_b32_e32 v63, v1\nv_lshl_add_u32 v0, v1, 3, v0", chip)
    more = "_workgroup_id_x 1\n\t\t.amdhsa_system_vgpr_workitem_id 1"
    text = text.replace("gfx942", chip).replace("_workgroup_id_x 1", more)
    out = bench.memory.allocate(256)
    bench.launch(text, (1, 1, 1), (8, 4, 1), [bench.memory.allocate(8), out])
    assert bench.download(out, "u4", 32).tolist() == [n // 8 for n in range(32)]
