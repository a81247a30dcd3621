"""Tracing: processor time from a Python function to its verified vector program, for examples in Python.

python bench/tracing.py
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from typing import Any

from checkout import EXAMPLES, use_checkout

NAMES = ("softmax", "matmul_f16", "linear_gelu", "attention")
GOAL = 5.0
"""Milliseconds for a hundred operations."""


def measure(runs: int = 25) -> dict[str, tuple[int, float]]:
    """How many operations each has, and the smallest time of all runs in milliseconds."""
    use_checkout()
    import lanewise
    from lanewise.lang.dtypes import BY_MLIR, ArrayType

    found: dict[str, tuple[int, float]] = {}
    for name in NAMES:
        spec = importlib.util.spec_from_file_location(f"bench_{name}", EXAMPLES / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        text = lanewise.compile(EXAMPLES / f"{name}.mlir", "sm_90", device="emulated")
        types = [argument.type for argument in text.view.arguments]
        kinds = [
            BY_MLIR[str(t)] if not hasattr(t, "element") else ArrayType(BY_MLIR[str(t.element)], t.shape) for t in types
        ]
        found[name] = _smallest(getattr(module, name), kinds, runs)
    return found


def _smallest(kernel: Any, kinds: list[Any], runs: int) -> tuple[int, float]:
    count = sum(1 for _ in kernel.trace(*kinds).walk())
    times: list[float] = []
    for _ in range(runs):
        kernel._known.clear()
        start = time.process_time()
        kernel.trace(*kinds)
        times.append(time.process_time() - start)
    return count, 1000 * min(times)


def show(found: Mapping[str, tuple[int, float]]) -> None:
    print("tracing kernels in Python, ms of the processor")
    for name, (count, taken) in found.items():
        print(f"  {name:24}{count:4} operations{taken:8.2f}, {100 * taken / count:.2f} for 100 (goal {GOAL:g})")


if __name__ == "__main__":
    show(measure())
