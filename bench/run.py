"""`make bench`: import time, compile time by stage, emulation speed, the loops that have goals, counts of the
examples' code, and all that beside Triton's where it is installed. Needs no GPU.

Every figure is the median of repeated runs after warming up. Goals are those that the project set itself.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from checkout import CHILD, EXAMPLES, use_checkout

use_checkout()

import cold_start  # noqa: E402
import counts  # noqa: E402
import goals  # noqa: E402
import launches  # noqa: E402
import tracing  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.codegen.assemble import ToolMissingError, assemble  # noqa: E402
from lanewise.codegen.compile import Artifacts, compile_kernel  # noqa: E402
from lanewise.jit.facts import Facts  # noqa: E402
from lanewise.jit.grids import grid_of  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402
from lanewise.jit.source import parse  # noqa: E402
from lanewise.pipeline.compilation import Compilation  # noqa: E402
from lanewise.targets import find_chip  # noqa: E402

TARGET = "sm_90"
BYTECODE = Path(tempfile.gettempdir()) / "lanewise-bench-bytecode"
READ_OPERATIONS = 100_000
READ_GOAL = 5.0
TIMED_IMPORT = "import time; t = time.perf_counter(); checkout.use_checkout(); print(time.perf_counter() - t)"
COMPILE_GOALS = {"vector_add": 15, "softmax": 30, "matmul_f16": 100}
AMD_TARGETS = ("gfx942", "gfx1100")
CODE_KINDS = ("PTX", "cubin", *AMD_TARGETS)
CODE_GOAL = 1.5
EMULATIONS = (
    (TARGET, "matmul_f16", {"M": 128, "N": 128, "K": 64}, 0.03),
    (TARGET, "softmax", {"M": 1024, "N": 1024}, 0.5),
    (TARGET, "matmul_f16", {"M": 512, "N": 512, "K": 512}, 0.35),
    ("sm_90a", "matmul_f16", {"M": 128, "N": 128, "K": 64}, 0.05),
    ("gfx942", "matmul_f16", {"M": 128, "N": 128, "K": 64}, 0.03),
    ("gfx942", "matmul_f16", {"M": 512, "N": 512, "K": 512}, 0.35),
    ("gfx942", "softmax", {"M": 1024, "N": 1024}, 1.0),
)


def median_of(run: Callable[[], object], repeats: int) -> float:
    """Median seconds after one run to warm up."""
    run()
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# Processes


STEPS = {
    "Python": "pass",
    "numpy": "import numpy",
    "llvmlite": "import llvmlite.binding",
    "modules of the compiler": "checkout.use_checkout(); import lanewise.jit.kernel",
}
"""What a process does before it reads a program, one after the other."""


def import_times(repeats: int) -> dict[str, float]:
    """Milliseconds that the import takes in a fresh process, and of a whole process from start to PTX."""
    imports = [float(_child(CHILD + TIMED_IMPORT)) for _ in range(repeats)]
    file = str(EXAMPLES / "vector_add.mlir")
    from_python = f"checkout.use_checkout(); import lanewise; lanewise.compile({file!r}, target={TARGET!r}).ptx"
    arguments = ["compile", file, "--target", TARGET]
    from_shell = f"checkout.use_checkout(); from lanewise.cli.main import main; sys.exit(main({arguments!r}))"
    programs = accumulate(STEPS.values(), "{}; {}".format)
    times = [0.0, *(1000 * _process_time(program, repeats) for program in programs)]
    steps = {name: after - before for name, (before, after) in zip(STEPS, pairwise(times), strict=True)}
    return {
        "import": 1000 * statistics.median(imports),
        "cold process": 1000 * _process_time(from_python, repeats),
        **steps,
        "command line": 1000 * _process_time(from_shell, repeats),
    }


def _process_time(program: str, repeats: int) -> float:
    """Median seconds from the start of a process to its end."""
    _child(CHILD + program)  # writes the bytecode, as an installation does
    return median_of(lambda: _child(CHILD + program), repeats)


def _child(program: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-X", f"pycache_prefix={BYTECODE}", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout or "0"


# Compilation


def compile_times(name: str, repeats: int) -> dict[str, float]:
    """Median milliseconds of each stage from text to PTX, and `total`."""
    text = read_source(EXAMPLES / f"{name}.mlir").text
    _stages(text)
    runs = [_stages(text) for _ in range(repeats)]
    return {stage: 1000 * statistics.median(run[stage] for run in runs) for stage in runs[0]}


def _stages(text: str) -> dict[str, float]:
    times: dict[str, float] = {}
    start = begin = time.perf_counter()

    def lap(stage: str) -> None:
        nonlocal begin
        now = time.perf_counter()
        times[stage] = now - begin
        begin = now

    chip = find_chip(TARGET)
    module = parse(text)
    lap("parse")
    compilation = Compilation(module, None, chip)
    _ = compilation.layout_kernel
    lap("layout")
    thread = compilation.thread_kernel
    lap("distribute")
    artifacts = compile_kernel(thread, chip)
    times |= dict(artifacts.timings)
    begin = time.perf_counter()
    _ = artifacts.assembly
    lap("assembly")
    times["total"] = begin - start
    return times


def reading_seconds() -> float:
    """Seconds of the processor to read and check a function of `READ_OPERATIONS` operations of four kinds."""
    lines = (
        f"%a{i} = arith.addi %x, %x : i32\n%b{i} = arith.mulf %f, %f fastmath<contract> : f32\n"
        f"%c{i} = vector.load %m[%i, %i] : memref<8x8xf32>, vector<4xf32>\n%d{i} = arith.constant 5 : i32"
        for i in range(READ_OPERATIONS // 4)
    )
    arguments = "%x: i32, %f: f32, %m: memref<8x8xf32>, %i: index"
    text = "\n".join([f"func.func @f({arguments}) {{", *lines, "return", "}"])
    start = time.process_time()
    parse(text)
    return time.process_time() - start


def code_times(name: str, repeats: int) -> dict[str, dict[str, float]]:
    """Median milliseconds from text to PTX, to a cubin (NaN without ptxas), and to AMD's code objects: of the general
    variant, and of the one that arrays of at most 2 GiB with aligned addresses and extents get."""
    text = read_source(EXAMPLES / f"{name}.mlir").text

    def milliseconds(target: str, aligned: bool, finish: Callable[[Artifacts], object]) -> float:
        def run() -> None:
            kernel = compile_program(text, target)
            finish(kernel.variant(kernel.best_facts if aligned else Facts()).artifacts)

        return 1000 * median_of(run, repeats)

    def of_variant(aligned: bool) -> dict[str, float]:
        times = {"PTX": milliseconds(TARGET, aligned, lambda a: a.assembly)}
        try:
            times["cubin"] = milliseconds(TARGET, aligned, lambda a: assemble(a.assembly, a.chip))
        except ToolMissingError:
            times["cubin"] = math.nan
        times |= {target: milliseconds(target, aligned, lambda a: a.code_object) for target in AMD_TARGETS}
        return times

    return {"general": of_variant(False), "aligned": of_variant(True)}


# Emulation


def emulation_time(target: str, name: str, sizes: dict[str, int], repeats: int) -> float:
    """Median seconds of a launch on the emulator, arguments copied in and out."""
    source = read_source(EXAMPLES / f"{name}.mlir")
    kernel = compile_program(source.text, target, device="emulated")
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    inputs = make_inputs(text, kernel.signature, sizes=sizes)
    return median_of(lambda: kernel.launch(grid_of(inputs.grid), *inputs.arguments), repeats)


# Output


def measure(repeats: int) -> dict[str, Any]:
    names = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
    emulations = [
        {"target": t, "program": n, "sizes": s, "seconds": emulation_time(t, n, s, max(3, repeats // 4)), "goal": goal}
        for t, n, s, goal in EMULATIONS
    ]
    return {
        "processes": import_times(max(3, repeats // 3)),
        "cold start": cold_start.processor_seconds(repeats),
        "compile": {name: compile_times(name, repeats) for name in names},
        "code": {name: code_times(name, max(3, repeats // 3)) for name in names},
        "reading": reading_seconds(),
        "launch": launches.measure(),
        "tracing": tracing.measure(),
        "emulation": emulations,
        "counts": counts.measure(),
    }


def report(found: dict[str, Any]) -> None:
    processes = found["processes"]
    print(f"import lanewise    {processes['import']:7.1f} ms   (goal 100)")
    print(f"process to PTX     {processes['cold process']:7.1f} ms   (goal 350)")
    print("".join(f"  {name:23}{processes[name]:6.1f} ms\n" for name in STEPS), end="")
    cold_start.show(found["cold start"])
    print(f"command to PTX     {processes['command line']:7.1f} ms   (goal 350), LLVM in a process of its own")
    print(f"read and check     {found['reading']:7.2f} s    (goal {READ_GOAL:g}), {READ_OPERATIONS:,} operations\n")
    stages = list(next(iter(found["compile"].values())))
    print(f"{'text to PTX, ms':16}" + "".join(f"{stage:>12}" for stage in stages) + "  goal")
    for name, times in found["compile"].items():
        print(f"{name:16}" + "".join(f"{times[s]:12.1f}" for s in stages) + f"  {COMPILE_GOALS.get(name, '')}")
    print(f"\n{'text to code, ms':25}" + "".join(f"{kind:>10}" for kind in CODE_KINDS) + "  slower AMD / cubin")
    for name, variants in found["code"].items():
        for variant, times in variants.items():
            ratio = max(times[target] for target in AMD_TARGETS) / times["cubin"]
            cells = "".join(f"{times[kind]:10.1f}" for kind in CODE_KINDS)
            print(f"{name:16} {variant:8}{cells}  {ratio:6.2f}   (goal {CODE_GOAL})")
    print()
    launches.show(found["launch"])
    tracing.show(found["tracing"])
    print("\nemulation")
    for run in found["emulation"]:
        sizes = " ".join(f"{k}={v}" for k, v in run["sizes"].items())
        print(f"{run['target']:8}{run['program']:12} {sizes:24} {run['seconds']:8.3f} s   (goal {run['goal']})")
    print()
    goals.show()
    print()
    counts.show(found["counts"])
    if importlib.util.find_spec("triton") is not None:
        importlib.import_module("against_triton").show()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15, help="runs behind each median")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    found = measure(options.repeats)
    report(found)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
