"""The CUDA device through the real cuda-python, over a libcuda that has no GPU (stub_libcuda.c).

What the fake driver of the other tests takes on trust is seen here: argument conversions, enums, log buffers, and how
the `extra` array of a launch arrives.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import lanewise
import pytest

SCRIPT = """
import ctypes
import struct
import sys
import numpy as np
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.device import Code, DeviceError, DeviceFault, LaunchError, Resources, Tensor, time_launches

stub = ctypes.CDLL("libcuda.so.1")

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

device = CudaDevice()
properties = device.properties
assert (properties.name, properties.target, properties.driver) == ("Stub", "sm_90a", sys.argv[1])
assert (properties.multiprocessors, properties.shared_memory_bytes) == (132, 232448)
function = device.load(Code("sm_80", "entry k", None, "k"), dynamic_shared_bytes=100_000)
assert function.resources == Resources(registers=14, local_bytes=13, static_shared_bytes=11, max_threads=10)
refused(LaunchError, "line 3: BROKEN", device.load, Code("sm_80", "BROKEN", None, "k"))
refused(LaunchError, "'other'", device.load, Code("sm_80", "entry k", None, "other"))
refused(DeviceError, "CUDA_ERROR_STUB", device.allocate, 1 << 41)

address = device.allocate(256)
host = np.arange(16, dtype=np.float32)
device.copy_in(address, host)
back = np.zeros_like(host)
device.copy_out(back, address, Stream())
assert (back == host).all()
device.fill(address, 255, 64)
assert device.accessible(address) and not device.accessible(4096)

for stream in (None, 9, Stream()):
    arguments = struct.pack("<Qif", address, -5, 1.5)
    device.launch(function, (1, 2, 3), (4, 5, 6), arguments, dynamic_shared_bytes=7, stream=stream)
    seen = np.zeros(48, np.uint8)
    device.copy_out(seen, address)
    assert seen[:32].view(np.uint32).tolist() == [1, 2, 3, 4, 5, 6, 7, 0 if stream is None else 9]
    assert seen[32:].tobytes() == arguments
device.launch(function, (1, 2, 3), (4, 5, 6), arguments, dynamic_shared_bytes=7, stream=9, programmatic=True)
device.copy_out(seen, address)
assert seen[:32].view(np.uint32).tolist() == [1, 2, 3, 4, 5, 6, 1007, 9]
assert seen[32:].tobytes() == arguments
device.launch(function, (1, 2, 3), (4, 5, 6), arguments, dynamic_shared_bytes=7, stream=9, cooperative=True)
device.copy_out(seen, address)
assert seen[:32].view(np.uint32).tolist() == [1, 2, 3, 4, 5, 6, 2007, 9]
refused(LaunchError, "at most 264", device.launch, function, (265, 1, 1), (4, 1, 1), arguments, cooperative=True)
assert device.has_pool
pooled = device.allocate_for(Stream(), 256)
device.copy_in(pooled, host, 9)
device.free_in(9, pooled)
map = device.tensor_map(Tensor(1 << 20, "f16", (100, 64), (32, 64), 128, 256))
float16, none, swizzle_128, l2_256, zeros = 6, 0, 3, 3, 0
asked = [float16, 2, 1 << 20, 64, 100, 128, 64, 32, 1, 1, none, swizzle_128, l2_256, zeros, 0, 0]
assert np.frombuffer(map, np.uint64).tolist() == asked
maps = device.load(Code("sm_90a", "entry maps", None, "maps", (0, 8, 64)))
seen = np.zeros(140, np.uint8)
for programmatic in (False, True):
    packed = struct.pack("<Qi", address, -5)
    device.launch(maps, (1, 1, 1), (1, 1, 1), packed.ljust(64) + map, programmatic=programmatic)
    device.copy_out(seen, address)
    assert seen.tobytes() == packed + map
    device.fill(address, 0, 140)
device.unload(maps)
refused(LaunchError, "block (4, 5, 600)", device.launch, function, (1, 1, 1), (4, 5, 600), arguments)
device.synchronize()
device.synchronize(9)
assert [device.capturing(stream) for stream in (None, 7, Stream())] == [False, True, False]
assert abs(time_launches(device, lambda: None) - 2.5e-3) < 1e-9
device.unload(function)
device.free(address)
assert stub.stub_loaded() == 0 and stub.stub_retained() == 1

device.load(Code("sm_80", "entry k", None, "k"))
for _ in range(3):  # STUB_FAULT asks for the tenth launch to fail
    device.launch(function, (1, 1, 1), (1, 1, 1), struct.pack("<Q", device.allocate(256)))
refused(DeviceFault, "copying 64 bytes to 0x", device.copy_in, address, host)
device.free(address)
device.unload(function)
del function, maps, device
assert stub.stub_retained() == 0
"""


@pytest.mark.parametrize(("version", "name"), [("13010", "CUDA 13.1"), ("12070", "CUDA 12.7")])
def test_through_cuda_python(stub_driver, version, name):
    """The functions that cuda-python 13 binds came with CUDA 12.8 at the latest."""
    stub = {"LD_LIBRARY_PATH": str(stub_driver), "STUB_DRIVER": version, "STUB_FAULT": "launch:10"}
    command = [sys.executable, "-c", SCRIPT, name]
    done = subprocess.run(command, env=os.environ | stub, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


MODULES = """
import ctypes
import sys
from pathlib import Path
import numpy as np
import lanewise

stub = ctypes.CDLL("libcuda.so.1")
device = lanewise.CudaDevice()
arrays = [lanewise.DeviceArray.from_numpy(device, np.arange(1000, dtype=np.float32)) for _ in range(3)]
for i in range(1000):
    kernel = lanewise.load(Path(sys.argv[1]), device=device)
    kernel[8](*arrays)
    assert stub.stub_loaded() == 1, i
del kernel
assert stub.stub_loaded() == 0
for _ in range(3):
    kernel = lanewise.compile(Path(sys.argv[2]), device=device)
    kernel[8](*arrays)
    del kernel
    assert stub.stub_loaded() == 0
assert (arrays[2].to_numpy() == 2 * np.arange(1000)).all()
"""


def test_no_module_is_left_after_a_thousand_kernels(stub_driver, tmp_path):
    program = Path(__file__).parents[3] / "examples" / "vector_add.mlir"
    lanewise.compile(program, target="sm_90").save(tmp_path / "kernel.lw", cubin=False)
    command = [sys.executable, "-c", MODULES, str(tmp_path / "kernel.lw"), str(program)]
    environment = os.environ | {"LD_LIBRARY_PATH": str(stub_driver), "STUB_DRIVER": "13010"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
