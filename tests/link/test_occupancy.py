"""Waves per SIMD, against tables and examples that AMD and LLVM publish."""

from __future__ import annotations

import dataclasses

import pytest
from lanewise.codegen.link import KernelInfo, occupancy
from lanewise.targets import CHIPS

INFO = KernelInfo(
    kernarg_size=8,
    argument_bytes=8,
    group_segment_bytes=0,
    private_segment_bytes=0,
    vgpr=8,
    agpr=0,
    sgpr=16,
    vgpr_spills=0,
    sgpr_spills=0,
    wavefront_size=64,
    max_flat_workgroup_size=64,
)


def waves(chip: str, *, workgroup: int | None = None, **fields: int) -> int:
    info = dataclasses.replace(INFO, wavefront_size=CHIPS[chip].default_subgroup_size)
    info = dataclasses.replace(info, **fields)
    found = occupancy(info, CHIPS[chip], workgroup_size=workgroup or info.wavefront_size)
    assert found is not None
    return found.waves_per_simd


# The published table of gfx900 and gfx908: VGPRs up to 24 allow 10 waves, up to 28 allow 9, ...
@pytest.mark.parametrize(
    ("vgpr", "expected"),
    [(1, 10), (24, 10), (25, 9), (28, 9), (32, 8), (36, 7), (40, 6), (48, 5), (64, 4), (84, 3), (128, 2), (129, 1)],
)
def test_vgprs_on_gfx908(vgpr, expected):
    assert waves("gfx908", vgpr=vgpr) == expected


@pytest.mark.parametrize(("vgpr", "expected"), [(64, 8), (65, 7), (72, 7), (128, 4), (129, 3), (256, 2), (512, 1)])
@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_vgprs_on_cdna(chip, vgpr, expected):
    assert waves(chip, vgpr=vgpr) == expected


@pytest.mark.parametrize(
    ("chip", "vgpr", "expected"),
    [
        ("gfx1010", 48, 20),
        ("gfx1010", 256, 4),
        ("gfx1030", 64, 16),
        ("gfx1030", 65, 12),
        ("gfx1030", 256, 4),
        ("gfx1100", 96, 16),
        ("gfx1100", 97, 12),
        ("gfx1100", 256, 5),
        ("gfx1102", 96, 10),
        ("gfx1201", 120, 12),
        ("gfx1201", 144, 10),
    ],
)
def test_vgprs_on_rdna(chip, vgpr, expected):
    assert waves(chip, vgpr=vgpr) == expected


def test_wide_waves_have_half_the_registers():
    assert waves("gfx1100", vgpr=96, wavefront_size=64) == 768 // 96
    assert waves("gfx1030", vgpr=65, wavefront_size=64) == 512 // 72


@pytest.mark.parametrize(("sgpr", "expected"), [(80, 10), (81, 9), (88, 9), (100, 8), (101, 7)])
def test_sgprs_limit_gfx9_only(sgpr, expected):
    assert waves("gfx908", sgpr=sgpr) == expected
    assert waves("gfx942", sgpr=sgpr) == min(8, expected)
    assert waves("gfx1030", sgpr=sgpr) == 16


@pytest.mark.parametrize(
    ("chip", "lds", "workgroup", "expected"),
    [
        ("gfx942", 65536, 64, 1),  # one workgroup of one wave: one SIMD has it
        ("gfx942", 65536, 1024, 4),  # one workgroup of 16 waves on 4 SIMDs
        ("gfx942", 16384, 256, 4),  # four workgroups of 4 waves
        ("gfx942", 8192, 256, 8),
        ("gfx950", 81920, 256, 2),  # 160 KiB hold two
        ("gfx1100", 65536, 128, 2),  # a WGP's 128 KiB hold two workgroups of 4 waves
        ("gfx942", 0, 768, 6),  # 32 waves hold two workgroups of 12
        ("gfx908", 0, 128, 8),  # 16 barriers, workgroups of two waves
        ("gfx908", 0, 64, 10),  # one wave needs no barrier
    ],
)
def test_whole_workgroups(chip, lds, workgroup, expected):
    assert waves(chip, group_segment_bytes=lds, workgroup=workgroup) == expected


def test_dynamic_lds_and_the_compiled_workgroup_count():
    info = dataclasses.replace(INFO, group_segment_bytes=8192, max_flat_workgroup_size=256)
    found = occupancy(info, CHIPS["gfx942"], dynamic_lds_bytes=8192)
    assert found is not None
    assert found.waves_per_simd == 4
    assert found.limits == ("workgroups",)


def test_limits_name_the_scarce_resource():
    found = occupancy(dataclasses.replace(INFO, vgpr=200), CHIPS["gfx942"])
    assert found is not None
    assert (found.waves_per_simd, found.limits) == (2, ("VGPR",))
    free = occupancy(INFO, CHIPS["gfx942"])
    assert free is not None
    assert (free.waves_per_simd, free.limits) == (8, ())


def test_what_has_no_answer():
    assert occupancy(INFO, CHIPS["gfx1250"]) is None
    assert occupancy(INFO, CHIPS["sm_90"]) is None
    with pytest.raises(ValueError, match="65540 bytes of LDS: a workgroup on gfx942 has at most 65536"):
        occupancy(dataclasses.replace(INFO, group_segment_bytes=65540), CHIPS["gfx942"])
    with pytest.raises(ValueError, match="4480 work-items: a workgroup on gfx942 has at most 1024"):
        occupancy(INFO, CHIPS["gfx942"], workgroup_size=64 * 70)
