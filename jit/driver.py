"""What the devices of CUDA and of HIP have in common: errors, memory, launches and events, over calls of one shape.

Both drivers answer every call with a tuple, the error code first. What differs (how a device is opened, made current,
and given code) is in cuda.py and hip.py.
"""

from __future__ import annotations

import contextlib
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np

from ..support.dataclasses import dataclass
from ..targets.catalogue import find_chip
from .device import (
    Code,
    DeviceError,
    DeviceFault,
    DeviceProperties,
    Dim3,
    Event,
    Function,
    HostArray,
    LaunchError,
    OutOfMemory,
    Resources,
    check_programmatic,
    stream_handle,
)
from .parameter_buffer import Packed, PackedByThread

Call: TypeAlias = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Bracket:
    """How a device is the thread's for one call, as lines of a generated function (see `launch_source.py`), which may
    give up there by `return False`: what `enter` and `leave` do, without their calls between.

    `names` are those of the lines, and `default_handle`, the default stream for the launch call.
    """

    enter: tuple[str, ...]
    leave: tuple[str, ...]
    names: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Wording:
    """How a driver is called, and the names of its codes that become other errors than DeviceError.

    `faults` are those of a running kernel: every later call of the process on the device reports them again. `gone` say
    that the device was taken from this process, by a reset or its end, and with it all that it held.
    `captures_elsewhere` is what the default stream answers while another is captured that would wait for it.
    """

    driver: str
    out_of_memory: str
    faults: frozenset[str]
    gone: frozenset[str]
    captures_elsewhere: str


@dataclass(frozen=True, slots=True)
class Calls:
    """The driver's functions that both drivers have, by what they do. Looked up once: a launch is a few microseconds.

    Addresses, sizes and streams are integers, modules, functions and events what the driver's package made of them.
    `launch` takes function, grid, block, dynamic shared bytes, stream, and the addresses of an array of pointers to the
    parameters and of the `extra` array that describes all of them as one buffer; one of the two is 0.
    `launch_programmatic` takes the same; None where no chip of the driver's does that. `launch_cooperative` takes the
    same, and whether it is programmatic, too; `resident` function, threads and dynamic shared bytes of a workgroup, and
    answers how many a multiprocessor has room for. `allocate_in` (size, stream) and `free_in` (address, stream) are of
    the stream-ordered pool.
    """

    allocate: Call
    free: Call
    copy_in: Call
    copy_out: Call
    fill: Call
    unload: Call
    launch: Call
    synchronize: Call
    synchronize_stream: Call
    capturing: Call
    create_event: Call
    destroy_event: Call
    record_event: Call
    wait_event: Call
    milliseconds: Call
    launch_cooperative: Call
    resident: Call
    allocate_in: Call
    free_in: Call
    launch_programmatic: Call | None = None


@dataclass(frozen=True, slots=True, eq=False)
class DriverFunction:
    """A kernel in a loaded module. `argument_bytes` is None where the driver itself checks the buffer's size."""

    device: DriverDevice
    module: Any
    handle: Any
    name: str
    resources: Resources
    argument_bytes: int | None
    offsets: tuple[int, ...]
    """The offsets of parameters that are passed one by one: see `Code`."""

    @property
    def cooperative_offsets(self) -> tuple[int, ...]:
        """Those of a cooperative launch, where the driver takes parameters in no other way then."""
        return ()


