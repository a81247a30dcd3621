"""The HIP device through the real hip-python, over a libamdhip64 that has no GPU (stub_libamdhip64.c).

What the fake runtime of the other tests takes on trust is seen here: argument conversions, enums, structures, and how
the `extra` array of a launch arrives.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import ctypes, gc, struct
import numpy as np
from hip import hip
from lanewise.codegen.link import link
from lanewise.codegen.llvm import compile_text
from lanewise.targets import CHIPS
from lanewise.jit.device import Code, DeviceError, LaunchError, OutOfMemory, Resources, time_launches
from lanewise.jit.hip import HipDevice

stub = ctypes.CDLL("libamdhip64.so")

def write_text(structure, field, text):
    # character arrays have no setter: find the first byte that the field shows
    raw = (ctypes.c_ubyte * structure.c_sizeof()).from_address(int(structure))
    kept = bytes(raw)
    for offset in range(len(raw)):
        ctypes.memset(raw, 0, len(raw))
        raw[offset] = ord("x")
        if getattr(structure, field) == "x":
            break
    raw[:] = kept
    raw[offset : offset + len(text)] = text

properties = hip.hipDeviceProp_t()
properties.warpSize, properties.maxThreadsPerBlock = 64, 1024
properties.sharedMemPerBlock, properties.multiProcessorCount = 65536, 304
write_text(properties, "name", b"Stub")
write_text(properties, "gcnArchName", b"gfx942:sramecc+:xnack-")
stub.stub_properties(ctypes.c_void_p(int(properties)), ctypes.c_size_t(properties.c_sizeof()))
pointer = hip.hipPointerAttribute_t()
pointer.type, pointer.device = hip.hipMemoryType.hipMemoryTypeDevice, 1
stub.stub_pointer(ctypes.c_void_p(int(pointer)), ctypes.c_size_t(pointer.c_sizeof()))

def refused(kind, text, call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"{call} did not refuse")

class Stream:
    def __cuda_stream__(self):
        return (0, 9)

device = HipDevice(1)
found = device.properties
assert (found.name, found.target, found.driver) == ("Stub", "gfx942", "HIP 7.15.26043"), found
assert (found.subgroup_size, found.multiprocessors, found.shared_memory_bytes) == (64, 304, 65536)

text = "define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, float %x) { ret void }"
image = link(compile_text(text, CHIPS["gfx942"]).object)
function = device.load(Code("gfx942", None, image, "k"))
assert function.resources.static_shared_bytes == 0
refused(LaunchError, "'other'", device.load, Code("gfx942", None, image, "other"))
refused(OutOfMemory, "hipErrorOutOfMemory (what it means)", device.allocate, 1 << 41)
refused(DeviceError, "do not fit together: 12345", device.allocate, 1 << 51)
del image
gc.collect()

address = device.allocate(256)
host = np.arange(16, dtype=np.float32)
device.copy_in(address, host)
back = np.zeros_like(host)
device.copy_out(back, address, Stream())
assert (back == host).all()
device.fill(address, 255, 64)
assert device.accessible(address) and not device.accessible(4096)
assert stub.stub_last() == 0

for stream in (None, 9, Stream(), hip.ihipStream_t.fromObj(9)):
    arguments = struct.pack("<Qif", address, -5, 1.5)
    device.launch(function, (1, 2, 3), (4, 5, 6), arguments, dynamic_shared_bytes=7, stream=stream)
    seen = np.zeros(48, np.uint8)
    device.copy_out(seen, address)
    assert seen[:32].view(np.uint32).tolist() == [1, 2, 3, 4, 5, 6, 7, 0 if stream is None else 9]
    assert seen[32:].tobytes() == arguments
device.launch(function, (1, 2, 3), (4, 5, 6), arguments, dynamic_shared_bytes=7, stream=9, cooperative=True)
device.copy_out(seen, address)
assert seen[:32].view(np.uint32).tolist() == [1, 2, 3, 4, 5, 6, 2007, 9]
assert seen[32:].tobytes() == arguments
refused(LaunchError, "at most 608", device.launch, function, (609, 1, 1), (4, 1, 1), arguments, cooperative=True)
assert device.has_pool
pooled = device.allocate_for(Stream(), 256)
device.copy_in(pooled, host, 9)
device.free_in(9, pooled)
refused(LaunchError, "block (4, 5, 600)", device.launch, function, (1, 1, 1), (4, 5, 600), arguments)
device.synchronize()
assert not device.capturing()
device.synchronize(9)
assert abs(time_launches(device, lambda: None) - 2.5e-3) < 1e-9
device.unload(function)
device.free(address)
assert hip.hipGetDevice()[1] == 0
"""


def test_through_hip_python(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler on Linux")
    if importlib.util.find_spec("hip") is None:
        pytest.skip("hip-python is not installed")
    if ctypes.util.find_library("amdhip64"):
        pytest.skip("this machine has the runtime")
    source = Path(__file__).with_name("stub_libamdhip64.c")
    library = tmp_path / "libamdhip64.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    environment = os.environ | {"LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
