"""`make bench-gpu`: how fast the examples are on the GPU of this machine; writes bench/results/gpu-CHIP.json.

Beside them torch, Triton and CuPy where they are installed, with the same random data and outputs of the same type.
What a contender writes is compared with a float64 reference before it is timed (see timing.py for how). Two ceilings
are measured in the same run: a copy within the device's memory, bytes read and written, and the product of cuBLAS at
8192x8192x8192; shares are shares of those.

Needs what `make hardware` needs, and takes kernels from bench/bundle/ as it does. Each case runs in a process of its
own; a contender that fails is named, and the others are measured without it. Takes less than ten minutes. Exit code 0:
all of lanewise is right; 1: it is not; 2: no GPU, or a bundle that does not fit; 3: not everything was run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from cases import MEASURED, REHEARSED, Sizes
from checkout import EXAMPLES, RESULTS, use_checkout
from isolated import Failure, Tell, Worker
from kernels import BUNDLE, NoKernels, check_kernels, kernel_of
from numpy.typing import NDArray
from peers import PEERS, Contender, LeftOut, cublas, versions
from results_file import NOT_RUN, Results, describe, name_of

from timing import Launch, Times, copy_launch, plan_for, take_turns

use_checkout()

import lanewise  # noqa: E402
from lanewise.check.inputs_grammar import evaluate_integer, inputs_of, read_comments  # noqa: E402
from lanewise.jit.arrays import DeviceArray  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402

LIMIT_SECONDS = 480.0
CASE_SECONDS = 120.0
CHECKED_ROWS = 1024
CUBLAS_SIZE = 8192
COPY_BYTES = 1 << 30
REHEARSAL_BYTES, REHEARSAL_SIZE = 1 << 20, 64
OURS = "lanewise"

Array = NDArray[Any]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """What an example reads and writes, what it computes, and how its work is counted.

    Attributes:
        inputs: Shapes of the normally distributed inputs.
        output: Shape of the output, whose type is f32.
        expected: Rows of the output in float64.
        limit: The relative error in the Frobenius norm that is right.
        work: Bytes or floating point operations.
        unit: Of the rate, 10^12 of them in a second.
    """

    inputs: Callable[[Sizes], Sequence[Shape]]
    output: Callable[[Sizes], Shape]
    expected: Callable[[Sequence[Array], Any], Array]
    limit: float
    work: Callable[[Sizes], float]
    unit: str = "TB/s"
    input_type: str = "float32"


def _softmax(a: Sequence[Array], rows: Any) -> Array:
    x = a[0][rows].astype(np.float64)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    result: Array = powers / powers.sum(axis=1, keepdims=True)
    return result


def _layer_norm(a: Sequence[Array], rows: Any) -> Array:
    x = a[0][rows].astype(np.float64)
    distances = x - x.mean(axis=1, keepdims=True)
    deviation = np.sqrt((distances**2).mean(axis=1, keepdims=True) + 1e-5)
    result: Array = distances / deviation * a[1] + a[2]
    return result


PROGRAMS: Mapping[str, Program] = {
    "vector_add": Program(
        lambda s: [(s["N"],)] * 2,
        lambda s: (s["N"],),
        lambda a, rows: a[0][rows].astype(np.float64) + a[1][rows],
        1e-6,
        lambda s: 12 * s["N"],
    ),
    "softmax": Program(
        lambda s: [(s["M"], s["N"])], lambda s: (s["M"], s["N"]), _softmax, 1e-5, lambda s: 8 * s["M"] * s["N"]
    ),
    "layer_norm": Program(
        lambda s: [(s["M"], s["N"]), (s["N"],), (s["N"],)],
        lambda s: (s["M"], s["N"]),
        _layer_norm,
        1e-5,
        lambda s: 8 * s["M"] * s["N"],
    ),
    "transpose": Program(
        lambda s: [(s["M"], s["N"])],
        lambda s: (s["N"], s["M"]),
        lambda a, rows: a[0][:, rows].T.astype(np.float64),
        0.0,
        lambda s: 8 * s["M"] * s["N"],
    ),
    "matmul_f16": Program(
        lambda s: [(s["M"], s["K"]), (s["K"], s["N"])],
        lambda s: (s["M"], s["N"]),
        lambda a, rows: a[0][rows].astype(np.float64) @ a[1].astype(np.float64),
        1e-4,
        lambda s: 2 * s["M"] * s["N"] * s["K"],
        "TFLOP/s",
        "float16",
    ),
}
CEILINGS = {"TB/s": "copy", "TFLOP/s": "cublas float16"}
CUBLAS_TYPES = ("bfloat16", "float16")


# In the processes that may fail


def work(task: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    tell("opening the device")
    device = lanewise.CudaDevice()
    return _TASKS[task["what"]](device, task, tell)


def look(device: lanewise.CudaDevice, task: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    properties = device.properties
    return {"device": properties.name, "chip": properties.target, "driver": properties.driver, "peers": versions()}


def measure_copy(device: lanewise.CudaDevice, task: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    nbytes = REHEARSAL_BYTES if task["rehearsal"] else COPY_BYTES
    launch, *arrays = copy_launch(device, nbytes)
    found = _measure_ceiling(device, task, tell, launch, 2 * nbytes, "TB/s")
    assert all(array.address for array in arrays)
    return found | {"bytes": 2 * nbytes}


def measure_cublas(device: lanewise.CudaDevice, task: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    size = REHEARSAL_SIZE if task["rehearsal"] else CUBLAS_SIZE
    try:
        launch = cublas(size, task["dtype"])
    except LeftOut as reason:
        return {"verdict": "LEFT OUT", "reason": str(reason)}
    return _measure_ceiling(device, task, tell, launch, 2 * size**3, "TFLOP/s")


def _measure_ceiling(
    device: lanewise.CudaDevice, task: Mapping[str, Any], tell: Tell, launch: Launch, amount: float, unit: str
) -> dict[str, Any]:
    tell("timing")
    times = take_turns(device, {"it": launch}, plan_for(device, task["rehearsal"]), tell)["it"]
    return {"verdict": "right", **_rate(times, amount), "unit": unit}


def measure(device: lanewise.CudaDevice, task: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Checks every contender, then times those that are right; tells each one's results as they come."""
    case, program = task["case"], PROGRAMS[task["case"]["program"]]
    tell("making the data and the reference")
    inputs = make_data(program, case["sizes"])
    reference = list(expected_rows(program, inputs, program.output(case["sizes"])))
    contenders: dict[str, Launch] = {}
    errors: dict[str, float] = {}
    for name in (OURS, *PEERS):
        if name in task["excluded"]:
            continue
        tell(name)
        try:
            contender = _contender(name, device, task, inputs)
        except LeftOut as reason:
            tell(name, {name: {"verdict": "LEFT OUT", "reason": str(reason)}})
            continue
        contender.launch()
        device.synchronize()
        errors[name] = relative_error(contender.read(), reference)
        is_right = errors[name] <= program.limit
        tell(name, {name: {"verdict": "right" if is_right else "WRONG", "error": _shown(errors[name])}})
        if is_right:
            contenders[name] = contender.launch
    plan = plan_for(device, task["rehearsal"])
    times = take_turns(device, contenders, plan, tell) if contenders else {}
    amount = program.work(case["sizes"])
    found = {name: {"verdict": "right", "error": errors[name], **_rate(t, amount)} for name, t in times.items()}
    return {"contenders": found, **plan.describe()}


