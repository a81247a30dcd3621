"""What hardware performance counters would count during one launch."""

from __future__ import annotations

from dataclasses import fields

from ..support.dataclasses import dataclass


@dataclass
class Counters:
    """Totals over a launch. Bytes are those asked for by threads; a sector is 32 bytes of global memory.

    `shared_wavefronts` are passes through shared memory: 32 banks of 4 bytes, 8-byte accesses in two phases of 16 lanes
    and 16-byte accesses in four phases of 8 lanes. `shared_bank_conflicts` are those beyond one for each phase.
    """

    instructions: int = 0
    warp_instructions: int = 0
    blocks_executed: int = 0
    global_load_bytes: int = 0
    global_store_bytes: int = 0
    global_sectors: int = 0
    shared_load_bytes: int = 0
    shared_store_bytes: int = 0
    shared_wavefronts: int = 0
    shared_bank_conflicts: int = 0
    atomics: int = 0
    matrix_instructions: int = 0
    matrix_flops: int = 0
    """Multiplications and additions of these."""
    barriers: int = 0
    branches: int = 0
    divergent_branches: int = 0

    def __iadd__(self, other: Counters) -> Counters:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self
