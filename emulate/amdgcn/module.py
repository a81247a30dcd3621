"""The front of the AMDGCN emulator: a parsed module, its kernels, and their launch."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np

from ...support.limits import Meter
from ..access_records import Crew
from ..counters import Counters
from ..faults import Coordinates, EmulationFault
from ..machine.launch import Placement, Runnable, trace_of
from ..machine.module import Kernel, Module
from ..machine.settings import LaunchSettings, Parameter
from ..memory import GlobalMemory
from .blocks import Program
from .chip import make_chip
from .parse import parse_module
from .program import compile_kernel
from .schedule import Batch
from .state import WaveLaunch
from .syntax import Data, KernelText, Resources

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


class AmdgcnKernel(Kernel[Program]):
    """One kernel, compiled to numpy."""

    def __init__(self, text: KernelText, target: str, placement: _Placement, symbols: frozenset[str]) -> None:
        self._text = text
        self._placement = placement
        self.wavefront_size = text.wavefront_size
        if self.wavefront_size not in (32, 64):
            raise EmulationFault("syntax", f"kernel {text.name}: waves of {self.wavefront_size}")
        for name, most in _MOST.items():
            if not 0 <= text.directives.get(name, 0) <= most:
                raise EmulationFault("unsupported", f"kernel {text.name}: {name} {text.directives[name]}")
        super().__init__(text.name, compile_kernel(text, make_chip(target, self.wavefront_size), symbols))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(self._text.metadata.parameters)

    @property
    def parameter_bytes(self) -> int:
        """Size of the kernel argument segment."""
        return self._text.directives.get("kernarg_size", self._text.metadata.numbers.get("kernarg_segment_size", 0))

    @property
    def required_block(self) -> Coordinates | None:
        """What `.reqd_workgroup_size` says."""
        return self._text.metadata.required_block

    @property
    def max_threads(self) -> int:
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

    @contextmanager
    def _prepared(
        self, memory: GlobalMemory, settings: LaunchSettings, meter: Meter
    ) -> Generator[WaveLaunch, None, None]:
        wave, arguments = self.wavefront_size, settings.arguments
        crew = Crew(-(-settings.threads // wave) * wave, wave, wave)
        padded = arguments + bytes(-len(arguments) % 64 or 64 * (not arguments))
        kernarg = memory.allocate(len(padded))
        memory.write(kernarg, padded)
        try:
            yield WaveLaunch(
                settings,
                self._program,
                self.cluster,
                np.frombuffer(padded, np.uint8),
                memory,
                self._placement.addresses(memory),
                (*self._placement.read_only(memory), (kernarg, kernarg + len(padded))),
                Counters(),
                meter,
                trace_of(self._program.instructions, crew, settings),
                self.static_shared_bytes + settings.dynamic_shared_bytes,
                kernarg,
            )
        finally:
            memory.free(kernarg)

    def _batch(self, launch: WaveLaunch, first: int, blocks: int) -> Runnable:
        return Batch(launch, first, blocks)


class AmdgcnModule(Module[AmdgcnKernel]):
    """An AMDGCN assembly file."""

    @classmethod
    def parse(cls, text: str) -> AmdgcnModule:
        """Raises `EmulationFault` of kind syntax or unsupported, with line and instruction."""
        module = parse_module(text)
        placement, symbols = _Placement(module.data), frozenset(module.data)
        kernels = {n: AmdgcnKernel(k, module.target, placement, symbols) for n, k in module.kernels.items()}
        return cls(module.target, MappingProxyType(kernels))
