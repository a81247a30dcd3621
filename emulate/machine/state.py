"""What every batch of workgroups has: its part of the launch, memories, and how a fault finds its thread."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...support.limits import Meter
from ..counters import Counters
from ..faults import Coordinates, EmulationFault, Place, Violation
from ..memory import GlobalMemory, SharedMemory
from ..races import Trace
from .blocks import Block, Instruction, Program
from .launch import place
from .settings import LaunchSettings

Array = npt.NDArray[Any]
ProgramT = TypeVar("ProgramT", bound="Program[Any, Any]")


@dataclass(frozen=True)
class Launch(Generic[ProgramT]):
    """Everything that the batches of one launch share."""

    settings: LaunchSettings
    program: ProgramT
    cluster: Coordinates
    """Workgroups of a cluster along each axis; all are numbered cluster by cluster."""
    arguments: Array
    """The kernel's arguments, byte by byte, padded."""
    memory: GlobalMemory
    symbols: Mapping[str, int]
    """Addresses of the module's variables."""
    read_only: tuple[tuple[int, int], ...]
    """First address and end of what no kernel may write."""
    counters: Counters
    meter: Meter
    races: Trace
    """The accesses to global memory."""
    shared_bytes: int
    """The bytes of shared memory of a workgroup."""

    @property
    def grid(self) -> Coordinates:
        return self.settings.grid

    @property
    def block(self) -> Coordinates:
        return self.settings.block

    @property
    def checks(self) -> bool:
        return self.settings.checks

    @property
    def units(self) -> str:
        return self.settings.units

    @property
    def threads(self) -> int:
        """Threads of a workgroup."""
        return self.settings.threads

    @property
    def lanes(self) -> int:
        """Threads of a workgroup, padded to whole subgroups."""
        return self.races.crew.workgroup // self.together

    @property
    def together(self) -> int:
        """Workgroups of a cluster."""
        return math.prod(self.cluster)


LaunchT = TypeVar("LaunchT", bound="Launch[Any]")


class State(ABC, Generic[LaunchT, ProgramT]):
    """Workgroups `first` .. `first + blocks - 1` of a launch."""

    def __init__(self, launch: LaunchT, first: int, blocks: int) -> None:
        self.launch = launch
        self.program: ProgramT = launch.program
        self.memory = launch.memory
        self.counters = launch.counters
        self.races = launch.races
        self.races.begin(first * launch.lanes)
        self.first, self.blocks = first, blocks
        self.shared = SharedMemory(
            blocks, launch.shared_bytes, launch.races.crew, granule=launch.program.granule, checks=launch.checks
        )

    @abstractmethod
    def owner(self, lane: int) -> tuple[int, int]:
        """Linear numbers of a lane's workgroup in the grid, and of its thread in the workgroup."""

    def component(self, number: Array, extent: Coordinates, axis: int) -> Any:
        """The coordinate along an axis of linear numbers: an array, or a scalar where all are alike."""
        if extent[axis] == 1:
            return np.uint32(0)
        stride = (1, extent[0], extent[0] * extent[1])[axis]
        return (number // stride % extent[axis]).astype(np.uint32)

    def site_of(self, number: int) -> int:
        """The first instruction of a block."""
        block: Block = self.program.blocks[number]
        return block.first

    def line_of(self, number: int) -> int:
        """The line of the machine text where a block begins; 0 behind the last."""
        instruction = self._instruction(self.site_of(number))
        return 0 if instruction is None else instruction.line

    def _instruction(self, site: int) -> Instruction | None:
        instructions: list[Instruction] = self.program.instructions
        return instructions[site] if site < len(instructions) else None

    # ---- faults ----

    def fault(
        self, kind: str, detail: str, site: int, lane: int | None = None, address: int | None = None
    ) -> EmulationFault:
        """A fault of `lane`, counted through the batch, at instruction number `site`."""
        return EmulationFault(kind, detail, **self.place(site, lane)._asdict(), address=address)

    def place(self, site: int, lane: int | None) -> Place:
        """What a lane executes at instruction number `site`."""
        return self._place(site, None if lane is None else self.owner(lane))

    def thread_place(self, site: int, thread: int) -> Place:
        """What a thread executes that is numbered through the launch."""
        return self._place(site, divmod(thread, self.launch.lanes))

    def _place(self, site: int, who: tuple[int, int] | None) -> Place:
        return place(self._instruction(site), who, self.launch.settings, self.launch.cluster)

    def raise_violation(self, violation: Violation, lanes: Array, site: int) -> NoReturn:
        """Turn a memory's complaint into a fault; `lanes` are those of the accesses that it was given."""
        lane = int(lanes[violation.position])
        raise self.fault(violation.kind, violation.detail, site, lane, violation.address) from None