class DriverDevice(ABC):
    """One GPU behind a driver. A subclass opens it in its constructor, and sets `properties` and `_calls`."""

    properties: DeviceProperties
    kept_bytes: int
    """The bytes of allocations that the driver did not take back: they are there until the process ends."""
    last_launch: str
    """The kernel that was launched last, "" before the first one."""
    forms: dict[tuple[np.dtype[Any], int], object]
    """An object for each element type and number of dimensions that arrays here have: see `DeviceArray.form`."""
    has_pool: bool
    """Whether memory can be had in the order of a stream's work."""
    _calls: Calls

    def __init__(self, wording: Wording, end_of_extra: int) -> None:
        self._wording = wording
        self._end_of_extra = end_of_extra
        self.last_launch = ""
        self.forms = {}
        self.kept_bytes = 0
        self._sizes: dict[int, int] = {}

    @abstractmethod
    def enter(self) -> object:
        """Makes the device the calling thread's; what this returns, `leave` restores."""

    @abstractmethod
    def leave(self, previous: object) -> None:
        """Undoes `enter`. Raises nothing: it would hide the error that is on its way."""

    @abstractmethod
    def _name(self, code: Any) -> str:
        """The driver's name of an error code."""

    @abstractmethod
    def _text(self, code: Any) -> str:
        """What the driver says that the code means; empty where it says nothing."""

    @abstractmethod
    def load(self, code: Code, *, dynamic_shared_bytes: int = 0) -> DriverFunction:
        """Loads a kernel, as the protocol says."""

    # Errors

    def _check(self, answer: tuple[Any, ...], doing: str) -> Any:
        """The value in a driver's answer; every code but success becomes an error."""
        if answer[0]:
            raise self._error(answer[0], doing)
        return answer[1] if len(answer) > 1 else None

    def _check_load(self, answer: tuple[Any, ...], code: Code, log: str = "") -> Any:
        if answer[0]:
            device = f"{self.properties.target} ({self.properties.driver})"
            doing = f"loading kernel {code.kernel!r} for {code.target} on {device}"
            raise self._error(answer[0], f"{log}\n{doing}" if log else doing, LaunchError)
        return answer[1]

    def _error(self, code: Any, doing: str, kind: type[DeviceError] = DeviceError) -> DeviceError:
        name, wording = self._name(code), self._wording
        kept = f" ({self.kept_bytes} bytes could not be freed)" if self.kept_bytes else ""
        message = f"{doing}: the {wording.driver} answered {self._describe(code)}{kept}"
        if name == wording.out_of_memory:
            return OutOfMemory(message)
        if name in wording.faults:
            last = f"; the last kernel launched was {self.last_launch!r}" if self.last_launch else ""
            return DeviceFault(f"{message}{last}. The device cannot be used any more in this process")
        if name in wording.gone:
            return _DeviceGone(message)
        return kind(message)

    def _describe(self, code: Any) -> str:
        text = self._text(code)
        return f"{self._name(code)} ({text})" if text else self._name(code)

    # Memory

    def allocate(self, nbytes: int) -> int:
        if nbytes <= 0:
            raise DeviceError(f"an allocation needs a size > 0, found {nbytes}")
        with Current(self):
            address = int(self._check(self._calls.allocate(nbytes), f"allocating {nbytes} bytes"))
        self._sizes[address] = nbytes
        return address

    def free(self, address: int) -> None:
        nbytes, freed = self._sizes.pop(address, 0), False
        try:
            freed = self._give_back(self._calls.free, f"freeing {address:#x}", address)
        finally:
            self.kept_bytes += 0 if freed else nbytes

    def allocate_for(self, stream: object, nbytes: int) -> int:
        if not self.has_pool:
            return self.allocate(nbytes)
        handle = stream_handle(stream)
        with Current(self):
            address = int(self._check(self._calls.allocate_in(nbytes, handle), f"allocating {nbytes} bytes"))
        self._sizes[address] = nbytes
        return address

    def free_in(self, stream: object, address: int) -> None:
        if not self.has_pool:
            self.free(address)
            return
        nbytes, freed, handle = self._sizes.pop(address, 0), False, stream_handle(stream)
        try:
            freed = self._give_back(self._calls.free_in, f"freeing {address:#x}", address, handle)
        finally:
            self.kept_bytes += 0 if freed else nbytes

    def _give_back(self, call: Call, doing: str, *given: Any) -> bool:
        """Whether the driver took back what a finalizer may hold, too. Where the device is lost so is this, and other
        calls report that."""
        with contextlib.suppress(DeviceFault, _DeviceGone), Current(self):
            self._check(call(*given), doing)
            return True
        return False

    def copy_in(self, address: int, host: HostArray, stream: object = None) -> None:
        # The wait is for pinned host memory, which the driver would otherwise read after this returns.
        handle = stream_handle(stream)
        with Current(self):
            answer = self._calls.copy_in(address, _host_address(host), host.nbytes, handle)
            self._check(answer, f"copying {host.nbytes} bytes to {address:#x}")
            self._check(self._calls.synchronize_stream(handle), "waiting for a copy to the device")

    def copy_out(self, host: HostArray, address: int, stream: object = None) -> None:
        if not host.flags.writeable:
            raise DeviceError("a copy from the device needs a writable host array")
        handle = stream_handle(stream)
        with Current(self):
            answer = self._calls.copy_out(_host_address(host), address, host.nbytes, handle)
            self._check(answer, f"copying {host.nbytes} bytes from {address:#x}")
            self._check(self._calls.synchronize_stream(handle), "waiting for a copy from the device")

    def fill(self, address: int, byte: int, nbytes: int, stream: object = None) -> None:
        with Current(self):
            answer = self._calls.fill(address, byte, nbytes, stream_handle(stream))
            self._check(answer, f"filling {nbytes} bytes at {address:#x}")

    # Code

    def _check_shared(self, code: Code, static: int, dynamic: int) -> None:
        available = self.properties.shared_memory_bytes
        if static + dynamic > available:
            raise LaunchError(
                f"kernel {code.kernel!r} needs {static} bytes of static and {dynamic} bytes of dynamic "
                f"shared memory; a workgroup on {self.properties.target} can have {available} bytes"
            )

    def unload(self, function: Function) -> None:
        own = self._own(function)
        # Neither driver promises to wait for a kernel of the module that still runs.
        with contextlib.suppress(DeviceFault, _DeviceGone):
            self.synchronize()
        self._give_back(self._calls.unload, f"unloading kernel {own.name!r}", own.module)

    def _own(self, function: Function) -> DriverFunction:
        if not isinstance(function, DriverFunction) or function.device is not self:
            raise DeviceError(f"kernel {function.name!r} was not loaded on this device ({self.properties.name})")
        return function

    # Work

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
        own, call = self._own(function), self._calls.launch
        if cooperative:
            self._check_resident(own, grid, block, dynamic_shared_bytes)
            call = partial(self._calls.launch_cooperative, programmatic)
        if programmatic and cooperative:
            check_programmatic(own.name, self.properties.target)
        elif programmatic:
            check_programmatic(own.name, self.properties.target)
            assert self._calls.launch_programmatic is not None
            call = self._calls.launch_programmatic
        if own.argument_bytes is not None and own.argument_bytes != len(arguments):
            raise LaunchError(
                f"kernel {own.name!r} takes {own.argument_bytes} bytes of arguments, found {len(arguments)}"
            )
        handle = 0 if stream is None else stream_handle(stream)
        offsets = own.offsets or (own.cooperative_offsets if cooperative else ())
        packed = self.packed(len(arguments), offsets)
        memory, *parameters = packed.parts
        memory[: len(arguments)] = arguments
        previous = self.enter()
        try:
            answer = call(own.handle, *grid, *block, dynamic_shared_bytes, handle, *parameters)
        finally:
            self.leave(previous)
        if answer[0]:
            raise self.refused(answer[0], own, (grid, block, dynamic_shared_bytes, len(arguments)))
        self.last_launch = own.name

    def _check_resident(self, function: DriverFunction, grid: Dim3, block: Dim3, shared: int) -> None:
        """Raises LaunchError for a grid whose workgroups are not all there at the same time."""
        with Current(self):
            answer = self._calls.resident(function.handle, prod(block), shared)
            each = int(self._check(answer, f"asking how many workgroups of kernel {function.name!r} there is room for"))
        room = each * self.properties.multiprocessors
        if prod(grid) > room:
            raise LaunchError(
                f"kernel {function.name!r}: a cooperative launch has all workgroups at the same time, for at most"
                f" {room} of which {self.properties.name} ({self.properties.target}) has room; found a grid of {grid}"
            )

    # For launch functions

    @property
    @abstractmethod
    def bracket(self) -> Bracket:
        """What `enter` and `leave` do."""

    @property
    def launch_calls(self) -> tuple[Call | None, ...]:
        """The launch calls by number (`PROGRAMMATIC`), all of one shape; None for what is not done so."""
        dependent = find_chip(self.properties.target).supports("griddepcontrol")
        return self._calls.launch, self._calls.launch_programmatic if dependent else None, None, None

    def packed(self, size: int, offsets: tuple[int, ...]) -> Packed:
        """Memory for arguments; `offsets` as in `Code`."""
        return Packed(size, offsets, self._end_of_extra)

    def packed_by_thread(self, size: int, offsets: tuple[int, ...]) -> PackedByThread:
        """Memory for arguments of one size; `offsets` as in `Code`."""
        return PackedByThread(size, offsets, self._end_of_extra)

    def refused(self, code: Any, function: DriverFunction, asked: tuple[Dim3, Dim3, int, int]) -> DeviceError:
        """What the driver's answer to a launch call is as an error; `asked`: grid, block, bytes of dynamic shared
        memory and of arguments."""
        grid, block, shared, count = asked
        doing = (
            f"launching kernel {function.name!r} with grid {grid}, block {block}, {shared} bytes of "
            f"dynamic shared memory and {count} bytes of arguments ({function.resources})"
        )
        return self._error(code, doing, LaunchError)

    def synchronize(self, stream: object = None) -> None:
        with Current(self):
            if stream is None:
                self._check(self._calls.synchronize(), "waiting for the device")
            else:
                self._check(self._calls.synchronize_stream(stream_handle(stream)), "waiting for a stream")

    def capturing(self, stream: object = None) -> bool:
        with Current(self):
            answer = self._calls.capturing(stream_handle(stream))
            if answer[0] and self._name(answer[0]) == self._wording.captures_elsewhere:
                return True
            return bool(int(self._check(answer, "asking whether a stream is captured")))

    def event(self) -> DriverEvent:
        with Current(self):
            handle = self._check(self._calls.create_event(), "creating an event")
        return DriverEvent(self, handle)

    # For DriverEvent

    def record_event(self, handle: Any, stream: object) -> None:
        with Current(self):
            self._check(self._calls.record_event(handle, stream_handle(stream)), "recording an event")

    def wait_event(self, handle: Any) -> None:
        with Current(self):
            self._check(self._calls.wait_event(handle), "waiting for an event")

    def milliseconds(self, start: Any, end: Any) -> float:
        with Current(self):
            value: float = self._check(self._calls.milliseconds(start, end), "reading two events")
            return value

    def destroy_event(self, handle: Any) -> None:
        self._give_back(self._calls.destroy_event, "destroying an event", handle)


class _DeviceGone(DeviceError):
    """The device was taken from this process."""


class DriverEvent:
    """An event of a driver; resolution about a microsecond."""

    def __init__(self, device: DriverDevice, handle: Any) -> None:
        self._device, self._handle = device, handle
        weakref.finalize(self, device.destroy_event, handle).atexit = False

    def record(self, stream: object = None) -> None:
        self._device.record_event(self._handle, stream)

    def synchronize(self) -> None:
        self._device.wait_event(self._handle)

    def seconds_since(self, start: Event) -> float:
        if not isinstance(start, DriverEvent) or start._device is not self._device:
            raise DeviceError("time passes between two events of one device")
        return self._device.milliseconds(start._handle, self._handle) * 1e-3


class Current:
    """Makes a device current for the calls within, and restores what was; one object for each use."""

    __slots__ = ("_device", "_previous")

    def __init__(self, device: DriverDevice) -> None:
        self._device = device

    def __enter__(self) -> None:
        self._previous = self._device.enter()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._device.leave(self._previous)


def _host_address(host: HostArray) -> int:
    if not host.flags.c_contiguous:
        raise DeviceError("a copy needs a C-contiguous host array")
    return host.ctypes.data
