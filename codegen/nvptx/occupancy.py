"""How many warps of a kernel fit on a multiprocessor of an NVIDIA chip at the same time.

Limits of each compute capability: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". How
resources are given out: NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA toolkit). Registers are given to a
warp in units of 256 and lie in the quarter of the multiprocessor that executes it; shared memory in units, with 1 KiB a
block for the system from sm_80 on. Carveouts of the L1 cache are assumed to be as large as they can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ...targets.chip import Chip, compute_capability
from ...targets.register_file import REGISTERS

_WARP = 32
_REGISTER_UNIT = 256
_QUARTERS = 4
_RESERVED_FROM = 80
_RESERVED_BYTES = 1024


class _Multiprocessor(NamedTuple):
    """Most warps and blocks at a time, and shared memory in KiB."""

    warps: int
    blocks: int
    shared_kib: int


_MULTIPROCESSORS: Mapping[int, _Multiprocessor] = MappingProxyType(
    {
        70: _Multiprocessor(64, 32, 96),
        72: _Multiprocessor(64, 32, 96),
        75: _Multiprocessor(32, 16, 64),
        80: _Multiprocessor(64, 32, 164),
        86: _Multiprocessor(48, 16, 100),
        87: _Multiprocessor(48, 16, 164),
        89: _Multiprocessor(48, 24, 100),
        90: _Multiprocessor(64, 32, 228),
        100: _Multiprocessor(64, 32, 228),
        103: _Multiprocessor(64, 32, 228),
        120: _Multiprocessor(48, 24, 100),
        121: _Multiprocessor(48, 24, 100),
    }
)
"""By compute capability."""


@dataclass(frozen=True, slots=True)
class WarpOccupancy:
    """Warps per multiprocessor, at most, and what each resource alone would allow; whole blocks of warps count.

    0 where one block already needs more than there is. `by_warps` is what the number of warps itself allows.
    """

    warps_per_multiprocessor: int
    by_registers: int
    by_shared_memory: int
    by_warps: int
    by_blocks: int
    most: int

    unit: ClassVar[str] = "warps on a multiprocessor"

    @property
    def count(self) -> int:
        return self.warps_per_multiprocessor

    @property
    def limits(self) -> tuple[str, ...]:
        """The resources that keep it below the most that the chip can have."""
        by = {
            "registers": self.by_registers,
            "shared memory": self.by_shared_memory,
            "warps": self.by_warps,
            "blocks": self.by_blocks,
        }
        return tuple(name for name, warps in by.items() if warps == self.warps_per_multiprocessor < self.most)


def warp_occupancy(chip: Chip, *, threads: int, registers: int, shared_bytes: int) -> WarpOccupancy | None:
    """Occupancy of blocks of so many threads.

    Args:
        threads: Of a block.
        registers: Of a thread.
        shared_bytes: Of a block, static and dynamic.

    None for a chip that no table lists.
    """
    capability = compute_capability(chip.name)
    if capability not in _MULTIPROCESSORS:
        return None
    has = _MULTIPROCESSORS[capability]
    warps = -(-threads // _WARP)
    blocks = (
        _by_registers(registers, warps),
        _by_shared_memory(capability, has, chip.shared_memory_bytes, shared_bytes),
        has.warps // warps,
        has.blocks,
    )
    by_registers, by_shared_memory, by_warps, by_blocks = (min(has.warps, count * warps) for count in blocks)
    least = min(by_registers, by_shared_memory, by_warps, by_blocks)
    return WarpOccupancy(least, by_registers, by_shared_memory, by_warps, by_blocks, has.warps)


def _by_registers(registers: int, warps: int) -> int:
    """Blocks. A block is refused where all quarters together are too small for its warps rounded to quarters."""
    of_warp = _rounded(max(registers, 1) * _WARP, _REGISTER_UNIT)
    if of_warp * _rounded(warps, _QUARTERS) > REGISTERS:
        return 0
    return REGISTERS // _QUARTERS // of_warp * _QUARTERS // warps


def _by_shared_memory(capability: int, has: _Multiprocessor, of_block: int, shared_bytes: int) -> int:
    """Blocks; `of_block` is the most that one can have."""
    if shared_bytes > of_block:
        return 0
    reserved = _RESERVED_BYTES if capability >= _RESERVED_FROM else 0
    taken = _rounded(shared_bytes + reserved, 128 if capability >= _RESERVED_FROM else 256)
    return has.shared_kib * 1024 // taken if taken else has.blocks


def _rounded(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit
