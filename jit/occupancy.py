"""How much of a chip's multiprocessors or SIMDs a kernel fills, from the resources of its code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias, Union

from ..codegen.assemble import Resources
from ..targets import Chip
from .device import Dim3

if TYPE_CHECKING:
    from ..codegen.link import KernelInfo, Occupancy
    from ..codegen.nvptx.occupancy import WarpOccupancy

AnyOccupancy: TypeAlias = Union["Occupancy", "WarpOccupancy"]


def occupancy_of(
    chip: Chip, block_size: Dim3, used: Resources | KernelInfo, dynamic_shared_bytes: int
) -> AnyOccupancy | None:
    """Warps per multiprocessor for NVIDIA's chips, waves per SIMD for AMD's; None where no table has the chip."""
    if isinstance(used, Resources):
        from ..codegen.nvptx.occupancy import warp_occupancy

        shared = used.static_shared_bytes + dynamic_shared_bytes
        threads = math.prod(block_size)
        return warp_occupancy(chip, threads=threads, registers=used.registers, shared_bytes=shared)
    from ..codegen.link import occupancy

    return occupancy(used, chip, dynamic_lds_bytes=dynamic_shared_bytes)
