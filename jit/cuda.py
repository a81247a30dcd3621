"""NVIDIA devices through the driver API of cuda-python, the only importer of it.

The device works in the primary context, the one that torch, cupy and the CUDA runtime use, so that their memory and
streams can be passed to kernels as they are. The context is pushed for each call and popped after it: what the caller
had current stays current.
"""

from __future__ import annotations

import ctypes
import importlib
import weakref
from collections.abc import Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

from ..support.dataclasses import dataclass
from ..targets.catalogue import chip_of_compute_capability
from ..targets.chip import UnknownTargetError
from .cuda_tensor_map import MapEncoder
from .device import Code, DeviceError, DeviceFault, DeviceProperties, DeviceUnavailable, LaunchError, Resources, Tensor
from .driver import Bracket, Call, Calls, Current, DriverDevice, DriverFunction, Wording

DLPACK_CUDA = 2
_END_OF_EXTRA = 0  # CU_LAUNCH_PARAM_END
_LOG_BYTES = 16 * 1024
_DEFAULT_SHARED_BYTES = 48 * 1024  # dynamic and static shared memory above this has to be opted in to

_WORDING = Wording(
    driver="CUDA driver",
    out_of_memory="CUDA_ERROR_OUT_OF_MEMORY",
    faults=frozenset(
        {
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
            "CUDA_ERROR_NVLINK_UNCORRECTABLE",
            "CUDA_ERROR_CONTAINED",
            "CUDA_ERROR_TENSOR_MEMORY_LEAK",
        }
    ),
    gone=frozenset({"CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_CONTEXT_IS_DESTROYED"}),
    captures_elsewhere="CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
)


@dataclass(frozen=True, slots=True, eq=False)
class CudaFunction(DriverFunction):
    """A kernel in a loaded module. `log` is what the driver's assembler said."""

    log: str


