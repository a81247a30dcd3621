"""Single instructions, written by hand, against what the instruction set manuals say of them.

Each case leaves a word in v63; the expectation is a function of the lane numbers.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.amdgcn.emit_lanes import swizzle_sources
from lanewise.emulate.amdgcn.wave_values import mask_packer

from .support import kernel_text, wavefront


def lanes(chip: str) -> np.ndarray:
    return np.arange(wavefront(chip), dtype=np.uint32)


def f32(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


def check(bench, chip, lines, expected, **options):
    found = bench.words(lines, chip, **options)
    wanted = np.broadcast_to(np.asarray(expected), found.shape).astype(np.int64) & 0xFFFFFFFF
    assert np.array_equal(found, wanted.astype(np.uint32)), (found, wanted)


# ---- data-parallel primitives ---------------------------------------------------------------------------------------

OLD = 777
DPP = {
    "quad_perm:[1,0,3,2]": lambda n: n ^ 1,
    "row_shl:1": lambda n: np.where(n % 16 == 15, OLD, n + 1),
    "row_shr:3": lambda n: np.where(n % 16 < 3, OLD, n - 3),
    "row_ror:5": lambda n: n // 16 * 16 + (n % 16 - 5) % 16,
    "row_mirror": lambda n: n // 16 * 16 + 15 - n % 16,
    "row_half_mirror": lambda n: n // 8 * 8 + 7 - n % 8,
    "row_shr:3 row_mask:0x2": lambda n: np.where((n // 16 != 1) | (n % 16 < 3), OLD, n - 3),
    "quad_perm:[0,0,0,0] bank_mask:0x1": lambda n: np.where(n % 16 < 4, n // 4 * 4, OLD),
    "row_shl:1 bound_ctrl:1": lambda n: np.where(n % 16 == 15, 0, n + 1),
}
DPP_9 = {
    "row_bcast:15": lambda n: np.where(n < 16, OLD, n // 16 * 16 - 1),
    "row_bcast:31": lambda n: np.where(n < 32, OLD, 31),
    "wave_shr:1": lambda n: np.where(n == 0, OLD, n - 1),
    "wave_rol:1": lambda n: (n + 1) % 64,
    "row_newbcast:7": lambda n: n // 16 * 16 + 7,
}
DPP_10 = {
    "row_share:6": lambda n: n // 16 * 16 + 6,
    "row_xmask:9": lambda n: n ^ 9,
    "dpp8:[7,6,5,4,3,2,1,0]": lambda n: n ^ 7,
}


@pytest.mark.parametrize(
    ("chip", "control"),
    [(c, x) for c in ("gfx942", "gfx1100") for x in DPP]
    + [("gfx90a", x) for x in DPP_9]
    + [(c, x) for c in ("gfx1030", "gfx1200") for x in DPP_10],
)
def test_permuted_sources(chip, control, bench):
    masks = "" if "mask:" in control or "dpp8" in control else " row_mask:0xf bank_mask:0xf"
    lines = f"v_mov_b32_e32 v63, {OLD}\nv_mov_b32_dpp v63, v0 {control}{masks}"
    check(bench, chip, lines, {**DPP, **DPP_9, **DPP_10}[control](lanes(chip).astype(np.int64)))


def test_a_permuted_source_from_an_inactive_lane_leaves_the_destination(bench):
    lines = (
        f"v_mov_b32_e32 v63, {OLD}\nv_cmp_gt_u32_e32 vcc, 5, v0\ns_mov_b64 s[4:5], exec\ns_and_b64 exec, exec, vcc\n"
        "v_mov_b32_dpp v63, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf\ns_mov_b64 exec, s[4:5]"
    )
    n = lanes("gfx942").astype(np.int64)
    source = n ^ 3
    check(bench, "gfx942", lines, np.where((n < 5) & (source < 5), source, OLD))


# ---- lanes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_backward_and_forward_permute(chip, bench):
    n = lanes(chip).astype(np.int64)
    size = n.size
    lines = "v_add_u32_e32 v1, 3, v0" if size == 64 else "v_add_nc_u32_e32 v1, 3, v0"
    back = f"{lines}\nv_lshlrev_b32_e32 v1, 2, v1\nds_bpermute_b32 v63, v1, v0\ns_waitcnt lgkmcnt(0)"
    check(bench, chip, back, (n + 3) % size)
    forward = back.replace("bpermute", "permute")
    check(bench, chip, forward, (n - 3) % size)


def test_permute_collisions_and_gaps(bench):
    """All even lanes write lane 4, odd ones themselves: the highest lane wins, and nobody's target reads 0."""
    n = lanes("gfx942").astype(np.int64)
    lines = (
        "v_and_b32_e32 v1, 1, v0\nv_cmp_eq_u32_e32 vcc, 1, v1\nv_mov_b32_e32 v2, 4\n"
        "s_nop 1\nv_cndmask_b32_e32 v2, v2, v0, vcc\nv_lshlrev_b32_e32 v2, 2, v2\nds_permute_b32 v63, v2, v0\n"
        "s_waitcnt lgkmcnt(0)"
    )
    check(bench, "gfx942", lines, np.where(n % 2 == 1, n, np.where(n == 4, 62, 0)))


