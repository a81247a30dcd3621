"""The HIP device over a fake runtime, the real package without a runtime, and a real GPU where there is one."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import struct
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import lanewise
import numpy as np
import pytest
from lanewise.jit.arguments import BufferParameter, ScalarParameter, bind
from lanewise.jit.arrays import DeviceArray, UnusableArray, view_of
from lanewise.jit.device import (
    PROGRAMMATIC,
    Code,
    DeviceError,
    DeviceFault,
    DeviceUnavailable,
    LaunchError,
    OutOfMemory,
    Resources,
    time_launches,
)
from lanewise.jit.hip import HipDevice
from lanewise.jit.kernel_file import decode
from lanewise.jit.launch_function import Asked
from lanewise.jit.launchers import Launchers
from lanewise.jit.variants import Interface, Variant
from lanewise.targets import find_chip

ARGUMENTS = struct.pack("<QQi", 4096, 100, 1)
ERRORS = (
    "hipErrorInvalidValue",
    "hipErrorOutOfMemory",
    "hipErrorNotInitialized",
    "hipErrorInvalidConfiguration",
    "hipErrorNoDevice",
    "hipErrorInvalidDevice",
    "hipErrorInvalidImage",
    "hipErrorNoBinaryForGpu",
    "hipErrorECCNotCorrectable",
    "hipErrorInvalidHandle",
    "hipErrorNotFound",
    "hipErrorNotReady",
    "hipErrorIllegalAddress",
    "hipErrorLaunchOutOfResources",
    "hipErrorLaunchTimeOut",
    "hipErrorAssert",
    "hipErrorLaunchFailure",
    "hipErrorNotSupported",
    "hipErrorUnknown",
)


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
def test_the_chip_is_the_architectures_name_without_its_features(architecture, target, make_runtime):
    assert HipDevice(0, make_runtime(architecture=architecture)).properties.target == target


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
    with pytest.raises(DeviceUnavailable, match=r"libamdhip64\.so\) was not found: install ROCm") as found:
        HipDevice()
    assert "b'" not in str(found.value) and "cannot open shared object file" in str(found.value)


@pytest.mark.parametrize("call", ["hipInit", "hipGetDeviceCount"])
def test_a_runtime_without_devices(runtime, call):
    runtime.fail[call] = runtime.hipError_t.hipErrorNoDevice
    with pytest.raises(DeviceUnavailable, match=r"cannot be used: it answered hipErrorNoDevice \(what it means\)"):
        HipDevice(0, runtime)


@pytest.mark.parametrize("ordinal", [2, -1])
def test_a_device_that_is_not_there(runtime, ordinal):
    with pytest.raises(DeviceUnavailable, match=f"HIP device {ordinal} was asked for; the runtime shows 2 devices"):
        HipDevice(ordinal, runtime)


def test_an_unknown_architecture(make_runtime):
    with pytest.raises(DeviceUnavailable, match="HIP device 0 cannot be used: unknown target 'gfx803'"):
        HipDevice(0, make_runtime(architecture="gfx803"))


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
    runtime.fail["hipMalloc"] = runtime.hipError_t.hipErrorOutOfMemory
    with pytest.raises(OutOfMemory, match="allocating 4096 bytes: the HIP runtime answered hipErrorOutOfMemory"):
        device.allocate(4096)
    with pytest.raises(DeviceError, match="size > 0, found 0"):
        device.allocate(0)


def test_whose_memory_it_is(device, runtime):
    own = device.allocate(8)
    kinds = runtime.hipMemoryType
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
    runtime.fail["hipMalloc"] = runtime.hipError_t.hipErrorOutOfMemory
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


def test_a_kernel_begins_after_the_one_before_it(device, runtime, code):
    with pytest.raises(LaunchError, match=f"{device.properties.target} has no programmatic dependent launch"):
        device.launch(device.load(code), (1, 1, 1), (64, 1, 1), ARGUMENTS, programmatic=True)
    assert not runtime.launches


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
    runtime.fail["hipModuleLaunchKernel"] = runtime.hipError_t.hipErrorInvalidConfiguration
    with pytest.raises(
        LaunchError, match=r"'scale' with grid \(1, 1, 1\), block \(1024, 1, 1\), 0 bytes.*InvalidConfiguration"
    ):
        device.launch(function, (1, 1, 1), (1024, 1, 1), ARGUMENTS)


def test_a_kernel_of_another_device(device, code, make_runtime):
    other = HipDevice(0, make_runtime())
    with pytest.raises(DeviceError, match="kernel 'scale' was not loaded on this device"):
        device.launch(other.load(code), (1, 1, 1), (1, 1, 1), ARGUMENTS)


def test_a_fault_is_reported_once(runtime, code):
    """Every error in a finalizer is an unraisable exception, which pytest makes an error of the test."""
    device = HipDevice(1, runtime)
    arrays = [DeviceArray.from_numpy(device, np.zeros(4, np.float32)) for _ in range(2)]
    function, event = device.load(code), device.event()
    device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS)
    runtime.sticky = runtime.hipError_t.hipErrorLaunchFailure
    with pytest.raises(DeviceFault, match="waiting for the device: the HIP runtime answered hipErrorLaunchFailure"):
        device.synchronize()
    arrays.pop().free()
    device.unload(function)
    assert not device._images, "the code object's bytes go with the module"
    del arrays, event, function, device
    gc.collect()
    assert [runtime.count(f"hip{name}") for name in ("Free", "ModuleUnload", "EventDestroy")] == [2, 1, 1]


def test_leaving_hides_no_error(device, runtime):
    """Not even where hip-python does not know the code that setting the caller's device answers."""
    runtime.local.device = 1
    runtime.fail["hipMalloc"] = runtime.hipError_t.hipErrorOutOfMemory
    set_device, calls = runtime.hipSetDevice, []

    def fails_on_return(ordinal):
        calls.append(ordinal)
        if ordinal == 1:
            raise ValueError("12345 is not a valid hipError_t")
        return set_device(ordinal)

    runtime.hipSetDevice = fails_on_return
    device = HipDevice(0, runtime)
    with pytest.raises(OutOfMemory):
        device.allocate(64)
    assert calls == [0, 1]


