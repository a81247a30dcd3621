"""NVIDIA devices through the driver API of cuda-python, the only importer of it.

The device works in the primary context, the one that torch, cupy and the CUDA runtime use, so that their memory and
streams can be passed to kernels as they are. The context is pushed for each call and popped after it: what the caller
had current stays current.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Any

from ..ir.targets.catalogue import chip_of_compute_capability
from ..ir.targets.chip import UnknownTargetError
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
    OutOfMemory,
    Resources,
    stream_handle,
)

DLPACK_CUDA = 2
_LOG_BYTES = 16 * 1024
_MAX_PARAMETER_BYTES = 32764  # CUDA 12.1 and later on sm_70 and later; drivers themselves refuse more than they take
_DEFAULT_SHARED_BYTES = 48 * 1024  # dynamic and static shared memory above this has to be opted in to

# A fault of a running kernel breaks the context: every later call of the process on this device reports it again.
_FAULTS = (
    "CUDA_ERROR_ILLEGAL_ADDRESS",
    "CUDA_ERROR_LAUNCH_TIMEOUT",
    "CUDA_ERROR_ASSERT",
    "CUDA_ERROR_HARDWARE_STACK_ERROR",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "CUDA_ERROR_MISALIGNED_ADDRESS",
    "CUDA_ERROR_INVALID_ADDRESS_SPACE",
    "CUDA_ERROR_INVALID_PC",
    "CUDA_ERROR_LAUNCH_FAILED",
    "CUDA_ERROR_ECC_UNCORRECTABLE",
)
_ERRORS: Mapping[str, type[DeviceError]] = MappingProxyType(
    {"CUDA_ERROR_OUT_OF_MEMORY": OutOfMemory} | dict.fromkeys(_FAULTS, LaunchError)
)


@dataclass(frozen=True, slots=True, eq=False)
class CudaFunction:
    """A kernel in a loaded module. ``log`` is what the driver's assembler said."""

    device: CudaDevice
    module: Any
    handle: Any
    name: str
    resources: Resources
    dynamic_shared_bytes: int
    log: str


