"""AMD architectures: CDNA (MFMA, subgroups of 64) and RDNA (WMMA from gfx11 on, subgroups of 32 or 64)."""

from __future__ import annotations

from ..support.named_tuples import NamedTuple
from .chip import Chip, Feature, RegisterFile

KIB = 1024


class _Generation(NamedTuple):
    """Architectures that differ in nothing the compiler looks at."""

    names: tuple[str, ...]
    subgroup_sizes: tuple[int, ...]  # the default first
    shared_memory_kib: int
    features: tuple[str, ...]
    register_file: RegisterFile | None = None


_FILE_GFX908 = RegisterFile(256, 4, 10)
_FILE_GFX90A = RegisterFile(512, 8, 8)
_FILE_GFX10 = RegisterFile(1024, 8, 20)
_FILE_GFX10_3 = RegisterFile(1024, 16, 16)
_FILE_LARGE = RegisterFile(1536, 24, 16)
"""The register file of gfx11 and gfx12, but for smaller chips of gfx11."""


_MFMA = ("mfma", "mfma.i8.k16", "mfma.bf16")  # gfx908
_MFMA_90A = (*_MFMA, "mfma.bf16.1k", "mfma.f64")
_MFMA_942 = ("mfma", "mfma.bf16.1k", "mfma.f64", "mfma.i8.k32", "mfma.xf32", "mfma.fp8.fnuz")
_MFMA_950 = ("mfma", "mfma.bf16.1k", "mfma.f64", "mfma.i8.k32", "mfma.fp8.ocp", "mfma.wide", "mfma.f8f6f4")
_SMFMAC_942 = ("smfmac", "smfmac.fp8.fnuz")
_SMFMAC_950 = ("smfmac", "smfmac.fp8.ocp", "smfmac.wide")
# compare_64: one instruction compares two numbers of 64 bits (V_CMP_*_U64, in VOPC of every architecture).
# lane_masks: conditions are masks in scalar registers, which instructions of their own join.
# dot4 sums four products of bytes of one sign (or two of f16 in f32, eight of i4), dot4.mixed of any signs; dot2.half
# has a short sum. raw_buffer.gfx9 is the layout of a buffer's
# descriptor; bpermute64 moves between all 64 lanes, not within halves; sgpr_waves: scalar registers limit the waves of
# a SIMD; unified_registers: accumulators of matrix instructions lie anywhere in one file with the vector registers, and
# splitting it costs moves; lds_banks.64: wide reads of shared memory reach 64 banks; valu_mask_hazard: a mask of lanes
# must not be written soon after it was read. dpp.across_rows: lanes read neighbours in other rows of 16 by it.
_GFX9 = (
    "compare_64",
    "lane_masks",
    "dot4",
    "dot2.i16",
    "dpp",
    "dpp.across_rows",
    "raw_buffer",
    "raw_buffer.gfx9",
    "bpermute64",
    "sgpr_waves",
)
_GFX90A = (*_GFX9, "packed_f32", "unified_registers")
# Waits: vscnt counts stores apart from loads; waitcnt.gfx11 is a layout of s_waitcnt; wait_counters has s_wait_dscnt
# and the like instead of it. atomic_num: updates of f32 by IEEE's minimumNumber and maximumNumber.
# flat_scratch: private memory has instructions of its own.
_GFX10 = ("compare_64", "lane_masks", "dpp", "permlane16", "raw_buffer", "vscnt")
_DOTS = ("dot4", "dot4.mixed", "dot2.half", "dot2.bf16")
_GFX11 = (*_GFX10, *_DOTS, "permlane64", "flat_scratch", "waitcnt.gfx11", "valu_mask_hazard", "dual_issue")
_GFX12 = (
    *_GFX10,
    *_DOTS,
    "dot4.fp8",
    "permlane64",
    "permlane_var",
    "cvt.fp8.ocp",
    "flat_scratch",
    "wait_counters",
    "atomic_num",
    "dual_issue",
    "global_load_tr",
)
# global_load_tr: lanes get columns of what their neighbours read; `.short` of elements of 4 and 6 bits, too.
# dual_issue: waves of 32 lanes issue two instructions of the vector unit as one.
# global_prefetch: an instruction of each lane says that it is going to read memory. async_lds: lanes copy from global
# memory to LDS, counted apart, and arrive at barriers in LDS behind that. tensor_dma: waves copy tiles of tensors by
# descriptors. high_registers: of v256 to v1023
# instructions name the lower eight bits, and a mode has the others.
_GFX1250 = (
    "dpp",
    "compare_64",
    "lane_masks",
    "permlane16",
    "permlane64",
    "permlane_var",
    "cvt.fp8.ocp",
    "atomic_num",
    "vscnt",
    "flat_scratch",
    "wait_counters",
    "global_prefetch",
    "async_lds",
    "tensor_dma",
    "high_registers",
    "dual_issue",
    "global_load_tr",
    "global_load_tr.short",
    "cvt.scale.pk8",
    "wmma.scale",
)  # its buffer resources are of another kind

