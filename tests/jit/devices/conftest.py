"""A CUDA driver that is not there: the calls that `CudaDevice` makes, over host memory, with errors on demand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lanewise.jit.cuda import CudaDevice


class CUresult(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_DEINITIALIZED = 4
    CUDA_ERROR_NO_DEVICE = 100
    CUDA_ERROR_INVALID_IMAGE = 200
    CUDA_ERROR_INVALID_PTX = 218
    CUDA_ERROR_NOT_FOUND = 500
    CUDA_ERROR_ILLEGAL_ADDRESS = 700
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709
    CUDA_ERROR_LAUNCH_FAILED = 719
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906


class CUdevice_attribute(IntEnum):
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115


class CUfunction_attribute(IntEnum):
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8


class CUpointer_attribute(IntEnum):
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9


class CUjit_option(IntEnum):
    CU_JIT_INFO_LOG_BUFFER = 3
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4
    CU_JIT_ERROR_LOG_BUFFER = 5
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6


class CUlaunchAttributeID(IntEnum):
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6


Answer = tuple[Any, ...]
OK: Answer = (CUresult.CUDA_SUCCESS,)
Kernel = Callable[[bytes, tuple[Any, ...]], None]


class FakeDriver:
    """Stands in for `cuda.bindings.driver`.

    `fail` maps a call's name to the code that it answers next, and `sticky` is what every call answers once it is set;
    `calls` lists what was called; `kernels` maps a symbol to what runs when it is launched (its parameter bytes, and
    grid + block + shared bytes + stream). `retained` counts who holds the primary context. With `old`, a driver from
    before CUDA 12.8 that has the first cuEventElapsedTime alone. `pooled` is what the pool gave, with its stream.
    """

    CUresult = CUresult
    CUdevice_attribute = CUdevice_attribute
    CUfunction_attribute = CUfunction_attribute
    CUpointer_attribute = CUpointer_attribute
    CUjit_option = CUjit_option
    CUlaunchAttributeID = CUlaunchAttributeID
    CUlaunchConfig = SimpleNamespace

    @staticmethod
    def CUlaunchAttribute() -> SimpleNamespace:
        return SimpleNamespace(value=SimpleNamespace())

    def __init__(
        self, device_count: int = 1, capability: tuple[int, int] = (9, 0), old: bool = False, pools: bool = False
    ) -> None:
        self.fail: dict[str, CUresult] = {}
        self.sticky = CUresult.CUDA_SUCCESS
        self.retained = 0
        self.old = old
        self.pooled: dict[int, int] = {}
        self.resident = 2
        self.calls: list[str] = []
        self.kernels: dict[str, Kernel] = {}
        self.blocks: dict[int, Any] = {}
        self.ordinals: dict[int, int] = {}
        self.managed: set[int] = set()
        self.error_log = b""
        self.images: list[bytes] = []
        self.context_stack: list[object] = []
        self.device_count = device_count
        self.static_shared = 1024
        self.opted_in: dict[str, int] = {}
        self.synchronized: list[int] = []
        self.captured: set[int] = set()
        self.events = 0
        self.attributes = {
            "MAX_THREADS_PER_BLOCK": 1024,
            "WARP_SIZE": 32,
            "MULTIPROCESSOR_COUNT": 132,
            "COMPUTE_CAPABILITY_MAJOR": capability[0],
            "COMPUTE_CAPABILITY_MINOR": capability[1],
            "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 227 * 1024,
            "MEMORY_POOLS_SUPPORTED": int(pools),
        }

    def _answer(self, name: str, *values: object, context: bool = True) -> Answer:
        self.calls.append(name)
        assert self.context_stack or not context, f"{name} without a current context"
        code = self.sticky or self.fail.pop(name, CUresult.CUDA_SUCCESS)
        return (code, *values) if not code else (code, *(None for _ in values))

    # Device

    def cuInit(self, flags: int) -> Answer:
        return self._answer("cuInit", context=False)

    def cuDeviceGetCount(self) -> Answer:
        return self._answer("cuDeviceGetCount", self.device_count, context=False)

    def cuDeviceGet(self, ordinal: int) -> Answer:
        return self._answer("cuDeviceGet", ordinal, context=False)

    def cuDeviceGetName(self, size: int, device: int) -> Answer:
        return self._answer("cuDeviceGetName", b"Fake GPU".ljust(size, b"\0"), context=False)

    def cuDriverGetVersion(self) -> Answer:
        return self._answer("cuDriverGetVersion", 13010, context=False)

    def cuDeviceGetAttribute(self, attribute: CUdevice_attribute, device: int) -> Answer:
        value = self.attributes[attribute.name.removeprefix("CU_DEVICE_ATTRIBUTE_")]
        return self._answer("cuDeviceGetAttribute", value, context=False)

    def cuDevicePrimaryCtxRetain(self, device: int) -> Answer:
        self.retained += 1
        return self._answer("cuDevicePrimaryCtxRetain", device, context=False)

    def cuDevicePrimaryCtxRelease(self, device: int) -> Answer:
        self.retained -= 1
        return self._answer("cuDevicePrimaryCtxRelease", context=False)

    def cuCtxPushCurrent(self, context: object) -> Answer:
        code = self.fail.pop("cuCtxPushCurrent", CUresult.CUDA_SUCCESS)
        if not code:
            self.context_stack.append(context)
        return (code,)

    def cuCtxPopCurrent(self) -> Answer:
        return (CUresult.CUDA_SUCCESS, self.context_stack.pop())

    def cuGetErrorName(self, code: CUresult) -> Answer:
        return (CUresult.CUDA_SUCCESS, code.name.encode())

    def cuGetErrorString(self, code: CUresult) -> Answer:
        return (CUresult.CUDA_SUCCESS, b"what it means")

    # Memory: addresses are real ones of host memory that nobody else uses

    def cuMemAlloc(self, nbytes: int) -> Answer:
        answer = self._answer("cuMemAlloc", 0)
        if answer[0]:
            return answer
        block = np.full(nbytes + 256, 0xA5, np.uint8)
        address = -(-block.ctypes.data // 256) * 256
        self.blocks[address] = (block, nbytes)
        self.ordinals[address] = 0
        return (answer[0], address)

    def cuMemFree(self, address: int) -> Answer:
        del self.blocks[address]
        return self._answer("cuMemFree")

    def cuMemAllocAsync(self, nbytes: int, stream: int) -> Answer:
        answer = self._answer("cuMemAllocAsync", 0)
        if answer[0]:
            return answer
        _, address = self.cuMemAlloc(nbytes)
        self.pooled[address] = stream
        return (answer[0], address)

    def cuMemFreeAsync(self, address: int, stream: int) -> Answer:
        assert self.pooled.pop(address) == stream
        del self.blocks[address]
        return self._answer("cuMemFreeAsync")

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, function: str, threads: int, shared: int) -> Answer:
        return self._answer("cuOccupancyMaxActiveBlocksPerMultiprocessor", self.resident)

    def _check_range(self, address: int, nbytes: int) -> None:
        assert any(start <= address and address + nbytes <= start + size for start, (_, size) in self.blocks.items())

    def cuMemcpyHtoDAsync(self, address: int, host: int, nbytes: int, stream: int) -> Answer:
        self._check_range(address, nbytes)
        ctypes.memmove(address, host, nbytes)
        return self._answer("cuMemcpyHtoDAsync")

    def cuMemcpyDtoHAsync(self, host: int, address: int, nbytes: int, stream: int) -> Answer:
        self._check_range(address, nbytes)
        ctypes.memmove(host, address, nbytes)
        return self._answer("cuMemcpyDtoHAsync")

    def cuMemsetD8Async(self, address: int, byte: int, nbytes: int, stream: int) -> Answer:
        self._check_range(address, nbytes)
        ctypes.memset(address, byte, nbytes)
        return self._answer("cuMemsetD8Async")

    def cuPointerGetAttribute(self, attribute: CUpointer_attribute, address: int) -> Answer:
        if attribute is CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return self._answer("cuPointerGetAttribute", address in self.managed)
        if address not in self.ordinals:
            return (CUresult.CUDA_ERROR_INVALID_VALUE, None)
        return self._answer("cuPointerGetAttribute", self.ordinals[address])

    # Code

    def cuModuleLoadDataEx(self, image: bytes, count: int, options: list[CUjit_option], values: list[Any]) -> Answer:
        assert count == len(options) == len(values)
        self.images.append(image)
        buffers = dict(zip(options, values, strict=True))
        log = self.error_log
        assert len(log) < buffers[CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        buffers[CUjit_option.CU_JIT_ERROR_LOG_BUFFER][: len(log)] = log
        buffers[CUjit_option.CU_JIT_INFO_LOG_BUFFER][:4] = b"fine"
        return self._answer("cuModuleLoadDataEx", "module")

    def cuModuleUnload(self, module: str) -> Answer:
        return self._answer("cuModuleUnload")

    def cuModuleGetFunction(self, module: str, name: bytes) -> Answer:
        return self._answer("cuModuleGetFunction", name.decode())

    def cuFuncGetAttribute(self, attribute: CUfunction_attribute, function: str) -> Answer:
        values = {"MAX_THREADS_PER_BLOCK": 512, "SHARED_SIZE_BYTES": self.static_shared, "NUM_REGS": 40}
        value = values.get(attribute.name.removeprefix("CU_FUNC_ATTRIBUTE_"), 8)
        return self._answer("cuFuncGetAttribute", value)

    def cuFuncSetAttribute(self, function: str, attribute: CUfunction_attribute, value: int) -> Answer:
        assert attribute is CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self.opted_in[function] = value
        return self._answer("cuFuncSetAttribute")

    # Work

    def cuLaunchKernel(self, function: str, *rest: int) -> Answer:
        *configuration, stream, kernel_params, extra = rest
        configuration.append(stream or 0)
        assert kernel_params == 0
        run = self.kernels.get(function)
        if run is not None:
            run(read_extra(extra), tuple(configuration))
        return self._answer("cuLaunchKernel")

    def cuLaunchKernelEx(self, config: Any, function: str, kernel_params: int, extra: int) -> Answer:
        """The kernel's configuration ends in the attributes of the launch."""
        extents = (getattr(config, f"{what}Dim{axis}") for what in ("grid", "block") for axis in "XYZ")
        assert kernel_params == 0 and config.numAttrs == len(config.attrs)
        fields = {2: "cooperative", 6: "programmaticStreamSerializationAllowed"}
        attributes = {a.id: getattr(a.value, fields[a.id]) for a in config.attrs}
        run = self.kernels.get(function)
        if run is not None:
            run(read_extra(extra), (*extents, config.sharedMemBytes, config.hStream, attributes))
        return self._answer("cuLaunchKernelEx")

    def cuCtxSynchronize(self) -> Answer:
        return self._answer("cuCtxSynchronize")

    def cuStreamSynchronize(self, stream: int) -> Answer:
        self.synchronized.append(stream)
        return self._answer("cuStreamSynchronize")

    def cuStreamIsCapturing(self, stream: int) -> Answer:
        return self._answer("cuStreamIsCapturing", int(stream in self.captured))

    def cuEventCreate(self, flags: int) -> Answer:
        self.events += 1
        return self._answer("cuEventCreate", self.events)

    def cuEventDestroy(self, event: object) -> Answer:
        return self._answer("cuEventDestroy")

    def cuEventRecord(self, event: object, stream: int) -> Answer:
        return self._answer("cuEventRecord")

    def cuEventSynchronize(self, event: object) -> Answer:
        return self._answer("cuEventSynchronize")

    def cuEventElapsedTime(self, start: object, end: object) -> Answer:
        if self.old:
            raise RuntimeError("function cuEventElapsedTime_v2 is not found")
        return self._answer("cuEventElapsedTime", 2.5)

    def cuGetProcAddress(self, name: bytes, version: int, flags: int) -> Answer:
        assert (name, version < 12080, flags) == (b"cuEventElapsedTime", True, 0)
        return self._answer("cuGetProcAddress", ctypes.cast(_first_elapsed_time, ctypes.c_void_p).value, 0)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p)
def _first_elapsed_time(found: Any, start: int, end: int) -> int:
    if start >= end:
        return CUresult.CUDA_ERROR_INVALID_VALUE
    found[0] = 1.5
    return CUresult.CUDA_SUCCESS


def read_extra(address: int) -> bytes:
    """The parameter bytes that cuLaunchKernel finds through its `extra` array."""
    words = (ctypes.c_size_t * 5).from_address(address)
    assert (words[0], words[2], words[4]) == (1, 2, 0)
    return ctypes.string_at(words[1], ctypes.c_size_t.from_address(words[3]).value)


@pytest.fixture
def driver() -> FakeDriver:
    return FakeDriver()


@pytest.fixture
def make_driver() -> type[FakeDriver]:
    return FakeDriver


@pytest.fixture
def device(driver: FakeDriver) -> CudaDevice:
    """A CUDA device over the fake driver."""
    return CudaDevice(0, driver)