SWIZZLES = {
    "swizzle(SWAP,16)": lambda n: n ^ 16,
    "swizzle(REVERSE,8)": lambda n: n ^ 7,
    "swizzle(BROADCAST,8,3)": lambda n: n // 8 * 8 + 3,
    "swizzle(QUAD_PERM,2,3,0,1)": lambda n: n ^ 2,
    'swizzle(BITMASK_PERM,"00p11")': lambda n: n // 32 * 32 + (n & 4) + 3,
    'swizzle(BITMASK_PERM,"ppppi")': lambda n: n ^ 1,
    "0x041f": lambda n: n ^ 1,
    "0x80b1": lambda n: n ^ 1,
}


@pytest.mark.parametrize("pattern", SWIZZLES)
def test_swizzle(pattern, bench):
    n = lanes("gfx942").astype(np.int64)
    assert np.array_equal(swizzle_sources(pattern, 64), SWIZZLES[pattern](n))
    check(bench, "gfx942", f"ds_swizzle_b32 v63, v0 offset:{pattern}\ns_waitcnt lgkmcnt(0)", SWIZZLES[pattern](n))


@pytest.mark.parametrize("exchange", ["ds_bpermute_b32 v63, v2, v1", "ds_swizzle_b32 v63, v1 offset:swizzle(SWAP,4)"])
def test_inactive_lanes_read_as_zero(exchange, bench):
    """As the documents say of both. Lanes 0 to 5 read their fourth neighbour, of which only two are active."""
    lines = (
        "v_xor_b32_e32 v2, 4, v0\nv_lshlrev_b32_e32 v2, 2, v2\nv_add_u32_e32 v1, 100, v0\nv_mov_b32_e32 v63, 7\n"
        f"v_cmp_gt_u32_e32 vcc, 6, v0\ns_and_saveexec_b64 s[4:5], vcc\n{exchange}\ns_waitcnt lgkmcnt(0)\n"
        "s_mov_b64 exec, s[4:5]"
    )
    n = lanes("gfx942").astype(np.int64)
    source = n ^ 4
    check(bench, "gfx942", lines, np.where(n >= 6, 7, np.where(source < 6, source + 100, 0)))


