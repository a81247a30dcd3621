"""What a process costs from its start to PTX, and to a launch of a kernel that it finds, beside imports alone. No GPU.

    python bench/cold_start.py [--runs N]

Processes run in turns, with bytecode in place as an installation has it. Processor seconds, user's and system's, the
least of all runs: on a machine that others use, the ratio to what is imported anyway still means something. The number
of modules is the same each time; `tests/pipeline/test_cold_start.py` and `tests/jit/cache/test_processes.py` hold it.

A launch goes through the real cuda-python to a libcuda without a GPU, which is compiled here; where there is no C
compiler or no cuda-python, its rows are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from checkout import CHILD, EXAMPLES, ROOT

RUNS = 15
BYTECODE = Path(tempfile.gettempdir()) / "lanewise-bench-bytecode"
STUB = ROOT / "tests/jit/devices/stub_libcuda.c"
_SOFTMAX = repr(str(EXAMPLES / "softmax.mlir"))
_COMPILE = f"checkout.use_checkout(); import lanewise; lanewise.compile({_SOFTMAX}"
_LAUNCH = f"""
checkout.use_checkout()
import numpy, lanewise
kernel = lanewise.compile({_SOFTMAX}, target='sm_90', device='cuda')
x, y = (lanewise.DeviceArray(kernel.device, (8, 256), numpy.float32) for _ in 'xy')
kernel[8](x, y)
"""
_LAUNCH_PYTHON = f"""
checkout.use_checkout()
sys.path.insert(0, {str(EXAMPLES)!r})
import numpy, lanewise
from softmax import softmax
device = lanewise.CudaDevice()
x, y = (lanewise.DeviceArray(device, (8, 256), numpy.float32) for _ in 'xy')
softmax(x, y)
"""
ANYWAY, BINDING = "numpy, llvmlite", "numpy, cuda"


class Process(NamedTuple):
    """What it runs, which other one it is compared with, and the most that the ratio should be."""

    program: str
    base: str
    goal: float | None = None


PROCESSES: Mapping[str, Process] = {
    ANYWAY: Process("import numpy, llvmlite.binding", ANYWAY),
    "import lanewise": Process("checkout.use_checkout(); import lanewise", ANYWAY),
    "softmax to PTX": Process(f"{_COMPILE}, target='sm_90').ptx", ANYWAY, 2.3),
    "softmax to AMDGCN": Process(f"{_COMPILE}, target='gfx942').general.artifacts.assembly", ANYWAY),
}
LAUNCHES: Mapping[str, Process] = {
    BINDING: Process("import numpy, cuda.bindings.driver", BINDING),
    "softmax launched, kept": Process(_LAUNCH, BINDING, 1.5),
    "the same in Python": Process(_LAUNCH_PYTHON, BINDING, 1.5),
}


def processor_seconds(runs: int = RUNS) -> dict[str, float]:
    """The least processor seconds of each process, run in turns."""
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder))
        processes = PROCESSES | LAUNCHES if _has_driver(Path(folder)) else PROCESSES
        for process in processes.values():
            _run(process.program, environment)  # writes the bytecode, and keeps the kernel
        rounds = [
            {name: _run(process.program, environment) for name, process in processes.items()} for _ in range(runs)
        ]
    return {name: min(times[name] for times in rounds) for name in processes}


def _environment(folder: Path) -> Mapping[str, str]:
    left = ("PYTHONDONTWRITEBYTECODE", "LANEWISE_CACHE")
    kept = {name: value for name, value in os.environ.items() if name not in left}
    driver = {"LD_LIBRARY_PATH": str(folder), "STUB_DRIVER": "13010"}
    return kept | driver | {"XDG_CACHE_HOME": str(folder)}  # kernels are kept where they are by default


def _has_driver(folder: Path) -> bool:
    compiler = shutil.which("cc")
    if compiler is None or importlib.util.find_spec("cuda") is None:
        return False
    command = [compiler, "-shared", "-fPIC", "-w", "-o", str(folder / "libcuda.so.1"), str(STUB)]
    return subprocess.run(command, check=False).returncode == 0


def _run(program: str, environment: Mapping[str, str]) -> float:
    command = [sys.executable, "-X", f"pycache_prefix={BYTECODE}", "-c", CHILD + program]
    _, status, used = os.wait4(os.posix_spawn(command[0], command, environment), 0)
    assert status == 0, f"{program} ended with status {status}"
    return used.ru_utime + used.ru_stime


def show(found: Mapping[str, float]) -> None:
    known = PROCESSES | LAUNCHES
    for name, seconds in found.items():
        process = known[name]
        goal = "" if process.goal is None else f"   (goal {process.goal})"
        print(f"{name:24}{1000 * seconds:7.0f} ms of the processor {seconds / found[process.base]:6.2f}{goal}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="processes of each kind, of which the least counts")
    show(processor_seconds(parser.parse_args().runs))


if __name__ == "__main__":
    main()
