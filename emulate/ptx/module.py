"""The front of the PTX emulator: a parsed module, its kernels, and their launch."""

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
from .parse import parse_module
from .program import compile_kernel
from .schedule import Batch
from .state import WARP, Launch
from .syntax import KernelText, ModuleText, Parameter, Symbol, Variable


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


class PtxKernel:
    """One entry point, compiled to numpy."""

    def __init__(self, text: KernelText, variables: dict[str, Variable], placement: _Placement) -> None:
        self._text = text
        self._placement = placement
        self._program: Program = compile_kernel(text, variables)

    @property
    def name(self) -> str:
        return self._text.name

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Name, offset, size and alignment (bytes) of each argument."""
        return self._text.parameters

    @property
    def parameter_bytes(self) -> int:
        """Size of the argument block."""
        return max((p.offset + p.size for p in self._text.parameters), default=0)

    @property
    def static_shared_bytes(self) -> int:
        return self._program.static_shared_bytes

    @property
    def required_block(self) -> Coordinates | None:
        """The block size that the kernel demands (`.reqntid`), if it does."""
        return self._text.required_block

    @property
    def cluster(self) -> Coordinates:
        """The workgroups of a cluster along each axis."""
        return self._text.cluster

    @property
    def max_threads(self) -> int:
        """The largest number of threads in a block."""
        if self._text.required_block is not None:
            x, y, z = self._text.required_block
            return x * y * z
        return self._text.max_threads or 1024

    def max_grid(self, block: Coordinates) -> Coordinates:
        """The same for every block and compute capability (CUDA C++ Programming Guide, technical specifications)."""
        return (1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1

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
        """Run the grid; `checks` covers uninitialised shared memory and races (bounds are always checked), `units` is
        the chip whose matrix units add as theirs do, `launched` what other launches are to know of this one.

        Raises `EmulationFault`.
        """
        check_launch(self, grid, block, arguments, dynamic_shared_bytes)
        if math.prod(self.cluster) > 1 and self._program.tensor_bytes:
            raise EmulationFault("unsupported", f"kernel {self.name} has tensor memory, and workgroups in clusters")
        meter = Meter(limits, grid[0] * grid[1] * grid[2])
        launch = self._prepare(grid, block, arguments, memory, dynamic_shared_bytes, checks, meter, units, launched)
        with np.errstate(all="ignore"):
            bytes = launch.shared_bytes + self._program.tensor_bytes
            parts = batches(grid, launch.lanes, bytes, launch.together)
            for count in execute(parts, lambda first, count: Batch(launch, first, count)):
                meter.finish(count)
        return launch.counters

    def _prepare(
        self,
        grid: Coordinates,
        block: Coordinates,
        arguments: bytes,
        memory: GlobalMemory,
        dynamic_shared_bytes: int,
        checks: bool,
        meter: Meter,
        units: str,
        launched: Grid | None,
    ) -> Launch:
        crew = Crew(-(-math.prod(block) // WARP) * WARP * math.prod(self.cluster), WARP, 1)
        padded = arguments + bytes(-len(arguments) % 16)
        symbols = {n: np.int64(a) for n, a in self._placement.addresses(memory).items()}
        return Launch(
            self._program,
            grid,
            block,
            self.cluster,
            np.frombuffer(padded, np.uint8),
            memory,
            symbols,
            self._placement.read_only(memory),
            self._shared_bytes(dynamic_shared_bytes),
            checks,
            Counters(),
            meter,
            trace_of(self._program.instructions, crew, grid, block, launched, self.cluster),
            units,
        )

    def _shared_bytes(self, dynamic: int) -> int:
        if not dynamic:
            return self.static_shared_bytes
        alignment = self._program.shared_alignment
        return -(-self.static_shared_bytes // alignment) * alignment + dynamic


class PtxModule:
    """A PTX file: target, version and kernels."""

    def __init__(self, text: ModuleText) -> None:
        self.target = text.target
        self.version = text.version
        placement = _Placement(text.variables)
        kernels = {n: PtxKernel(k, text.variables, placement) for n, k in text.kernels.items()}
        self.kernels: Mapping[str, PtxKernel] = MappingProxyType(kernels)

    @classmethod
    def parse(cls, text: str) -> PtxModule:
        """Raises `EmulationFault` of kind syntax, unsupported or uninitialised, with line and instruction."""
        return cls(parse_module(text))