def _contender(name: str, device: lanewise.CudaDevice, task: Mapping[str, Any], inputs: Sequence[Array]) -> Contender:
    case, program = task["case"], PROGRAMS[task["case"]["program"]]
    shape = program.output(case["sizes"])
    if name != OURS:
        return PEERS[name](case["program"], inputs, shape, np.float32)
    kernel = kernel_of(case["program"], task["target"], device, task["bundle"])
    placed = [DeviceArray.from_numpy(device, a) for a in inputs]
    out = DeviceArray(device, shape, np.float32)
    out.fill(0xFF)  # NaN, so that what is not written is seen
    return Contender(partial(kernel.launch, _grid(case), *placed, out), out.to_numpy)


def _grid(case: Mapping[str, Any]) -> list[int]:
    """As the example's own text states it."""
    text = inputs_of(read_comments(read_source(EXAMPLES / f"{case['program']}.mlir")), case["program"])
    assert text is not None
    return [evaluate_integer(extent, case["sizes"], "an extent of the grid") for extent in text.grid]


_TASKS = {"look": look, "copy": measure_copy, "cublas": measure_cublas, "measure": measure}


def make_data(program: Program, sizes: Sizes) -> list[Array]:
    """Normally distributed: multipliers and adders take less power, and run faster, on zeros and small integers."""
    rng = np.random.default_rng(0)
    shapes = program.inputs(sizes)
    return [rng.standard_normal(shape, dtype=np.float32).astype(program.input_type, copy=False) for shape in shapes]


