"""The rows against the vendors' lists of instructions: one that is gone is missed, one that is added has to be listed.

NVIDIA's are transcribed from the PTX ISA's syntax of each instruction (shapes, and types of A, B and of C and D), AMD's
from the instruction lists of the CDNA 1 to 4, RDNA 3 and RDNA 4 ISA documents; gfx1250 has no document, and its list is
LLVM's (`IntrinsicsAMDGPU.td`). What is on a vendor's list and no row stands here by name, with why.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from lanewise.targets import MatrixInstruction, find_chip, matrix_instructions
from lanewise.targets.mfma_scaled import MFMA_SCALED
from lanewise.targets.mma_scaled import MMA_SCALED
from lanewise.targets.mma_sparse import MMA_SPARSE
from lanewise.targets.mma_sync import MMA_SYNC
from lanewise.targets.smfmac import SparseInstruction, sparse_instructions
from lanewise.targets.tcgen05 import TCGEN05
from lanewise.targets.wgmma import WGMMA
from lanewise.targets.wmma_scaled import WMMA_SCALED

# -- NVIDIA -----------------------------------------------------------------------------------------------------------

PTX = {
    "i8": "s8", "ui8": "u8", "i4": "s4", "ui4": "u4", "i32": "s32", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2",
    "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f4E2M1FN": "e2m1", "f8E8M0FNU": "ue8m0",
}  # fmt: skip
MMA = """
m16n8k8,m16n8k16            f16            f16            f16,f32
m16n8k8,m16n8k16            bf16           bf16           f32
m16n8k4,m16n8k8             tf32           tf32           f32
m8n8k4,m16n8k4,m16n8k8,m16n8k16  f64       f64            f64
m8n8k16,m16n8k16,m16n8k32   s8,u8          s8,u8          s32
m8n8k32,m16n8k32,m16n8k64   s4,u4          s4,u4          s32
m16n8k16,m16n8k32           e4m3,e5m2      e4m3,e5m2      f16,f32
m16n8k32                    e3m2,e2m3,e2m1 e4m3,e5m2,e3m2,e2m3,e2m1 f16,f32
m16n8k32                    e4m3,e5m2      e3m2,e2m3,e2m1 f16,f32
"""
"""mma.sync. Not listed: m8n8k4 of f16 (sm_70: its fragments of quad pairs are no nested layout), and products of single
bits, which no operation says. `.kind::f8f6f4` of e4m3 and e5m2 alone is what the forms without a kind are."""
MMA_SP = """
m16n8k16,m16n8k32           f16            f16            f16,f32
m16n8k16,m16n8k32           bf16           bf16           f32
m16n8k8,m16n8k16            tf32           tf32           f32
m16n8k32,m16n8k64           s8,u8          s8,u8          s32
m16n8k64,m16n8k128          s4,u4          s4,u4          s32
m16n8k64                    e4m3,e5m2,e3m2,e2m3,e2m1 e4m3,e5m2,e3m2,e2m3,e2m1 f16,f32
"""
"""mma.sp::ordered_metadata."""
SCALED = """
m16n8k32                    e4m3,e5m2,e3m2,e2m3,e2m1 e4m3,e5m2,e3m2,e2m3,e2m1 ue8m0
m16n8k64                    e2m1           e2m1           ue8m0,e4m3
"""
"""mma with .block_scale, and types of scales (ue4m3 is e4m3 without a sign). Not listed: scales of 2X with
`.kind::mxf4nvf4`, which is `.kind::mxf4`; mma.sp with scales."""
FLOATS = ",".join(str(n) for n in range(8, 257, 8))
BYTES = "8,16,24,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256"
WGMMA_LIST = f"""
{FLOATS} f16                f16            f16,f32
{FLOATS} bf16               bf16           f32
{FLOATS} tf32               tf32           f32
{FLOATS} e4m3,e5m2          e4m3,e5m2      f16,f32
{BYTES}  s8,u8              s8,u8          s32
"""
"""wgmma.mma_async: N; M is 64, and K 32 bytes. Not listed: single bits, and a sparse A."""
SIXTEENS = ",".join(str(n) for n in range(16, 257, 16))
TCGEN05_LIST = f"""
{SIXTEENS} f16              f16            f16,f32
{SIXTEENS} bf16             bf16           f32
{SIXTEENS} tf32             tf32           f32
{SIXTEENS} e4m3,e5m2        e4m3,e5m2      f32
{SIXTEENS} s8,u8            s8,u8          s32
"""
"""tcgen05.mma with cta_group::1 and 128 rows: N. Not listed: 64 rows, two workgroups together, a sparse A, block
scales, elements of 6 and 4 bits, and sums of e4m3 and e5m2 in f16."""


def listed(text: str) -> Counter[tuple[str, ...]]:
    lines = (line.split() for line in text.strip().splitlines())
    return Counter(form for words in lines for form in itertools.product(*(word.split(",") for word in words)))


def types(i: MatrixInstruction, *names: str) -> tuple[str, ...]:
    return tuple(PTX.get(name, name) for name in names or (i.a_type, i.b_type, i.c_type))


def shape(i: MatrixInstruction) -> str:
    return "m{}n{}k{}".format(*i.shape)


def test_mma_sync() -> None:
    assert Counter((shape(i), *types(i)) for i in MMA_SYNC) == listed(MMA)
    assert len(MMA_SYNC) == 94


def test_mma_sp() -> None:
    assert Counter((shape(i), *types(i)) for i in MMA_SPARSE) == listed(MMA_SP)
    assert len(MMA_SPARSE) == 74


def test_mma_with_block_scales() -> None:
    assert Counter((shape(i), *types(i, i.a_type, i.b_type, i.scale_type)) for i in MMA_SCALED) == listed(SCALED)
    assert {i.c_type for i in MMA_SCALED} == {"f32"} and len(MMA_SCALED) == 27
    of_a_scale = {"m16n8k32 ue8m0": 1, "m16n8k64 ue8m0": 2, "m16n8k64 e4m3": 4}  # 1X, 2X and 4X
    assert all(i.blocks_of_k == of_a_scale[f"{shape(i)} {PTX.get(i.scale_type)}"] for i in MMA_SCALED)


@pytest.mark.parametrize(
    ("rows", "text", "m", "count"), [(WGMMA, WGMMA_LIST, 64, 456), (TCGEN05, TCGEN05_LIST, 128, 192)]
)
def test_wgmma_and_tcgen05(rows: tuple[MatrixInstruction, ...], text: str, m: int, count: int) -> None:
    depths = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32}
    assert Counter((str(i.shape[1]), *types(i)) for i in rows) == listed(text)
    assert all(i.shape[0] == m and i.shape[2] == depths[types(i)[0]] for i in rows) and len(rows) == count


# -- AMD: mnemonics as the ISA documents have them --------------------------------------------------------------------

CDNA_1 = """
f32_32x32x1_2b_f32 f32_16x16x1_4b_f32 f32_4x4x1_16b_f32 f32_32x32x2_f32 f32_16x16x4_f32
f32_32x32x4_2b_f16 f32_16x16x4_4b_f16 f32_4x4x4_16b_f16 f32_32x32x8_f16 f32_16x16x16_f16
i32_32x32x4_2b_i8 i32_16x16x4_4b_i8 i32_4x4x4_16b_i8
"""
OLD_BF16 = "f32_32x32x2_2b_bf16 f32_16x16x2_4b_bf16 f32_4x4x2_16b_bf16 f32_32x32x4_bf16 f32_16x16x8_bf16"
OLD_I8 = "i32_32x32x8_i8 i32_16x16x16_i8"
BF16 = "f32_32x32x4_2b_bf16 f32_16x16x4_4b_bf16 f32_4x4x4_16b_bf16 f32_32x32x8_bf16 f32_16x16x16_bf16"
F64 = "f64_16x16x4_f64 f64_4x4x4_4b_f64"
I8 = "i32_32x32x16_i8 i32_16x16x32_i8"
XF32 = "f32_16x16x8_xf32 f32_32x32x4_xf32"
FP8 = " ".join(f"f32_{s}_{a}_{b}" for s in ("16x16x32", "32x32x16") for a in ("fp8", "bf8") for b in ("fp8", "bf8"))
WIDE = """
f32_16x16x32_f16 f32_32x32x16_f16 f32_16x16x32_bf16 f32_32x32x16_bf16 i32_16x16x64_i8 i32_32x32x32_i8
"""
MFMA_LISTS = {
    "gfx908": (CDNA_1, OLD_BF16, OLD_I8),
    "gfx90a": (CDNA_1, OLD_BF16, OLD_I8, BF16, F64),
    "gfx942": (CDNA_1, BF16, F64, I8, XF32, FP8),
    "gfx950": (CDNA_1, BF16, F64, I8, FP8, WIDE),
}
F8F6F4 = {"f32_16x16x128_f8f6f4": 13, "f32_32x32x64_f8f6f4": 13}
"""gfx950: pairs of formats. Of 25 those of bytes alone and of shorter ones alone, whose A and B number K alike; all are
block-scaled products, which operations choose."""
RDNA_3 = {
    "f32_16x16x16_f16": 1, "f32_16x16x16_bf16": 1, "f16_16x16x16_f16": 1, "bf16_16x16x16_bf16": 1,
    "i32_16x16x16_iu8": 4, "i32_16x16x16_iu4": 4,
}  # fmt: skip
"""Of integers each pair of signs is a row. In 32 lanes and in 64."""
RDNA_4 = {
    **RDNA_3, "i32_16x16x32_iu4": 4,
    **{f"f32_16x16x16_{a}_{b}": 1 for a in ("fp8", "bf8") for b in ("fp8", "bf8")},
}  # fmt: skip
"""In 32 lanes; docs/decisions/0078 says why not in 64."""
GFX1250 = {
    "f32_16x16x4_f32": 1, "f32_16x16x32_f16": 1, "f32_16x16x32_bf16": 1, "f16_16x16x32_f16": 1,
    "bf16_16x16x32_bf16": 1, "i32_16x16x64_iu8": 4, "f32_16x16x128_f8f6f4": 9,
    **{f"{c}_16x16x{k}_{a}_{b}": 1 for c in ("f32", "f16") for k in (64, 128) for a in ("fp8", "bf8")
       for b in ("fp8", "bf8")},
}  # fmt: skip
"""Of f8f6f4 the pairs of shorter formats. docs/decisions/0078 says why not the rest."""
AMD = {
    "tf32": "xf32", "f8E4M3FN": "fp8", "f8E5M2": "bf8", "f8E4M3FNUZ": "fp8", "f8E5M2FNUZ": "bf8",
    "ui8": "iu8", "ui4": "iu4", "i4": "iu4",
}  # fmt: skip


def mnemonic(i: MatrixInstruction) -> str:
    """Behind `v_mfma_` or `v_wmma_`."""
    head = f"{i.c_type}_{'x'.join(map(str, i.shape))}" + (f"_{i.blocks}b" if i.blocks > 1 else "")
    if "f8f6f4" in i.llvm_name:
        return f"{head}_f8f6f4"
    known = {**AMD, "i8": "iu8"} if i.family == "wmma" else AMD
    a, b = (known.get(type, type) for type in (i.a_type, i.b_type))
    return f"{head}_{a}_{b}" if a in ("fp8", "bf8") else f"{head}_{a}"


@pytest.mark.parametrize("chip", MFMA_LISTS)
def test_mfma(chip: str) -> None:
    wanted = Counter(" ".join(MFMA_LISTS[chip]).split()) + Counter(F8F6F4 if chip == "gfx950" else {})
    assert Counter(map(mnemonic, matrix_instructions(find_chip(chip)))) == wanted


@pytest.mark.parametrize(
    ("chip", "lanes", "wanted"),
    [("gfx1100", 32, RDNA_3), ("gfx1100", 64, RDNA_3), ("gfx1201", 32, RDNA_4), ("gfx1250", 32, GFX1250),
     ("gfx1201", 64, {}), ("gfx1030", 32, {})],
)  # fmt: skip
def test_wmma(chip: str, lanes: int, wanted: dict[str, int]) -> None:
    rows = [i for i in matrix_instructions(find_chip(chip)) if i.subgroup_size == lanes]
    assert Counter(map(mnemonic, rows)) == Counter(wanted)


# -- AMD: a sparse A, and block scales --------------------------------------------------------------------------------

SMFMAC_3 = "f32_16x16x32_f16 f32_32x32x16_f16 f32_16x16x32_bf16 f32_32x32x16_bf16 i32_16x16x64_i8 i32_32x32x32_i8"
SMFMAC_4 = "f32_16x16x64_f16 f32_32x32x32_f16 f32_16x16x64_bf16 f32_32x32x32_bf16 i32_16x16x128_i8 i32_32x32x64_i8"


def pairs_of_fp8(*shapes: str) -> Iterator[str]:
    return (f"f32_{s}_{a}_{b}" for s in shapes for a in ("fp8", "bf8") for b in ("fp8", "bf8"))


OF_FP8 = tuple(pairs_of_fp8("16x16x64", "32x32x32"))
SPARSE_LISTS: dict[str, dict[str, int]] = {
    "gfx942": dict.fromkeys((*SMFMAC_3.split(), *OF_FP8), 1),
    "gfx950": dict.fromkeys(
        (*SMFMAC_3.split(), *OF_FP8, *SMFMAC_4.split(), *pairs_of_fp8("16x16x128", "32x32x64")), 1
    ),
    "gfx1201": {
        **dict.fromkeys(("f32_16x16x32_f16", "f32_16x16x32_bf16", "f16_16x16x32_f16", "bf16_16x16x32_bf16"), 1),
        "i32_16x16x32_iu8": 4, "i32_16x16x32_iu4": 4, "i32_16x16x64_iu4": 4,
        **dict.fromkeys(pairs_of_fp8("16x16x32"), 1),
    },
    "gfx90a": {}, "gfx1100": {}, "gfx1250": {},
}  # fmt: skip
"""smfmac of CDNA 3 and 4, swmmac of RDNA 4 in 32 lanes. Those of gfx1250 are not listed (docs/decisions/0078)."""


@pytest.mark.parametrize("chip", SPARSE_LISTS)
def test_a_sparse_a(chip: str) -> None:
    rows: tuple[SparseInstruction, ...] = sparse_instructions(find_chip(chip))
    assert Counter(i.opcode.split("mac_")[1] for i in rows) == Counter(SPARSE_LISTS[chip])


def test_mfma_with_block_scales() -> None:
    """CDNA 4 ISA: all pairs of five formats, in two shapes."""
    formats = ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
    wanted = itertools.product(((16, 16, 128), (32, 32, 64)), formats, formats, ("f32",))
    assert Counter((i.shape, i.a_type, i.b_type, i.c_type) for i in MFMA_SCALED) == Counter(wanted)


def test_wmma_with_block_scales() -> None:
    """LLVM's `wmma.scale` and `wmma.scale16`: all pairs of five formats, and of 32 rows f4 alone. Which types of scales
    go with them: upstream's verifier of `amdgpu.scaled_wmma`, without E5M3, which is no type there."""
    formats = ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
    powers, floats = "f8E8M0FNU", "f8E4M3FN"
    square = [(a, b, powers, powers) for a in formats for b in formats]
    square += [(a, "f4E2M1FN", powers, floats) for a in formats[:4]]
    square += [("f4E2M1FN", b, floats, powers) for b in formats[:4]]
    short = [("f4E2M1FN", "f4E2M1FN", type, type) for type in (powers, floats)]
    wanted = [((16, 16, 128), block, *of) for block in (16, 32) for of in [*square, short[1]]]
    wanted += [((32, 16, 128), block, *of) for block in (16, 32) for of in short]
    found = [(i.shape, i.block, i.a_type, i.b_type, i.a_scales, i.b_scales) for i in WMMA_SCALED]
    assert Counter(found) == Counter(wanted) and len(found) == 72
