"""`make hardware` and `make bench-gpu` from a bundle, where nothing but numpy, ml_dtypes and cuda-python is installed.

The driver is a stub over host memory that adds vectors and does nothing else (stub_libcuda.c), so the cases of
vector_add are right and those of other programs wrong; faults are injected into it. No case may lose its verdict.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .. import warm

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
PROGRAMS = ("vector_add", "reduce_8x64", "transpose")
STAND_INS = str(ROOT / "tests/hardware/stand_ins")
MAKE = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
import hardware_bundle
hardware_bundle.make_bundle(["sm_90"], Path(sys.argv[2]), sys.argv[3:])
"""


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bundle") / "bundle"
    warm.run("-c", MAKE, BENCH, place, *PROGRAMS).check_returncode()
    return place


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory, stub_driver: Path) -> Mapping[str, str]:
    """The environment of processes that see three packages, run with `python -S`, and the stub driver."""
    site = tmp_path_factory.mktemp("site")
    for package in ("numpy", "ml_dtypes", "cuda"):
        spec = importlib.util.find_spec(package)
        assert spec is not None and spec.submodule_search_locations is not None
        folder = Path(spec.submodule_search_locations[0])
        (site / package).symlink_to(folder)
        if (libraries := folder.with_name(f"{package}.libs")).exists():
            (site / libraries.name).symlink_to(libraries)
    kept = {
        name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR", "PYTHONPYCACHEPREFIX")
    }
    return kept | {"PYTHONPATH": str(site), "LD_LIBRARY_PATH": str(stub_driver)}


