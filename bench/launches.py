"""Host time of a launch: microseconds of the processor, the smallest of many runs, over a driver that does nothing.

    python bench/launches.py            builds the stub driver of tests/jit/devices, which needs a C compiler, no GPU

`empty` is the binding's own call of the driver with nothing around it, `context` entering and leaving the device's
context; all others are whole launches, with both. Tensors are stand-ins written in Python, quicker to ask than
torch's: `asking 16 tensors` is what launches ask of them and nothing else, and `of torch`, where it is installed, the
same of its own (on the processor). So a launch with torch's tensors takes the difference of these two more.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import importlib.util
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from checkout import EXAMPLES, ROOT, use_checkout

STUB = ROOT / "tests/jit/devices/stub_libcuda.c"
N = 1000
GOALS: Mapping[str, float] = {
    "same arrays": 3,
    "other arrays": 5,
    "same tensors": 5,
    "other tensors": 5,
    "19 arguments": 8,
    "19 arguments, tensors": 8,
    "a grid of three": 3,
    "Python, same arrays": 5,
    "Python, other arrays": 7,
    "Python, same tensors": 7,
    "Python, other tensors": 7,
}
"""Microseconds of whole launches; of a prepared one it is 1 above `empty`."""
PREPARED_ABOVE = 1.0


def build_stub(folder: Path) -> bool:
    """Whether there is a compiler for it."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return False
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-w", "-o", folder / "libcuda.so.1", STUB], check=True)
    return True


def measure(runs: int = 80) -> dict[str, float]:
    """The figures, of a process of its own with the stub driver; none where it cannot be built."""
    with tempfile.TemporaryDirectory() as folder:
        if not build_stub(Path(folder)):
            return {}
        return measured_with(Path(folder), runs)


