"""A device that is not there: the emitted machine text is executed here, and refused where a driver would refuse it."""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

import numpy as np

from ..emulate.counters import Counted, Counters
from ..emulate.faults import EmulationFault
from ..emulate.grids import Grid
from ..emulate.machine.module import Kernel
from ..emulate.machine.settings import LaunchSettings
from ..emulate.memory import GlobalMemory, Watch
from ..emulate.ptx import PtxModule
from ..emulate.tensor_map import TensorMap
from ..support.dataclasses import dataclass
from ..support.limits import GENEROUS, Limits
from ..targets.catalogue import find_chip
from ..targets.chip import Chip, UnknownTargetError, Vendor
from .device import (
    Code,
    DeviceError,
    DeviceProperties,
    DeviceUnavailable,
    Dim3,
    Event,
    Function,
    HostArray,
    LaunchError,
    NotExecuted,
    Resources,
    Tensor,
    check_programmatic,
    check_tensor,
    stream_handle,
)

Arithmetic = Literal["exact", "unit"]
ARITHMETICS: tuple[Arithmetic, ...] = get_args(Arithmetic)


# Reading a text takes as long as many launches, and what was read keeps nothing of a device or a launch.
@lru_cache(maxsize=32)
def _ptx_kernels(text: str) -> Mapping[str, Kernel[Any]]:
    return PtxModule.parse(text).kernels


@lru_cache(maxsize=32)
def _amdgcn_kernels(text: str) -> Mapping[str, Kernel[Any]]:
    from ..emulate.amdgcn import AmdgcnModule

    return AmdgcnModule.parse(text).kernels


# The bytes in which memory for a kernel's arguments is given.
_ARGUMENT_UNIT: Mapping[Vendor, int] = MappingProxyType({"nvidia": 1, "amd": 4})

# Who reads the machine text of a vendor.
_READERS: Mapping[Vendor, Callable[[str], Mapping[str, Kernel[Any]]]] = MappingProxyType(
    {"nvidia": _ptx_kernels, "amd": _amdgcn_kernels}
)


@dataclass(frozen=True, slots=True, eq=False)
class EmulatedFunction:
    """A kernel that was read."""

    device: EmulatedDevice
    kernel: Kernel[Any]
    name: str
    resources: Resources
    dynamic_shared_bytes: int


P = ParamSpec("P")
R = TypeVar("R")


def _one_at_a_time(
    method: Callable[Concatenate[EmulatedDevice, P], R],
) -> Callable[Concatenate[EmulatedDevice, P], R]:
    """A device's memory moves as it grows, and a launch works on it as a whole."""

    @functools.wraps(method)
    def alone(device: EmulatedDevice, /, *arguments: P.args, **named: P.kwargs) -> R:
        with device.busy:
            return method(device, *arguments, **named)

    return alone


