"""What a process costs from its start to PTX, beside one that imports numpy and llvmlite alone. No GPU.

    python bench/cold_start.py [--runs N]

Both run in turns, with bytecode in place as an installation has it. Processor seconds, user's and system's, the least
of all runs: on a machine that others use, the ratio still means something. The number of modules is the same each time;
`tests/pipeline/test_cold_start.py` holds it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from checkout import CHILD, EXAMPLES

GOAL = 2.3
RUNS = 15
BYTECODE = Path(tempfile.gettempdir()) / "lanewise-bench-bytecode"
_COMPILE = f"checkout.use_checkout(); import lanewise; lanewise.compile({str(EXAMPLES / 'softmax.mlir')!r}"
PROGRAMS: Mapping[str, str] = {
    "numpy, llvmlite": "import numpy, llvmlite.binding",
    "import lanewise": "checkout.use_checkout(); import lanewise",
    "softmax to PTX": f"{_COMPILE}, target='sm_90').ptx",
    "softmax to AMDGCN": f"{_COMPILE}, target='gfx942').general.artifacts.assembly",
}


def processor_seconds(runs: int = RUNS) -> dict[str, float]:
    """The least processor seconds of each program, run in turns."""
    for program in PROGRAMS.values():
        _run(program)  # writes the bytecode
    rounds = [{name: _run(program) for name, program in PROGRAMS.items()} for _ in range(runs)]
    return {name: min(times[name] for times in rounds) for name in PROGRAMS}


def _run(program: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-X", f"pycache_prefix={BYTECODE}", "-c", CHILD + program]
    _, status, used = os.wait4(os.posix_spawn(command[0], command, environment), 0)
    assert status == 0, f"{program} ended with status {status}"
    return used.ru_utime + used.ru_stime


def show(found: Mapping[str, float]) -> None:
    base = found["numpy, llvmlite"]
    for name, seconds in found.items():
        goal = f"   (goal {GOAL})" if name == "softmax to PTX" else ""
        print(f"{name:20}{1000 * seconds:7.0f} ms of the processor {seconds / base:6.2f}{goal}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="processes of each kind, of which the least counts")
    show(processor_seconds(parser.parse_args().runs))


if __name__ == "__main__":
    main()
