"""The CUDA device over a fake driver, the real package without a driver, and a real GPU where there is one."""

from __future__ import annotations

import contextlib
import ctypes.util
import gc
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lanewise.jit.arrays import DeviceArray
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.device import (
    Code,
    DeviceError,
    DeviceFault,
    DeviceUnavailable,
    LaunchError,
    OutOfMemory,
    Resources,
    time_launches,
)

PTX = Code("sm_80", "// text", None, "k")


# Opening


def test_properties(device):
    properties = device.properties
    assert (properties.name, properties.target, properties.driver) == ("Fake GPU", "sm_90a", "CUDA 13.1")
    assert (properties.subgroup_size, properties.max_threads_per_workgroup, properties.multiprocessors) == (
        32,
        1024,
        132,
    )
    assert (properties.shared_memory_bytes, properties.dlpack_device) == (232448, (2, 0))


def test_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(DeviceUnavailable, match=r"cuda-python is not installed: pip install 'lanewise\[cuda\]'"):
        CudaDevice()


def test_importing_the_module_imports_no_cuda():
    check = "import sys, lanewise.jit.cuda; assert not any(m.split('.')[0] == 'cuda' for m in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_no_driver():
    pytest.importorskip("cuda.bindings.driver", reason="cuda-python is not installed")
    if ctypes.util.find_library("cuda"):
        pytest.skip("this machine has the driver")
    with pytest.raises(DeviceUnavailable, match=r"libcuda\.so\.1\) was not found: install the driver"):
        CudaDevice()


def test_a_driver_without_devices(driver, make_driver):
    driver.fail["cuInit"] = driver.CUresult.CUDA_ERROR_NO_DEVICE
    with pytest.raises(DeviceUnavailable, match=r"cuInit answered CUDA_ERROR_NO_DEVICE \(what it means\)"):
        CudaDevice(0, driver)
    with pytest.raises(DeviceUnavailable, match="CUDA device 2 was asked for; the driver shows 2 devices"):
        CudaDevice(2, make_driver(device_count=2))


def test_a_device_too_old(make_driver):
    with pytest.raises(DeviceUnavailable, match=r"compute capability 3\.5 is older"):
        CudaDevice(0, make_driver(capability=(3, 5)))


def test_the_fake_speaks_of_what_the_package_has(driver):
    real = pytest.importorskip("cuda.bindings.driver", reason="cuda-python is not installed")
    for name in dir(driver):
        if name.startswith("cu"):
            assert hasattr(real, name), name
        elif name.startswith("CUlaunch") and not name.endswith("ID"):
            assert isinstance(getattr(real, name), type), name
        elif name.startswith("CU"):
            for member in getattr(driver, name):
                assert getattr(getattr(real, name), member.name) == member.value, member


# Going


def test_the_primary_context_is_released_with_the_device(driver):
    devices = [CudaDevice(0, driver) for _ in range(3)]
    assert driver.retained == 3
    array = DeviceArray(devices[0], (4,), np.float32)
    function = devices[1].load(PTX)
    del devices
    assert driver.retained == 2, "an array and a kernel hold their devices"
    function.device.unload(function)
    del function
    array.free()
    assert driver.retained == 1, "a freed array says which device it was on"
    del array
    assert driver.retained == 0
    assert driver.calls[-1] == "cuDevicePrimaryCtxRelease"


def test_a_device_that_does_not_open_holds_no_context(driver):
    driver.fail["cuDeviceGetName"] = driver.CUresult.CUDA_ERROR_NOT_FOUND
    with pytest.raises(DeviceError, match="reading the device's name"):
        CudaDevice(0, driver)
    assert driver.retained == 0