@pytest.mark.parametrize("fault", ["IllegalAddress", "LaunchFailure", "Assert", "LaunchTimeOut", "ECCNotCorrectable"])
@pytest.mark.parametrize("stream", [None, 3])
def test_a_fault_names_the_kernel(device, runtime, code, stream, fault):
    device.launch(device.load(code), (1, 1, 1), (64, 1, 1), ARGUMENTS)
    call = "hipDeviceSynchronize" if stream is None else "hipStreamSynchronize"
    runtime.fail[call] = runtime.hipError_t[f"hipError{fault}"]
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


def test_events(device, runtime, make_runtime):
    launches = []
    assert time_launches(device, lambda: launches.append(1), stream=4) == pytest.approx(2.5e-3)
    assert launches == [1]
    gc.collect()
    assert runtime.count("hipEventDestroy") == 2
    with pytest.raises(DeviceError, match="two events of one device"):
        device.event().seconds_since(HipDevice(0, make_runtime()).event())


# Every call that fails is an error that says what was done


def test_a_cooperative_launch_passes_parameters_one_by_one(runtime, device, code):
    """As the runtime takes them there alone; a grid of more workgroups than there is room for is refused before."""
    function = device.load(code)
    device.launch(function, (4, 2, 1), (64, 1, 1), ARGUMENTS, stream=9, cooperative=True)
    assert runtime.launches == [(ARGUMENTS, (4, 2, 1, 64, 1, 1, 0, 9))]
    with pytest.raises(
        LaunchError, match=r"'scale': a cooperative launch .* at most 608 of .*found a grid of \(609, 1, 1"
    ):
        device.launch(function, (609, 1, 1), (64, 1, 1), ARGUMENTS, cooperative=True)
    assert len(runtime.launches) == 1
    with pytest.raises(LaunchError, match="no programmatic dependent launch"):
        device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS, cooperative=True, programmatic=True)


def test_launch_functions_are_the_runtimes_too(runtime, code):
    """From the third launch on: the same bytes, on the device, whichever is current, in the stream that is given."""
    signature = BufferParameter("x", np.dtype("f4"), (None,)), ScalarParameter("which", np.dtype("i4"))
    interface = Interface("scale", find_chip("gfx942"), (64, 1, 1), (1, 1, 1), signature, (), (16, 4, 1), True)
    variant = Variant(code, (64, 1, 1), 0, (), (), lambda line: None)
    launchers = Launchers(
        SimpleNamespace(interface=interface, find=lambda seen, device: variant), HipDevice(1, runtime)
    )
    x = DeviceArray(launchers.device, (60,), np.float32)
    for stream in (None, 5, None, 5):
        launchers.launch((4, 2), (x, 1), stream, 0)
    assert launchers.latest(3, (x, 1), 5, 0) and x.pending == 5
    packed = struct.pack("<QQi", x.address, 60, 1)
    streams = [configured[-1] for _, configured in runtime.launches]
    assert [given for given, _ in runtime.launches] == [packed] * 5 and streams == [0, 5, 0, 5, 5]
    assert runtime.calls[-3:] == [("hipSetDevice", 0), ("hipModuleLaunchKernel", 1), ("hipSetDevice", 1)]
    launchers.prepared(Asked((4, 2, 1), (x, 1), None, 0))()
    assert runtime.launches[-1] == (packed, (4, 2, 1, 64, 1, 1, 0, 0)) and runtime.current == 0
    assert not launchers.latest(1, (x, 1), None, PROGRAMMATIC), "no chip of AMD's has them"