class CudaDevice(DriverDevice):
    """One NVIDIA GPU.

    It retains the primary context, and releases it when it goes, after the arrays and kernels that hold it. Keep one
    where kernels come and go: the driver takes tenths of a second to make a context anew.

    Args:
        ordinal: Its number among the devices that the driver shows.
        api: What stands in for the module ``cuda.bindings.driver``; None imports it.

    Raises:
        DeviceUnavailable: cuda-python, the driver, or the device is missing; the message says which.
    """

    loads: Literal["text", "image"] = "text"

    def __init__(self, ordinal: int = 0, api: Any = None) -> None:
        super().__init__(_WORDING, _END_OF_EXTRA)
        self._api = api = import_driver() if api is None else api
        self._initialise(ordinal)
        self.ordinal = ordinal
        self._handle = self._check(api.cuDeviceGet(ordinal), f"opening CUDA device {ordinal}")
        self.properties = self._read_properties()
        self.has_pool = self._reads_pool()
        self._context = self._check(api.cuDevicePrimaryCtxRetain(self._handle), "retaining the primary context")
        weakref.finalize(self, api.cuDevicePrimaryCtxRelease, self._handle).atexit = False
        self._push, self._pop = api.cuCtxPushCurrent, api.cuCtxPopCurrent
        self._calls = _calls(api)
        self._maps = MapEncoder(api)

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

    def _reads_pool(self) -> bool:
        """Drivers from before CUDA 11.2 do not know the question."""
        attribute = self._api.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
        error, value = self._api.cuDeviceGetAttribute(attribute, self._handle)
        return not error and bool(value)

    def enter(self) -> None:
        self._check(self._push(self._context), "entering the primary context")

    def leave(self, previous: object) -> None:
        self._pop()

    @property
    def bracket(self) -> Bracket:
        # The binding takes None sooner than the number 0.
        names = {"push": self._push, "context": self._context, "pop": self._pop, "default_handle": None}
        return Bracket(("if push(context)[0]:", "    return False"), ("pop()",), names)

    def _name(self, code: Any) -> str:
        error, name = self._api.cuGetErrorName(code)
        return f"error {int(code)}" if error else name.decode()

    def _text(self, code: Any) -> str:
        error, text = self._api.cuGetErrorString(code)
        return "" if error else text.decode()

    # Memory

    def accessible(self, address: int) -> bool:
        kinds = self._api.CUpointer_attribute
        with Current(self):
            error, ordinal = self._api.cuPointerGetAttribute(kinds.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)
            if error:  # the driver knows no such memory
                return False
            error, managed = self._api.cuPointerGetAttribute(kinds.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
            return ordinal == self.ordinal or bool(not error and managed)

    # Code

    def load(self, code: Code, *, dynamic_shared_bytes: int = 0) -> CudaFunction:
        """Loads a cubin, or has the driver assemble PTX; the assembler's complaint is part of the LaunchError.

        A cubin that the driver refuses, such as one of a newer toolkit, gives way to the PTX where there is that, too.
        """
        with Current(self):
            module, log = self._load_module(code)
            try:
                handle = self._check_load(self._api.cuModuleGetFunction(module, code.kernel.encode()), code)
                resources = self._read_resources(handle, code)
                self._opt_in(handle, code, resources, dynamic_shared_bytes)
            except DeviceError:
                self._api.cuModuleUnload(module)
                raise
        return CudaFunction(self, module, handle, code.kernel, resources, None, code.offsets, log)

    def tensor_map(self, tensor: Tensor) -> bytes:
        with Current(self):
            return self._maps.encoded(tensor, partial(self._check, doing=f"making a tensor map of {tensor}"))

    def _load_module(self, code: Code) -> tuple[Any, str]:
        text = None if code.text is None else code.text.encode() + b"\0"
        if code.image is None:
            assert text is not None
            return self._load_data(code, text)
        try:
            return self._load_data(code, code.image)
        except DeviceFault:
            raise
        except LaunchError as refusal:
            if text is None:
                raise
            module, log = self._load_data(code, text)
            return module, f"PTX was assembled in place of the cubin; {refusal}\n{log}".rstrip()

    def _load_data(self, code: Code, data: bytes) -> tuple[Any, str]:
        info, error = bytearray(_LOG_BYTES), bytearray(_LOG_BYTES)
        option = self._api.CUjit_option
        options = {
            option.CU_JIT_INFO_LOG_BUFFER: info,
            option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: _LOG_BYTES,
            option.CU_JIT_ERROR_LOG_BUFFER: error,
            option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: _LOG_BYTES,
        }
        answer = self._api.cuModuleLoadDataEx(data, len(options), list(options), list(options.values()))
        return self._check_load(answer, code, _log_text(error)), _log_text(info)

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
        self._check_shared(code, static, dynamic_shared_bytes)
        if static + dynamic_shared_bytes > _DEFAULT_SHARED_BYTES:
            attribute = self._api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            answer = self._api.cuFuncSetAttribute(handle, attribute, dynamic_shared_bytes)
            self._check(answer, f"allowing kernel {code.kernel!r} {dynamic_shared_bytes} bytes of shared memory")


def _calls(api: Any) -> Calls:
    return Calls(
        allocate=api.cuMemAlloc,
        free=api.cuMemFree,
        copy_in=api.cuMemcpyHtoDAsync,
        copy_out=api.cuMemcpyDtoHAsync,
        fill=api.cuMemsetD8Async,
        unload=api.cuModuleUnload,
        launch=api.cuLaunchKernel,
        synchronize=api.cuCtxSynchronize,
        synchronize_stream=api.cuStreamSynchronize,
        capturing=api.cuStreamIsCapturing,
        create_event=lambda: api.cuEventCreate(0),
        destroy_event=api.cuEventDestroy,
        record_event=api.cuEventRecord,
        wait_event=api.cuEventSynchronize,
        milliseconds=partial(_milliseconds, api),
        launch_cooperative=partial(_cooperative, _LaunchWith(api, "COOPERATIVE"), _LaunchWith(api, *_BOTH)),
        resident=api.cuOccupancyMaxActiveBlocksPerMultiprocessor,
        allocate_in=api.cuMemAllocAsync,
        free_in=api.cuMemFreeAsync,
        launch_programmatic=_LaunchWith(api, "PROGRAMMATIC_STREAM_SERIALIZATION"),
    )


_ATTRIBUTES: Mapping[str, str] = MappingProxyType(
    {
        "PROGRAMMATIC_STREAM_SERIALIZATION": "programmaticStreamSerializationAllowed",
        "COOPERATIVE": "cooperative",
    }
)
"""Launch attributes that are 1 where they are given: the field of the value, by the name."""
_BOTH = tuple(_ATTRIBUTES)


def _cooperative(plain: Call, programmatic: Call, is_programmatic: bool, *numbers: Any) -> tuple[Any, ...]:
    return (programmatic if is_programmatic else plain)(*numbers)


class _LaunchWith:
    """cuLaunchKernelEx with launch attributes, called like cuLaunchKernel."""

    def __init__(self, api: Any, *names: str) -> None:
        self._api, self._names = api, names

    @cached_property
    def _attributes(self) -> list[Any]:
        return [self._attribute(name) for name in self._names]

    def _attribute(self, name: str) -> Any:
        attribute = self._api.CUlaunchAttribute()
        attribute.id = getattr(self._api.CUlaunchAttributeID, f"CU_LAUNCH_ATTRIBUTE_{name}")
        setattr(attribute.value, _ATTRIBUTES[name], 1)
        return attribute

    def __call__(self, handle: Any, *numbers: int) -> tuple[Any, ...]:
        config = self._api.CUlaunchConfig()
        *extents, shared, stream, parameters, extra = numbers
        config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX, config.blockDimY, config.blockDimZ = (
            extents
        )
        config.sharedMemBytes, config.hStream = shared, stream
        config.attrs, config.numAttrs = self._attributes, len(self._attributes)
        answer: tuple[Any, ...] = self._api.cuLaunchKernelEx(config, handle, parameters, extra)
        return answer


def _milliseconds(api: Any, start: Any, end: Any) -> tuple[Any, ...]:
    """cuda-python 13 binds the cuEventElapsedTime of CUDA 12.8 alone; older drivers have the first one."""
    try:
        answer: tuple[Any, ...] = api.cuEventElapsedTime(start, end)
    except RuntimeError:  # how cuda-python says that the driver lacks a function
        return _first_milliseconds(api, start, end)
    return answer


def _first_milliseconds(api: Any, start: Any, end: Any) -> tuple[Any, ...]:
    first_version = 2000
    error, address, _ = api.cuGetProcAddress(b"cuEventElapsedTime", first_version, 0)
    if error:
        return (error,)
    elapsed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p)
    found = ctypes.c_float()
    return api.CUresult(elapsed(int(address))(ctypes.byref(found), int(start), int(end))), found.value


def import_driver() -> Any:
    """The module ``cuda.bindings.driver``; raises DeviceUnavailable when cuda-python is not installed."""
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise DeviceUnavailable("the package cuda-python is not installed: pip install 'lanewise[cuda]'") from error


def _log_text(buffer: bytearray) -> str:
    return buffer.partition(b"\0")[0].decode(errors="replace").strip()
