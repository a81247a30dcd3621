"""How many waves of a kernel fit on a SIMD at the same time.

The rule is the one of LLVM's AMDGPU backend (IsaInfo: register files, granules, most waves and workgroups). Registers
are given out in granules; a SIMD keeps at most so many waves; a CU (gfx9) or a WGP (gfx10 and later, in WGP mode) keeps
whole workgroups, as many as its LDS, its barriers and its waves allow.
"""

from __future__ import annotations

import math
from typing import ClassVar

from ...support.dataclasses import dataclass
from ...targets.chip import Chip, RegisterFile
from .code_object import KernelInfo

_SIMDS = 4  # of a CU on gfx9, of a WGP later; they share the LDS
_BARRIERS = 16  # of a CU; a WGP has two CUs. Workgroups of one wave need none

_SGPR_WAVES = ((80, 10), (88, 9), (100, 8))  # gfx9: so many SGPRs allow so many waves; more allow 7
_SGPR_FEWEST = 7


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Waves per SIMD, at most, and what each resource alone would allow; `by_workgroup` is LDS, barriers and size."""

    waves_per_simd: int
    by_vgpr: int
    by_sgpr: int
    by_workgroup: int
    most: int

    unit: ClassVar[str] = "waves on a SIMD"

    @property
    def count(self) -> int:
        return self.waves_per_simd

    @property
    def limits(self) -> tuple[str, ...]:
        """The resources that keep it below the most that the chip can have."""
        by = {"VGPR": self.by_vgpr, "SGPR": self.by_sgpr, "workgroups": self.by_workgroup}
        return tuple(name for name, waves in by.items() if waves == self.waves_per_simd < self.most)


def occupancy(
    info: KernelInfo, chip: Chip, *, workgroup_size: int | None = None, dynamic_lds_bytes: int = 0
) -> Occupancy | None:
    """Occupancy of workgroups of so many work-items (None: the largest that the code was compiled for).

    None for a chip whose register file is in no published table. Raises ValueError where a workgroup does not fit.
    """
    if chip.register_file is None:
        return None
    file, lds = chip.register_file, info.group_segment_bytes + dynamic_lds_bytes
    if lds > chip.shared_memory_bytes:
        raise ValueError(f"{lds} bytes of LDS: a workgroup on {chip.name} has at most {chip.shared_memory_bytes}")
    size = workgroup_size or info.max_flat_workgroup_size
    if size > chip.max_threads_per_workgroup:
        raise ValueError(f"{size} work-items: a workgroup on {chip.name} has at most {chip.max_threads_per_workgroup}")
    waves = math.ceil(size / info.wavefront_size)
    by_vgpr = _by_vgpr(file, info.vgpr, info.wavefront_size // chip.native_subgroup_size)
    by_sgpr = _by_sgpr(info.sgpr, file.waves) if _is_gfx9(chip) else file.waves
    by_workgroup = _by_workgroup(chip, lds, waves, file.waves)
    return Occupancy(min(by_vgpr, by_sgpr, by_workgroup), by_vgpr, by_sgpr, by_workgroup, file.waves)


def _is_gfx9(chip: Chip) -> bool:
    return chip.supports("sgpr_waves")


def _by_vgpr(file: RegisterFile, used: int, registers_per_vgpr: int) -> int:
    """A wave twice as wide has registers twice as wide: half as many of them."""
    granule, total = file.granule // registers_per_vgpr, file.registers // registers_per_vgpr
    return max(1, min(file.waves, total // (math.ceil(max(used, 1) / granule) * granule)))


def _by_sgpr(used: int, most: int) -> int:
    waves = next((waves for limit, waves in _SGPR_WAVES if used <= limit), _SGPR_FEWEST)
    return min(waves, most)


def _by_workgroup(chip: Chip, lds: int, waves: int, most: int) -> int:
    """Whole workgroups; their waves spread over the SIMDs, and the SIMD that has most of them counts."""
    compute_units = 1 if _is_gfx9(chip) else 2
    groups = most * _SIMDS // waves
    if waves > 1:
        groups = min(groups, _BARRIERS * compute_units)
    if lds:
        groups = min(groups, compute_units * chip.shared_memory_bytes // lds)
    return min(most, math.ceil(groups * waves / _SIMDS))