class Run:
    """One command, with what it said and wrote."""

    def __init__(
        self, command: str, environment: Mapping[str, str], place: Path, *arguments: object, path: str = "", **more: str
    ) -> None:
        self.place = place / "results.json"
        path = os.pathsep.join([path, environment["PYTHONPATH"]]) if path else environment["PYTHONPATH"]
        done = subprocess.run(
            [sys.executable, "-S", BENCH / command, "-o", self.place, *map(str, arguments)],
            env={**environment, **more, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def document(self) -> Any:
        return json.loads(self.place.read_text())

    @property
    def verdicts(self) -> list[str]:
        return [entry["verdict"] for entry in self.document["results"]]


def test_nothing_else_is_installed_there(bare: Mapping[str, str]) -> None:
    for package in ("llvmlite", "rich", "torch"):
        command = [sys.executable, "-S", "-c", f"import {package}"]
        done = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
        assert f"No module named '{package}'" in done.stderr


# make hardware


def test_faults_cost_no_other_case_its_verdict(bundle: Path, bare: Mapping[str, str], tmp_path: Path) -> None:
    """The 22nd launch of every process faults: with four launches a case, the sixth case of every process."""
    run = Run("hardware.py", bare, tmp_path, "vector_add", "--quick", "--bundle", bundle, STUB_FAULT="launch:22")
    assert (run.code, run.err) == (1, "")
    assert run.verdicts == [*["right"] * 5, "FAULT"] * 2
    document = run.document
    assert (document["finished"], document["ok"], list(document["code"])) == (True, False, ["sm_90"])
    (finding,) = document["results"][5]["findings"]
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in finding and "the last kernel launched was 'vector_add'" in finding
    assert run.out.count("CUDA_ERROR_ILLEGAL_ADDRESS (") == 2, "each fault is reported once"
    shown = [line for line in run.out.splitlines() if line.startswith("[")]
    assert [line.split("]")[0] for line in shown] == [f"[{i}/12" for i in range(1, 13)]
    assert "12 cases: 2 FAULT, 10 right" in run.out


@pytest.mark.parametrize(
    ("fault", "verdicts", "reason"),
    [
        ("die:6", ["WRONG", "DIED", "WRONG"], "ended by SIGABRT"),
        ("copy:20", ["WRONG", "FAULT", "WRONG"], "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ],
)
def test_other_failures(
    bundle: Path, bare: Mapping[str, str], tmp_path: Path, llvm_20: str, fault: str, verdicts: list[str], reason: str
) -> None:
    """Nor does an llvmlite matter that is not ours."""
    run = Run("hardware.py", bare, tmp_path, "reduce_8x64", "--bundle", bundle, path=llvm_20, STUB_FAULT=fault)
    assert run.verdicts == verdicts
    assert (run.code, reason in run.out) == (1, True), run.out


HANGING = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from types import SimpleNamespace
import hardware
from isolated import Failure

class Worker:
    def do(self, task, limit):
        program, data = task["case"]["program"], task["case"]["data"]
        order.append((program, data))
        if data == "exact" and program != "transpose":
            return Failure("TIMEOUT", "the reason")
        return {"verdict": "right", "max_ulps": 0}
    def renew(self):
        pass

order = []
programs = "softmax", "layer_norm", "transpose"
cases = [{"target": "sm_90", "program": p, "sizes": {}, "data": d} for p in programs for d in hardware.DATA]
results = hardware.Results(Path(sys.argv[2]), {}, cases)
hardware.run_all(Worker(), results, SimpleNamespace(limit=60, case_limit=5, bundle=None))
assert [o[0] for o in order] == ["softmax"] * 2 + ["layer_norm"] * 2 + ["transpose"] * 3 + ["layer_norm", "softmax"]
assert [e["verdict"] for e in results.entries] == ["right", "TIMEOUT", "right"] * 2 + ["right"] * 3
print("in order", results.exit_code)
"""


def test_a_program_that_hangs_lets_the_others_go_first(tmp_path: Path) -> None:
    done = warm.run("-c", HANGING, BENCH, tmp_path / "results.json")
    assert done.stdout.endswith("in order 1\n"), done.stderr


ORDER = """
import sys; sys.path.insert(0, sys.argv[1])
import hardware
hardware.check_kernels = lambda target, bundle: f"for {target}"
assert hardware.targets_of("sm_90a", None, None) == {"sm_90": "for sm_90", "sm_90a": "for sm_90a"}
assert list(hardware.targets_of("sm_90a", "sm_80", None)) == ["sm_80"]
assert list(hardware.targets_of("sm_100a", None, None)) == ["sm_90"], "what is of sm_90a alone does not run there"
assert list(hardware.targets_of("sm_80", None, None)) == ["sm_80"], "the general code does not run there"
assert list(hardware.targets_of("gfx942", None, None)) == ["gfx942"]
assert [hardware.executor_of(target) for target in ("sm_90", "gfx942")] == ["cuda", "hip"]
runs = list(hardware.plan(["softmax", "gemv"], True, ["sm_90", "sm_90a"]))
assert hardware.name_of(runs[0]) == "sm_90 softmax M=1 N=1 written"
assert hardware.name_of(runs[-1]) == "sm_90a gemv M=16 N=1024 special"
assert [run["target"] for run in runs] == sorted(run["target"] for run in runs)
print("sm_90 first")
"""


def test_code_for_every_chip_is_run_before_that_for_one() -> None:
    done = warm.run("-c", ORDER, BENCH)
    assert done.stdout == "sm_90 first\n", done.stderr


def test_what_was_not_run_is_named(bundle: Path, bare: Mapping[str, str], tmp_path: Path) -> None:
    run = Run("hardware.py", bare, tmp_path, "reduce_8x64", "--bundle", bundle, "--limit", 0)
    assert (run.code, run.verdicts) == (3, ["NOT RUN"] * 3)
    assert "not run: sm_90 reduce_8x64 written, sm_90 reduce_8x64 exact, sm_90 reduce_8x64 special" in run.out
    assert "left out: " in run.out and "has kernels for sm_90, not for sm_90a" in run.out, "the chip has more"


# make bench-gpu


def contenders(run: Run) -> list[dict[str, str]]:
    return [{name: c["verdict"] for name, c in entry["contenders"].items()} for entry in run.document["results"]]


def test_measurements_without_any_other_library(bundle: Path, bare: Mapping[str, str], tmp_path: Path) -> None:
    run = Run("gpu.py", bare, tmp_path, "vector_add", "--rehearsal", "--bundle", bundle)
    assert (run.code, run.err, run.verdicts) == (0, "", ["right"])
    assert contenders(run) == [{"lanewise": "right", "torch": "LEFT OUT", "triton": "LEFT OUT", "cupy": "LEFT OUT"}]
    ours = run.document["results"][0]["contenders"]["lanewise"]
    assert ours["rate"] == pytest.approx(12 * 4096 / 2.5e-3 / 1e12), "the stub says that everything takes 2.5 ms"
    assert ours["share"] == pytest.approx(12 * 4096 / (2 << 20))
    assert run.document["ceilings"]["cublas float16"]["reason"] == "torch is not installed"


def test_faults_of_ours_cost_no_peer_its_result(bundle: Path, bare: Mapping[str, str], tmp_path: Path) -> None:
    """The second launch of every process ends it: while vector_add is timed, and not at all for transpose, which is
    wrong. torch, whose sum is wrong, is not timed for that."""
    run = Run(
        *("gpu.py", bare, tmp_path, "vector_add", "transpose", "--rehearsal", "--bundle", bundle),
        path=STAND_INS,
        STUB_FAULT="die:2",
        FAKE_TORCH="wrong",
    )
    assert (run.code, run.err, run.document["finished"]) == (1, "", True)
    assert contenders(run) == [
        {"lanewise": "DIED", "torch": "WRONG", "triton": "right", "cupy": "right"},
        {"lanewise": "WRONG", "torch": "right", "triton": "right", "cupy": "right"},
    ]
    results = run.document["results"]
    timed = [[name for name, found in entry["contenders"].items() if "rate" in found] for entry in results]
    assert [sorted(names) for names in timed] == [["cupy", "triton"], ["cupy", "torch", "triton"]]
    assert run.document["ceilings"]["cublas float16"]["rate"] > 0


@pytest.mark.parametrize(("how", "verdict"), [("raise", "ERROR"), ("die", "DIED")])
def test_a_peer_that_fails_costs_us_nothing(
    bundle: Path, bare: Mapping[str, str], tmp_path: Path, how: str, verdict: str
) -> None:
    arguments = ("vector_add", "--rehearsal", "--bundle", bundle)
    run = Run("gpu.py", bare, tmp_path, *arguments, path=STAND_INS, FAKE_TORCH=how)
    assert (run.code, run.err, run.verdicts) == (0, "", ["right"])
    (entry,) = run.document["results"]
    assert "rate" in entry["contenders"]["lanewise"]
    assert entry["contenders"]["torch"]["verdict"] == verdict
    assert "rate" not in entry["contenders"]["torch"]


# Bundles that do not fit


@pytest.fixture(scope="session")
def llvm_20(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with as much of llvmlite 0.45 as its version is read from."""
    package = tmp_path_factory.mktemp("llvm_20") / "llvmlite"
    package.mkdir()
    (package / "__init__.py").write_text('__version__ = "0.45.0"\n')
    (package / "binding.py").write_text("llvm_version_info = (20, 1, 8)\n")
    return str(package.parent)


@pytest.mark.parametrize(("command", "path"), [("hardware.py", ""), ("gpu.py", "llvm_20")])
def test_neither_bundle_nor_compiler(
    bare: Mapping[str, str], tmp_path: Path, llvm_20: str, command: str, path: str
) -> None:
    run = Run(command, bare, tmp_path, "--bundle", tmp_path / "none", path=path and llvm_20)
    assert (run.code, run.place.exists()) == (2, False)
    found = "found llvmlite 0.45.0 with LLVM 20" if path else "llvmlite"
    assert "there is no bundle in" in run.err and found in run.err


PLANNED = """
import sys; sys.path.insert(0, sys.argv[1])
import hardware_bundle as made, lanewise
for program in made.CASES:
    kernel = lanewise.compile(made.EXAMPLES / f"{program}.mlir", target="sm_90")
    launcher = made.Launcher(kernel.variants, made._Planner("sm_90"))
    assert launcher.facts_of(made.planned_arguments(kernel, program, next(made.sizes_of(program)), 1)) is not None
    print(program)
"""


def test_arguments_are_planned_for_every_program() -> None:
    """Numbers among them, too, and elements that numpy does not know."""
    done = warm.run("-c", PLANNED, BENCH)
    assert (done.returncode, "attention" in done.stdout.split()) == (0, True), done.stderr


def test_what_is_not_made_into_a_bundle(tmp_path: Path) -> None:
    done = warm.run(BENCH / "hardware_bundle.py", "sm_1", "-o", tmp_path / "bundle")
    assert (done.returncode, "sm_1" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "bundle").exists()


AMD = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
import numpy as np
import hardware_bundle, kernels
place = Path(sys.argv[2])
hardware_bundle.make_bundle(["gfx942"], place, ["vector_add"])
assert kernels.check_kernels("gfx942", place) == "bundle, machine code and text"
kernel = kernels.kernel_of("vector_add", "gfx942", "emulated", place)
assert all(variant.image[:4] == b"\\x7fELF" for variant in kernel.saved.variants)
x = np.arange(100, dtype=np.float32)
z = np.zeros_like(x)
kernel[1](x, x, z)
assert (z == 2 * x).all()
print("AMD's")
"""


def test_a_bundle_for_the_other_vendor(tmp_path: Path) -> None:
    """With code objects, which are what its driver loads."""
    done = warm.run("-c", AMD, BENCH, tmp_path / "bundle")
    assert done.stdout.endswith("AMD's\n"), done.stderr


def test_a_bundle_that_does_not_fit(bundle: Path, bare: Mapping[str, str], tmp_path: Path) -> None:
    other = tmp_path / "bundle"
    shutil.copytree(bundle, other)
    manifest = json.loads((other / "bundle.json").read_text())
    (other / "bundle.json").write_text(json.dumps(manifest | {"sources": "0"}))
    run = Run("hardware.py", bare, tmp_path, "--bundle", other)
    assert (run.code, run.place.exists()) == (2, False)
    assert "was made of other sources: make it anew with `make hardware-bundle`" in run.err
    (other / "bundle.json").write_text(json.dumps(manifest | {"chips": ["sm_80"]}))
    assert "has kernels for sm_80, not for sm_90" in refusal(bare, other)
    (other / "bundle.json").write_text("{")
    assert "is no whole bundle" in refusal(bare, other)


def refusal(bare: Mapping[str, str], place: Path) -> str:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import kernels, pathlib; "
    command = [sys.executable, "-S", "-c", script + "kernels.check_kernels('sm_90', pathlib.Path(sys.argv[2]))"]
    return subprocess.run([*command, BENCH, place], env=bare, capture_output=True, text=True, check=False).stderr


# What the commands believe

BELIEVED = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
import numpy as np
import gpu, kernels
import lanewise
from cases import REHEARSED

bundle = Path(sys.argv[2])
for program in sys.argv[3:]:
    kernel = kernels.kernel_of(program, "sm_90", place=bundle)
    if program in gpu.PROGRAMS:
        what = gpu.PROGRAMS[program]
        case = {"program": program, "sizes": REHEARSED[program][0]}
        inputs = gpu.make_data(what, case["sizes"])
        out = np.full(what.output(case["sizes"]), np.nan, np.float32)
        kernel.launch(gpu._grid(case), *inputs, out)
        reference = list(gpu.expected_rows(what, inputs, out.shape))
        assert sum(len(rows) for _, rows in reference) == len(out)
        assert gpu.relative_error(out, reference) <= what.limit, program
        out.flat[5] += 1
        assert gpu.relative_error(out, reference) > what.limit, program
        out.flat[5] = np.nan
        assert not gpu.relative_error(out, reference) <= what.limit, program
print("believed")
"""


def test_references_of_the_measurements_are_what_the_programs_mean(tmp_path: Path) -> None:
    """On the emulator, compiled here; a changed element and one that is not written are seen."""
    programs = ("vector_add", "softmax", "layer_norm", "transpose", "matmul_f16")
    done = warm.run("-c", BELIEVED, BENCH, tmp_path / "none", *programs)
    assert done.stdout == "believed\n", done.stderr


PEERS = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
import gpu, peers
for program, what in gpu.PROGRAMS.items():
    for sizes in (gpu.REHEARSED[program][0], dict.fromkeys("MNK", 72)):
        inputs, shape = gpu.make_data(what, sizes), what.output(sizes)
        reference = list(gpu.expected_rows(what, inputs, shape))
        for name, make in peers.PEERS.items():
            try:
                contender = make(program, inputs, shape, np.float32)
            except peers.LeftOut as reason:
                assert name == "cupy" and program in peers._CUPY_LACKS, reason
                continue
            before = contender.read().copy()
            contender.launch()
            found = contender.read()
            assert np.isnan(before).all() and found.dtype == np.float32
            assert gpu.relative_error(found, reference) <= what.limit, (name, program, sizes)
            print(name)
"""


def test_peers_do_the_same_work() -> None:
    """Over stand-ins for torch, Triton and CuPy that are made of numpy; sizes that tiles divide, and others."""
    path = {"PYTHONPATH": STAND_INS}
    done = warm.run("-c", PEERS, BENCH, env=os.environ | path)
    assert Counter(done.stdout.split()) == {"torch": 10, "triton": 10, "cupy": 4}, done.stderr


VALIDATED = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
import kernels
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.jit.program_text import read_source
import lanewise
for program in sys.argv[3:]:
    kernel = kernels.kernel_of(program, "sm_90", place=Path(sys.argv[2]))
    text = inputs_of(read_comments(read_source(kernels.EXAMPLES / f"{program}.mlir")), program)
    inputs = make_inputs(text, kernel.signature)
    report = lanewise.validate(kernel, inputs.grid, *inputs.arguments, on=["emulated"])
    assert report.ok, str(report)
    print(len(report.checks))
"""


def test_kernels_of_a_bundle_are_right(bundle: Path, bare: Mapping[str, str]) -> None:
    """Its code runs on the emulator against the reference, without LLVM."""
    command = [sys.executable, "-S", "-c", VALIDATED, BENCH, bundle, *PROGRAMS]
    done = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["4"] * 3, done.stderr


# The processes

WORKER = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from isolated import Failure, Worker

def work(task, tell):
    tell("task " + task, {"heard": task})
    if task == "sleep":
        time.sleep(60)
    if task == "raise":
        raise KeyError("the reason")
    if task == "exit":
        os._exit(3)
    return task, os.getpid()

if __name__ == "__main__":
    with Worker(work) as worker:
        heard = []
        one, two = worker.do("one", 60), worker.do("two", 60, heard.append)
        assert one[0] == "one" and two[1] == one[1] and heard == [{"heard": "two"}]
        raised, slept, ended = worker.do("raise", 60), worker.do("sleep", 2), worker.do("exit", 60)
        three = worker.do("three", 60)
        assert (raised.verdict, raised.reason, raised.doing) == ("ERROR", "KeyError: 'the reason'", "task raise")
        assert "raise KeyError" in raised.traceback
        assert (slept.verdict, slept.reason, slept.doing) == ("TIMEOUT", "no result within 2 s", "task sleep")
        assert (ended.verdict, ended.reason) == ("DIED", "its process ended with exit code 3")
        assert three[1] != one[1] and worker.processes == 4
    try:
        os.kill(three[1], 0)
    except ProcessLookupError:
        print("gone")
"""


def test_a_process_that_fails_is_replaced(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WORKER)
    done = warm.run(script, BENCH)
    assert (done.stdout, done.stderr) == ("gone\n", "")


TURNS = """
import sys; sys.path.insert(0, sys.argv[1])
import timing
print(*map(" ".join, timing._orders(["a", "b", "c"], 6)), sep=",")
"""


def test_contenders_take_turns() -> None:
    done = warm.run("-c", TURNS, BENCH)
    orders = [line.split() for line in done.stdout.strip().split(",")]
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    for position in range(3):
        assert Counter(order[position] for order in orders) == {"a": 2, "b": 2, "c": 2}
