"""Where the time from text to machine text goes: of each stage the processor's time, and calls of Python. No GPU.

    python bench/compile_stages.py [--repeats N] [CHIP ...]

The kernels are those of `against_triton.py`. Times are of this process alone, the least of repeated compilations in
milliseconds, so that they mean something on a machine that others use; calls, those of built-in functions included, are
the same each time. The last column is the geometric mean of the kernels.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

from checkout import EXAMPLES, ROWS, use_checkout

use_checkout()

from lanewise.codegen.compile import generate  # noqa: E402
from lanewise.codegen.llvm import compile_text  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402

KERNELS: Mapping[str, Path] = {
    "vector_add": EXAMPLES,
    "softmax": ROWS,
    "layer_norm": ROWS,
    "rms_norm": ROWS,
    "transpose": EXAMPLES,
    "matmul_f16": EXAMPLES,
}
TARGETS = ("sm_80", "gfx942")
Lap = Callable[[str], None]
Found = dict[str, float]


def stages(text: str, target: str, lap: Lap) -> None:
    """Compiles a text for what `against_triton.py` takes for granted; `lap` is told at the end of each stage."""
    kernel = compile_program(text, target, fastmath="approx")
    lap("read, verify")
    compilation = kernel.variant(kernel.best_facts).compilation
    lap("expand")
    _ = compilation.layout_kernel
    lap("layouts")
    thread = compilation.thread_kernel
    lap("distribute")
    written = generate(thread, compilation.chip)
    lap("write LLVM IR")
    compiled = compile_text(written.llvm_ir, written.chip)
    lap("LLVM reads, combines")
    text = compiled.assembly
    if written.check is not None:
        written.check(text)
    lap("LLVM generates")


def least_times(text: str, target: str, repeats: int) -> Found:
    """Milliseconds of each stage."""
    found: Found = {}
    for _ in range(repeats + 1):
        begin = time.process_time()

        def lap(stage: str) -> None:
            nonlocal begin
            now = time.process_time()
            found[stage] = min(found.get(stage, math.inf), 1000 * (now - begin))
            begin = time.process_time()

        stages(text, target, lap)
    return found


def calls(text: str, target: str) -> Found:
    """Calls of functions in each stage, of a process that has compiled the kernel before."""
    found: Found = {}
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    def lap(stage: str) -> None:
        nonlocal count
        found[stage], count = count, 0

    sys.setprofile(counted)
    try:
        stages(text, target, lap)
    finally:
        sys.setprofile(None)
    return found


def show(targets: Sequence[str], repeats: int) -> None:
    texts = {name: read_source(folder / f"{name}.mlir").text for name, folder in KERNELS.items()}
    for target in targets:
        times = [least_times(text, target, repeats) for text in texts.values()]
        counts = [calls(text, target) for text in texts.values()]
        for title, tables, form in (("ms", times, ".1f"), ("calls", counts, ".0f")):
            print(f"\n{f'{target}, {title}':24}" + "".join(f"{name:>12}" for name in texts) + f"{'mean':>12}")
            for stage in tables[0]:
                _row(stage, [table[stage] for table in tables], form)
            _row("all", [sum(table.values()) for table in tables], form)


def _row(title: str, numbers: Sequence[float], form: str) -> None:
    cells = [*numbers, statistics.geometric_mean(max(number, 1e-9) for number in numbers)]
    print(f"{title:24}" + "".join(f"{cell:12{form}}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=TARGETS, help=f"chips (default: {', '.join(TARGETS)})")
    parser.add_argument("--repeats", type=int, default=15, help="compilations of which the least times are taken")
    options = parser.parse_args()
    show(options.targets, options.repeats)


if __name__ == "__main__":
    main()
