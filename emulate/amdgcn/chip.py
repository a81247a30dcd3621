"""What an emulated AMD chip does differently from its siblings."""

from __future__ import annotations

from ...support.dataclasses import dataclass


@dataclass(frozen=True)
class Chip:
    """`generation` is 9 (CDNA), 10, 11 or 12; `name` such as gfx942."""

    name: str
    generation: int
    wavefront: int

    @property
    def is_1250(self) -> bool:
        return self.name.startswith("gfx125")

    @property
    def separate_store_counter(self) -> bool:
        """Whether stores without result have a counter of their own (vscnt, storecnt)."""
        return self.generation >= 10

    @property
    def packs_work_items(self) -> bool:
        """Whether v0 holds all three work-item numbers, 10 bits each (LLVM's AMDGPU document); else v0 to v2 do."""
        return self.name != "gfx908" and self.generation != 10

    def banks(self, nbytes: int) -> int:
        """The banks of shared memory that a read of so many bytes a lane reaches (see `layout/banks.py`)."""
        return 64 if self.name == "gfx950" and nbytes >= 8 else 32

    def pairs_lanes(self, nbytes: int) -> bool:
        """Whether four lanes of a read of so many bytes are served with four of the next sixteen (there, too)."""
        return self.generation == 9 and self.name != "gfx950" and nbytes == 16

    @property
    def mask_words(self) -> int:
        """Registers that a lane mask takes."""
        return self.wavefront // 32

    @property
    def keeps_high_half(self) -> bool:
        """Whether 16-bit results leave the upper half of the register alone (before, they clear it)."""
        return self.generation >= 10


def make_chip(name: str, wavefront: int) -> Chip:
    """`name` as after `amdgcn-amd-amdhsa--`."""
    return Chip(name, int(name[3:-2]), wavefront)
