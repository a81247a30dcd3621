"""The emulated device: a kernel end to end, and what a driver would refuse."""

from __future__ import annotations

import io
import struct
import threading
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import lanewise
import numpy as np
import pytest
from lanewise.emulate.counters import Counters
from lanewise.emulate.faults import EmulationFault
from lanewise.jit.arguments import BufferParameter, DeviceArray, ScalarParameter, bind
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.device import Code, DeviceError, DeviceUnavailable, LaunchError, time_launches
from lanewise.jit.emulated import EmulatedDevice

F4 = np.dtype("f4")

SCALE = """
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry scale(.param .u64 x, .param .u64 n, .param .f32 factor)
{
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [n];
    ld.param.f32 %f0, [factor];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.s32 %r3, %r0, %r1, %r2;
    cvt.u64.u32 %rd2, %r3;
    setp.ge.u64 %p0, %rd2, %rd1;
    @%p0 bra DONE;
    cvta.to.global.u64 %rd5, %rd0;
    shl.b64 %rd3, %rd2, 2;
    add.s64 %rd4, %rd5, %rd3;
    ld.global.f32 %f1, [%rd4];
    mul.rn.f32 %f2, %f1, %f0;
    st.global.f32 [%rd4], %f2;
DONE:
    ret;
}
"""
CODE = Code("sm_70", SCALE, None, "scale")
SIGNATURE = (BufferParameter("x", F4, (None,), written=True), ScalarParameter("factor", F4))


@pytest.fixture
def gpu():
    return EmulatedDevice("sm_80")


def test_properties(gpu):
    properties = gpu.properties
    assert (properties.target, properties.subgroup_size, properties.max_threads_per_workgroup) == ("sm_80", 32, 1024)
    assert (properties.shared_memory_bytes, properties.dlpack_device) == (163 * 1024, None)


@pytest.mark.parametrize("on_device", [False, True])
def test_a_kernel_from_arguments_to_result(gpu, on_device):
    host = np.arange(100, dtype=F4)
    argument = DeviceArray.from_numpy(gpu, host) if on_device else host
    function = gpu.load(CODE)
    with bind(SIGNATURE, (argument, -3), gpu) as bound:
        gpu.launch(function, (4, 1, 1), (32, 1, 1), bound.packed)
        gpu.synchronize()
        bound.copy_back()
    result = argument.to_numpy() if on_device else host
    assert (result == np.arange(100) * -3).all()
    assert gpu.counters.global_load_bytes == gpu.counters.global_store_bytes == 400


def test_memory(gpu):
    address = gpu.allocate(64)
    assert address % 256 == 0
    gpu.fill(address, 7, 64)
    host = np.empty((4, 4), np.int32)
    gpu.copy_out(host, address)
    assert (host == 0x07070707).all()
    gpu.free(address)
    with pytest.raises(DeviceError, match="out-of-bounds"):
        gpu.copy_out(host, address)
    with pytest.raises(DeviceError, match="out-of-bounds"):
        gpu.free(address)
    with pytest.raises(DeviceError, match="size > 0, found -1"):
        gpu.allocate(-1)
    with pytest.raises(DeviceError, match="C-contiguous"):
        gpu.copy_in(address, host.T)
    assert not gpu.accessible(address)


def test_a_fault_is_a_launch_error_with_its_cause(gpu):
    array = DeviceArray(gpu, (10,), F4)
    bound = bind(SIGNATURE, (array, 1), gpu)
    too_long = bound.packed[:8] + (11).to_bytes(8, "little") + bound.packed[16:]
    with pytest.raises(LaunchError, match=r"kernel 'scale': out-of-bounds.*ld.global.f32") as caught:
        gpu.launch(gpu.load(CODE), (1, 1, 1), (32, 1, 1), too_long)
    assert isinstance(caught.value.__cause__, EmulationFault)


@pytest.mark.parametrize(
    ("grid", "block", "size", "dynamic", "message"),
    [
        ((0, 1, 1), (32, 1, 1), 20, 0, r"grid extents from 1 to .*, found \(0, 1, 1\)"),
        ((1, 65536, 1), (32, 1, 1), 20, 0, r"grid extents from 1 to \(2147483647, 65535, 65535\)"),
        (
            (1, 1, 1),
            (1, 1, 65),
            20,
            0,
            r"block extents from 1 to \(1024, 1024, 64\), .*found \(1, 1, 65\)|block extents",
        ),
        ((1, 1, 1), (1024, 2, 1), 20, 0, r"at most 1024 threads, found \(1024, 2, 1\) = 2048"),
        ((1, 1, 1), (32, 1, 1), 16, 0, "takes 20 bytes of arguments, found 16"),
        ((1, 1, 1), (32, 1, 1), 20, 48 * 1024 + 1, "was loaded for 49152 bytes of dynamic shared memory, found 49153"),
        ((1, 1, 1), (32, 1, 1), 20, 163 * 1024 + 1, "a workgroup on sm_80 can have 166912 bytes"),
    ],
)
def test_launches_that_a_driver_refuses(gpu, grid, block, size, dynamic, message):
    with pytest.raises(LaunchError, match=f"kernel 'scale'.*{message}"):
        gpu.launch(gpu.load(CODE), grid, block, bytes(size), dynamic_shared_bytes=dynamic)


def test_dynamic_shared_memory_is_asked_for_at_load(gpu):
    function = gpu.load(CODE, dynamic_shared_bytes=100 * 1024)
    bound = bind(SIGNATURE, (DeviceArray(gpu, (1,), F4), 1), gpu)
    gpu.launch(function, (1, 1, 1), (32, 1, 1), bound.packed, dynamic_shared_bytes=100 * 1024)
    with pytest.raises(LaunchError, match="can have 166912 bytes"):
        gpu.load(CODE, dynamic_shared_bytes=200 * 1024)


