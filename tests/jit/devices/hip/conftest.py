"""A HIP runtime that is not there: the calls that `HipDevice` makes, over host memory, with errors on demand."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.link import link
from lanewise.codegen.llvm import compile_text
from lanewise.jit.device import Code
from lanewise.jit.hip import HipDevice
from lanewise.targets import CHIPS

SCALE = """
@factors = internal unnamed_addr addrspace(4) constant [2 x float] [float 3.0, float 5.0], align 4
@tile = internal addrspace(3) global [64 x float] poison, align 16
define amdgpu_kernel void @scale(ptr addrspace(1) %x, i64 %n, i32 %which) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = mul i32 %g, 64
  %s = add i32 %b, %t
  %i = zext i32 %s to i64
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %work, label %end
work:
  %f = getelementptr float, ptr addrspace(4) @factors, i32 %which
  %factor = load float, ptr addrspace(4) %f
  %p = getelementptr float, ptr addrspace(1) %x, i64 %i
  %v = load float, ptr addrspace(1) %p
  %l = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store volatile float %v, ptr addrspace(3) %l
  %w = load volatile float, ptr addrspace(3) %l
  %r = fmul float %w, %factor
  store float %r, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""


class hipError_t(IntEnum):
    hipSuccess = 0
    hipErrorInvalidValue = 1
    hipErrorOutOfMemory = 2
    hipErrorNotInitialized = 3
    hipErrorInvalidConfiguration = 9
    hipErrorNoDevice = 100
    hipErrorInvalidDevice = 101
    hipErrorInvalidImage = 200
    hipErrorNoBinaryForGpu = 209
    hipErrorECCNotCorrectable = 214
    hipErrorInvalidHandle = 400
    hipErrorNotFound = 500
    hipErrorNotReady = 600
    hipErrorIllegalAddress = 700
    hipErrorLaunchOutOfResources = 701
    hipErrorLaunchTimeOut = 702
    hipErrorAssert = 710
    hipErrorLaunchFailure = 719
    hipErrorNotSupported = 801
    hipErrorUnknown = 999


class hipMemoryType(IntEnum):
    hipMemoryTypeUnregistered = 0
    hipMemoryTypeHost = 1
    hipMemoryTypeDevice = 2
    hipMemoryTypeManaged = 3


class hipDeviceAttribute_t(IntEnum):
    hipDeviceAttributeMemoryPoolsSupported = 88


Answer = tuple[Any, ...]
SUCCESS = hipError_t.hipSuccess


class Handle:
    """What hip-python makes of modules, functions and events: an object with an address."""

    def __init__(self, address: int, name: str = "") -> None:
        self.address, self.name = address, name

    def __int__(self) -> int:
        return self.address


