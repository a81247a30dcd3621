"""The front of the AMDGCN emulator: a parsed module, its kernels, and their launch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ...support.limits import GENEROUS, Limits, Meter
from ..counters import Counters
from ..faults import Coordinates, EmulationFault
from ..grids import Grid
from ..launch import Placement, batches, check_launch, execute, trace_of
from ..memory import GlobalMemory
from ..touches import Crew
from .blocks import Program
from .chip import make_chip
from .parse import parse_module
from .program import compile_kernel
from .schedule import Batch
from .state import Launch
from .syntax import Data, KernelText, ModuleText, Parameter, Resources

_MOST = {
    "group_segment_fixed_size": 1 << 20,
    "private_segment_fixed_size": 1 << 20,
    "user_sgpr_count": 32,
    "user_sgpr_kernarg_preload_length": 16,
    "user_sgpr_kernarg_preload_offset": 1 << 10,
    "system_vgpr_workitem_id": 2,
    **{f"system_sgpr_workgroup_id_{axis}": 1 for axis in "xyz"},
    "system_sgpr_workgroup_info": 1,
    "system_sgpr_private_segment_wavefront_offset": 1,
}
"""What directives may say: more is a mistake, or more than any chip has."""


class _Placement(Placement):
    """Constants of a module, one copy per memory."""

    def __init__(self, data: dict[str, Data]) -> None:
        super().__init__()
        self._data = data

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
        if self.wavefront_size not in (32, 64):
            raise EmulationFault("syntax", f"kernel {text.name}: waves of {self.wavefront_size}")
        for name, most in _MOST.items():
            if not 0 <= text.directives.get(name, 0) <= most:
                raise EmulationFault("unsupported", f"kernel {text.name}: {name} {text.directives[name]}")
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
    def cluster(self) -> Coordinates:
        """Workgroups are launched one by one."""
        return 1, 1, 1

    @property
    def max_threads(self) -> int:
        """The largest number of threads in a workgroup."""
        return self._text.metadata.numbers.get("max_flat_workgroup_size", 1024)

    def max_grid(self, block: Coordinates) -> Coordinates:
        """Along each axis fewer than 2^32 work items (HIP, `hipConfigureCall`).

        From gfx12 on the numbers of a workgroup along y and z have 16 bits (LLVM's AMDGPU document, TTMP7).
        """
        narrow = (1 << 16) - 1 if self._program.chip.generation >= 12 else (1 << 32) - 1
        x, y, z = (((1 << 32) - 1) // extent for extent in block)
        return x, min(y, narrow), min(z, narrow)

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
        limits: Limits = GENEROUS,
        units: str = "",
        launched: Grid | None = None,
    ) -> Counters:
        """Run the grid, in workgroups of `block` threads.

        `checks` covers uninitialised shared memory, races and missing waits (bounds are always checked), `units` is the
        chip whose matrix units add as theirs do, `launched` what other launches are to know of this one. Raises
        `EmulationFault`.
        """
        check_launch(self, grid, block, arguments, dynamic_shared_bytes)
        padded = arguments + bytes(-len(arguments) % 64 or 64 * (not arguments))
        meter = Meter(limits, grid[0] * grid[1] * grid[2])
        wave = self.wavefront_size
        crew = Crew(-(-math.prod(block) // wave) * wave, wave, wave)
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
            meter,
            trace_of(self._program.instructions, crew, grid, block, launched),
            units,
        )
        try:
            with np.errstate(all="ignore"):
                parts = batches(grid, crew.workgroup, launch.shared_bytes)
                for count in execute(parts, lambda first, count: Batch(launch, first, count)):
                    meter.finish(count)
        finally:
            memory.free(kernarg)
        return launch.counters


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