def test_a_required_block(gpu):
    text = SCALE.replace("factor)\n{", "factor)\n.reqntid 64, 1, 1\n{")
    function = gpu.load(Code("sm_70", text, None, "scale"))
    with pytest.raises(LaunchError, match=r"compiled for blocks \(64, 1, 1\), found \(32, 1, 1\)"):
        gpu.launch(function, (1, 1, 1), (32, 1, 1), bytes(20))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (Code("sm_90", SCALE, None, "scale"), "code for sm_90 does not run on sm_80"),
        (Code("sm_80", SCALE, None, "other"), "kernel 'other' is not in the text; it has scale"),
        (Code("sm_80", None, b"\x7fELF", "scale"), "executes machine text, found a binary image alone"),
        (
            Code("sm_80", SCALE.replace("mul.rn.f32", "mul.;"), None, "scale"),
            "kernel 'scale': syntax|kernel 'scale': unsupp",
        ),
    ],
)
def test_code_that_cannot_be_loaded(gpu, code, message):
    with pytest.raises(LaunchError, match=message):
        gpu.load(code)


def test_unknown_targets():
    with pytest.raises(DeviceUnavailable, match="sm_91"):
        EmulatedDevice("sm_91")


def test_a_kernel_of_another_device(gpu, device):
    function = EmulatedDevice("sm_80").load(CODE)
    for other in (gpu, device):
        with pytest.raises(DeviceError, match="was not loaded on this device"):
            other.launch(function, (1, 1, 1), (32, 1, 1), bytes(20))
    gpu.unload(gpu.load(CODE))
    with pytest.raises(DeviceError, match="was not loaded on this device"):
        gpu.unload(function)


def test_arrays_of_a_cuda_device_are_elsewhere(gpu, device):
    assert isinstance(device, CudaDevice)
    array = DeviceArray(device, (4,), F4)
    with pytest.raises(ValueError, match="the array lives on Fake GPU, the kernel runs on emulated sm_80"):
        bind(SIGNATURE, (array, 1), gpu)
    assert not hasattr(DeviceArray(gpu, (4,), F4), "__cuda_array_interface__")


def test_events(gpu, device):
    assert 0 <= time_launches(gpu, lambda: None) < 1
    with pytest.raises(DeviceError, match="must be recorded"):
        gpu.event().seconds_since(gpu.event())
    with pytest.raises(DeviceError, match="two events of one device"):
        gpu.event().seconds_since(device.event())


def test_threads_wait_for_each_other(gpu):
    """While a kernel runs nobody moves memory: an allocation makes it grow, into another place."""
    running, done, events = threading.Event(), threading.Event(), list[str]()

    def runs(*_, **__):
        running.set()
        done.wait(10)
        events.append("launched")
        return Counters()

    function = gpu.load(CODE)
    kernel = SimpleNamespace(launch=runs, required_block=None, max_grid=lambda _: (1, 1, 1), parameter_bytes=20)
    kernel.static_shared_bytes = 0
    arguments = (1, 1, 1), (32, 1, 1), bytes(20)
    launching = threading.Thread(target=gpu.launch, args=(replace(function, kernel=kernel), *arguments))
    others = [threading.Thread(target=lambda: events.append(f"{gpu.allocate(1 << 20) > 0}")) for _ in range(2)]
    launching.start()
    assert running.wait(10)
    for thread in others:
        thread.start()
    others[0].join(0.02)
    assert events == []
    done.set()
    for thread in (launching, *others):
        thread.join()
    assert events == ["launched", "True", "True"]


SAYS = """gpu.func @says(%n: i32) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  gpu.printf "%d", %n : i32
  gpu.return
}"""


def test_threads_share_what_one_of_them_has_compiled():
    """Each of four gets what its own launches print, though all come first: there is one device, and one buffer."""
    kernel = lanewise.compile(SAYS, target="sm_80", device="emulated")
    start, found = threading.Barrier(4), dict[int, tuple[object, str]]()

    def say(number: int) -> None:
        text = io.StringIO()
        start.wait(10)
        for _ in range(3):
            kernel.launch(1, number, print_to=text)
        found[number] = kernel.device, text.getvalue()

    threads = [threading.Thread(target=say, args=(number,)) for number in (1, 3, 5, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: (kernel.device, 3 * str(number)) for number in (1, 3, 5, 7)}
    assert kernel.variant_count == 1


MEET = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 counter, .param .u32 total)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd;
    mov.u32 %r2, %tid.x;
    setp.ne.u32 %p, %r2, 0;
    @%p ret;
    ld.param.u64 %rd, [counter];
    ld.param.u32 %r0, [total];
    atom.global.add.u32 %r1, [%rd], 1;
wait:
    atom.global.add.u32 %r1, [%rd], 0;
    setp.lt.u32 %p, %r1, %r0;
    @%p bra wait;
    ret;
}
"""


def test_workgroups_of_a_cooperative_launch_can_wait_for_each_other():
    """Also of more threads than the emulator otherwise runs at once."""
    gpu = EmulatedDevice("sm_90", limits=lanewise.Limits(steps=2_000))
    function, counter = gpu.load(Code("sm_70", MEET, None, "meet")), gpu.allocate(4)
    arguments = struct.pack("<QI", counter, 40)
    for cooperative in (True, False):
        gpu.fill(counter, 0, 4)
        expected = nullcontext() if cooperative else pytest.raises(LaunchError)
        with expected:
            gpu.launch(function, (40, 1, 1), (1024, 1, 1), arguments, cooperative=cooperative)
    assert gpu.counters is not None