class FakeRuntime:
    """Stands in for `hip.hip`, with memory of the host.

    `fail` maps a call's name to the code that it answers next, and `sticky` is what work answers once it is set;
    `calls` lists what was called, with the current device; `launches` are the parameter bytes and grid + block + shared
    bytes + stream of each launch.
    """

    hipError_t = hipError_t
    hipMemoryType = hipMemoryType
    hipDeviceAttribute_t = hipDeviceAttribute_t
    HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END = 1, 2, 3

    def __init__(self, device_count: int = 2, architecture: str = "gfx942:sramecc+:xnack-") -> None:
        self.fail: dict[str, hipError_t] = {}
        self.sticky = SUCCESS
        self.raise_in: dict[str, Exception] = {}
        self.calls: list[tuple[str, int]] = []
        self.launches: list[tuple[bytes, tuple[int, ...]]] = []
        self.on_launch: Callable[[bytes, tuple[int, ...]], None] = lambda *_: None
        self.device_count, self.architecture = device_count, architecture
        self.blocks: dict[int, Any] = {}
        self.pointers: dict[int, SimpleNamespace] = {}
        self.images: list[Any] = []
        self.synchronized: list[int] = []
        self.captured: set[int] = set()
        self.kernels = {"scale"}
        self.local = threading.local()
        self.pools, self.resident = 0, 2
        self.pooled: dict[int, int] = {}

    @property
    def current(self) -> int:
        return getattr(self.local, "device", 0)

    def count(self, name: str) -> int:
        return sum(call == name for call, _ in self.calls)

    def _answer(self, name: str, *values: object) -> Answer:
        self.calls.append((name, self.current))
        if name in self.raise_in:
            raise self.raise_in[name]
        sticky = SUCCESS if name in ("hipGetDevice", "hipSetDevice") else self.sticky  # which touch no device
        code = sticky or self.fail.pop(name, SUCCESS)
        return (code, *values) if not code else (code, *(None for _ in values))

    # Device

    def hipInit(self, flags: int) -> Answer:
        return self._answer("hipInit")

    def hipGetDeviceCount(self) -> Answer:
        return self._answer("hipGetDeviceCount", self.device_count)

    def hipGetDevice(self) -> Answer:
        return self._answer("hipGetDevice", self.current)

    def hipSetDevice(self, ordinal: int) -> Answer:
        answer = self._answer("hipSetDevice")
        if not answer[0]:
            self.local.device = ordinal
        return answer

    def hipGetDeviceProperties(self, ordinal: int) -> Answer:
        properties = SimpleNamespace(
            name="Fake Instinct",
            gcnArchName=self.architecture,
            warpSize=64,
            maxThreadsPerBlock=1024,
            sharedMemPerBlock=65536,
            multiProcessorCount=304,
        )
        return self._answer("hipGetDeviceProperties", properties)

    def hipDeviceGetAttribute(self, attribute: hipDeviceAttribute_t, ordinal: int) -> Answer:
        return self._answer("hipDeviceGetAttribute", self.pools)

    def hipDriverGetVersion(self) -> Answer:
        return self._answer("hipDriverGetVersion", 71526043)

    def hipGetErrorString(self, code: hipError_t) -> Answer:
        return (SUCCESS, "what it means" if code is not hipError_t.hipErrorUnknown else None)

    def hipGetLastError(self) -> Answer:
        return self._answer("hipGetLastError")

    # Memory

    def hipMalloc(self, nbytes: int) -> Answer:
        answer = self._answer("hipMalloc", 0)
        if answer[0]:
            return answer
        block = np.full(nbytes + 256, 0xA5, np.uint8)
        address = -(-block.ctypes.data // 256) * 256
        self.blocks[address] = (block, nbytes)
        self.pointers[address] = SimpleNamespace(
            type=hipMemoryType.hipMemoryTypeDevice, device=self.current, isManaged=0
        )
        return (SUCCESS, Handle(address))

    def hipFree(self, address: int) -> Answer:
        answer = self._answer("hipFree")
        if not answer[0]:
            del self.blocks[address]
        return answer

    def hipMallocAsync(self, nbytes: int, stream: int) -> Answer:
        answer = self._answer("hipMallocAsync", 0)
        if answer[0]:
            return answer
        _, handle = self.hipMalloc(nbytes)
        self.pooled[int(handle)] = stream
        return (SUCCESS, handle)

    def hipFreeAsync(self, address: int, stream: int) -> Answer:
        answer = self._answer("hipFreeAsync")
        if not answer[0]:
            assert self.pooled.pop(address) == stream
            del self.blocks[address]
        return answer

    def _check_range(self, address: int, nbytes: int) -> None:
        assert any(start <= address and address + nbytes <= start + size for start, (_, size) in self.blocks.items())

    def hipMemcpyHtoDAsync(self, address: int, host: int, nbytes: int, stream: int) -> Answer:
        self._check_range(address, nbytes)
        ctypes.memmove(address, host, nbytes)
        return self._answer("hipMemcpyHtoDAsync")

    def hipMemcpyDtoHAsync(self, host: int, address: int, nbytes: int, stream: int) -> Answer:
        self._check_range(address, nbytes)
        ctypes.memmove(host, address, nbytes)
        return self._answer("hipMemcpyDtoHAsync")

    def hipMemsetD8Async(self, address: int, byte: int, nbytes: int, stream: int) -> Answer:
        self._check_range(address, nbytes)
        ctypes.memset(address, byte, nbytes)
        return self._answer("hipMemsetD8Async")

    def hipPointerGetAttributes(self, address: int) -> Answer:
        if address not in self.pointers:
            return (hipError_t.hipErrorInvalidValue, SimpleNamespace())
        return self._answer("hipPointerGetAttributes", self.pointers[address])

    # Code

    def hipModuleLoadData(self, image: bytes) -> Answer:
        self.images.append(image)
        return self._answer("hipModuleLoadData", Handle(0xA0 + len(self.images)))

    def hipModuleUnload(self, module: Handle) -> Answer:
        return self._answer("hipModuleUnload")

    def hipModuleGetFunction(self, module: Handle, name: bytes) -> Answer:
        if name.decode() not in self.kernels:
            return (hipError_t.hipErrorNotFound, None)
        return self._answer("hipModuleGetFunction", Handle(0xF0, name.decode()))

    # Work

    def hipModuleLaunchKernel(self, function: Handle, *rest: int) -> Answer:
        *configuration, kernel_params, extra = rest
        assert kernel_params == 0
        words = (ctypes.c_size_t * 5).from_address(extra)
        assert (words[0], words[2], words[4]) == (
            self.HIP_LAUNCH_PARAM_BUFFER_POINTER,
            self.HIP_LAUNCH_PARAM_BUFFER_SIZE,
            self.HIP_LAUNCH_PARAM_END,
        )
        arguments = ctypes.string_at(words[1], ctypes.c_size_t.from_address(words[3]).value)
        answer = self._answer("hipModuleLaunchKernel")
        if not answer[0]:
            self.launches.append((arguments, tuple(configuration)))
            self.on_launch(arguments, tuple(configuration))
        return answer

    def hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(self, function: Handle, threads: int, shared: int) -> Answer:
        return self._answer("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", self.resident)

    def hipModuleLaunchCooperativeKernel(self, function: Handle, *rest: int) -> Answer:
        """Of "scale", whose parameters have 8, 8 and 4 bytes."""
        *configuration, parameters = rest
        answer = self._answer("hipModuleLaunchCooperativeKernel")
        if answer[0]:
            return answer
        sizes = (8, 8, 4)
        pointers = (ctypes.c_void_p * len(sizes)).from_address(parameters)
        given = b"".join(ctypes.string_at(p, n) for p, n in zip(pointers, sizes, strict=True))
        self.launches.append((given, tuple(configuration)))
        return answer

    def hipDeviceSynchronize(self) -> Answer:
        return self._answer("hipDeviceSynchronize")

    def hipStreamSynchronize(self, stream: int) -> Answer:
        self.synchronized.append(stream)
        return self._answer("hipStreamSynchronize")

    def hipStreamIsCapturing(self, stream: int) -> Answer:
        return self._answer("hipStreamIsCapturing", int(stream in self.captured))

    def hipEventCreate(self) -> Answer:
        return self._answer("hipEventCreate", Handle(0xE0))

    def hipEventDestroy(self, event: Handle) -> Answer:
        return self._answer("hipEventDestroy")

    def hipEventRecord(self, event: Handle, stream: int) -> Answer:
        return self._answer("hipEventRecord")

    def hipEventSynchronize(self, event: Handle) -> Answer:
        return self._answer("hipEventSynchronize")

    def hipEventElapsedTime(self, start: Handle, end: Handle) -> Answer:
        return self._answer("hipEventElapsedTime", 2.5)


@pytest.fixture
def runtime() -> FakeRuntime:
    return FakeRuntime()


@pytest.fixture
def make_runtime() -> type[FakeRuntime]:
    return FakeRuntime


@pytest.fixture
def device(runtime: FakeRuntime) -> HipDevice:
    """A HIP device over the fake runtime."""
    return HipDevice(0, runtime)


@pytest.fixture(scope="session")
def make_code() -> Callable[[str], Code]:
    """SCALE for a chip: multiplies n floats at x by 3 or by 5, in workgroups of 64."""
    return lambda chip: Code(chip, None, link(compile_text(SCALE, CHIPS[chip]).object), "scale")


@pytest.fixture(scope="session")
def code(make_code: Callable[[str], Code]) -> Code:
    return make_code("gfx942")
