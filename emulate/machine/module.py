"""A module of machine text, its kernels, and how one is launched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np

from ...support.dataclasses import dataclass
from ...support.limits import Meter
from ..counters import Counted, Counters
from ..faults import Coordinates, EmulationFault
from ..memory import GlobalMemory
from .launch import Runnable, batches, execute
from .settings import LaunchSettings, Parameter
from .state import Launch, ProgramT

_MOST_THREADS = 1024
"""Threads that a workgroup may have, on any chip."""


class Kernel(ABC, Generic[ProgramT]):
    """One entry point, compiled to numpy."""

    def __init__(self, name: str, program: ProgramT) -> None:
        self.name = name
        self._program = program

    @property
    @abstractmethod
    def parameters(self) -> tuple[Parameter, ...]:
        """Name, offset, size and alignment (bytes) of each argument."""

    @property
    @abstractmethod
    def parameter_bytes(self) -> int:
        """Size of the argument block."""

    @property
    @abstractmethod
    def required_block(self) -> Coordinates | None:
        """The block size that the kernel demands, if it does."""

    @property
    @abstractmethod
    def max_threads(self) -> int:
        """The largest number of threads in a block."""

    @abstractmethod
    def max_grid(self, block: Coordinates) -> Coordinates:
        """The most workgroups of that size along each axis."""

    @property
    def cluster(self) -> Coordinates:
        """The workgroups of a cluster along each axis."""
        return 1, 1, 1

    @property
    def static_shared_bytes(self) -> int:
        """Shared memory of a workgroup that the kernel itself has."""
        return self._program.shared_bytes

    @property
    def source(self) -> str:
        """The numpy source that the text became, for debugging."""
        return self._program.source

    def launch(self, memory: GlobalMemory, settings: LaunchSettings) -> Counters:
        """Run the grid. Raises `EmulationFault`."""
        _check_launch(self, settings)
        meter = Meter(settings.limits, prod(settings.grid))
        with self._prepared(memory, settings, meter) as launch, np.errstate(all="ignore"):
            together = prod(settings.grid) if settings.cooperative else launch.together
            parts = batches(settings.grid, launch.lanes, launch.shared_bytes + self._batch_bytes, together)
            for count in execute(parts, lambda first, count: self._batch(launch, first, count)):
                meter.finish(count)
        return launch.counters

    def counted(self, counters: Counters) -> Mapping[int, Counted]:
        """What a launch of the kernel counted of each line of the text, from 1, that has an instruction."""
        return counters.by_line(self._program.instructions, self._program.blocks)

    @property
    def _batch_bytes(self) -> int:
        """What a workgroup costs besides its shared memory."""
        return 0

    @abstractmethod
    def _prepared(
        self, memory: GlobalMemory, settings: LaunchSettings, meter: Meter
    ) -> AbstractContextManager[Launch[ProgramT]]:
        """What the batches of a launch share; what was allocated for it is freed behind it."""

    @abstractmethod
    def _batch(self, launch: Any, first: int, blocks: int) -> Runnable:
        """Workgroups of the launch, ready to run."""


def _check_launch(kernel: Kernel[Any], settings: LaunchSettings) -> None:
    """Raises `EmulationFault` for a launch that no device would do."""
    grid, block, threads, arguments = settings.grid, settings.block, settings.threads, settings.arguments
    if min(*grid, *block) < 1:
        raise EmulationFault("launch", f"empty grid {grid} or block {block}")
    if kernel.required_block is not None and tuple(block) != kernel.required_block:
        raise EmulationFault("launch", f"kernel {kernel.name} requires block {kernel.required_block}, found {block}")
    if threads > min(kernel.max_threads, _MOST_THREADS):
        raise EmulationFault("launch", f"{threads} threads where kernel {kernel.name} allows {kernel.max_threads}")
    limits = kernel.max_grid(block)
    if any(extent > limit for extent, limit in zip(grid, limits, strict=True)):
        raise EmulationFault("launch", f"grid of at most {limits} expected for block {block}, found {grid}")
    if any(count % size for count, size in zip(grid, kernel.cluster, strict=True)):
        whole = f"whole clusters of {kernel.cluster} workgroups"
        raise EmulationFault("launch", f"kernel {kernel.name} takes {whole}, found a grid of {grid}")
    if len(arguments) != kernel.parameter_bytes:
        expected = kernel.parameter_bytes
        raise EmulationFault("launch", f"expected {expected} bytes of arguments, found {len(arguments)}")
    if settings.dynamic_shared_bytes < 0:
        raise EmulationFault("launch", f"{settings.dynamic_shared_bytes} bytes of dynamic shared memory")


KernelT = TypeVar("KernelT", bound="Kernel[Any]")


@dataclass(frozen=True)
class Module(Generic[KernelT]):
    """A file of machine text: the chip that it is for, and its kernels by name."""

    target: str
    kernels: Mapping[str, KernelT]