def measured_with(stub: Path, runs: int) -> dict[str, float]:
    """Those with a stub driver that is built."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", "--runs", str(runs)]
    environment = os.environ | {"LD_LIBRARY_PATH": str(stub), "STUB_DRIVER": "13010"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


class Tensor:
    """What is asked of a tensor of torch."""

    is_cuda = True
    dtype = "torch.float32"
    device = SimpleNamespace(index=0)

    def __init__(self, address: int, shape: tuple[int, ...]) -> None:
        self.address, self.shape = address, shape
        self.strides = tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))

    def data_ptr(self) -> int:
        return self.address

    def stride(self) -> tuple[int, ...]:
        return self.strides

    def is_contiguous(self) -> bool:
        return True

    def is_neg(self) -> bool:
        return False

    def get_device(self) -> int:
        return 0


def many_arguments() -> str:
    """A kernel of 16 buffers, four of which it writes, and three numbers."""
    names = [*(f"x{i}" for i in range(12)), *(f"y{i}" for i in range(4))]
    buffers = ", ".join(f"%{name}: memref<?xf32>" for name in names)
    reads = "\n".join(
        f"  %v{i} = vector.transfer_read %x{i}[%n0], %pad : memref<?xf32>, vector<64xf32>" for i in range(12)
    )
    writes = "\n".join(
        f"  %s{i} = arith.addf %v{3 * i}, %v{3 * i + 1} : vector<64xf32>\n"
        f"  vector.transfer_write %s{i}, %y{i}[%n1] : vector<64xf32>, memref<?xf32>"
        for i in range(4)
    )
    return (
        f"gpu.func @many({buffers}, %n0: index, %n1: index, %scale: f32) kernel\n"
        "    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {\n"
        f"  %pad = arith.constant 0.0 : f32\n{reads}\n{writes}\n  gpu.return\n}}\n"
    )


def microseconds(run: Callable[[], object], runs: int, launches: int = 100) -> float:
    """Of one call, the smallest of all runs: what else the machine does makes no run shorter."""
    for _ in range(2 * launches):
        run()
    times: list[float] = []
    for _ in range(runs):
        start = time.thread_time()
        for _ in range(launches):
            run()
        times.append(time.thread_time() - start)
    return 1e6 * min(times) / launches


def figures(runs: int) -> Iterator[tuple[str, float]]:
    """In the process that has the stub driver for its own."""
    use_checkout()
    import lanewise

    raw = SimpleNamespace(_cuda_getCurrentRawStream=lambda ordinal: 0)
    sys.modules["torch"] = SimpleNamespace(_C=raw)  # type: ignore[assignment]  # whose stream is asked for
    device = lanewise.CudaDevice(0)
    text = (EXAMPLES / "vector_add.mlir").read_text(encoding="utf-8").replace("@vector_add", "@add")
    kernel = lanewise.compile(text, "sm_90", device=device)
    many = lanewise.compile(many_arguments(), "sm_90", device=device)

    def timed(run: Callable[[], object]) -> float:
        return microseconds(run, runs)

    yield "empty", timed(_empty_launch(lanewise, device))
    yield "context", timed(lambda: (device._push(device._context), device._pop()))
    arrays = [[lanewise.DeviceArray(device, (N,), np.float32) for _ in range(16)] for _ in range(3)]
    tensors = [[Tensor(array.address, array.shape) for array in row] for row in arrays]
    for words, rows in (("arrays", arrays), ("tensors", tensors)):
        yield f"same {words}", timed(_launches_of(kernel, [rows[0][:3]]))
        yield f"other {words}", timed(_launches_of(kernel, [row[3 * i : 3 * i + 3] for row in rows for i in range(4)]))
    x, y, z = arrays[0][:3]
    yield "a grid of three", timed(lambda: kernel[4, 1, 1](x, y, z))
    yield "by name", timed(lambda: kernel[4](x=x, y=y, z=z))
    launch = kernel.prepare(4, x, y, z)
    yield "prepared", timed(launch)
    python = _in_python(lanewise, device)
    for words, rows in (("arrays", arrays), ("tensors", tensors)):
        for which, sets in (("same", [rows[0][:3]]), ("other", [row[:3] for row in rows])):
            following = itertools.cycle(sets)
            yield f"Python, {which} {words}", timed(lambda following=following: python(*next(following)))
    yield "19 arguments", timed(lambda: many[4](*arrays[0], 3, 5, 1.5))
    yield "19 arguments, tensors", timed(lambda: many[4](*tensors[0], 3, 5, 1.5))
    yield "asking 16 tensors", timed(lambda: _ask(tensors[0]))
    del sys.modules["torch"]
    if importlib.util.find_spec("torch") is not None:
        torch = importlib.import_module("torch")
        own = [torch.zeros(N) for _ in range(16)]
        yield "asking 16 of torch", timed(lambda: _ask(own))


def _ask(tensors: Sequence[Any]) -> None:
    """What a launch function asks of each (`jit/argument_kinds.py`)."""
    for tensor in tensors:
        tensor.is_cuda, tensor.get_device(), tensor.is_neg(), tensor.dtype  # looked at
        (_,) = tensor.shape
        tensor.data_ptr(), tensor.is_contiguous()  # looked at


def _launches_of(kernel: Any, sets: Sequence[Sequence[Any]]) -> Callable[[], object]:
    """Launches with one set of arguments after the other."""
    following = itertools.cycle(sets)
    return lambda: kernel[4](*next(following))


def _in_python(lanewise: Any, device: Any) -> Any:
    """A kernel in Python without annotations, whose grid follows from what it writes."""
    import lanewise.lang as lw

    @lanewise.kernel(workgroup=256, target="sm_90", device=device)
    def add(x, y, z):  # type: ignore[no-untyped-def]
        i = lw.block(1024)
        z[i] = x[i] + y[i]

    return add


def _empty_launch(lanewise: Any, device: Any) -> Callable[[], object]:
    """A call of the driver's launch, as the binding has it."""
    from lanewise.jit.device import Code

    function = device.load(Code("sm_90", "entry nothing", None, "nothing"))
    packed = device.packed(48, ())
    _, parameters, extra = packed.parts
    call, handle = device._calls.launch, function.handle

    def run() -> None:
        call(handle, 4, 1, 1, 64, 1, 1, 0, 0, parameters, extra)

    run.kept = packed  # type: ignore[attr-defined]  # whose address the driver gets
    return run


def show(found: Mapping[str, float]) -> None:
    if not found:
        print("host time of launches: no C compiler for the stub driver")
        return
    print("host time of launches, us of the processor")
    goals = {**GOALS, "prepared": found["empty"] + PREPARED_ABOVE}
    for name, value in found.items():
        print(f"  {name:24}{value:6.2f}{f'   (goal {goals[name]:.3g})' if name in goals else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=80, help="of a hundred launches, whose smallest counts")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        ctypes.CDLL("libcuda.so.1").stub_loaded  # noqa: B018  # never a real driver
        print(json.dumps(dict(figures(options.runs))))
        return
    show(measure(options.runs))


if __name__ == "__main__":
    main()