@pytest.mark.parametrize("lost", ["CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_CONTEXT_IS_DESTROYED"])
def test_a_fault_is_reported_once(driver, lost):
    """Every error in a finalizer is an unraisable exception, which pytest makes an error of the test."""
    device = CudaDevice(0, driver)
    arrays = [DeviceArray.from_numpy(device, np.zeros(4, np.float32)) for _ in range(2)]
    function, event = device.load(PTX), device.event()
    device.launch(function, (1, 1, 1), (1, 1, 1), b"")
    driver.sticky = driver.CUresult[lost]
    with pytest.raises(DeviceError, match=lost) as report:
        device.synchronize()
    assert isinstance(report.value, DeviceFault) == (lost == "CUDA_ERROR_ILLEGAL_ADDRESS")
    arrays.pop().free()
    device.unload(function)
    del arrays, event, function, device, report
    gc.collect()
    assert [name for name in driver.calls if "Free" in name or "Unload" in name or "Destroy" in name] == [
        *("cuMemFree", "cuModuleUnload", "cuMemFree", "cuEventDestroy")
    ]
    assert (driver.retained, driver.context_stack) == (0, [])


def test_no_context_to_enter_after_a_fault(device, driver):
    address = device.allocate(16)
    driver.fail["cuCtxPushCurrent"] = driver.CUresult.CUDA_ERROR_LAUNCH_FAILED
    device.free(address)
    driver.fail["cuCtxPushCurrent"] = driver.CUresult.CUDA_ERROR_LAUNCH_FAILED
    with pytest.raises(DeviceFault, match=r"entering the primary context.*LAUNCH_FAILED"):
        device.allocate(16)


def test_what_was_never_allocated_is_not_freed_in_silence(device, driver):
    address = device.allocate(16)
    driver.fail["cuMemFree"] = driver.CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(DeviceError, match=r"freeing 0x[0-9a-f]+: the CUDA driver answered CUDA_ERROR_INVALID_VALUE"):
        device.free(address)


def test_memory_that_is_not_taken_back_is_counted(device, driver):
    """Whatever the reason; later errors say how much is missing, since nobody else will."""
    for number, error in enumerate(("ILLEGAL_ADDRESS", "CONTEXT_IS_DESTROYED", "INVALID_VALUE")):
        address = device.allocate(1000 << number)
        driver.fail["cuMemFree"] = driver.CUresult[f"CUDA_ERROR_{error}"]
        with contextlib.suppress(DeviceError) if error == "INVALID_VALUE" else contextlib.nullcontext():
            device.free(address)
    device.free(device.allocate(64))
    assert device.kept_bytes == 7000
    driver.fail["cuMemAlloc"] = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    with pytest.raises(OutOfMemory, match=r"OUT_OF_MEMORY \(what it means\) \(7000 bytes could not be freed\)"):
        device.allocate(4096)


def test_a_fault_in_a_script_prints_one_report():
    """As a user sees it: one traceback, at its end the reason, and nothing from what is cleaned up after it."""
    script = (
        "import numpy as np\nfrom conftest import FakeDriver\n"
        "from lanewise.jit.arrays import DeviceArray\nfrom lanewise.jit.cuda import CudaDevice\n"
        "driver = FakeDriver()\ndevice = CudaDevice(0, driver)\n"
        "def work():\n"
        "    array, event = DeviceArray(device, (4,), np.float32), device.event()\n"
        "    driver.sticky = driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS\n"
        "    device.synchronize()\n"
        "work()\n"
    )
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", script], cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("ILLEGAL_ADDRESS") == 1, done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("lanewise.jit.device.DeviceFault: waiting for the device")
    assert "ignored" not in done.stderr


# Memory


def test_copies_there_and_back(device, driver):
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    address = device.allocate(host.nbytes)
    device.copy_in(address, host, 7)
    back = np.zeros_like(host)
    device.copy_out(back, address, 7)
    assert (back == host).all()
    assert driver.synchronized == [7, 7]
    device.fill(address, 0xFF, 4)
    device.copy_out(back, address)
    assert back.view(np.uint32).ravel()[:2].tolist() == [0xFFFFFFFF, np.float32(1).view(np.uint32)]
    device.free(address)
    assert not driver.blocks
    assert not driver.context_stack