def test_whether_there_is_a_pool(runtime, make_runtime):
    assert not HipDevice(0, runtime).has_pool
    with_pool = make_runtime()
    with_pool.pools = 1
    assert HipDevice(0, with_pool).has_pool
    runtime.raise_in["hipDeviceGetAttribute"] = RuntimeError("failed to dlsym")
    assert not HipDevice(0, runtime).has_pool


def use_everything(device: HipDevice, code: Code) -> None:
    address = device.allocate(64)
    host = np.zeros(16, np.float32)
    device.copy_in(address, host)
    device.copy_out(host, address)
    device.fill(address, 0, 64)
    device.accessible(address)
    function = device.load(code)
    device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS)
    device.launch(function, (1, 1, 1), (64, 1, 1), ARGUMENTS, cooperative=True)
    device.has_pool = True
    device.free_in(5, device.allocate_for(5, 48))
    time_launches(device, lambda: None)
    device.synchronize(5)
    device.synchronize()
    device.capturing(5)
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
    "hipModuleLaunchCooperativeKernel": (LaunchError, "launching kernel 'scale' with grid"),
    "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor": (DeviceError, "asking how many workgroups of kernel 'scale'"),
    "hipMallocAsync": (DeviceError, "allocating 48 bytes"),
    "hipEventCreate": (DeviceError, "creating an event"),
    "hipEventRecord": (DeviceError, "recording an event"),
    "hipEventSynchronize": (DeviceError, "waiting for an event"),
    "hipEventElapsedTime": (DeviceError, "reading two events"),
    "hipStreamSynchronize": (DeviceError, "waiting for a copy to the device"),
    "hipDeviceSynchronize": (DeviceError, "waiting for the device"),
    "hipStreamIsCapturing": (DeviceError, "asking whether a stream is captured"),
    "hipModuleUnload": (DeviceError, "unloading kernel 'scale'"),
    "hipFree": (DeviceError, "freeing 0x"),
    "hipFreeAsync": (DeviceError, "freeing 0x"),
}
FAULTS = ("IllegalAddress", "LaunchFailure", "Assert", "LaunchTimeOut", "ECCNotCorrectable")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", ERRORS)
def test_every_error_of_every_call(runtime, device, code, call, error):
    kind, doing = CALLS[call]
    runtime.fail[call] = runtime.hipError_t[error]
    if call in ("hipModuleUnload", "hipFree", "hipFreeAsync") and error.removeprefix("hipError") in FAULTS:
        use_everything(device, code)  # nothing is left to give back, and every other call reports the fault
        return
    with pytest.raises(DeviceError, match=f"{doing}.*: the HIP runtime answered {error}") as caught:
        use_everything(device, code)
    if error == "hipErrorOutOfMemory":
        kind = OutOfMemory
    if error.removeprefix("hipError") in FAULTS:
        kind = DeviceFault
    assert type(caught.value) is kind
    meant = error != "hipErrorUnknown"  # for which the fake has no text
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
    runtime.fail["hipSetDevice"] = runtime.hipError_t.hipErrorInvalidDevice
    with pytest.raises(
        DeviceError, match="making HIP device 1 current: the HIP runtime answered hipErrorInvalidDevice"
    ):
        device.allocate(64)


@pytest.mark.parametrize("call", ["hipGetDeviceProperties", "hipDriverGetVersion"])
def test_errors_while_opening(runtime, call):
    runtime.fail[call] = runtime.hipError_t.hipErrorNotInitialized
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
def test_a_kernel_on_a_real_gpu(make_code):
    try:
        gpu = HipDevice()
    except DeviceUnavailable as reason:
        pytest.skip(str(reason))
    function = gpu.load(make_code(gpu.properties.target))
    signature = (BufferParameter("x", np.dtype("f4"), (None,), written=True), ScalarParameter("w", np.dtype("i4")))
    host = np.arange(1000, dtype=np.float32)
    with bind(signature, (host, 0), gpu) as bound:
        gpu.launch(function, (16, 1, 1), (64, 1, 1), bound.packed)
        bound.copy_back()
    assert (host == np.arange(1000) * 3).all()


def test_modules_go_with_their_kernels_one_for_each_image(device, runtime):
    program = (Path(__file__).parents[4] / "examples" / "vector_add.mlir").read_text().replace("@vector_add", "@scale")
    saved = decode(lanewise.compile(program, target="gfx942").to_bytes(), "test.lw")
    whole, odd = ([DeviceArray(device, (n,), np.float32) for _ in range(3)] for n in (1024, 1023))
    for _ in range(20):
        kernel = lanewise.LoadedKernel(saved, device)
        for arrays in (whole, odd, whole):
            kernel[8](*arrays)
    del kernel
    assert runtime.count("hipModuleLoadData") == runtime.count("hipModuleUnload") == 40
    assert len(set(runtime.images)) == 2 and runtime.count("hipModuleLaunchKernel") == 60
