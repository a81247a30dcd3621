"""`make bench-gpu`: how fast the examples are on the GPU of this machine, beside torch or CuPy where installed.

Times are medians of batches of launches between two events, after warming up. Takes less than ten minutes.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from checkout import EXAMPLES, use_checkout

use_checkout()

import lanewise  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.jit.arrays import DeviceArray  # noqa: E402
from lanewise.jit.device import time_launches  # noqa: E402
from lanewise.jit.source import read_source  # noqa: E402

BATCHES, LAUNCHES = 15, 10
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Case:
    """One measurement. `work` counts bytes or floating point operations; `torch` and `cupy` do the same elsewhere."""

    program: str
    sizes: Sizes
    unit: str
    work: Callable[[Sizes], float]
    torch: Callable[[Any, list[Any]], object]
    cupy: Callable[[Any, list[Any]], object] | None = None


def _layer_norm(torch: Any, a: list[Any]) -> object:
    return torch.nn.functional.layer_norm(a[0], a[0].shape[1:], a[1], a[2])


CASES = (
    Case(
        "vector_add",
        {"N": 1 << 26},
        "TB/s",
        lambda s: 12 * s["N"],
        lambda torch, a: torch.add(a[0], a[1], out=a[2]),
        lambda cupy, a: cupy.add(a[0], a[1], out=a[2]),
    ),
    Case(
        "softmax",
        {"M": 16384, "N": 8192},
        "TB/s",
        lambda s: 8 * s["M"] * s["N"],
        lambda torch, a: torch.softmax(a[0], 1),
    ),
    Case("layer_norm", {"M": 16384, "N": 8192}, "TB/s", lambda s: 8 * s["M"] * s["N"], _layer_norm),
    Case(
        "transpose",
        {"M": 8192, "N": 8192},
        "TB/s",
        lambda s: 8 * s["M"] * s["N"],
        lambda torch, a: a[1].copy_(a[0].t()),
        lambda cupy, a: cupy.copyto(a[1], a[0].T),
    ),
    Case(
        "matmul_f16",
        {"M": 4096, "N": 4096, "K": 4096},
        "TFLOP/s",
        lambda s: 2 * s["M"] * s["N"] * s["K"],
        lambda torch, a: torch.matmul(a[0], a[1]),
        lambda cupy, a: cupy.matmul(a[0], a[1]),
    ),
)


def measure(case: Case, device: lanewise.CudaDevice, target: str) -> dict[str, Any]:
    source = read_source(EXAMPLES / f"{case.program}.mlir")
    kernel = lanewise.compile(source.text, target=target, device=device)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    inputs = make_inputs(text, kernel.signature, sizes=case.sizes)
    arrays = [a for a in inputs.arguments if isinstance(a, np.ndarray)]
    placed = [DeviceArray.from_numpy(device, a) if isinstance(a, np.ndarray) else a for a in inputs.arguments]
    seconds = median_seconds(device, lambda: kernel.launch(inputs.grid, *placed))
    times = {"lanewise": seconds} | other_times(case, device, arrays)
    rate = {name: case.work(case.sizes) / t / 1e12 for name, t in times.items()}
    return {"program": case.program, "sizes": dict(case.sizes), "unit": case.unit, "seconds": times, "rate": rate}


def median_seconds(device: lanewise.CudaDevice, launch: Callable[[], object]) -> float:
    """Seconds of one launch, as the device counts them."""

    def batch() -> None:
        for _ in range(LAUNCHES):
            launch()

    time_launches(device, batch)
    return statistics.median(time_launches(device, batch) for _ in range(BATCHES)) / LAUNCHES


def other_times(case: Case, device: lanewise.CudaDevice, arrays: list[Any]) -> dict[str, float]:
    """Seconds of the same work in the libraries that are installed; they launch on the default stream, too."""
    times: dict[str, float] = {}
    if importlib.util.find_spec("torch"):
        torch: Any = importlib.import_module("torch")
        tensors = [torch.from_numpy(a).cuda() for a in arrays]
        times["torch"] = median_seconds(device, lambda: case.torch(torch, tensors))
    cupy_work = case.cupy
    if cupy_work is not None and importlib.util.find_spec("cupy"):
        cupy: Any = importlib.import_module("cupy")
        copies = [cupy.asarray(a) for a in arrays]
        times["cupy"] = median_seconds(device, lambda: cupy_work(cupy, copies))
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="sm_90", help="what to compile for")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    try:
        device = lanewise.CudaDevice()
    except lanewise.DeviceUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{device.properties.name}, {device.properties.driver}")
    found: list[dict[str, Any]] = []
    for case in CASES:
        found.append(measure(case, device, options.target))
        rates = ", ".join(f"{name} {rate:.2f}" for name, rate in found[-1]["rate"].items())
        sizes = " ".join(f"{k}={v}" for k, v in case.sizes.items())
        print(f"{case.program:12} {sizes:24} {case.unit:8} {rates}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
