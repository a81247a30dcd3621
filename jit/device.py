"""What a device is: the one protocol behind which CUDA, HIP and the emulators stand, its values and its errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..codegen.emit.tensor_map import FARTHEST
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..targets.catalogue import find_chip

HostArray: TypeAlias = NDArray[np.generic]
Dim3: TypeAlias = tuple[int, int, int]


class DeviceError(LanewiseError):
    """A device refused something; the message says what was asked, and what the driver answered."""


class DeviceUnavailable(DeviceError):
    """There is no such device here; the message says what is missing and how to get it."""


class LaunchError(DeviceError):
    """A kernel could not be loaded or launched, or failed while it ran.

    `line`: which line of the machine text, from 1, it failed in, where that is known; `other_line`: that of the other
    access of a race.
    """

    def __init__(self, message: str, line: int | None = None, other_line: int | None = None) -> None:
        super().__init__(message)
        self.line, self.other_line = line, other_line


class NotExecuted(LaunchError):
    """The device could not execute the kernel to its end, which says nothing about whether the kernel is right."""


class DeviceFault(LaunchError):
    """A kernel failed while it ran, and the driver refuses this process all further work on the device."""


class StreamError(DeviceError, TypeError):
    """What was passed as a stream is none."""


class OutOfMemory(DeviceError):
    """The device has too little memory left for an allocation."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor in a device's memory, row by row, and how boxes of it are copied.

    Attributes:
        address: A multiple of 16, as rows are.
        element: The type of an element, in the program's words.
        shape: Extents, outermost first.
        box: Elements that one copy takes along each dimension.
        swizzle: Bytes of a box's row, within which pieces of 16 are mixed, or 0.
        promotion: Bytes that the second level of cache fetches at once, or 0.
    """

    address: int
    element: str
    shape: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int
    promotion: int

    @property
    def element_bytes(self) -> int:
        return int("".join(filter(str.isdigit, self.element.split("E")[0]))) // 8

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one to the next along each dimension but the innermost."""
        return tuple(math.prod(self.shape[n + 1 :]) * self.element_bytes for n in range(len(self.shape) - 1))


@dataclass(frozen=True, slots=True)
class Code:
    """Compiled code of one kernel: machine text (PTX, AMDGCN), a binary image (cubin, code object), or both.

    Args:
        target: The chip that the code was compiled for, such as ``sm_90a`` or ``gfx942``.
        kernel: The symbol of the kernel in the text and in the image.
        offsets: Where each parameter lies in the packed arguments, if tensor maps are among them: nothing says how a
            buffer of all arguments has maps aligned, so that each parameter is passed by its address.
    """

    target: str
    text: str | None
    image: bytes | None
    kernel: str
    offsets: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.text is None and self.image is None:
            raise DeviceError(f"code of kernel {self.kernel!r} for {self.target} has neither text nor an image")


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """What is known of a device before anything is launched on it.

    Attributes:
        name: The name that the driver gives.
        target: The chip, such as ``sm_90`` or ``gfx942``.
        subgroup_size: Threads that run in lockstep (warp, wavefront).
        max_threads_per_workgroup: The largest product of a block's three dimensions.
        shared_memory_bytes: Shared memory that one workgroup can have, static and dynamic, after opting in.
        multiprocessors: Number of multiprocessors or compute units.
        driver: Vendor and version of the driver.
        dlpack_device: ``(device type, ordinal)`` as in DLPack, or None where no foreign array can live on the device.
    """

    name: str
    target: str
    subgroup_size: int
    max_threads_per_workgroup: int
    shared_memory_bytes: int
    multiprocessors: int
    driver: str
    dlpack_device: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Resources:
    """What one loaded kernel takes; None where the device does not say.

    Attributes:
        registers: Registers per thread.
        local_bytes: Local (private) memory per thread: spills and stack.
        static_shared_bytes: Shared memory per workgroup that the code itself declares.
        max_threads: The largest workgroup that these resources allow.
    """

    registers: int | None = None
    local_bytes: int | None = None
    static_shared_bytes: int | None = None
    max_threads: int | None = None


class Function(Protocol):
    """A loaded kernel; it belongs to the device that loaded it."""

    @property
    def name(self) -> str: ...
    @property
    def resources(self) -> Resources: ...


class Event(Protocol):
    """A point in a stream's work."""

    def record(self, stream: object = None) -> None:
        """Marks the end of the work that the stream has now."""

    def synchronize(self) -> None:
        """Waits until the device has passed the mark; raises LaunchError when the work failed."""

    def seconds_since(self, start: Event) -> float:
        """The time between two marks that the device has passed."""
        ...


