"""Many processes on one key, processes that are ended while they write, and what one loads that finds its kernel."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import lanewise
import pytest

from ... import warm
from .conftest import DOUBLE, again, compiled, launch

TOGETHER = """
import os, sys
import lanewise, numpy as np

folder, count, text = sys.argv[1], int(sys.argv[2]), sys.argv[3]
begin, go = os.pipe()
children = []
for number in range(count):
    child = os.fork()
    if child:
        children.append(child)
        continue
    os.close(go)
    os.read(begin, 1)  # until all are there
    elements = 100 if number % 2 else 99  # two variants of one kernel
    cache = lanewise.KernelCache(folder)
    for _ in range(2):
        kernel = lanewise.compile(text, "sm_90", device="emulated", cache=cache)
        x, y = np.arange(elements, dtype=np.float32), np.zeros(elements, np.float32)
        kernel[2](x, y)
        if not (y == 2 * x).all():
            os._exit(1)
    os._exit(0)
os.close(begin)
os.close(go)
wrong = [child for child in children if os.waitpid(child, 0)[1]]
assert not wrong, wrong
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_many_processes_on_one_key(cache: lanewise.KernelCache, request: pytest.FixtureRequest) -> None:
    count = 32 if request.config.getoption("--thorough") else 4
    done = warm.run("-c", TOGETHER, cache.folder, str(count), DOUBLE)
    assert (done.returncode, done.stderr) == (0, "")
    (file,) = cache.files()
    assert list(cache.verify()) == [] and again(cache).find(file.key) is not None
    assert {*os.listdir(cache.folder)} == {f"{file.key}.lw", ".lock"}


KILLED = """
import os, signal, sys
import lanewise, numpy as np
from lanewise.jit.cache import files

class Half:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

created = files._created
files._created = lambda path: Half(created(path))
kernel = lanewise.compile(sys.argv[2], "sm_90", device="emulated", cache=lanewise.KernelCache(sys.argv[1]))
kernel[2](np.zeros(100, np.float32), np.zeros(100, np.float32))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed")
@pytest.mark.parametrize("is_there", [False, True])
def test_killed_while_it_writes(cache: lanewise.KernelCache, is_there: bool) -> None:
    """The old file stays, or none."""
    if is_there:
        launch(compiled(cache), 99)
    before = [Path(file.path).read_bytes() for file in cache.files()]
    done = warm.run("-c", KILLED, cache.folder, DOUBLE)
    assert done.returncode == -signal.SIGKILL
    (half,) = (name for name in os.listdir(cache.folder) if name.startswith(".") and name != ".lock")
    assert [Path(file.path).read_bytes() for file in cache.files()] == before
    launch(compiled(again(cache)))
    assert list(cache.verify()) == [] and len(cache.files()) == 1
    assert cache.clear() == 1 and half not in os.listdir(cache.folder)


FIRST_LEVEL = """
import ctypes, json, sys
import numpy as np
import lanewise

kernel = lanewise.compile(sys.argv[1], "sm_90", device="cuda")
arrays = [lanewise.DeviceArray.from_numpy(kernel.device, np.zeros(1024, np.float32)) for _ in "xy"]
kernel[16](*arrays)
assert ctypes.CDLL("libcuda.so.1").stub_loaded() == 1
print(json.dumps(sorted(sys.modules)))
"""
MOST = 82
"""Modules of the package that a process loads to launch what it finds: what is not used is loaded when it is."""
NEVER = (
    "lanewise.ir.dialects",
    "lanewise.ir.parser",
    "lanewise.ir.core",
    "lanewise.codegen.llvm",
    "llvmlite",
    "ml_dtypes",
)


def test_a_process_that_finds_its_kernel(stub_driver: Path, tmp_path: Path) -> None:
    """It imports neither dialects nor LLVM, through the real cuda-python."""
    program = tmp_path / "double.mlir"
    program.write_text(DOUBLE)
    cache = lanewise.KernelCache(tmp_path / "kernels")
    launch(compiled(cache), 1024)
    stub = {"LD_LIBRARY_PATH": str(stub_driver), "STUB_DRIVER": "13010", "LANEWISE_CACHE": cache.folder}
    command = [sys.executable, "-c", FIRST_LEVEL, str(program)]
    done = subprocess.run(command, env=os.environ | stub, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    loaded = json.loads(done.stdout)
    assert not [name for name in loaded if name.startswith(NEVER)]
    ours = [name for name in loaded if name.partition(".")[0] == "lanewise"]
    assert len(ours) <= MOST, f"{len(ours)}: {ours}"
