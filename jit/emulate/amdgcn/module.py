"""The front of the AMDGCN emulator: a parsed module, its kernels, and their launch."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np

from ..counters import Counters
from ..faults import Coordinates, EmulationFault
from ..memory import GlobalMemory
from .blocks import Program
from .chip import make_chip
from .parse import parse_module
from .program import compile_kernel
from .schedule import Batch
from .state import Launch
from .syntax import Data, KernelText, ModuleText, Parameter, Resources

LANES_PER_BATCH = 1 << 15
"""Lanes that run together: enough to hide the cost of a numpy call, few enough for the arrays to stay in cache."""
_SHARED_PER_BATCH = 1 << 26


class _Placement:
    """Constants of a module, one copy per memory."""

    def __init__(self, data: dict[str, Data]) -> None:
        self._data = data
        self._placed: WeakKeyDictionary[GlobalMemory, dict[str, int]] = WeakKeyDictionary()

    def addresses(self, memory: GlobalMemory) -> dict[str, int]:
        if memory not in self._placed:
            self._placed[memory] = self._place(memory)
        return self._placed[memory]

    def _place(self, memory: GlobalMemory) -> dict[str, int]:
        places = {n: memory.allocate(max(d.size, 1), max(d.alignment, 1)) for n, d in self._data.items()}
        for name, item in self._data.items():
            pieces = [p if isinstance(p, bytes) else (places[p[0]] + p[1]).to_bytes(8, "little") for p in item.pieces]
            memory.write(places[name], b"".join(pieces))
        return places

    def read_only(self, memory: GlobalMemory) -> tuple[tuple[int, int], ...]:
        return tuple((start, start + self._data[name].size) for name, start in self.addresses(memory).items())


class AmdgcnKernel:
    """One kernel, compiled to numpy."""

    def __init__(self, text: KernelText, target: str, placement: _Placement, symbols: frozenset[str]) -> None:
        self._text = text
        self._placement = placement
        self.wavefront_size: int = text.metadata.numbers.get(
            "wavefront_size", 32 if text.directives.get("wavefront_size32") else 64
        )
        self._program: Program = compile_kernel(text, make_chip(target, self.wavefront_size), symbols)

    @property
    def name(self) -> str:
        return self._text.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Name, offset, size and alignment (bytes) of each explicit argument."""
        return tuple(self._text.metadata.parameters)

    @property
    def parameter_bytes(self) -> int:
        """Size of the kernel argument segment."""
        return self._text.directives.get("kernarg_size", self._text.metadata.numbers.get("kernarg_segment_size", 0))

    @property
    def static_shared_bytes(self) -> int:
        return self._program.shared_bytes

    @property
    def required_block(self) -> Coordinates | None:
        """The workgroup size that the kernel demands (`.reqd_workgroup_size`), if it does."""
        return self._text.metadata.required_block

    @property
    def max_threads(self) -> int:
        """The largest number of threads in a workgroup."""
        return self._text.metadata.numbers.get("max_flat_workgroup_size", 1024)

    @property
    def resources(self) -> Resources:
        """Registers and spills, from the metadata."""
        names = ("vgpr_count", "agpr_count", "sgpr_count", "vgpr_spill_count", "sgpr_spill_count")
        return Resources(*(self._text.metadata.numbers.get(n, 0) for n in names))

    @property
    def source(self) -> str:
        """The numpy source that the text became, for debugging."""
        return self._program.source

    def launch(
        self,
        grid: Coordinates,
        block: Coordinates,
        arguments: bytes,
        memory: GlobalMemory,
        *,
        dynamic_shared_bytes: int = 0,
        checks: bool = True,
    ) -> Counters:
        """Run the grid, in workgroups of `block` threads.

        `checks` covers uninitialised shared memory, races and missing waits (bounds are always checked). Raises
        `EmulationFault`.
        """
        self._check_launch(grid, block, arguments, dynamic_shared_bytes)
        padded = arguments + bytes(-len(arguments) % 64 or 64 * (not arguments))
        kernarg = memory.allocate(len(padded))
        memory.write(kernarg, padded)
        launch = Launch(
            self._program,
            grid,
            block,
            np.frombuffer(padded, np.uint8),
            kernarg,
            memory,
            self._placement.addresses(memory),
            (*self._placement.read_only(memory), (kernarg, kernarg + len(padded))),
            self.static_shared_bytes + dynamic_shared_bytes,
            checks,
            Counters(),
        )
        try:
            self._run(launch, grid[0] * grid[1] * grid[2])
        finally:
            memory.free(kernarg)
        return launch.counters

    def _run(self, launch: Launch, total: int) -> None:
        per_batch = self._batch_size(launch)
        with np.errstate(all="ignore"):
            for first in range(0, total, per_batch):
                Batch(launch, first, min(per_batch, total - first)).run()

    def _batch_size(self, launch: Launch) -> int:
        by_lanes = LANES_PER_BATCH // (launch.waves * self.wavefront_size)
        by_shared = _SHARED_PER_BATCH // max(launch.shared_bytes, 1)
        return max(min(by_lanes, by_shared), 1)

    def _check_launch(self, grid: Coordinates, block: Coordinates, arguments: bytes, dynamic: int) -> None:
        threads = block[0] * block[1] * block[2]
        if min(*grid, *block) < 1:
            raise EmulationFault("launch", f"empty grid {grid} or block {block}")
        if self.required_block is not None and tuple(block) != self.required_block:
            raise EmulationFault("launch", f"kernel {self.name} requires block {self.required_block}, found {block}")
        if threads > min(self.max_threads, 1024):
            raise EmulationFault("launch", f"{threads} threads where kernel {self.name} allows {self.max_threads}")
        if len(arguments) != self.parameter_bytes:
            expected = self.parameter_bytes
            raise EmulationFault("launch", f"expected {expected} bytes of arguments, found {len(arguments)}")
        if dynamic < 0:
            raise EmulationFault("launch", f"{dynamic} bytes of dynamic shared memory")


class AmdgcnModule:
    """An AMDGCN assembly file: target and kernels."""

    def __init__(self, text: ModuleText) -> None:
        self.target = text.target
        placement = _Placement(text.data)
        symbols = frozenset(text.data)
        kernels = {n: AmdgcnKernel(k, text.target, placement, symbols) for n, k in text.kernels.items()}
        self.kernels: Mapping[str, AmdgcnKernel] = MappingProxyType(kernels)

    @classmethod
    def parse(cls, text: str) -> AmdgcnModule:
        """Raises `EmulationFault` of kind syntax or unsupported, with line and instruction."""
        return cls(parse_module(text))
