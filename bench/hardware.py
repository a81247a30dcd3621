"""`make hardware`: every example on this machine's GPU against its meaning; writes bench/results/hardware-CHIP.json.

Needs Python, numpy, ml_dtypes, llvmlite and cuda-python, and no installation of the checkout. Takes less than ten
minutes: what has not been run by then counts as failed. Exit code 0: all is right; 1: something is wrong; 2: no GPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cases import CASES, DATA, LARGE, Sizes
from checkout import EXAMPLES, RESULTS, use_checkout

use_checkout()

import lanewise  # noqa: E402
from lanewise.check.inputs import Data, make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.jit.device import DeviceProperties  # noqa: E402
from lanewise.jit.source import read_source  # noqa: E402

LIMIT_SECONDS = 480.0


def plan(quick: bool) -> Iterator[tuple[str, Sizes, Data]]:
    """Every run: small sizes with all data, large ones as written."""
    for name, all_sizes in CASES.items():
        for sizes in all_sizes:
            yield from ((name, sizes, data) for data in DATA)  # type: ignore[misc]
    if not quick:
        yield from ((name, sizes, "written") for name, sizes in LARGE.items())


def check(name: str, sizes: Sizes, data: Data, target: str) -> dict[str, Any]:
    """One example, one set of sizes: verdict, largest error, and seconds on the device with what surrounds it."""
    source = read_source(EXAMPLES / f"{name}.mlir")
    kernel = lanewise.compile(source.text, target=target)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    inputs = make_inputs(text, kernel.signature, sizes=sizes, data=data)
    report = lanewise.validate(kernel, inputs.grid, *inputs.arguments, on=["cuda"])
    errors = [c.max_absolute for c in report.checks[-1].comparisons]
    return {
        "program": name,
        "sizes": dict(sizes),
        "data": data,
        "verdict": "right" if report.ok else "WRONG",
        "max_ulps": report.max_ulps,
        "max_absolute": max(errors, default=0.0),
        "runs": sum(c.executor == "cuda" for c in report.checks),
        "findings": [finding for c in report.checks for finding in c.findings()],
    }


def run_all(target: str, quick: bool) -> list[dict[str, Any]]:
    begin = time.perf_counter()
    results: list[dict[str, Any]] = []
    for name, sizes, data in plan(quick):
        if time.perf_counter() - begin > LIMIT_SECONDS:
            results.append({"program": name, "sizes": dict(sizes), "data": data, "verdict": "NOT RUN"})
            continue
        results.append(check(name, sizes, data, target))
        shown = " ".join(f"{k}={v}" for k, v in sizes.items())
        print(f"{name:12} {shown:24} {data:8} {results[-1]['verdict']:8} {results[-1]['max_ulps']} ulps", flush=True)
        for finding in results[-1]["findings"]:
            print(f"    {finding}")
    return results


def document(properties: DeviceProperties, target: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "device": properties.name,
        "chip": properties.target,
        "target": target,
        "driver": properties.driver,
        "lanewise": lanewise.__version__,
        "ok": all(result["verdict"] == "right" for result in results),
        "results": results,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="sm_90", help="what to compile for")
    parser.add_argument("--quick", action="store_true", help="leave out the large sizes")
    parser.add_argument("-o", "--output", type=Path, help="instead of bench/results/hardware-CHIP.json")
    options = parser.parse_args()
    try:
        properties = lanewise.CudaDevice().properties
    except lanewise.DeviceUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{properties.name}, {properties.target}, {properties.driver}")
    found = document(properties, options.target, run_all(options.target, options.quick))
    RESULTS.mkdir(exist_ok=True)
    place = options.output or RESULTS / f"hardware-{properties.target}.json"
    place.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{'right' if found['ok'] else 'WRONG'}: {len(found['results'])} runs, written to {place}")
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