class Device(Protocol):
    """Memory, code and launches of one device.

    Addresses are integers. A stream is None (the default stream), an integer handle, or an object of another library
    that carries one (see ``stream_handle``). Copies and fills are ordered with the stream's work; a copy has read or
    written its host array when the call returns.
    """

    @property
    def properties(self) -> DeviceProperties: ...

    @property
    def loads(self) -> Literal["text", "image"]:
        """Which of the parts of `Code` this device loads."""
        ...

    def allocate(self, nbytes: int) -> int:
        """Address of fresh, uninitialised memory, aligned to at least 256 bytes; raises OutOfMemory. ``nbytes`` > 0."""
        ...

    def allocate_for(self, stream: object, nbytes: int) -> int:
        """Memory like ``allocate``'s that only the work of one stream uses: from the driver's stream-ordered pool,
        where the device has one, so that nothing waits for it to be had or given back."""
        ...

    def free_in(self, stream: object, address: int) -> None:
        """Gives back what ``allocate_for`` returned for the stream, after the work that is in it; like ``free``."""

    def free(self, address: int) -> None:
        """Gives back what ``allocate`` returned, after the work that uses it.

        Says nothing of a kernel that failed: the memory is lost then, and the next call that does work reports it.
        """

    def accessible(self, address: int) -> bool:
        """Whether kernels on this device can use memory that another library allocated at this address."""
        ...

    def copy_in(self, address: int, host: HostArray, stream: object = None) -> None:
        """Copies a C-contiguous host array to the device."""

    def copy_out(self, host: HostArray, address: int, stream: object = None) -> None:
        """Copies into a C-contiguous, writable host array; raises LaunchError when earlier work failed."""

    def fill(self, address: int, byte: int, nbytes: int, stream: object = None) -> None:
        """Sets every byte of a range."""

    def load(self, code: Code, *, dynamic_shared_bytes: int = 0) -> Function:
        """Loads a kernel that takes up to so many bytes of dynamic shared memory; raises LaunchError."""
        ...

    def unload(self, function: Function) -> None:
        """Forgets a kernel, after the work that uses it; like ``free``, it says nothing of a kernel that failed."""

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
        """Starts a kernel; ``arguments`` is the packed parameter buffer (see ``parameter_offsets``). Does not wait.

        ``programmatic``: it may begin before the kernel before it in the stream has ended (see ``check_programmatic``).
        ``cooperative``: all workgroups are there at the same time, so that they can wait for each other; raises
        LaunchError for a grid of more than the device has room for.
        """

    def tensor_map(self, tensor: Tensor) -> bytes:
        """What the device's tensor memory accelerator takes for a tensor; raises DeviceError where it has none."""
        ...

    def synchronize(self, stream: object = None) -> None:
        """Waits for a stream, or for all work on the device; raises LaunchError when a kernel failed."""

    def capturing(self, stream: object = None) -> bool:
        """Whether what is put into a stream becomes part of a graph, and is not done now: nothing can be waited for,
        and neither memory nor code be had from the driver."""
        ...

    def event(self) -> Event:
        """A fresh event, not yet recorded."""
        ...


PROGRAMMATIC, COOPERATIVE = 1, 2
"""The number of a launch call is the sum of what it is; 0 is the plain one."""


def time_launches(device: Device, launches: Callable[[], object], stream: object = None) -> float:
    """Seconds that the device spends on the work that ``launches`` puts into the stream."""
    start, end = device.event(), device.event()
    start.record(stream)
    launches()
    end.record(stream)
    end.synchronize()
    return end.seconds_since(start)


@dataclass(frozen=True, slots=True)
class Parameter:
    """Size and alignment in bytes of one parameter in the packed buffer."""

    size: int
    alignment: int

    def __post_init__(self) -> None:
        if self.size <= 0 or self.alignment <= 0 or self.alignment & (self.alignment - 1):
            raise ValueError(f"a parameter needs a size > 0 and a power of two as alignment, found {self}")


def check_tensor(tensor: Tensor) -> None:
    """Raises DeviceError for one that no accelerator copies boxes of (CUDA driver API, cuTensorMapEncodeTiled)."""
    for what, number in (("an address", tensor.address), *(("strides", stride) for stride in tensor.strides)):
        if number % 16:
            raise DeviceError(f"a tensor map needs {what} of whole 16 bytes, found {number}")
    if not all(0 < n <= FARTHEST for n in tensor.shape):
        raise DeviceError(f"a tensor map needs extents from 1 to {FARTHEST}, found {list(tensor.shape)}")


def check_programmatic(kernel: str, target: str) -> None:
    """Raises LaunchError where no kernel begins before the one before it has ended."""
    if not find_chip(target).supports("griddepcontrol"):
        chips = "NVIDIA's chips have it from sm_90 on"
        raise LaunchError(f"kernel {kernel!r}: {target} has no programmatic dependent launch; {chips}")


def parameter_offsets(parameters: Iterable[Parameter]) -> tuple[tuple[int, ...], int]:
    """Byte offset of each parameter, laid out as the members of a C struct, and the end of the last one.

    Drivers measure the buffer to the end of the last parameter, so there is no padding after it.
    """
    offsets: list[int] = []
    end = 0
    for parameter in parameters:
        start = -(-end // parameter.alignment) * parameter.alignment
        offsets.append(start)
        end = start + parameter.size
    return tuple(offsets), end


def stream_handle(stream: object) -> int:
    """The driver's handle of a stream.

    Accepts None (the default stream), an integer, an object with ``__cuda_stream__`` (cuda.core, cupy, numba),
    ``cuda_stream`` (torch) or ``ptr`` (cupy), and the handle types of cuda-python and hip-python. Raises
    StreamError otherwise.
    """
    if stream is None:
        return 0
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return _handle_of_protocol(protocol)
    for attribute in ("cuda_stream", "ptr"):
        handle = getattr(stream, attribute, None)
        if isinstance(handle, int):
            return handle
    if type(stream).__name__ in _HANDLE_TYPES:
        return int(cast("int", stream))
    raise StreamError(
        "a stream is None, an integer handle, or an object with __cuda_stream__, cuda_stream or ptr; "
        f"found {stream!r} ({type(stream).__name__})"
    )


_HANDLE_TYPES = frozenset({"CUstream", "cudaStream_t", "hipStream_t", "ihipStream_t"})


def _handle_of_protocol(protocol: object) -> int:
    """``__cuda_stream__`` answers ``(version, handle)``; early implementations made it an attribute, not a method."""
    answer = protocol() if callable(protocol) else protocol
    version, handle = cast("tuple[int, int]", answer)
    if version != 0:
        raise StreamError(f"__cuda_stream__ of version 0 expected, found version {version}")
    return int(handle)
