"""The front of the PTX emulator: a parsed module, its kernels, and their launch."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from types import MappingProxyType

import numpy as np

from ...support.dataclasses import dataclass
from ...support.limits import Meter
from ..access_records import Crew
from ..counters import Counters
from ..faults import Coordinates, EmulationFault
from ..machine.launch import Placement, Runnable, trace_of
from ..machine.module import Kernel, Module
from ..machine.settings import LaunchSettings, Parameter
from ..machine.state import Launch
from ..memory import GlobalMemory
from .blocks import Program
from .parse import parse_module
from .program import compile_kernel
from .schedule import Batch
from .state import WARP
from .syntax import KernelText, Symbol, Variable


class _Placement(Placement):
    """Module-level variables, one copy per memory."""

    def __init__(self, variables: dict[str, Variable]) -> None:
        super().__init__()
        self._variables = {n: v for n, v in variables.items() if v.space in ("global", "const")}

    def _place(self, memory: GlobalMemory) -> dict[str, int]:
        places = {n: memory.allocate(max(v.size, 1), max(v.alignment, 1)) for n, v in self._variables.items()}
        for name, variable in self._variables.items():
            memory.fill(places[name], 0, variable.size)
            values = [self._value(v, places) & ((1 << 8 * variable.element) - 1) for v in variable.values]
            data = b"".join(v.to_bytes(variable.element, "little") for v in values)
            memory.write(places[name], data)
        return places

    def _value(self, value: int | Symbol, places: dict[str, int]) -> int:
        return value if isinstance(value, int) else places[value.name] + value.offset

    def read_only(self, memory: GlobalMemory) -> tuple[tuple[int, int], ...]:
        places = self.addresses(memory)
        constant = [(places[n], v.size) for n, v in self._variables.items() if v.space == "const"]
        return tuple((start, start + size) for start, size in constant)


class PtxKernel(Kernel[Program]):
    """One entry point, compiled to numpy."""

    def __init__(self, text: KernelText, variables: dict[str, Variable], placement: _Placement) -> None:
        super().__init__(text.name, compile_kernel(text, variables))
        self._text = text
        self._placement = placement

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self._text.parameters

    @property
    def parameter_bytes(self) -> int:
        return max((p.offset + p.size for p in self._text.parameters), default=0)

    @property
    def required_block(self) -> Coordinates | None:
        """What `.reqntid` says."""
        return self._text.required_block

    @property
    def cluster(self) -> Coordinates:
        return self._text.cluster

    @property
    def max_threads(self) -> int:
        if self._text.required_block is not None:
            return math.prod(self._text.required_block)
        return self._text.max_threads or 1024

    def max_grid(self, block: Coordinates) -> Coordinates:
        """The largest grid, the same for every block and compute capability (CUDA C++ Programming Guide, technical
        specifications)."""
        return (1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1

    @property
    def _batch_bytes(self) -> int:
        return self._program.tensor_bytes

    @contextmanager
    def _prepared(
        self, memory: GlobalMemory, settings: LaunchSettings, meter: Meter
    ) -> Generator[Launch[Program], None, None]:
        together = math.prod(self.cluster)
        if together > 1 and self._program.tensor_bytes:
            raise EmulationFault("unsupported", f"kernel {self.name} has tensor memory, and workgroups in clusters")
        crew = Crew(-(-settings.threads // WARP) * WARP * together, WARP, 1)
        padded = settings.arguments + bytes(-len(settings.arguments) % 16)
        yield Launch(
            settings,
            self._program,
            self.cluster,
            np.frombuffer(padded, np.uint8),
            memory,
            self._placement.addresses(memory),
            self._placement.read_only(memory),
            Counters(),
            meter,
            trace_of(self._program.instructions, crew, settings, self.cluster),
            self._shared_bytes(settings.dynamic_shared_bytes),
        )

    def _shared_bytes(self, dynamic: int) -> int:
        if not dynamic:
            return self.static_shared_bytes
        alignment = self._program.shared_alignment
        return -(-self.static_shared_bytes // alignment) * alignment + dynamic

    def _batch(self, launch: Launch[Program], first: int, blocks: int) -> Runnable:
        return Batch(launch, first, blocks)


@dataclass(frozen=True)
class PtxModule(Module[PtxKernel]):
    """A PTX file."""

    version: str
    """The version of the PTX ISA."""

    @classmethod
    def parse(cls, text: str) -> PtxModule:
        """Raises `EmulationFault` of kind syntax, unsupported or uninitialised, with line and instruction."""
        module = parse_module(text)
        placement = _Placement(module.variables)
        kernels = {name: PtxKernel(kernel, module.variables, placement) for name, kernel in module.kernels.items()}
        return cls(module.target, MappingProxyType(kernels), module.version)