class CudaDevice:
    """One NVIDIA GPU.

    Args:
        ordinal: Its number among the devices that the driver shows.
        api: What stands in for the module ``cuda.bindings.driver``; None imports it.

    Raises:
        DeviceUnavailable: cuda-python, the driver, or the device is missing; the message says which.
    """

    def __init__(self, ordinal: int = 0, api: Any = None) -> None:
        self._api = api = import_driver() if api is None else api
        self._initialise(ordinal)
        self.ordinal = ordinal
        self._handle = self._check(api.cuDeviceGet(ordinal), f"opening CUDA device {ordinal}")
        self.properties = self._read_properties()
        self._context = self._check(api.cuDevicePrimaryCtxRetain(self._handle), "retaining the primary context")
        self._current = _Current(self)
        self._buffer = _ParameterBuffer()
        self._last_launch = ""
        # looked up once: a launch is a few microseconds
        self._launch_kernel, self._push, self._pop = api.cuLaunchKernel, api.cuCtxPushCurrent, api.cuCtxPopCurrent

    def _initialise(self, ordinal: int) -> None:
        api = self._api
        try:
            answer = api.cuInit(0)
        except RuntimeError as error:  # cuda-python loads libcuda at the first call
            raise DeviceUnavailable(
                "the NVIDIA driver (libcuda.so.1) was not found: install the driver, or share it with the container"
            ) from error
        if answer[0]:
            raise DeviceUnavailable(f"the NVIDIA driver cannot be used: cuInit answered {self._describe(answer[0])}")
        count: int = self._check(api.cuDeviceGetCount(), "counting CUDA devices")
        if not 0 <= ordinal < count:
            raise DeviceUnavailable(f"CUDA device {ordinal} was asked for; the driver shows {count} devices")

    def _read_properties(self) -> DeviceProperties:
        api = self._api
        major, minor = self._attribute("COMPUTE_CAPABILITY_MAJOR"), self._attribute("COMPUTE_CAPABILITY_MINOR")
        name: bytes = self._check(api.cuDeviceGetName(128, self._handle), "reading the device's name")
        version: int = self._check(api.cuDriverGetVersion(), "reading the driver's version")
        try:
            target = chip_of_compute_capability(major, minor).name
        except UnknownTargetError as error:
            raise DeviceUnavailable(f"CUDA device {self.ordinal} cannot be used: {error}") from error
        return DeviceProperties(
            name=name.split(b"\0")[0].decode(),
            target=target,
            subgroup_size=self._attribute("WARP_SIZE"),
            max_threads_per_workgroup=self._attribute("MAX_THREADS_PER_BLOCK"),
            shared_memory_bytes=self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            multiprocessors=self._attribute("MULTIPROCESSOR_COUNT"),
            driver=f"CUDA {version // 1000}.{version % 1000 // 10}",
            dlpack_device=(DLPACK_CUDA, self.ordinal),
        )

    def _attribute(self, name: str) -> int:
        attribute = getattr(self._api.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        value: int = self._check(self._api.cuDeviceGetAttribute(attribute, self._handle), f"reading {name}")
        return value

    # Errors

    def _check(self, answer: tuple[Any, ...], doing: str) -> Any:
        """The value in a driver's answer; every code but success becomes an error."""
        if answer[0]:
            raise self._error(answer[0], doing)
        return answer[1] if len(answer) > 1 else None

    def _error(self, code: Any, doing: str, kind: type[DeviceError] = DeviceError) -> DeviceError:
        name = self._name(code)
        message = f"{doing}: the CUDA driver answered {self._describe(code)}"
        if name in _FAULTS:
            last = f"; the last kernel launched was {self._last_launch!r}" if self._last_launch else ""
            message += f"{last}. The device cannot be used any more in this process"
        return _ERRORS.get(name, kind)(message)

    def _name(self, code: Any) -> str:
        error, name = self._api.cuGetErrorName(code)
        return f"error {int(code)}" if error else name.decode()

    def _describe(self, code: Any) -> str:
        error, text = self._api.cuGetErrorString(code)
        return self._name(code) if error else f"{self._name(code)} ({text.decode()})"

    # Memory

    def allocate(self, nbytes: int) -> int:
        if nbytes <= 0:
            raise DeviceError(f"an allocation needs a size > 0, found {nbytes}")
        with self._current:
            answer = self._api.cuMemAlloc(nbytes)
            return int(self._check(answer, f"allocating {nbytes} bytes"))

    def free(self, address: int) -> None:
        with self._current:
            self._check(self._api.cuMemFree(address), f"freeing {address:#x}")

    def accessible(self, address: int) -> bool:
        kinds = self._api.CUpointer_attribute
        with self._current:
            error, ordinal = self._api.cuPointerGetAttribute(kinds.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)
            if error:  # the driver knows no such memory
                return False
            error, managed = self._api.cuPointerGetAttribute(kinds.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
            return ordinal == self.ordinal or bool(not error and managed)

    def copy_in(self, address: int, host: HostArray, stream: object = None) -> None:
        # The wait is for pinned host memory, which the driver would otherwise read after this returns.
        handle = stream_handle(stream)
        with self._current:
            answer = self._api.cuMemcpyHtoDAsync(address, _host_address(host), host.nbytes, handle)
            self._check(answer, f"copying {host.nbytes} bytes to {address:#x}")
            self._check(self._api.cuStreamSynchronize(handle), "waiting for a copy to the device")

    def copy_out(self, host: HostArray, address: int, stream: object = None) -> None:
        if not host.flags.writeable:
            raise DeviceError("a copy from the device needs a writable host array")
        handle = stream_handle(stream)
        with self._current:
            answer = self._api.cuMemcpyDtoHAsync(_host_address(host), address, host.nbytes, handle)
            self._check(answer, f"copying {host.nbytes} bytes from {address:#x}")
            self._check(self._api.cuStreamSynchronize(handle), "waiting for a copy from the device")

    def fill(self, address: int, byte: int, nbytes: int, stream: object = None) -> None:
        with self._current:
            answer = self._api.cuMemsetD8Async(address, byte, nbytes, stream_handle(stream))
            self._check(answer, f"filling {nbytes} bytes at {address:#x}")

    # Code

    def load(self, code: Code, *, dynamic_shared_bytes: int = 0) -> CudaFunction:
        """Loads a cubin, or has the driver assemble PTX; the assembler's complaint is part of the LaunchError."""
        with self._current:
            module, log = self._load_module(code)
            try:
                handle = self._check_load(self._api.cuModuleGetFunction(module, code.kernel.encode()), code)
                resources = self._read_resources(handle, code)
                self._opt_in(handle, code, resources, dynamic_shared_bytes)
            except DeviceError:
                self._api.cuModuleUnload(module)
                raise
        return CudaFunction(self, module, handle, code.kernel, resources, dynamic_shared_bytes, log)

    def _load_module(self, code: Code) -> tuple[Any, str]:
        text = code.image if code.image is not None else (code.text or "").encode() + b"\0"
        info, error = bytearray(_LOG_BYTES), bytearray(_LOG_BYTES)
        option = self._api.CUjit_option
        options = {
            option.CU_JIT_INFO_LOG_BUFFER: info,
            option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: _LOG_BYTES,
            option.CU_JIT_ERROR_LOG_BUFFER: error,
            option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: _LOG_BYTES,
        }
        answer = self._api.cuModuleLoadDataEx(text, len(options), list(options), list(options.values()))
        return self._check_load(answer, code, _log_text(error)), _log_text(info)

    def _check_load(self, answer: tuple[Any, ...], code: Code, log: str = "") -> Any:
        if answer[0]:
            device = f"{self.properties.target} ({self.properties.driver})"
            doing = f"loading kernel {code.kernel!r} for {code.target} on {device}"
            raise self._error(answer[0], f"{log}\n{doing}" if log else doing, LaunchError)
        return answer[1]

    def _read_resources(self, handle: Any, code: Code) -> Resources:
        names = self._api.CUfunction_attribute

        def read(name: str) -> int:
            answer = self._api.cuFuncGetAttribute(getattr(names, f"CU_FUNC_ATTRIBUTE_{name}"), handle)
            value: int = self._check_load(answer, code)
            return value

        return Resources(
            registers=read("NUM_REGS"),
            local_bytes=read("LOCAL_SIZE_BYTES"),
            static_shared_bytes=read("SHARED_SIZE_BYTES"),
            max_threads=read("MAX_THREADS_PER_BLOCK"),
        )

    def _opt_in(self, handle: Any, code: Code, resources: Resources, dynamic_shared_bytes: int) -> None:
        """Allows the kernel more shared memory than every kernel may have."""
        static = resources.static_shared_bytes or 0
        available = self.properties.shared_memory_bytes
        if static + dynamic_shared_bytes > available:
            raise LaunchError(
                f"kernel {code.kernel!r} needs {static} bytes of static and {dynamic_shared_bytes} bytes of dynamic "
                f"shared memory; a workgroup on {self.properties.target} can have {available} bytes"
            )
        if static + dynamic_shared_bytes > _DEFAULT_SHARED_BYTES:
            attribute = self._api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            answer = self._api.cuFuncSetAttribute(handle, attribute, dynamic_shared_bytes)
            self._check(answer, f"allowing kernel {code.kernel!r} {dynamic_shared_bytes} bytes of shared memory")

    def unload(self, function: Function) -> None:
        own = self._own(function)
        with self._current:
            self._check(self._api.cuModuleUnload(own.module), f"unloading kernel {own.name!r}")

    def _own(self, function: Function) -> CudaFunction:
        if not isinstance(function, CudaFunction) or function.device is not self:
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
    ) -> None:
        own = self._own(function)
        handle = 0 if stream is None else stream_handle(stream)
        extra = self._buffer.fill(arguments)
        self._check(self._push(self._context), "entering the primary context")
        answer = self._launch_kernel(own.handle, *grid, *block, dynamic_shared_bytes, handle, 0, extra)
        self._check(self._pop(), "leaving the primary context")
        if answer[0]:
            doing = (
                f"launching kernel {own.name!r} with grid {grid}, block {block}, {dynamic_shared_bytes} bytes of "
                f"dynamic shared memory and {len(arguments)} bytes of arguments ({own.resources})"
            )
            raise self._error(answer[0], doing, LaunchError)
        self._last_launch = own.name

    def synchronize(self, stream: object = None) -> None:
        with self._current:
            if stream is None:
                self._check(self._api.cuCtxSynchronize(), "waiting for the device")
            else:
                self._check(self._api.cuStreamSynchronize(stream_handle(stream)), "waiting for a stream")

    def event(self) -> CudaEvent:
        with self._current:
            handle = self._check(self._api.cuEventCreate(0), "creating an event")
        return CudaEvent(self, handle)

    # For CudaEvent

    def record_event(self, handle: Any, stream: object) -> None:
        with self._current:
            self._check(self._api.cuEventRecord(handle, stream_handle(stream)), "recording an event")

    def wait_event(self, handle: Any) -> None:
        with self._current:
            self._check(self._api.cuEventSynchronize(handle), "waiting for an event")

    def milliseconds(self, start: Any, end: Any) -> float:
        with self._current:
            value: float = self._check(self._api.cuEventElapsedTime(start, end), "reading two events")
            return value

    def destroy_event(self, handle: Any) -> None:
        with self._current:
            self._api.cuEventDestroy(handle)  # runs from the garbage collector: there is nobody to tell

    def enter(self) -> None:
        self._check(self._api.cuCtxPushCurrent(self._context), "entering the primary context")

    def leave(self) -> None:
        self._api.cuCtxPopCurrent()  # an error here would hide the one that is on its way


class CudaEvent:
    """A CUDA event; resolution about half a microsecond."""

    def __init__(self, device: CudaDevice, handle: Any) -> None:
        self._device, self._handle = device, handle
        weakref.finalize(self, device.destroy_event, handle).atexit = False

    def record(self, stream: object = None) -> None:
        self._device.record_event(self._handle, stream)

    def synchronize(self) -> None:
        self._device.wait_event(self._handle)

    def seconds_since(self, start: Event) -> float:
        if not isinstance(start, CudaEvent) or start._device is not self._device:
            raise DeviceError("time passes between two events of one device")
        return self._device.milliseconds(start._handle, self._handle) * 1e-3


class _Current:
    """Makes the device's context current for the calls within; keeps nothing, so threads can share and nest it."""

    def __init__(self, device: CudaDevice) -> None:
        self._device = device

    def __enter__(self) -> None:
        self._device.enter()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._device.leave()


class _ParameterBuffer(threading.local):
    """One buffer a thread for the packed arguments, and the ``extra`` array of cuLaunchKernel that points to it.

    The driver copies the arguments before the launch call returns, so one buffer serves every launch of a thread.
    """

    def __init__(self) -> None:
        bindings = ctypes.create_string_buffer(_MAX_PARAMETER_BYTES)
        self._view = memoryview(bindings).cast("B")
        self._size = ctypes.c_size_t(0)
        buffer_pointer, buffer_size, end = 1, 2, 0  # CU_LAUNCH_PARAM_*, part of the driver's binary interface
        addresses = (buffer_pointer, ctypes.addressof(bindings), buffer_size, ctypes.addressof(self._size), end)
        self._extra = (ctypes.c_void_p * len(addresses))(*addresses)
        self._address = ctypes.addressof(self._extra)

    def fill(self, arguments: bytes) -> int:
        """Address of the array for cuLaunchKernel."""
        count = len(arguments)
        if count > _MAX_PARAMETER_BYTES:
            raise LaunchError(f"a kernel takes at most {_MAX_PARAMETER_BYTES} bytes of arguments, found {count}")
        self._view[:count] = arguments
        self._size.value = count
        return self._address


def import_driver() -> Any:
    """The module ``cuda.bindings.driver``; raises DeviceUnavailable when cuda-python is not installed."""
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise DeviceUnavailable("the package cuda-python is not installed: pip install 'lanewise[cuda]'") from error


def _host_address(host: HostArray) -> int:
    if not host.flags.c_contiguous:
        raise DeviceError("a copy needs a C-contiguous host array")
    return host.ctypes.data


def _log_text(buffer: bytearray) -> str:
    return buffer.partition(b"\0")[0].decode(errors="replace").strip()
