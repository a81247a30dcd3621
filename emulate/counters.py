"""What hardware performance counters would count during one launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple


class Counted(NamedTuple):
    """What one instruction has to do with: how many subgroups executed it, the sectors of global memory that its
    accesses touched, and their passes through shared memory beyond the least."""

    executed: int
    sectors: int
    conflicts: int


class _Block(Protocol):
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...


class _Placed(Protocol):
    @property
    def line(self) -> int: ...


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
    by_block: dict[int, int] = field(default_factory=dict[int, int], repr=False, compare=False)
    """How many subgroups ran each block of the text."""
    sectors_of: dict[int, int] = field(default_factory=dict[int, int], repr=False, compare=False)
    """`global_sectors` by the number of the instruction."""
    conflicts_of: dict[int, int] = field(default_factory=dict[int, int], repr=False, compare=False)
    """`shared_bank_conflicts` by the number of the instruction."""

    def block(self, number: int, length: int, subgroups: int) -> None:
        """So many subgroups run a block of so many instructions."""
        self.warp_instructions += length * subgroups
        self.blocks_executed += 1
        self.by_block[number] = self.by_block.get(number, 0) + subgroups

    def sectors(self, site: int, count: int) -> None:
        """An instruction touches sectors."""
        self.global_sectors += count
        self.sectors_of[site] = self.sectors_of.get(site, 0) + count

    def passes(self, site: int, least: int, beyond: int) -> None:
        """An instruction takes passes through shared memory."""
        self.shared_wavefronts += least + beyond
        if beyond:
            self.shared_bank_conflicts += beyond
            self.conflicts_of[site] = self.conflicts_of.get(site, 0) + beyond

    def by_line(self, instructions: Sequence[_Placed], blocks: Sequence[_Block]) -> Mapping[int, Counted]:
        """What was counted of each line of the machine text, from 1, that has an instruction."""
        executed = dict.fromkeys(range(len(instructions)), 0)
        for number, block in enumerate(blocks):
            executed.update(dict.fromkeys(range(block.first, block.last), self.by_block.get(number, 0)))
        return {
            instructions[site].line: Counted(ran, self.sectors_of.get(site, 0), self.conflicts_of.get(site, 0))
            for site, ran in executed.items()
        }