@pytest.mark.parametrize(("chip", "reach"), [("gfx942", 64), ("gfx1100", 32), ("gfx1201", 64)])
def test_lanes_that_a_wave_of_64_exchanges(chip, reach, bench):
    """RDNA 3's document counts lanes "mod 32", RDNA 4's over the wave."""
    lines = "v_xor_b32_e32 v2, 40, v0\nv_lshlrev_b32_e32 v2, 2, v2\nds_bpermute_b32 v63, v2, v0\ns_waitcnt lgkmcnt(0)"
    if chip == "gfx1201":
        lines = lines.replace("s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0")
    text = kernel_text(lines, chip).replace("wavefront_size32 1", "wavefront_size32 0")
    out = bench.memory.allocate(256)
    bench.launch(text.replace("size: 32", "size: 64"), (1, 1, 1), (64, 1, 1), [bench.memory.allocate(8), out])
    n = np.arange(64)
    assert bench.download(out, "u4", 64).tolist() == (n ^ 40 if reach == 64 else n ^ 8).tolist()


ROWS = {
    ("gfx1100", "v_permlane16_b32 v63, v0, s4, s5"): lambda n: n // 16 * 16 + 15 - n % 16,
    ("gfx1100", "v_permlanex16_b32 v63, v0, s4, s5"): lambda n: (n ^ 16) // 16 * 16 + 15 - n % 16,
    ("gfx1100", "v_readlane_b32 s4, v0, 9\nv_mov_b32_e32 v63, s4"): lambda n: n * 0 + 9,
    ("gfx1100", "v_mov_b32_e32 v63, 5\nv_writelane_b32 v63, s4, 7"): lambda n: np.where(n == 7, 0x89ABCDEF, 5),
    (
        "gfx950",
        "v_mov_b32_e32 v63, v0\nv_add_u32_e32 v1, 100, v0\ns_nop 1\nv_permlane32_swap_b32_e32 v63, v1",
    ): lambda n: np.where(n < 32, n, n - 32 + 100),
    (
        "gfx950",
        "v_mov_b32_e32 v1, v0\nv_add_u32_e32 v63, 100, v0\ns_nop 1\nv_permlane16_swap_b32_e32 v1, v63",
    ): lambda n: np.where(n // 16 % 2 == 0, n + 16, n + 100),
}


@pytest.mark.parametrize(("chip", "lines"), ROWS)
def test_rows_and_halves(chip, lines, bench):
    setup = "s_mov_b32 s4, 0x89abcdef\ns_mov_b32 s5, 0x01234567\n"
    n = lanes(chip).astype(np.int64)
    check(bench, chip, setup + lines, ROWS[chip, lines](n))


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_first_active_lane_and_counts_below(chip, bench):
    n = lanes(chip).astype(np.int64)
    mask, bits = ("vcc", "b64") if n.size == 64 else ("vcc_lo", "b32")
    save = "s[4:5]" if n.size == 64 else "s4"
    lines = (
        f"v_mov_b32_e32 v63, 0\nv_cmp_lt_u32_e32 {mask}, 11, v0\ns_and_saveexec_{bits} {save}, {mask}\n"
        f"v_readfirstlane_b32 s6, v0\ns_mov_{bits} exec{'' if n.size == 64 else '_lo'}, {save}\n"
        f"v_mbcnt_lo_u32_b32 v1, {mask.replace('vcc', 'vcc_lo') if n.size == 64 else mask}, 0\n"
    )
    if n.size == 64:
        lines += "v_mbcnt_hi_u32_b32 v1, vcc_hi, v1\n"
    lines += "v_mul_lo_u32 v63, v1, s6"
    check(bench, chip, lines, np.maximum(n - 12, 0) * 12)


# ---- operands -------------------------------------------------------------------------------------------------------

ARITHMETIC = {
    "carry": (
        "gfx942",
        "v_mov_b32_e32 v1, -1\nv_mov_b32_e32 v2, 0\nv_add_co_u32_e32 v3, vcc, v1, v0\n"
        "s_nop 1\nv_addc_co_u32_e32 v63, vcc, v2, v2, vcc",
        lambda n: (n > 0) * 1,
    ),
    "carry kept where inactive lanes are 0": (
        "gfx942",
        "v_mov_b32_e32 v1, -1\ns_mov_b64 s[4:5], exec\ns_mov_b64 exec, 0xff\nv_add_co_u32_e32 v3, vcc, v1, v0\n"
        "s_mov_b64 exec, s[4:5]\ns_nop 1\nv_mov_b32_e32 v63, vcc_lo",
        lambda n: n * 0 + 0xFE,
    ),
    "borrow": (
        "gfx1100",
        "v_mov_b32_e32 v1, 5\nv_mov_b32_e32 v2, 0\nv_sub_co_u32 v3, vcc_lo, v1, v0\n"
        "v_sub_co_ci_u32_e64 v63, null, v2, v2, vcc_lo",
        lambda n: -((n > 5) * 1),
    ),
    "wide product": (
        "gfx1100",
        "v_mov_b32_e32 v2, -1\nv_mov_b32_e32 v4, 7\nv_mov_b32_e32 v5, 0\nv_mad_u64_u32 v[6:7], null, v2, v0, v[4:5]\n"
        "v_mov_b32_e32 v63, v7",
        lambda n: (0xFFFFFFFF * n + 7) >> 32,
    ),
    "dual halves read first": (
        "gfx1100",
        "v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, 5\nv_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1\n"
        "v_lshl_or_b32 v63, v1, 8, v2",
        lambda n: (5 << 8) | n,
    ),
    "dual halves read first where one writes a pair": (
        "gfx1250",
        "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0x3ff00000\n"
        "v_dual_add_f64 v[2:3], v[2:3], v[4:5] :: v_dual_mov_b32 v6, v3\n"
        "v_lshrrev_b32_e32 v3, 20, v3\nv_add_nc_u32_e32 v3, v3, v6\nv_add_nc_u32_e32 v63, v3, v0",
        lambda n: n + 0x3FF,
    ),
    "selected bytes and halves": (
        "gfx90a",
        "v_mov_b32_e32 v1, 0x84030201\nv_add_u32_sdwa v63, v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD "
        "src0_sel:DWORD src1_sel:BYTE_3",
        lambda n: n - 0x7C,
    ),
    "result into a half": (
        "gfx90a",
        "v_mov_b32_e32 v63, 0x11112222\nv_add_u32_sdwa v63, v0, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
        "src0_sel:DWORD src1_sel:WORD_0",
        lambda n: (2 * n << 16) | 0x2222,
    ),
    "negated and absolute": (
        "gfx942",
        "v_cvt_f32_u32_e32 v1, v0\nv_add_f32_e64 v2, -v1, 2.0\nv_add_f32_e64 v2, -|v2|, 0\nv_cvt_i32_f32_e32 v63, v2",
        lambda n: -np.abs(2 - n),
    ),
    "clamped and doubled": (
        "gfx942",
        "v_cvt_f32_u32_e32 v1, v0\nv_mul_f32_e64 v2, v1, 0.5 clamp\nv_add_f32_e64 v2, v2, 1.0 mul:4\n"
        "v_cvt_u32_f32_e32 v63, v2",
        lambda n: 4 * (1 + np.minimum(n * 0.5, 1)),
    ),
    "saturated": ("gfx942", "v_sub_u32_e64 v63, v0, 9 clamp", lambda n: np.maximum(n - 9, 0)),
    "packed halves crossed": (
        "gfx942",
        "v_mov_b32_e32 v1, 0x00050003\nv_pk_add_u16 v63, v1, v0 op_sel:[1,0] op_sel_hi:[0,0]",
        lambda n: (3 + n) << 16 | (5 + n),
    ),
    "packed floats": (
        "gfx942",
        "v_cvt_f32_u32_e32 v2, v0\nv_mov_b32_e32 v3, 2.0\nv_pk_mul_f32 v[4:5], v[2:3], v[2:3] op_sel:[0,1] "
        "op_sel_hi:[1,0]\nv_cvt_u32_f32_e32 v63, v4",
        lambda n: 2 * n,
    ),
    "mixed precision": (
        "gfx942",
        "v_cvt_f16_u16_e32 v1, v0\nv_mov_b32_e32 v2, 0x40004000\nv_fma_mix_f32 v3, v1, v2, 1.0 op_sel:[0,1,0] "
        "op_sel_hi:[1,1,0]\nv_cvt_u32_f32_e32 v63, v3",
        lambda n: 2 * n + 1,
    ),
    "halves of registers": (
        "gfx1100",
        "v_lshlrev_b32_e32 v1, 16, v0\nv_mov_b32_e32 v63, 0\nv_mov_b16_e32 v63.l, v1.h\nv_add_nc_u16 v63.h, v63.l, 1",
        lambda n: (n + 1) << 16 | n,
    ),
    "16-bit results clear the other half": (
        "gfx942",
        "v_mov_b32_e32 v63, -1\nv_add_u16_e32 v63, v0, v0",
        lambda n: 2 * n,
    ),
    "16-bit results keep the other half": (
        "gfx1030",
        "v_mov_b32_e32 v63, -1\nv_add_nc_u16 v63, v0, v0",
        lambda n: 0xFFFF0000 | 2 * n,
    ),
    "bytes permuted": (
        "gfx942",
        "v_mov_b32_e32 v1, 0x83828180\nv_mov_b32_e32 v2, 0x0c0d0004\nv_perm_b32 v63, v1, v0, v2",
        lambda n: 0x00FF0000 | n << 8 | 0x80,
    ),
    "bit field": ("gfx942", "v_lshlrev_b32_e32 v1, 26, v0\nv_bfe_i32 v63, v1, 28, 4", lambda n: (n // 4 + 8) % 16 - 8),
    "any function of bits": (
        "gfx950",
        "v_mov_b32_e32 v1, 12\nv_bitop3_b32 v63, v0, v1, 10 bitop3:0x96",
        lambda n: n ^ 12 ^ 10,
    ),
    "shift right across registers": (
        "gfx942",
        "v_mov_b32_e32 v1, 0x12345678\nv_alignbit_b32 v63, v0, v1, 8",
        lambda n: n << 24 | 0x123456,
    ),
    "middle": ("gfx942", "v_med3_i32 v63, v0, 7, 20", lambda n: np.clip(n, 7, 20)),
    "dot product of bytes": (
        "gfx1100",
        "v_mov_b32_e32 v1, 0xff020304\nv_mov_b32_e32 v2, 0x02010101\n"
        "v_dot4_i32_iu8 v63, v1, v2, v0 neg_lo:[1,0,0]",
        lambda n: -2 + 2 + 3 + 4 + n,
    ),
    "class": (
        "gfx942",
        "v_mov_b32_e32 v1, 0xff800000\nv_mov_b32_e32 v2, 4\nv_cmp_class_f32_e32 vcc, v1, v2\n"
        "s_nop 1\nv_cndmask_b32_e64 v63, 0, 1, vcc",
        lambda n: n * 0 + 1,
    ),
    "new minimum": (
        "gfx1200",
        "v_mov_b32_e32 v1, 0x7fc00000\nv_min_num_f32_e32 v2, v1, v0\nv_minimum_f32 v3, v1, v0\n"
        "v_cmp_u_f32_e32 vcc_lo, v3, v3\nv_cndmask_b32_e32 v63, 0, v2, vcc_lo",
        lambda n: n,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ARITHMETIC)
def test_vector_operations(name, bench):
    chip, lines, expected = ARITHMETIC[name]
    check(bench, chip, lines, expected(lanes(chip).astype(np.int64)))


SCALAR = {
    "s_add_u32 s4, -1, 2\ns_addc_u32 s5, 3, 4": 8,
    "s_sub_u32 s4, 1, 2\ns_subb_u32 s5, 3, 0": 2,
    "s_add_i32 s4, 0x7fffffff, 1\ns_cselect_b32 s5, 11, 12": 11,
    "s_mul_i32 s5, -3, 5": -15,
    "s_mul_hi_u32 s5, 0x80000000, 6": 3,
    "s_mul_hi_i32 s5, 0x80000000, 6": -3,
    "s_bfe_u32 s5, 0x12345678, 0x80004": 0x67,
    "s_bfe_i32 s5, 0x12345f78, 0x80008": 0x5F,
    "s_bfe_i32 s5, 0x1234f678, 0x8000c": 0x4F,
    "s_bfm_b32 s5, 4, 8": 0xF00,
    "s_ff1_i32_b32 s5, 0x50": 4,
    "s_flbit_i32_b32 s5, 0x50": 25,
    "s_flbit_i32_b32 s5, 0": -1,
    "s_bcnt1_i32_b32 s5, 0xf0f": 8,
    "s_brev_b32 s5, 1": 0x80000000,
    "s_sext_i32_i8 s5, 0x180": -128,
    "s_sext_i32_i16 s5, 0x18000": -32768,
    "s_abs_i32 s5, -9": 9,
    "s_min_i32 s5, -1, 3": -1,
    "s_min_u32 s5, -1, 3": 3,
    "s_max_u32 s5, -1, 3": -1,
    "s_pack_lh_b32_b16 s5, 0x11112222, 0x33334444": 0x33332222,
    "s_lshl_b64 s[4:5], 0x80000001, 4": 8,
    "s_ashr_i32 s5, 0x80000000, 31": -1,
    "s_movk_i32 s5, 0x8000": -32768,
    "s_mov_b32 s5, 7\ns_addk_i32 s5, 0xffff": 6,
    "s_bitcmp1_b32 8, 3\ns_cselect_b32 s5, 1, 2": 1,
    "s_cmp_lt_i32 -1, 0\ns_cselect_b32 s5, 1, 2": 1,
    "s_cmp_lt_u32 -1, 0\ns_cselect_b32 s5, 1, 2": 2,
    "s_lshl2_add_u32 s5, 3, 4": 16,
    "s_and_b32 s5, 12, 10": 8,
    "s_andn2_b32 s5, 12, 10": 4,
    "s_nor_b32 s5, 12, 10": ~14,
}


@pytest.mark.parametrize("lines", SCALAR)
def test_scalar_operations(lines, bench):
    check(bench, "gfx942", f"{lines}\nv_mov_b32_e32 v63, s5", SCALAR[lines])


FLOAT_SCALAR = {
    "s_add_f32 s5, 1.0, 2.0": f32(3),
    "s_fmac_f32 s5, 2.0, 4.0": f32(8.5),
    "s_cvt_i32_f32 s5, -4.0": -4,
    "s_cmp_lt_f32 1.0, 2.0\ns_cselect_b32 s5, 1, 2": 1,
    "s_max_num_f32 s5, 1.0, 2.0": f32(2),
    "s_cvt_f16_f32 s5, 1.0": 0x3C00,
}


@pytest.mark.parametrize("lines", FLOAT_SCALAR)
def test_scalar_floats(lines, bench):
    check(bench, "gfx1200", f"s_mov_b32 s5, 0.5\n{lines}\nv_mov_b32_e32 v63, s5", FLOAT_SCALAR[lines])


@pytest.mark.parametrize(
    ("chip", "dtype"), [("gfx942", ml_dtypes.float8_e4m3fnuz), ("gfx1200", ml_dtypes.float8_e4m3fn)]
)
def test_small_floats(chip, dtype, bench):
    """Every code to float32, and back."""
    n = lanes(chip)
    for first in (0, 64, 128, 192):
        lines = f"{'v_add_u32_e32' if n.size == 64 else 'v_add_nc_u32_e32'} v1, {first}, v0\nv_cvt_f32_fp8_e32 v63, v1"
        found = bench.words(lines, chip).view(np.float32)
        expected = (n + first).astype(np.uint8).view(dtype).astype(np.float32)
        assert np.array_equal(found, expected, equal_nan=True)
    back = "v_cvt_f32_fp8_e32 v1, v0\nv_mov_b32_e32 v63, 0\nv_cvt_pk_fp8_f32 v63, v1, 0"
    check(bench, chip, back, n & 0xFF)


def test_division_in_steps(bench):
    """The sequence that LLVM emits for a correctly rounded quotient, on hard operands."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**32, (2, 64), dtype=np.uint32)
    special = np.array([0, 0x80000000, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x3F800000], np.uint32)
    bits[0, :64], bits[1, :64] = np.repeat(special, 8), np.tile(special, 8)
    lines = (
        "v_lshlrev_b32_e32 v1, 2, v0\nglobal_load_dword v2, v1, s[0:1]\nglobal_load_dword v3, v1, s[0:1] offset:256\n"
        "s_waitcnt vmcnt(0)\nv_div_scale_f32 v4, s[4:5], v3, v3, v2\nv_div_scale_f32 v6, vcc, v2, v3, v2\n"
        "v_rcp_f32_e32 v5, v4\ns_nop 0\nv_fma_f32 v7, -v4, v5, 1.0\nv_fmac_f32_e32 v5, v7, v5\n"
        "v_mul_f32_e32 v7, v6, v5\nv_fma_f32 v8, -v4, v7, v6\nv_fmac_f32_e32 v7, v8, v5\nv_fma_f32 v4, -v4, v7, v6\n"
        "v_div_fmas_f32 v4, v4, v5, v7\nv_div_fixup_f32 v63, v4, v3, v2"
    )
    found = bench.words(lines, "gfx942", inputs=bits).view(np.float32)
    a, b = bits.view(np.float32)
    with np.errstate(all="ignore"):
        expected = a / b
    assert np.array_equal(found, expected, equal_nan=True)


# ---- loops and masks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_lanes_leave_a_loop_one_by_one(chip, bench):
    """Each lane counts to its own number: the mask shrinks, and what inactive lanes hold is kept."""
    n = lanes(chip).astype(np.int64)
    wide = n.size == 64
    mask, old, bits = ("vcc", "s[4:5]", "b64") if wide else ("vcc_lo", "s4", "b32")
    run, add = ("exec", "v_add_u32_e32") if wide else ("exec_lo", "v_add_nc_u32_e32")
    lines = (
        f"v_mov_b32_e32 v63, 0\ns_mov_{bits} {old}, {run}\n.Lloop:\nv_cmp_lt_u32_e32 {mask}, v63, v0\n"
        f"s_and_{bits} {run}, {run}, {mask}\ns_cbranch_execz .Ldone\n{add} v63, 1, v63\ns_branch .Lloop\n.Ldone:\n"
        f"s_mov_{bits} {run}, {old}"
    )
    check(bench, chip, lines, n)


def test_waves_take_different_ways(bench):
    """Eight waves, of which each runs its own number of rounds; even ones take another branch."""
    lines = (
        "v_lshrrev_b32_e32 v1, 6, v0\ns_nop 0\nv_readfirstlane_b32 s4, v1\ns_mov_b32 s5, 0\n"
        "s_bitcmp1_b32 s4, 0\n"
        "s_cbranch_scc1 .Lodd\ns_addk_i32 s5, 0x64\n.Lodd:\n.Lloop:\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 .Lend\n"
        "s_addk_i32 s5, 0x1\ns_addk_i32 s4, 0xffff\ns_branch .Lloop\n.Lend:\nv_mov_b32_e32 v63, s5"
    )
    wave = np.arange(512) // 64
    check(bench, "gfx942", lines, wave + np.where(wave % 2 == 0, 100, 0), threads=512)


def test_comparison_writes_the_mask_on_the_new_chips_and_both_on_the_old(bench):
    n = lanes("gfx1100").astype(np.int64)
    lines = (
        "s_mov_b32 s4, exec_lo\nv_mov_b32_e32 v63, 1\nv_cmpx_lt_u32_e32 9, v0\nv_mov_b32_e32 v63, 2\n"
        "s_mov_b32 exec_lo, s4"
    )
    check(bench, "gfx1100", lines, np.where(n > 9, 2, 1))
    lines = "s_mov_b64 s[4:5], exec\nv_cmpx_lt_u32_e32 vcc, 9, v0\ns_mov_b64 exec, s[4:5]\ns_nop 1\n"
    lines += "v_mov_b32_e32 v63, vcc_lo"
    check(bench, "gfx942", lines, 0xFFFFFFFF & ~0x3FF)


SYMBOL = {
    "gfx942": "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, c@rel32@lo+{0}\ns_addc_u32 s5, s5, c@rel32@hi+{1}",
    "gfx1201": "s_getpc_b64 s[4:5]\ns_sext_i32_i16 s5, s5\ns_add_co_u32 s4, s4, c@rel32@lo+{0}\n"
    "s_add_co_ci_u32 s5, s5, c@rel32@hi+{1}",
    "gfx1250": "s_get_pc_i64 s[4:5]\ns_add_nc_u64 s[4:5], s[4:5], c@rel64+{0}",
}
BEHIND = {"gfx942": (4, 12), "gfx1201": (8, 16), "gfx1250": (4, 0)}
"""Bytes from the program counter that is read to each half of the distance that is added to it."""
CONSTANTS = '\t.section\t.rodata,"a",@progbits\n\t.p2align\t4\nc:\n\t.long\t7\n\t.long\t8\n\t.long\t9\n'


def constants_text(chip: str, element: int, before: str = "", after: str = "") -> str:
    """Loads one of three constants into v63."""
    load, wait = "s_load_dword s6, s[4:5], 0x0", "s_waitcnt lgkmcnt(0)"
    if chip != "gfx942":
        load, wait = "s_load_b32 s6, s[4:5], 0x0", "s_wait_kmcnt 0x0"
    address = SYMBOL[chip].format(*(4 * element + n for n in BEHIND[chip]))
    lines = f"{before}{address}\n{after}{load}\n{wait}\nv_mov_b32_e32 v63, s6"
    return kernel_text(lines, chip).replace("\t.amdgpu_metadata", CONSTANTS + "\t.amdgpu_metadata", 1)


def found_with_constants(bench, text: str, threads: int) -> set[int]:
    out = bench.memory.allocate(4 * threads)
    bench.launch(text, (1, 1, 1), (threads, 1, 1), [bench.memory.allocate(8), out])
    return set(bench.download(out, "u4", threads).tolist())


@pytest.mark.parametrize("chip", SYMBOL)
def test_addresses_behind_a_symbol(chip, bench):
    for element in range(3):
        assert found_with_constants(bench, constants_text(chip, element), wavefront(chip)) == {7 + element}


@pytest.mark.parametrize(("chip", "condition"), [("gfx1250", True), ("gfx942", False)])
def test_the_condition_behind_an_address(chip, condition, bench):
    """s_add_nc_u64 leaves it alone (RDNA 4's document); the carry of s_addc_u32 replaces it, by 0 here."""
    after = "s_cselect_b32 s7, 1, 2\n"
    text = constants_text(chip, 0, "s_cmp_eq_u32 s0, s0\n", after).replace("v63, s6", "v63, s7")
    assert found_with_constants(bench, text, wavefront(chip)) == {1 if condition else 2}


@pytest.mark.parametrize("lanes", [32, 64])
def test_words_of_masks_in_any_order_of_memory(lanes):
    """A comparison of arrays that were transposed lays its result out as these are."""
    mask = np.random.default_rng(0).random((5, lanes)) < 0.5
    wanted = [sum(int(b) << n for n, b in enumerate(row)) for row in mask]
    for found in (mask_packer(lanes)(mask), mask_packer(lanes)(np.asfortranarray(mask))):
        assert found[:, 0].tolist() == wanted