def test_copies_need_plain_host_arrays(device):
    address = device.allocate(64)
    with pytest.raises(DeviceError, match="C-contiguous"):
        device.copy_in(address, np.zeros((4, 4), np.float32).T[:, :2])
    frozen = np.zeros(4, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(DeviceError, match="writable"):
        device.copy_out(frozen, address)


def test_out_of_memory(device, driver):
    driver.fail["cuMemAlloc"] = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    with pytest.raises(OutOfMemory, match="allocating 4096 bytes: the CUDA driver answered CUDA_ERROR_OUT_OF_MEMORY"):
        device.allocate(4096)
    with pytest.raises(DeviceError, match="size > 0, found 0"):
        device.allocate(0)
    assert not driver.context_stack


def test_whose_memory_it_is(device, driver):
    own = device.allocate(8)
    driver.ordinals |= {0x1000: 3, 0x2000: 3}
    driver.managed.add(0x2000)
    assert [device.accessible(a) for a in (own, 0x1000, 0x2000, 0x3000)] == [True, False, True, False]


# Code


def test_load_reads_resources(device, driver):
    function = device.load(PTX)
    assert function.resources == Resources(registers=40, local_bytes=8, static_shared_bytes=1024, max_threads=512)
    assert (function.name, function.log) == ("k", "fine")
    assert driver.images == [b"// text\0"]
    assert not driver.opted_in
    device.load(Code("sm_90a", "// text", b"\x7fELF", "k"))
    assert driver.images[1] == b"\x7fELF"
    device.unload(function)
    assert driver.calls[-1] == "cuModuleUnload"


def test_the_assemblers_complaint_is_in_the_error(device, driver):
    driver.error_log = b"ptxas application ptx input, line 7; fatal: Parsing error\0"
    driver.fail["cuModuleLoadDataEx"] = driver.CUresult.CUDA_ERROR_INVALID_PTX
    with pytest.raises(LaunchError, match=r"line 7; fatal: Parsing error\nloading kernel 'k' for sm_80 on sm_90a"):
        device.load(PTX)


def test_a_refused_cubin_gives_way_to_ptx(device, driver):
    """Such as one of a toolkit that is newer than the driver."""
    both, cubin = Code("sm_90", "// text", b"\x7fELF", "k"), Code("sm_90", None, b"\x7fELF", "k")
    driver.fail["cuModuleLoadDataEx"] = driver.CUresult.CUDA_ERROR_INVALID_IMAGE
    function = device.load(both)
    assert driver.images == [b"\x7fELF", b"// text\0"]
    assert "PTX was assembled in place of the cubin" in function.log and "CUDA_ERROR_INVALID_IMAGE" in function.log
    for code, error in ((cubin, "INVALID_IMAGE"), (both, "ILLEGAL_ADDRESS")):
        driver.images.clear()
        driver.fail["cuModuleLoadDataEx"] = driver.CUresult[f"CUDA_ERROR_{error}"]
        with pytest.raises(LaunchError, match=error):
            device.load(code)
        assert driver.images == [b"\x7fELF"]


def test_a_missing_kernel_unloads_the_module(device, driver):
    driver.fail["cuModuleGetFunction"] = driver.CUresult.CUDA_ERROR_NOT_FOUND
    with pytest.raises(LaunchError, match=r"loading kernel 'k'.*CUDA_ERROR_NOT_FOUND"):
        device.load(PTX)
    assert driver.calls[-1] == "cuModuleUnload"
    assert not driver.context_stack


def test_shared_memory_is_opted_in_to_where_needed(device, driver):
    device.load(PTX, dynamic_shared_bytes=47 * 1024)
    assert not driver.opted_in  # with 1 KiB of static memory, exactly what every kernel may have
    device.load(PTX, dynamic_shared_bytes=47 * 1024 + 1)
    assert driver.opted_in == {"k": 47 * 1024 + 1}
    with pytest.raises(LaunchError, match=r"needs 1024 bytes of static and 231425 bytes of dynamic .* can have 232448"):
        device.load(PTX, dynamic_shared_bytes=231425)


# Work


def test_launch_passes_everything_on(device, driver):
    seen = []
    driver.kernels["k"] = lambda arguments, configuration: seen.append((arguments, configuration))
    function = device.load(PTX)
    device.launch(function, (5, 6, 7), (32, 2, 1), b"\1\2\3", dynamic_shared_bytes=64, stream=9)
    device.launch(function, (1, 1, 1), (32, 1, 1), b"")
    assert seen == [(b"\1\2\3", (5, 6, 7, 32, 2, 1, 64, 9)), (b"", (1, 1, 1, 32, 1, 1, 0, 0))]
    assert not driver.context_stack


def test_a_programmatic_launch_has_the_attribute_for_it(device, driver):
    seen = []
    driver.kernels["k"] = lambda arguments, configuration: seen.append((arguments, configuration))
    function = device.load(PTX)
    for _ in range(2):
        device.launch(function, (5, 6, 7), (8, 2, 1), b"\1", dynamic_shared_bytes=64, stream=9, programmatic=True)
    allowed = {driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: 1}
    assert seen == 2 * [(b"\1", (5, 6, 7, 8, 2, 1, 64, 9, allowed))]
    assert not driver.context_stack and "cuLaunchKernel" not in driver.calls
    driver.fail["cuLaunchKernelEx"] = driver.CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
    with pytest.raises(LaunchError, match=r"'k' with grid.*OUT_OF_RESOURCES"):
        device.launch(function, (1, 1, 1), (1, 1, 1), b"", programmatic=True)


def test_a_cooperative_launch_has_the_attribute_for_it(device, driver):
    """The fake's multiprocessors, 132, have room for two workgroups each."""
    seen = []
    driver.kernels["k"] = lambda arguments, configuration: seen.append(configuration)
    function, ids = device.load(PTX), driver.CUlaunchAttributeID
    cooperative = {ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE: 1}
    both = cooperative | {ids.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: 1}
    device.launch(function, (132, 2, 1), (32, 1, 1), b"\1", stream=9, cooperative=True)
    device.launch(function, (1, 1, 1), (32, 1, 1), b"\1", cooperative=True, programmatic=True)
    assert seen == [(132, 2, 1, 32, 1, 1, 0, 9, cooperative), (1, 1, 1, 32, 1, 1, 0, 0, both)]
    with pytest.raises(
        LaunchError, match=r"'k': a cooperative launch .* at most 264 of .*found a grid of \(265, 1, 1\)"
    ):
        device.launch(function, (265, 1, 1), (32, 1, 1), b"", cooperative=True)
    assert len(seen) == 2 and not driver.context_stack


def test_memory_of_one_stream_comes_from_the_pool(make_driver):
    driver = make_driver(pools=True)
    device = CudaDevice(0, driver)
    address = device.allocate_for(9, 64)
    assert driver.pooled == {address: 9}
    device.free_in(9, address)
    assert (driver.pooled, driver.blocks, device.kept_bytes) == ({}, {}, 0)
    driver.fail["cuMemAllocAsync"] = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    with pytest.raises(OutOfMemory, match="allocating 64 bytes"):
        device.allocate_for(9, 64)


def test_older_chips_have_no_programmatic_launch(make_driver):
    driver = make_driver(capability=(8, 6))
    device = CudaDevice(0, driver)
    with pytest.raises(LaunchError, match=r"kernel 'k': sm_86 has no programmatic dependent launch.*from sm_90 on"):
        device.launch(device.load(replace(PTX, target="sm_80")), (1, 1, 1), (1, 1, 1), b"", programmatic=True)
    assert "cuLaunchKernelEx" not in driver.calls


def test_a_refused_launch_says_what_was_asked(device, driver):
    function = device.load(PTX)
    driver.fail["cuLaunchKernel"] = driver.CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
    with pytest.raises(
        LaunchError, match=r"'k' with grid \(1, 1, 1\), block \(1024, 1, 1\), 0 bytes.*OUT_OF_RESOURCES"
    ):
        device.launch(function, (1, 1, 1), (1024, 1, 1), b"")
    assert not driver.context_stack
    with pytest.raises(LaunchError, match="at most 32764 bytes of arguments, found 40000"):
        device.launch(function, (1, 1, 1), (1, 1, 1), bytes(40000))


def test_a_kernel_of_another_device(device, make_driver):
    other = CudaDevice(0, make_driver())
    with pytest.raises(DeviceError, match="kernel 'k' was not loaded on this device"):
        device.launch(other.load(PTX), (1, 1, 1), (1, 1, 1), b"")


@pytest.mark.parametrize("stream", [None, 3])
def test_a_fault_names_the_kernel(device, driver, stream):
    device.launch(device.load(PTX), (1, 1, 1), (1, 1, 1), b"")
    call = "cuCtxSynchronize" if stream is None else "cuStreamSynchronize"
    driver.fail[call] = driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
    with pytest.raises(LaunchError, match=r"ILLEGAL_ADDRESS.*last kernel launched was 'k'. The device cannot be used"):
        device.synchronize(stream)


def test_threads_have_their_own_argument_buffers(device, driver):
    """Every launch must see its own arguments although the driver call gives way to other threads."""
    driver.context_stack.append("kept")  # the fake's stack is shared by the threads
    mismatches = []

    def run(arguments, configuration):
        if set(arguments) != {configuration[0]}:
            mismatches.append(configuration)

    driver.kernels["k"] = run
    function = device.load(PTX)

    def work(number):
        for _ in range(200):
            device.launch(function, (number, 1, 1), (1, 1, 1), bytes([number]) * 64)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not mismatches


def test_events(device, driver):
    launches = []
    assert time_launches(device, lambda: launches.append(1), stream=4) == pytest.approx(2.5e-3)
    assert launches == [1]
    gc.collect()
    assert driver.calls.count("cuEventDestroy") == 2


def test_times_on_a_driver_before_12_8(make_driver):
    driver = make_driver(old=True)
    device = CudaDevice(0, driver)
    assert time_launches(device, lambda: None) == pytest.approx(1.5e-3)
    end, start = device.event(), device.event()
    with pytest.raises(DeviceError, match="reading two events: the CUDA driver answered CUDA_ERROR_INVALID_VALUE"):
        end.seconds_since(start)
    driver.fail["cuGetProcAddress"] = driver.CUresult.CUDA_ERROR_NOT_FOUND
    with pytest.raises(DeviceError, match="reading two events: the CUDA driver answered CUDA_ERROR_NOT_FOUND"):
        start.seconds_since(end)


def test_streams_that_are_captured(device, driver):
    driver.captured = {7}
    assert [device.capturing(stream) for stream in (None, 7, 9)] == [False, True, False]
    driver.fail["cuStreamIsCapturing"] = driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
    assert device.capturing(), "another stream is, for which the default stream would wait"
    driver.fail["cuStreamIsCapturing"] = driver.CUresult.CUDA_ERROR_INVALID_VALUE
    with pytest.raises(DeviceError, match="asking whether a stream is captured"):
        device.capturing(3)


# A real GPU

SCALE = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 n, .param .f32 factor)
{
    .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .f32 %f<4>;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [n];
    ld.param.f32 %f0, [factor];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r0, %r1, %r2;
    cvt.u64.u32 %rd2, %r3;
    setp.ge.u64 %p, %rd2, %rd1;
    @%p ret;
    cvta.to.global.u64 %rd0, %rd0;
    shl.b64 %rd3, %rd2, 2;
    add.s64 %rd4, %rd0, %rd3;
    ld.global.f32 %f1, [%rd4];
    mul.rn.f32 %f2, %f1, %f0;
    st.global.f32 [%rd4], %f2;
    ret;
}
"""


def test_a_kernel_on_a_real_gpu():
    try:
        gpu = CudaDevice()
    except DeviceUnavailable as reason:
        pytest.skip(str(reason))
    from lanewise.jit.arguments import BufferParameter, ScalarParameter, bind

    function = gpu.load(Code("sm_70", SCALE, None, "scale"))
    signature = (BufferParameter("x", np.dtype("f4"), (None,), written=True), ScalarParameter("f", np.dtype("f4")))
    host = np.arange(1000, dtype=np.float32)
    with bind(signature, (host, 3), gpu) as bound:
        gpu.launch(function, (8, 1, 1), (128, 1, 1), bound.packed)
        bound.copy_back()
    assert (host == np.arange(1000) * 3).all()
    with pytest.raises(LaunchError, match=r"ptxas|PTX"):
        gpu.load(Code("sm_70", SCALE.replace("mul.rn.f32", "mul.nonsense"), None, "scale"))