class EmulatedDevice:
    """A device of the given target, emulated.

    Launches are over when they return; streams make no difference, and threads wait for each other. Only a programmatic
    launch must not count on that the kernel before it is over: what meets this one's accesses, before its threads have
    waited, is a race (`emulate/grids.py`). Whatever else is done between two launches waits for the first, as on a GPU.

    Args:
        target: Chip or product, such as ``sm_90`` or ``h100``.
        checks: Whether to look for races and reads of uninitialised shared memory, at some cost in time.
        limits: When a launch is stopped, as a LaunchError that says where the threads stand.
        arithmetic: How products of matrices are summed: `exact`, with one rounding, or as the chip's `unit` does, after
            published models of it (`emulate/unit_sums.py`).

    Attributes:
        counters: What the last launch counted; None before the first.
        busy: Held by whoever works on it.

    Raises:
        DeviceUnavailable: No such chip is known, or its machine text has no emulator.
    """

    loads: Literal["text", "image"] = "text"

    def __init__(
        self, target: str, *, checks: bool = True, limits: Limits = GENEROUS, arithmetic: Arithmetic = "exact"
    ) -> None:
        self.chip = _emulated_chip(target)
        self.checks = checks
        self.limits = limits
        if arithmetic not in ARITHMETICS:
            raise DeviceError(f"arithmetic is one of {', '.join(ARITHMETICS)}, found {arithmetic!r}")
        self._units = self.chip.name if arithmetic == "unit" else ""
        self.memory = GlobalMemory()
        self.busy = threading.RLock()
        self.counters: Counters | None = None
        self._executed: Kernel[Any] | None = None
        self._last: Grid | None = None
        """The last launch, where nothing has waited for it since."""
        self.properties = DeviceProperties(
            name=f"emulated {self.chip.name}",
            target=self.chip.name,
            subgroup_size=self.chip.default_subgroup_size,
            max_threads_per_workgroup=self.chip.max_threads_per_workgroup,
            shared_memory_bytes=self.chip.shared_memory_bytes,
            multiprocessors=1,
            driver="emulator",
        )

    @property
    def counted(self) -> Mapping[int, Counted]:
        """What the last launch counted of each line of its machine text, from 1, that has an instruction."""
        if self.counters is None or self._executed is None:
            return {}
        return self._executed.counted(self.counters)

    # Memory

    @_one_at_a_time
    def allocate(self, nbytes: int) -> int:
        if nbytes <= 0:
            raise DeviceError(f"an allocation needs a size > 0, found {nbytes}")
        return self.memory.allocate(nbytes)

    def allocate_for(self, stream: object, nbytes: int) -> int:
        return self.allocate(nbytes)

    def free_in(self, stream: object, address: int) -> None:
        self.free(address)

    @_one_at_a_time
    def free(self, address: int) -> None:
        self.synchronize()
        try:
            self.memory.free(address)
        except EmulationFault as fault:
            raise DeviceError(str(fault)) from fault

    def accessible(self, address: int) -> bool:
        """Never: what other libraries allocate is not in this memory."""
        return False

    @_one_at_a_time
    def copy_in(self, address: int, host: HostArray, stream: object = None) -> None:
        self.synchronize()
        data = _bytes_of(host)
        try:
            self.memory.write(address, data)
        except EmulationFault as fault:
            raise DeviceError(str(fault)) from fault

    @_one_at_a_time
    def copy_out(self, host: HostArray, address: int, stream: object = None) -> None:
        if not host.flags.writeable:
            raise DeviceError("a copy from the device needs a writable host array")
        self.synchronize()
        target = _bytes_of(host)
        try:
            target[...] = self.memory.read(address, host.nbytes)
        except EmulationFault as fault:
            raise DeviceError(str(fault)) from fault

    @_one_at_a_time
    def fill(self, address: int, byte: int, nbytes: int, stream: object = None) -> None:
        self.synchronize()
        try:
            self.memory.fill(address, byte, nbytes)
        except EmulationFault as fault:
            raise DeviceError(str(fault)) from fault

    # Code

    def load(self, code: Code, *, dynamic_shared_bytes: int = 0) -> EmulatedFunction:
        """Reads the machine text; raises LaunchError for text that is wrong or made for another chip."""
        if code.text is None:
            raise LaunchError(f"kernel {code.kernel!r}: the emulator executes machine text, found a binary image alone")
        if not _chip(code.target).serves(self.chip):
            raise LaunchError(f"kernel {code.kernel!r}: code for {code.target} does not run on {self.chip.name}")
        kernel = self._read(code, code.text)
        function = EmulatedFunction(
            self, kernel, code.kernel, Resources(static_shared_bytes=kernel.static_shared_bytes), dynamic_shared_bytes
        )
        self._check_shared(function, dynamic_shared_bytes)
        return function

    def _read(self, code: Code, text: str) -> Kernel[Any]:
        try:
            kernels = _READERS[self.chip.vendor](text)
        except EmulationFault as fault:
            raise _launch_error(code.kernel, fault) from fault
        if code.kernel not in kernels:
            raise LaunchError(f"kernel {code.kernel!r} is not in the text; it has {', '.join(kernels) or 'none'}")
        return kernels[code.kernel]

    def unload(self, function: Function) -> None:
        self._own(function)

    def _own(self, function: Function) -> EmulatedFunction:
        if not isinstance(function, EmulatedFunction) or function.device is not self:
            raise DeviceError(f"kernel {function.name!r} was not loaded on this device ({self.properties.name})")
        return function

    # Work

    @contextmanager
    def watching(self, address: int) -> Generator[Watch]:
        """While it is open, the result learns who writes the byte at `address`."""
        watch = self.memory.watch = Watch(address)
        try:
            yield watch
        finally:
            self.memory.watch = None

    @_one_at_a_time
    def launch(
        self,
        function: Function,
        grid: Dim3,
        block: Dim3,
        arguments: bytes,
        *,
        dynamic_shared_bytes: int = 0,
        stream: object = None,
        programmatic: bool = False,
        cooperative: bool = False,
    ) -> None:
        """Executes the kernel; what the emulator finds wrong becomes a LaunchError caused by the EmulationFault."""
        own = self._own(function)
        stream_handle(stream)
        arguments += bytes(-len(arguments) % _ARGUMENT_UNIT[self.chip.vendor])
        self._check_launch(own, grid, block, arguments)
        self._check_shared(own, dynamic_shared_bytes)
        if programmatic:
            check_programmatic(own.name, self.chip.name)
        launched, self._last = Grid(own.name, self._last if programmatic else None), None
        try:
            settings = LaunchSettings(
                *(grid, block, arguments, dynamic_shared_bytes, self.checks, self.limits, self._units, launched),
                cooperative=cooperative,
            )
            self.counters = own.kernel.launch(self.memory, settings)
            self._executed = own.kernel
        except EmulationFault as fault:
            raise _launch_error(own.name, fault) from fault
        self._last = launched

    def _check_launch(self, function: EmulatedFunction, grid: Dim3, block: Dim3, arguments: bytes) -> None:
        chip, kernel = self.chip, function.kernel
        _check_extents(f"kernel {function.name!r}: block", block, chip.max_workgroup_sizes)
        _check_extents(f"kernel {function.name!r}: grid", grid, kernel.max_grid(block))
        if math.prod(block) > chip.max_threads_per_workgroup:
            raise LaunchError(
                f"kernel {function.name!r}: a block on {chip.name} has at most {chip.max_threads_per_workgroup} "
                f"threads, found {block} = {math.prod(block)}"
            )
        if kernel.required_block is not None and kernel.required_block != block:
            raise LaunchError(
                f"kernel {function.name!r} was compiled for blocks {kernel.required_block}, found {block}"
            )
        if len(arguments) != kernel.parameter_bytes:
            raise LaunchError(
                f"kernel {function.name!r} takes {kernel.parameter_bytes} bytes of arguments, found {len(arguments)}"
            )

    def _check_shared(self, function: EmulatedFunction, dynamic: int) -> None:
        """More than every kernel may have must have been asked for when the kernel was loaded."""
        static, chip = function.kernel.static_shared_bytes, self.chip
        if static > chip.static_shared_memory_bytes or static + dynamic > chip.shared_memory_bytes:
            raise LaunchError(
                f"kernel {function.name!r} needs {static} bytes of static and {dynamic} bytes of dynamic shared "
                f"memory; a workgroup on {chip.name} can have {chip.shared_memory_bytes} bytes, "
                f"{chip.static_shared_memory_bytes} of them static"
            )
        allowed = max(function.dynamic_shared_bytes, chip.static_shared_memory_bytes - static)
        if dynamic > allowed:
            raise LaunchError(
                f"kernel {function.name!r} was loaded for {allowed} bytes of dynamic shared memory, found {dynamic}"
            )

    def tensor_map(self, tensor: Tensor) -> bytes:
        """One of the emulator's own form."""
        if self.chip.vendor != "nvidia":
            raise DeviceError(f"{self.chip.name} has no tensor memory accelerator")
        check_tensor(tensor)
        return TensorMap(tensor.address, tensor.element_bytes, tensor.shape, tensor.box, tensor.swizzle).encode()

    @_one_at_a_time
    def synchronize(self, stream: object = None) -> None:
        """Nothing is ever pending; a programmatic launch may count on it."""
        self._last = None

    def capturing(self, stream: object = None) -> bool:
        """Never: there are no graphs."""
        return False

    def event(self) -> EmulatedEvent:
        return EmulatedEvent()