_GENERATIONS = (
    _Generation(("gfx908",), (64,), 64, (*_GFX9, *_MFMA), _FILE_GFX908),
    _Generation(("gfx90a",), (64,), 64, (*_GFX90A, *_MFMA_90A), _FILE_GFX90A),
    _Generation(
        ("gfx942",),
        (64,),
        64,
        (*_GFX90A, "flat_scratch", "global_load_lds", "cache_swizzle", "cvt.fp8.fnuz", *_MFMA_942, *_SMFMAC_942),
        _FILE_GFX90A,
    ),
    _Generation(
        ("gfx950",),
        (64,),
        160,
        (
            *_GFX90A,
            "flat_scratch",
            "global_load_lds",
            "global_load_lds.16",
            "permlane_swap",
            "cache_swizzle",
            "cvt.fp8.ocp",
            "cvt.scaled",
            "dot2.bf16",
            "ds_read_tr",
            "lds_banks.64",
            *_MFMA_950,
            *_SMFMAC_950,
        ),
        _FILE_GFX90A,
    ),
    _Generation(("gfx1010", "gfx1011", "gfx1012", "gfx1013"), (32, 64), 64, _GFX10, _FILE_GFX10),
    _Generation(
        ("gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"),
        (32, 64),
        64,
        (*_GFX10, "dot4", "dot2.i16"),
        _FILE_GFX10_3,
    ),
    _Generation(("gfx1100", "gfx1101"), (32, 64), 64, (*_GFX11, "wmma.gfx11"), _FILE_LARGE),
    _Generation(("gfx1102", "gfx1103", "gfx1150"), (32, 64), 64, (*_GFX11, "wmma.gfx11"), _FILE_GFX10_3),
    _Generation(("gfx1151",), (32, 64), 64, (*_GFX11, "wmma.gfx11"), _FILE_LARGE),
    _Generation(("gfx1200", "gfx1201"), (32, 64), 64, (*_GFX12, "wmma.gfx12", "swmmac"), _FILE_LARGE),
    _Generation(("gfx1250",), (32,), 320, (*_GFX1250, "wmma.gfx1250")),
)


def _chip(name: str, generation: _Generation) -> Chip:
    return Chip(
        name=name,
        vendor="amd",
        subgroup_sizes=generation.subgroup_sizes,
        native_subgroup_size=generation.subgroup_sizes[0],
        shared_memory_bytes=generation.shared_memory_kib * KIB,
        static_shared_memory_bytes=generation.shared_memory_kib * KIB,
        max_workgroup_sizes=(1024, 1024, 1024),
        features=tuple(map(Feature, generation.features)),
        register_file=generation.register_file,
    )


AMD_CHIPS = tuple(_chip(name, generation) for generation in _GENERATIONS for name in generation.names)
