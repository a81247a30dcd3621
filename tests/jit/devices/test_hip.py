"""The HIP device over a fake runtime, the real package without a runtime, and a real GPU where there is one."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.link import link
from lanewise.codegen.llvm import compile_text
from lanewise.ir.targets import CHIPS
from lanewise.jit.arguments import BufferParameter, ScalarParameter, bind
from lanewise.jit.arrays import DeviceArray, UnusableArray, view_of
from lanewise.jit.device import (
    Code,
    DeviceError,
    DeviceUnavailable,
    LaunchError,
    OutOfMemory,
    Resources,
    time_launches,
)
from lanewise.jit.hip import HipDevice

SCALE = """
@factors = internal addrspace(4) constant [2 x float] [float 3.0, float 5.0], align 4
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
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""
ARGUMENTS = struct.pack("<QQi", 4096, 100, 1)


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

    `fail` maps a call's name to the code that it answers next; `calls` lists what was called, with the current device;
    `launches` are the parameter bytes and grid + block + shared bytes + stream of each launch.
    """

    hipError_t = hipError_t
    hipMemoryType = hipMemoryType
    HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END = 1, 2, 3

    def __init__(self, device_count: int = 2, architecture: str = "gfx942:sramecc+:xnack-") -> None:
        self.fail: dict[str, hipError_t] = {}
        self.raise_in: dict[str, Exception] = {}
        self.calls: list[tuple[str, int]] = []
        self.launches: list[tuple[bytes, tuple[int, ...]]] = []
        self.on_launch: Callable[[bytes, tuple[int, ...]], None] = lambda *_: None
        self.device_count, self.architecture = device_count, architecture
        self.blocks: dict[int, Any] = {}
        self.pointers: dict[int, SimpleNamespace] = {}
        self.images: list[Any] = []
        self.synchronized: list[int] = []
        self.kernels = {"scale"}
        self.local = threading.local()

    @property
    def current(self) -> int:
        return getattr(self.local, "device", 0)

    def count(self, name: str) -> int:
        return sum(call == name for call, _ in self.calls)

    def _answer(self, name: str, *values: object) -> Answer:
        self.calls.append((name, self.current))
        if name in self.raise_in:
            raise self.raise_in[name]
        code = self.fail.pop(name, SUCCESS)
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

    def hipDeviceSynchronize(self) -> Answer:
        return self._answer("hipDeviceSynchronize")

    def hipStreamSynchronize(self, stream: int) -> Answer:
        self.synchronized.append(stream)
        return self._answer("hipStreamSynchronize")

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
def device(runtime: FakeRuntime) -> HipDevice:
    """A HIP device over the fake runtime."""
    return HipDevice(0, runtime)


@pytest.fixture(scope="module")
def code() -> Code:
    image = link(compile_text(SCALE, CHIPS["gfx942"]).object)
    return Code("gfx942", None, image, "scale")


# Opening


def test_properties(device):
    properties = device.properties
    assert (properties.name, properties.target, properties.driver) == ("Fake Instinct", "gfx942", "HIP 7.15.26043")
    assert (properties.subgroup_size, properties.max_threads_per_workgroup) == (64, 1024)
    assert (properties.shared_memory_bytes, properties.multiprocessors) == (65536, 304)
    assert properties.dlpack_device == (10, 0)


@pytest.mark.parametrize(
    ("architecture", "target"),
    [("gfx90a:sramecc+:xnack-", "gfx90a"), ("gfx1100", "gfx1100"), (b"gfx1201\0", "gfx1201")],
)
def test_the_chip_is_the_architectures_name_without_its_features(architecture, target):
    assert HipDevice(0, FakeRuntime(architecture=architecture)).properties.target == target


def test_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "hip", None)
    with pytest.raises(DeviceUnavailable, match=r"hip-python is not installed: pip install 'lanewise\[hip\]'"):
        HipDevice()
    monkeypatch.setitem(sys.modules, "hip", SimpleNamespace())  # another package of that name
    with pytest.raises(DeviceUnavailable, match="hip-python is not installed"):
        HipDevice()


def test_importing_the_module_imports_no_hip():
    check = "import sys, lanewise.jit.hip; assert not any(m.split('.')[0] in ('hip', 'rocm') for m in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_no_runtime():
    pytest.importorskip("hip", reason="hip-python is not installed")
    if ctypes.util.find_library("amdhip64"):
        pytest.skip("this machine has the runtime")
    with pytest.raises(DeviceUnavailable, match=r"libamdhip64\.so\) was not found: install ROCm"):
        HipDevice()


@pytest.mark.parametrize("call", ["hipInit", "hipGetDeviceCount"])
def test_a_runtime_without_devices(runtime, call):
    runtime.fail[call] = hipError_t.hipErrorNoDevice
    with pytest.raises(DeviceUnavailable, match=r"cannot be used: it answered hipErrorNoDevice \(what it means\)"):
        HipDevice(0, runtime)


@pytest.mark.parametrize("ordinal", [2, -1])
def test_a_device_that_is_not_there(runtime, ordinal):
    with pytest.raises(DeviceUnavailable, match=f"HIP device {ordinal} was asked for; the runtime shows 2 devices"):
        HipDevice(ordinal, runtime)


def test_an_unknown_architecture():
    with pytest.raises(DeviceUnavailable, match="HIP device 0 cannot be used: unknown target 'gfx803'"):
        HipDevice(0, FakeRuntime(architecture="gfx803"))


def test_the_fake_speaks_of_what_the_package_has(runtime):
    real = pytest.importorskip("hip", reason="hip-python is not installed").hip
    for name in (name for name in dir(runtime) if name.startswith(("hip", "HIP"))):
        value = getattr(runtime, name)
        if isinstance(value, type):
            for member in value:
                assert getattr(getattr(real, name), member.name) == member.value, member
        elif isinstance(value, int):
            assert getattr(real, name) == value, name
        else:
            assert hasattr(real, name), name
    for field in ("name", "gcnArchName", "warpSize", "maxThreadsPerBlock", "sharedMemPerBlock", "multiProcessorCount"):
        assert hasattr(real.hipDeviceProp_t, field), field
    for field in ("type", "device", "isManaged"):
        assert hasattr(real.hipPointerAttribute_t, field), field


# Memory


def test_copies_there_and_back(device, runtime):
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    address = device.allocate(host.nbytes)
    assert isinstance(address, int)
    device.copy_in(address, host, 7)
    back = np.zeros_like(host)
    device.copy_out(back, address, 7)
    assert (back == host).all()
    assert runtime.synchronized == [7, 7]
    device.fill(address, 0xFF, 4)
    device.copy_out(back, address)
    assert back.view(np.uint32).ravel()[:2].tolist() == [0xFFFFFFFF, np.float32(1).view(np.uint32)]
    device.free(address)
    assert not runtime.blocks


def test_out_of_memory(device, runtime):
    runtime.fail["hipMalloc"] = hipError_t.hipErrorOutOfMemory
    with pytest.raises(OutOfMemory, match="allocating 4096 bytes: the HIP runtime answered hipErrorOutOfMemory"):
        device.allocate(4096)
    with pytest.raises(DeviceError, match="size > 0, found 0"):
        device.allocate(0)


def test_whose_memory_it_is(device, runtime):
    own = device.allocate(8)
    kinds = hipMemoryType
    runtime.pointers |= {
        0x1000: SimpleNamespace(type=kinds.hipMemoryTypeDevice, device=1, isManaged=0),
        0x2000: SimpleNamespace(type=kinds.hipMemoryTypeManaged, device=1, isManaged=1),
        0x3000: SimpleNamespace(type=kinds.hipMemoryTypeUnregistered, device=0, isManaged=0),
        0x4000: SimpleNamespace(type=kinds.hipMemoryTypeHost, device=0, isManaged=0),
    }
    addresses = (own, 0x1000, 0x2000, 0x3000, 0x4000)
    assert [device.accessible(a) for a in addresses] == [True, False, True, False, True]
    assert runtime.count("hipGetLastError") == 0
    assert not device.accessible(0x5000)
    assert runtime.count("hipGetLastError") == 1  # the runtime remembers no error that others would find


class Exported:
    """An array of another library, on a ROCm device as it says."""

    def __init__(self, array, ordinal=0):
        self.array, self.ordinal, self.streams = array, ordinal, []

    def __dlpack_device__(self):
        return (10, self.ordinal)  # kDLROCM

    def __dlpack__(self, *, stream=None, **keywords):
        self.streams.append(stream)
        return self.array.__dlpack__(**keywords)


@pytest.mark.parametrize(("stream", "seen"), [(None, 0), (7, 7)])
def test_dlpack_of_rocm_memory_is_used_as_it_is(device, stream, seen):
    exported = Exported(np.arange(6, dtype=np.float32).reshape(2, 3))
    view = view_of(exported, device, stream)
    assert view.host is None
    assert (view.address, view.shape) == (exported.array.ctypes.data, (2, 3))
    assert exported.streams == [seen]  # ROCm's default stream has no number of its own
    with pytest.raises(UnusableArray, match="rocm:1"):
        view_of(Exported(exported.array, ordinal=1), device)


def test_own_arrays_are_not_offered_as_cuda_memory(device):
    array = DeviceArray.from_numpy(device, np.arange(4, dtype=np.float32))
    assert not hasattr(array, "__cuda_array_interface__")
    assert array.to_numpy().tolist() == [0, 1, 2, 3]


# The current device


def test_each_call_is_made_on_the_device_and_leaves_the_callers_current(runtime, code):
    device = HipDevice(1, runtime)
    opened = len(runtime.calls)
    address = device.allocate(64)
    function = device.load(code)
    device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS)
    device.synchronize()
    device.free(address)
    assert runtime.current == 0
    made = [call for call in runtime.calls[opened:] if call[0] not in ("hipGetDevice", "hipSetDevice")]
    assert [ordinal for _, ordinal in made] == [1] * len(made)
    assert len(made) == 6


def test_the_device_that_is_current_already_is_not_set_again(device, runtime):
    device.allocate(64)
    assert runtime.count("hipSetDevice") == 0


def test_an_error_restores_the_callers_device(runtime):
    device = HipDevice(1, runtime)
    runtime.fail["hipMalloc"] = hipError_t.hipErrorOutOfMemory
    with pytest.raises(OutOfMemory):
        device.allocate(64)
    assert runtime.current == 0


# Code


def test_load_reads_resources_from_the_code_object(device, runtime, code):
    function = device.load(code)
    assert function.info.kernarg_size == 20
    assert function.info.argument_bytes == 20
    assert function.resources == Resources(
        registers=function.info.vgpr, local_bytes=0, static_shared_bytes=256, max_threads=64
    )
    assert function.name == "scale"
    assert runtime.images == [code.image]


def test_the_image_lives_as_long_as_the_module(device, runtime, code):
    """The runtime reads it in place."""
    image = bytes(bytearray(code.image))
    before = sys.getrefcount(image)
    function = device.load(Code("gfx942", None, image, "scale"))
    runtime.images.clear()
    gc.collect()
    assert sys.getrefcount(image) == before + 1
    device.unload(function)
    assert runtime.calls[-1][0] == "hipModuleUnload"
    assert sys.getrefcount(image) == before


def test_what_is_not_loaded(device, code):
    with pytest.raises(LaunchError, match="'scale': HIP loads code objects, found AMDGCN text alone"):
        device.load(Code("gfx942", "s_endpgm", None, "scale"))
    for target in ("gfx90a", "sm_90", "gfx9999"):
        with pytest.raises(LaunchError, match=f"'scale': code for {target} does not run on gfx942"):
            device.load(Code(target, None, code.image, "scale"))
    with pytest.raises(LaunchError, match="'other' is not in the code object; it has scale"):
        device.load(Code("gfx942", None, code.image, "other"))
    with pytest.raises(LaunchError, match="'scale': a 64-bit little-endian ELF file expected"):
        device.load(Code("gfx942", None, b"not a code object", "scale"))
    with pytest.raises(LaunchError, match=r"needs 256 bytes of static and 65281 bytes of dynamic .* can have 65536"):
        device.load(code, dynamic_shared_bytes=65281)


def test_a_missing_kernel_unloads_the_module(device, runtime, code):
    runtime.kernels.clear()
    with pytest.raises(LaunchError, match=r"loading kernel 'scale' for gfx942 on gfx942 .*hipErrorNotFound"):
        device.load(code)
    assert runtime.calls[-1][0] == "hipModuleUnload"


# Work


def test_launch_passes_everything_on(device, runtime, code):
    function = device.load(code)
    device.launch(function, (5, 6, 7), (32, 2, 1), ARGUMENTS, dynamic_shared_bytes=64, stream=9)
    device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS)
    assert runtime.launches == [(ARGUMENTS, (5, 6, 7, 32, 2, 1, 64, 9)), (ARGUMENTS, (1, 1, 1, 64, 1, 1, 0, 0))]


def test_bound_arguments_fit(device, runtime, code):
    """The buffer that the front door packs is the one that the code object describes."""
    signature = (BufferParameter("x", np.dtype("f4"), (None,), written=True), ScalarParameter("w", np.dtype("i4")))
    host = np.arange(100, dtype=np.float32)

    def scale(arguments, configuration):
        address, count, which = struct.unpack("<QQi", arguments)
        data = np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))
        data *= (3, 5)[which]

    runtime.on_launch = scale
    function = device.load(code)
    with bind(signature, (host, 1), device) as bound:
        device.launch(function, (2, 1, 1), (64, 1, 1), bound.packed)
        bound.copy_back()
    assert (host == np.arange(100) * 5).all()
    assert not runtime.blocks


def test_arguments_of_another_size(device, runtime, code):
    function = device.load(code)
    with pytest.raises(LaunchError, match="kernel 'scale' takes 20 bytes of arguments, found 3"):
        device.launch(function, (1, 1, 1), (64, 1, 1), b"abc")
    assert not runtime.launches


def test_a_refused_launch_says_what_was_asked(device, runtime, code):
    function = device.load(code)
    runtime.fail["hipModuleLaunchKernel"] = hipError_t.hipErrorInvalidConfiguration
    with pytest.raises(
        LaunchError, match=r"'scale' with grid \(1, 1, 1\), block \(1024, 1, 1\), 0 bytes.*InvalidConfiguration"
    ):
        device.launch(function, (1, 1, 1), (1024, 1, 1), ARGUMENTS)


def test_a_kernel_of_another_device(device, code):
    other = HipDevice(0, FakeRuntime())
    with pytest.raises(DeviceError, match="kernel 'scale' was not loaded on this device"):
        device.launch(other.load(code), (1, 1, 1), (1, 1, 1), ARGUMENTS)


@pytest.mark.parametrize("fault", ["IllegalAddress", "LaunchFailure", "Assert", "LaunchTimeOut", "ECCNotCorrectable"])
@pytest.mark.parametrize("stream", [None, 3])
def test_a_fault_names_the_kernel(device, runtime, code, stream, fault):
    device.launch(device.load(code), (1, 1, 1), (64, 1, 1), ARGUMENTS)
    call = "hipDeviceSynchronize" if stream is None else "hipStreamSynchronize"
    runtime.fail[call] = hipError_t[f"hipError{fault}"]
    with pytest.raises(LaunchError, match=f"{fault}.*last kernel launched was 'scale'. The device cannot be used"):
        device.synchronize(stream)


def test_threads_have_their_own_argument_buffers_and_current_devices(runtime, code):
    device = HipDevice(1, runtime)
    mismatches = []

    def run(arguments, configuration):
        if set(arguments) != {configuration[0]} or runtime.current != 1:
            mismatches.append(configuration)

    runtime.on_launch = run
    function = device.load(code)

    def work(number):
        for _ in range(100):
            device.launch(function, (number, 1, 1), (64, 1, 1), bytes([number]) * 20)
        if runtime.current != 0:
            mismatches.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not mismatches
    assert len(runtime.launches) == 400


def test_events(device, runtime):
    launches = []
    assert time_launches(device, lambda: launches.append(1), stream=4) == pytest.approx(2.5e-3)
    assert launches == [1]
    gc.collect()
    assert runtime.count("hipEventDestroy") == 2
    with pytest.raises(DeviceError, match="two events of one device"):
        device.event().seconds_since(HipDevice(0, FakeRuntime()).event())


# Every call that fails is an error that says what was done


def use_everything(device: HipDevice, code: Code) -> None:
    address = device.allocate(64)
    host = np.zeros(16, np.float32)
    device.copy_in(address, host)
    device.copy_out(host, address)
    device.fill(address, 0, 64)
    device.accessible(address)
    function = device.load(code)
    device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS)
    time_launches(device, lambda: None)
    device.synchronize(5)
    device.synchronize()
    device.unload(function)
    device.free(address)


CALLS = {
    "hipGetDevice": (DeviceError, "reading the current device"),
    "hipMalloc": (DeviceError, "allocating 64 bytes"),
    "hipMemcpyHtoDAsync": (DeviceError, "copying 64 bytes to 0x"),
    "hipMemcpyDtoHAsync": (DeviceError, "copying 64 bytes from 0x"),
    "hipMemsetD8Async": (DeviceError, "filling 64 bytes at 0x"),
    "hipModuleLoadData": (LaunchError, "loading kernel 'scale' for gfx942"),
    "hipModuleGetFunction": (LaunchError, "loading kernel 'scale' for gfx942"),
    "hipModuleLaunchKernel": (LaunchError, "launching kernel 'scale' with grid"),
    "hipEventCreate": (DeviceError, "creating an event"),
    "hipEventRecord": (DeviceError, "recording an event"),
    "hipEventSynchronize": (DeviceError, "waiting for an event"),
    "hipEventElapsedTime": (DeviceError, "reading two events"),
    "hipStreamSynchronize": (DeviceError, "waiting for a copy to the device"),
    "hipDeviceSynchronize": (DeviceError, "waiting for the device"),
    "hipModuleUnload": (DeviceError, "unloading kernel 'scale'"),
    "hipFree": (DeviceError, "freeing 0x"),
}
FAULTS = ("IllegalAddress", "LaunchFailure", "Assert", "LaunchTimeOut", "ECCNotCorrectable")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", [e for e in hipError_t if e], ids=lambda e: e.name)
def test_every_error_of_every_call(runtime, device, code, call, error):
    kind, doing = CALLS[call]
    runtime.fail[call] = error
    with pytest.raises(DeviceError, match=f"{doing}.*: the HIP runtime answered {error.name}") as caught:
        use_everything(device, code)
    if error is hipError_t.hipErrorOutOfMemory:
        kind = OutOfMemory
    if error.name.removeprefix("hipError") in FAULTS:
        kind = LaunchError
    assert type(caught.value) is kind
    meant = error is not hipError_t.hipErrorUnknown  # for which the fake has no text
    assert ("(what it means)" in str(caught.value)) == meant
    assert runtime.current == 0


def test_using_everything_uses_every_call(runtime, device, code):
    use_everything(device, code)
    gc.collect()
    made = {name for name, _ in runtime.calls}
    known = {name for name in dir(runtime) if name.startswith("hip") and not isinstance(getattr(runtime, name), type)}
    assert known - made == {"hipSetDevice", "hipGetLastError", "hipGetErrorString"}  # seen in other tests


def test_another_device_that_cannot_be_made_current(runtime):
    device = HipDevice(1, runtime)
    runtime.fail["hipSetDevice"] = hipError_t.hipErrorInvalidDevice
    with pytest.raises(
        DeviceError, match="making HIP device 1 current: the HIP runtime answered hipErrorInvalidDevice"
    ):
        device.allocate(64)


@pytest.mark.parametrize("call", ["hipGetDeviceProperties", "hipDriverGetVersion"])
def test_errors_while_opening(runtime, call):
    runtime.fail[call] = hipError_t.hipErrorNotInitialized
    with pytest.raises(DeviceError, match="the HIP runtime answered hipErrorNotInitialized"):
        HipDevice(0, runtime)


@pytest.mark.parametrize(
    "error", [RuntimeError("failed to dlsym 'hipMalloc'"), ValueError("12345 is not a valid hipError_t")]
)
def test_a_runtime_that_does_not_fit_the_package(runtime, device, error):
    runtime.raise_in["hipMalloc"] = error
    with pytest.raises(DeviceError, match=f"hipMalloc: hip-python and the HIP runtime do not fit together: {error}"):
        device.allocate(64)


# A real GPU


@pytest.mark.device("hip")
def test_a_kernel_on_a_real_gpu():
    try:
        gpu = HipDevice()
    except DeviceUnavailable as reason:
        pytest.skip(str(reason))
    image = link(compile_text(SCALE, CHIPS[gpu.properties.target]).object)
    function = gpu.load(Code(gpu.properties.target, None, image, "scale"))
    signature = (BufferParameter("x", np.dtype("f4"), (None,), written=True), ScalarParameter("w", np.dtype("i4")))
    host = np.arange(1000, dtype=np.float32)
    with bind(signature, (host, 0), gpu) as bound:
        gpu.launch(function, (16, 1, 1), (64, 1, 1), bound.packed)
        bound.copy_back()
    assert (host == np.arange(1000) * 3).all()