class EmulatedEvent:
    """A moment of the host's clock: how long the emulation took, which says nothing about hardware."""

    def __init__(self) -> None:
        self._seconds: float | None = None

    def record(self, stream: object = None) -> None:
        self._seconds = time.perf_counter()

    def synchronize(self) -> None:
        """A recorded event has been passed."""

    def seconds_since(self, start: Event) -> float:
        if not isinstance(start, EmulatedEvent):
            raise DeviceError("time passes between two events of one device")
        if self._seconds is None or start._seconds is None:
            raise DeviceError("an event must be recorded before it can be timed")
        return self._seconds - start._seconds


_CANNOT = frozenset({"syntax", "unsupported", "limit"})
"""Faults of the emulator's own: it cannot read the text, or was not to go on."""


def _launch_error(kernel: str, fault: EmulationFault) -> LaunchError:
    kind = NotExecuted if fault.kind in _CANNOT else LaunchError
    return kind(f"kernel {kernel!r}: {fault}", fault.line, fault.other_line)


def _chip(name: str) -> Chip:
    try:
        return find_chip(name)
    except UnknownTargetError as error:
        raise DeviceUnavailable(str(error)) from error


def _emulated_chip(target: str) -> Chip:
    chip = _chip(target)
    if chip.vendor not in _READERS:
        known = ", ".join(sorted(_READERS))
        raise DeviceUnavailable(
            f"machine text for {chip.name} has no emulator; there are emulators for {known} targets"
        )
    return chip


def _bytes_of(host: HostArray) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The array's memory, shared."""
    if not host.flags.c_contiguous:
        raise DeviceError("a copy needs a C-contiguous host array")
    return host.reshape(-1).view(np.uint8)


def _check_extents(what: str, found: Dim3, limits: Dim3) -> None:
    if not all(1 <= extent <= limit for extent, limit in zip(found, limits, strict=True)):
        raise LaunchError(f"{what} extents from 1 to {limits} expected, found {found}")
