"""`make hardware`: every example on this machine's GPU against its meaning; writes bench/results/hardware-CHIP.json.

On Hopper and later first of the code for all of them (sm_90), then, on Hopper, of that for this chip alone (sm_90a),
which uses more of what nobody has documented; on other chips, AMD's among them, of the chip's own. Needs Python, numpy,
ml_dtypes and cuda-python or hip-python, and no installation of the checkout; kernels come from bench/bundle/ where that
lies, else llvmlite is needed, too. Each program runs in a process of its own, which
is replaced after a fault, so that no case loses its verdict; the file is whole after each. Takes less than ten minutes
for each: what has not been run by then is named. Exit code 0: all is right; 1: something is wrong; 2: no GPU, or a
bundle that does not fit; 3: nothing is wrong, but not everything was run.
"""

from __future__ import annotations

import argparse
import functools
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from cases import CASES, DATA, LARGE
from checkout import EXAMPLES, RESULTS, use_checkout
from isolated import Failure, Tell, Worker
from kernels import BUNDLE, NoKernels, check_kernels, kernel_of
from results_file import Results, name_of
from this_gpu import GENERAL, executor_of, open_gpu, targets_for

use_checkout()

import lanewise  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.jit.device import Device  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402

LIMIT_SECONDS = 480.0
CASE_SECONDS, LARGE_SECONDS = 30.0, 120.0
LARGE_DATA = "written"


def plan(programs: Sequence[str], quick: bool, targets: Sequence[str] = (GENERAL,)) -> Iterator[dict[str, Any]]:
    """Every run, target by target: small sizes with all data, large ones as written."""
    for target, program in product(targets, programs or CASES):
        case = {"target": target, "program": program}
        for sizes in CASES[program]:
            yield from (case | {"sizes": dict(sizes), "data": data} for data in DATA)
        if not quick and program in LARGE:
            yield case | {"sizes": dict(LARGE[program]), "data": LARGE_DATA}


def targets_of(chip: str, asked: str | None, bundle: Path) -> dict[str, str]:
    """What code is run for, and where it comes from, in words. Raises NoKernels where there is none of the first."""
    if asked is not None:
        return {asked: check_kernels(asked, bundle)}
    needed, *others = targets_for(chip)
    found = {needed: check_kernels(needed, bundle)}
    for target in others:
        try:
            found[target] = check_kernels(target, bundle)
        except NoKernels as error:
            print(f"left out: {error}", flush=True)
    return found


# In the processes that may fail


def work(task: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Opens the device and checks one case, unless the task is to look."""
    tell("opening the device")
    device = open_device()
    if task["what"] == "look":
        return look(device)
    return check(task["case"], task["bundle"], device, tell)


@functools.cache
def open_device() -> Device:
    """One as long as the process: it would take tenths of a second for each case."""
    return open_gpu()


def look(device: Device) -> dict[str, Any]:
    properties = device.properties
    return {"device": properties.name, "chip": properties.target, "driver": properties.driver}


def check(case: Mapping[str, Any], bundle: Path, device: Device, tell: Tell) -> dict[str, Any]:
    """One example, one set of sizes: the verdict and the largest errors."""
    tell("making the arguments")
    kernel = kernel_of(case["program"], case["target"], device, bundle)
    text = inputs_of(read_comments(read_source(EXAMPLES / f"{case['program']}.mlir")), kernel.name)
    assert text is not None
    inputs = make_inputs(text, kernel.signature, sizes=case["sizes"], data=case["data"])
    tell("validating")
    executor = executor_of(case["target"])
    report = lanewise.validate(kernel, inputs.grid, *inputs.arguments, on=[executor])
    errors = [c.max_absolute for check in report.checks for c in check.comparisons]
    return {
        "verdict": "FAULT" if is_lost(device) else report.verdict,
        "max_ulps": report.max_ulps,
        "max_absolute": _plain(max(errors, default=0.0)),
        "runs": sum(check.executor == executor for check in report.checks),
        "findings": [finding for check in report.checks for finding in check.findings()],
    }


def is_lost(device: Device) -> bool:
    """Whether a kernel has failed: `validate` counts that among its findings, and the process cannot go on."""
    try:
        device.synchronize()
    except lanewise.DeviceError:
        return True
    return False


def _plain(value: float) -> float | str:
    """JSON has no NaN and no infinity."""
    return value if math.isfinite(value) else repr(value)


# In the process that survives


def run_all(worker: Worker, results: Results, options: argparse.Namespace) -> None:
    """Case by case. One that hangs sends what is left of its program behind all others."""
    targets = {entry["target"] for entry in results.entries}
    end = time.monotonic() + options.limit * len(targets)
    program, hanging = "", set[str]()
    queue = list(range(len(results.entries)))
    while queue and (start := time.monotonic()) < end:
        index = queue.pop(0)
        case = {key: results.entries[index][key] for key in ("target", "program", "sizes", "data")}
        if program not in ("", case["program"]):
            worker.renew()
        program = case["program"]
        task = {"what": "check", "case": case, "bundle": options.bundle}
        seconds = LARGE_SECONDS if case["sizes"] == LARGE.get(program) else options.case_limit
        entry = results.put(index, worker.do(task, min(end - start, seconds)), time.monotonic() - start)
        if entry["verdict"] == "FAULT":
            worker.renew()
        if entry["verdict"] == "TIMEOUT":
            hanging.add(program)
            queue.sort(key=lambda i: results.entries[i]["program"] in hanging)
        show(index, len(results.entries), entry)


def show(index: int, count: int, entry: Mapping[str, Any]) -> None:
    ulps = f"{entry['max_ulps']} ulps" if "max_ulps" in entry else f"while {entry['doing']}: {entry['reason']}"
    print(f"[{index + 1}/{count}] {name_of(entry):44} {entry['verdict']:7} {entry['took']:5.1f} s  {ulps}", flush=True)
    for finding in entry.get("findings", ()):
        print(f"    {finding}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="program", help="examples to run, all if none is named")
    parser.add_argument("--target", help="what the code was, or is to be, compiled for: one instead of both")
    parser.add_argument("--quick", action="store_true", help="leave out the large sizes")
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds for all cases of one target")
    parser.add_argument("--case-limit", type=float, default=CASE_SECONDS, help="seconds for one case of small sizes")
    parser.add_argument("--bundle", type=Path, default=BUNDLE, help="instead of bench/bundle")
    parser.add_argument("-o", "--output", type=Path, help="instead of bench/results/hardware-CHIP.json")
    options = parser.parse_args()
    if unknown := [program for program in options.programs if program not in CASES]:
        parser.error(f"no program {unknown[0]!r}; there are {', '.join(CASES)}")
    with Worker(work) as worker:
        found = worker.do({"what": "look"}, CASE_SECONDS)
        if isinstance(found, Failure):
            print(f"error: {found.reason}", file=sys.stderr)
            return 2
        try:
            targets = targets_of(found["chip"], options.target, options.bundle)
        except NoKernels as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        words = ", ".join(f"for {target}: {code}" for target, code in targets.items())
        print(f"{found['device']}, {found['chip']}, {found['driver']}; kernels {words}", flush=True)
        place = options.output or RESULTS / f"hardware-{found['chip']}.json"
        head = found | {"code": targets, "lanewise": lanewise.__version__, "finished": False}
        results = Results(place, head, list(plan(options.programs, options.quick, list(targets))))
        run_all(worker, results, options)
        results.write(finished=True)
    print("\n".join(results.summary()))
    return results.exit_code


if __name__ == "__main__":
    sys.exit(main())
