"""What a kernel takes, and what one launch asks for."""

from __future__ import annotations

from math import prod

from ...support.dataclasses import dataclass
from ...support.limits import GENEROUS, Limits
from ..faults import Coordinates
from ..grids import Grid


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter: its place in the argument block, in bytes."""

    name: str
    offset: int
    size: int
    alignment: int


@dataclass(frozen=True)
class LaunchSettings:
    """A grid of workgroups of `block` threads, extents as (x, y, z), and the bytes of the kernel's arguments."""

    grid: Coordinates
    block: Coordinates
    arguments: bytes
    dynamic_shared_bytes: int = 0
    """Shared memory of a workgroup besides what the kernel itself has."""
    checks: bool = True
    """Whether uninitialised memory, races and missing waits are looked for; bounds always are."""
    limits: Limits = GENEROUS
    units: str = ""
    """The chip whose matrix units add as theirs do (`unit_sums.py`); empty: sums are exact, and rounded once."""
    launched: Grid | None = None
    """What other launches are to know of this one."""
    cooperative: bool = False
    """Whether all workgroups are there at the same time, so that they can wait for each other."""

    @property
    def threads(self) -> int:
        """Threads of a workgroup."""
        return prod(self.block)