def expected_rows(program: Program, inputs: Sequence[Array], shape: Shape) -> Iterator[tuple[Any, Array]]:
    """Rows of the output and what they should hold: all of them, but of large products a random choice."""
    if program.unit == "TFLOP/s" and shape[0] > CHECKED_ROWS:
        chosen = np.sort(np.random.default_rng(1).choice(shape[0], CHECKED_ROWS, replace=False))
        yield chosen, program.expected(inputs, chosen)
        return
    step = max(1, (1 << 24) * shape[0] // int(np.prod(shape)))
    for start in range(0, shape[0], step):
        rows = slice(start, start + step)
        yield rows, program.expected(inputs, rows)


def relative_error(found: Array, reference: Sequence[tuple[Any, Array]]) -> float:
    """The Frobenius norm of the difference over that of the reference; NaN where an element is NaN."""
    difference = sum(float(np.sum((found[rows] - expected) ** 2)) for rows, expected in reference)
    total = sum(float(np.sum(expected**2)) for _, expected in reference)
    return float(np.sqrt(difference / total))


def _rate(times: Times, amount: float) -> dict[str, Any]:
    return {"seconds": asdict(times), "rate": amount / times.median / 1e12}


def _shown(error: float) -> float | str:
    """JSON has no NaN and no infinity."""
    return error if np.isfinite(error) else repr(error)


# In the process that survives


def run_all(worker: Worker, results: Results, options: argparse.Namespace) -> None:
    end = time.monotonic() + options.limit
    ceilings = measure_ceilings(worker, options.rehearsal, end)
    results.write(ceilings=ceilings)
    for index in range(len(results.entries)):
        start = time.monotonic()
        if start >= end:
            return
        worker.renew()
        entry = run_case(worker, results, index, options, end)
        add_shares(entry, ceilings)
        results.write()
        show(index, len(results.entries), entry)


def measure_ceilings(worker: Worker, rehearsal: bool, end: float) -> dict[str, Any]:
    tasks = {"copy": {"what": "copy"}}
    tasks |= {f"cublas {dtype}": {"what": "cublas", "dtype": dtype} for dtype in CUBLAS_TYPES}
    found: dict[str, Any] = {}
    for name, task in tasks.items():
        answer = worker.do(task | {"rehearsal": rehearsal}, max(0.0, min(CASE_SECONDS, end - time.monotonic())))
        found[name] = describe(answer) if isinstance(answer, Failure) else answer
        rate = f"{found[name]['rate']:.3f} {found[name]['unit']}" if "rate" in found[name] else found[name]["reason"]
        print(f"ceiling {name}: {rate}", flush=True)
    return found


def run_case(worker: Worker, results: Results, index: int, options: argparse.Namespace, end: float) -> dict[str, Any]:
    """Tries again without each contender that fails, until one process gets through; what was found stays."""
    entry = results.entries[index]
    case = {key: entry[key] for key in ("program", "sizes")}
    failed: dict[str, Any] = {}
    start = time.monotonic()
    task = {"what": "measure", "case": case, "target": options.target, "rehearsal": options.rehearsal}
    while True:
        found: dict[str, Any] = {}
        left = max(0.0, min(CASE_SECONDS, end - time.monotonic()))
        answer = worker.do(task | {"bundle": options.bundle, "excluded": list(failed)}, left, found.update)
        if not isinstance(answer, Failure):
            found |= answer.pop("contenders")
            return results.put(index, answer | _verdict(found | failed), time.monotonic() - start)
        if answer.doing not in (OURS, *PEERS) or answer.doing in failed or time.monotonic() >= end:
            return results.put(index, describe(answer) | {"contenders": found | failed}, time.monotonic() - start)
        failed[answer.doing] = describe(answer)
        results.put(index, _verdict(found | failed), time.monotonic() - start)


def _verdict(contenders: Mapping[str, Any]) -> dict[str, Any]:
    ours = contenders.get(OURS, {"verdict": NOT_RUN})
    return {"verdict": ours["verdict"], "contenders": dict(contenders)}


def add_shares(entry: dict[str, Any], ceilings: Mapping[str, Any]) -> None:
    """Of the ceiling that the program has, where that was measured."""
    unit = PROGRAMS[entry["program"]].unit
    ceiling = ceilings.get(CEILINGS[unit], {})
    entry |= {"unit": unit, "ceiling": CEILINGS[unit]}
    for found in entry.get("contenders", {}).values():
        if "rate" in found and "rate" in ceiling:
            found["share"] = found["rate"] / ceiling["rate"]


def show(index: int, count: int, entry: Mapping[str, Any]) -> None:
    parts = [f"{name} {_told(found)}" for name, found in entry.get("contenders", {}).items()]
    if "reason" in entry:
        parts.append(f"while {entry['doing']}: {entry['reason']}")
    head = f"[{index + 1}/{count}] {name_of(entry):32} {entry['verdict']:7} {entry['took']:5.1f} s {entry['unit']}"
    print(f"{head}: {'; '.join(parts)}", flush=True)


def _told(found: Mapping[str, Any]) -> str:
    if "rate" in found:
        return f"{found['rate']:.3g}" + (f" ({found['share']:.0%})" if "share" in found else "")
    reason = found["reason"] if "reason" in found else f"relative error {found['error']}"
    return f"{found['verdict']}: {reason}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="program", help="examples to run, all if none is named")
    parser.add_argument("--target", default="sm_90", help="what the code was, or is to be, compiled for")
    parser.add_argument("--rehearsal", action="store_true", help="tiny sizes, to see that all works; rates say nothing")
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds for all of it")
    parser.add_argument("--bundle", type=Path, default=BUNDLE, help="instead of bench/bundle")
    parser.add_argument("-o", "--output", type=Path, help="instead of bench/results/gpu-CHIP.json")
    options = parser.parse_args()
    if unknown := [program for program in options.programs if program not in MEASURED]:
        parser.error(f"no program {unknown[0]!r}; there are {', '.join(MEASURED)}")
    try:
        code = check_kernels(options.target, options.bundle)
    except NoKernels as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with Worker(work) as worker:
        found = worker.do({"what": "look"}, CASE_SECONDS)
        if isinstance(found, Failure):
            print(f"error: {found.reason}", file=sys.stderr)
            return 2
        print(
            f"{found['device']}, {found['chip']}, {found['driver']}; kernels for {options.target}: {code}", flush=True
        )
        place = options.output or RESULTS / f"gpu-{found['chip']}.json"
        head = found | {"target": options.target, "code": code, "lanewise": lanewise.__version__, "finished": False}
        sizes = REHEARSED if options.rehearsal else MEASURED
        programs = options.programs or sizes
        cases = [{"program": program, "sizes": dict(one)} for program in programs for one in sizes[program]]
        results = Results(place, head | {"rehearsal": options.rehearsal, "ceilings": {}}, cases)
        run_all(worker, results, options)
        results.write(finished=True)
    print("\n".join(results.summary()))
    return results.exit_code


if __name__ == "__main__":
    sys.exit(main())
