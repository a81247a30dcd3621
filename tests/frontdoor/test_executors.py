"""Executors that are not lanewise's: named, handed over, registered by a package, right, wrong and refused."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.check import executors
from lanewise.check.executor import UnfitOutcomeError
from lanewise.check.executors import BUILT_IN, ExecutorNameError, UnknownExecutorError, chosen, installed
from lanewise.check.validate import validate
from lanewise.jit.device import Dim3
from lanewise.jit.kernel import Kernel
from lanewise.jit.launchable import Launchable

from .conftest import SCALE, Call

SUM = """
gpu.func @sum(%x: memref<64xf32>, %y: memref<1xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %s = vector.reduction <add>, %v, %zero : vector<64xf32> into f32
  %r = vector.broadcast %s : f32 to vector<1xf32>
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<1xf32>, memref<1xf32>
  gpu.return
}"""


class Scaling:
    """Does by hand what SCALE says, times `by`."""

    def __init__(self, name: str = "mine", by: float = 1.0) -> None:
        self.name, self._by = name, by

    def prepare(self, kernel: Launchable, terms: lanewise.Terms) -> lanewise.Prepared:
        def run(grid: Dim3, arguments: Sequence[Any]) -> lanewise.Outcome:
            x, y, factor = arguments
            y[:] = x * np.float32(factor) * np.float32(self._by)
            return lanewise.Outcome(tuple(arguments))

        return lanewise.prepared_on_arrays("numpy, by hand", run)


class OnAnother:
    """A device of one's own: any with the protocol serves."""

    name = "another"

    def prepare(self, kernel: Launchable, terms: lanewise.Terms) -> lanewise.Prepared:
        device: lanewise.Device = lanewise.EmulatedDevice(kernel.target.name, limits=terms.limits)
        return lanewise.prepared_on_device(kernel, device)


class Absent:
    name = "absent"

    def prepare(self, kernel: Launchable, terms: lanewise.Terms) -> lanewise.Prepared:
        raise lanewise.DeviceUnavailable("no board is in this machine")


class Leaving:
    """Leaves what it is told to."""

    name = "leaving"

    def __init__(self, *arguments: object) -> None:
        self._outcome = lanewise.Outcome(arguments)

    def prepare(self, kernel: Launchable, terms: lanewise.Terms) -> lanewise.Prepared:
        return lanewise.prepared_on_arrays("nowhere", lambda grid, arguments: self._outcome)


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return lanewise.compile(SCALE, device="emulated")


def arguments() -> tuple[Any, Any, float]:
    return np.arange(100, dtype=np.float32), np.zeros(100, np.float32), 2.0


PACKAGE = """
from lanewise.frontdoor_tests_scaling import Absent, Scaling
MINE, WRONG, MISNAMED = Scaling(), Scaling("off", 1.5), Scaling("other")
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where installed packages stand; a module `lanewise_boards` is among them."""
    (tmp_path / "lanewise_boards.py").write_text(PACKAGE.replace("lanewise.frontdoor_tests_scaling", __name__))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("lanewise_boards", None)


def register(package: Path, **points: str) -> None:
    """What `pip install` leaves of a project's entry points."""
    folder = package / "boards-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: boards\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    (folder / "entry_points.txt").write_text("\n".join(["[lanewise.executors]", *lines, ""]))


# Right and wrong


def test_an_executor_that_is_handed_over_is_judged(kernel: Kernel) -> None:
    report = validate(kernel, 2, *arguments(), on=["interpret", Scaling(), Scaling("off", 1.5)])
    verdicts = [(check.executor, check.against, check.verdict) for check in report.checks]
    assert verdicts == [
        ("reference", "", "right"),
        ("interpret", "reference", "right"),
        ("mine", "reference", "right"),
        ("off", "reference", "WRONG"),
    ]
    assert report.checks[2].where == "numpy, by hand"
    (finding,) = report.checks[3].findings()
    assert "buffer 'y': 99 of 100 elements" in finding and "[1]: expected 2.0, found 3.0" in finding


def test_a_device_of_ones_own_runs_all_variants(kernel: Kernel) -> None:
    report = validate(kernel, 2, *arguments(), on=OnAnother())
    runs = ["", "buffers off by one element", "general variant"]
    assert report.ok and [check.run for check in report.checks[1:]] == runs


def test_who_executes_no_threads_program_may_sum_in_another_order() -> None:
    """The interpreter's bits are those of the thread's program; numpy's pairwise sum is as right."""
    x = np.random.default_rng(0).random(64, np.float32) * np.float32(1e3)

    class Backwards:
        name = "backwards"

        def prepare(self, kernel: Launchable, terms: lanewise.Terms) -> lanewise.Prepared:
            def run(grid: Dim3, given: Sequence[Any]) -> lanewise.Outcome:
                given[1][0] = np.add.accumulate(given[0][::-1])[-1]
                return lanewise.Outcome(tuple(given))

            return lanewise.prepared_on_arrays("from the last to the first", run)

    report = validate(SUM, 1, x, np.zeros(1, np.float32), on=["interpret", Backwards()])
    assert report.ok, str(report)
    assert report.checks[2].max_ulps != report.checks[1].max_ulps, "or the test shows nothing"


def test_one_that_is_not_here_is_refused_or_skipped(
    kernel: Kernel, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(lanewise.DeviceUnavailable, match="no board"):
        validate(kernel, 2, *arguments(), on=[Absent()])
    monkeypatch.setattr(executors, "BUILT_IN", executors.Executors(BUILT_IN.rows[:1]))
    register(package, mine="lanewise_boards:MINE", gone="lanewise_no_boards:GONE")
    report = validate(kernel, 2, *arguments())
    assert [check.executor for check in report.checks] == ["reference", "mine"] and report.ok
    assert "'lanewise_no_boards:GONE' cannot be loaded: No module named" in report.skipped["gone"]


def test_what_does_not_fit_the_arguments_is_refused(kernel: Kernel) -> None:
    x, y, factor = arguments()
    expected = r"executor 'leaving': an outcome of 3 arguments \(x, y, factor\) is expected, found 1"
    with pytest.raises(UnfitOutcomeError, match=expected):
        validate(kernel, 2, x, y, factor, on=Leaving(x))
    expected = r"an array of float32 \(100,\) is expected of argument 'y', found an array of float64 \(100,\)"
    with pytest.raises(UnfitOutcomeError, match=expected):
        validate(kernel, 2, x, y, factor, on=Leaving(x, y.astype(np.float64), factor))


class Forgetful:
    """Gives back what somebody may give by mistake."""

    name = "forgetful"

    def __init__(self, gives: object) -> None:
        self._gives: Any = gives

    def prepare(self, kernel: Launchable, terms: lanewise.Terms) -> lanewise.Prepared:
        return self._gives


def no_run(gives: object) -> lanewise.Prepared:
    """One whose run gives something else than an outcome."""
    run: Any = lambda grid, given: gives  # noqa: E731
    return lanewise.prepared_on_arrays("by hand", run) if gives == [] else lanewise.Prepared("", (("", run),))


@pytest.mark.parametrize(
    ("gives", "expected"),
    [
        (
            None,
            "'forgetful': `prepare` gives a lanewise.Prepared, as lanewise.prepared_on_arrays makes it; found NoneType",
        ),
        (no_run([]), "by hand: a run gives a lanewise.Outcome; found list"),
        (no_run(None), "executor 'forgetful': a run gives a lanewise.Outcome; found NoneType"),
    ],
)
def test_what_is_no_outcome_is_refused(kernel: Kernel, gives: object, expected: str) -> None:
    with pytest.raises(UnfitOutcomeError, match=re.escape(expected) + "$"):
        validate(kernel, 2, *arguments(), on=Forgetful(gives))


# Names


def test_a_package_registers_one(kernel: Kernel, package: Path) -> None:
    register(package, mine="lanewise_boards:MINE")
    assert installed().names == (*BUILT_IN.names, "mine")
    assert [check.executor for check in validate(kernel, 2, *arguments(), on=["mine"]).checks] == ["reference", "mine"]


def test_nothing_is_read_of_packages_for_names_of_lanewise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "entry_points", None)
    assert [row.name for row in chosen("emulated")] == ["reference", "emulated"]


def test_an_unknown_name_lists_those_known(kernel: Kernel, package: Path) -> None:
    register(package, mine="lanewise_boards:MINE")
    expected = "unknown executor 'nime'; there are reference, eager, interpret, emulated, cuda, hip, mine"
    with pytest.raises(UnknownExecutorError, match=re.escape(expected) + "$"):
        validate(kernel, 2, *arguments(), on=["nime"])


def test_a_name_that_is_taken_is_refused(package: Path) -> None:
    with pytest.raises(ExecutorNameError, match="two executors are called 'emulated': that of lanewise, and that of <"):
        chosen([Scaling("emulated")])
    with pytest.raises(ExecutorNameError, match="two executors are called 'mine'"):
        chosen([Scaling(), Scaling(by=2.0)])
    register(package, emulated="lanewise_boards:MINE")
    with pytest.raises(ExecutorNameError, match="'emulated': that of lanewise, and that of package boards"):
        installed()


@pytest.mark.parametrize("name", ["", "a,b", "a b", "a:b", "1"])
def test_a_name_that_no_list_could_say_is_refused(name: str) -> None:
    with pytest.raises(ExecutorNameError, match="a name of letters, digits"):
        chosen([Scaling(name)])


def test_a_package_calls_its_executor_as_that_calls_itself(package: Path) -> None:
    register(package, mine="lanewise_boards:MISNAMED")
    with pytest.raises(ExecutorNameError, match=r"package boards registers 'mine', .* calls itself 'other'"):
        chosen("mine")[1].load()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([5], "a name of an executor .* is expected; found 5"),
        ([Scaling], "found the class Scaling, of which an object is expected"),
        (Absent, "found the class Absent, of which an object is expected"),
        ([Absent], "found the class Absent, of which an object is expected"),
        ("lanewise_boards:Absent", "is the class Absent, of which an object is expected"),
        ("lanewise_boards:NONE", "'lanewise_boards:NONE' cannot be loaded: module 'lanewise_boards' has no attribute"),
        ("lanewise_boards:np", "cannot be loaded"),
        ("lanewise_boards:Scaling", "is the class Scaling, of which an object is expected"),
        ("no_such_module_here:X", "cannot be loaded: No module named 'no_such_module_here'"),
        (":", "':' cannot be loaded"),
        ([], "no executor is named; there are reference, eager, interpret"),
    ],
)
def test_what_is_no_executor_is_refused(package: Path, given: Any, expected: str) -> None:
    with pytest.raises(UnknownExecutorError, match=expected):
        chosen(given)


# The command line


def test_the_command_line_takes_all_of_them(call: Call, scale: Path, package: Path) -> None:
    register(package, mine="lanewise_boards:MINE")
    called = call("validate", scale, "--on", "mine,lanewise_boards:WRONG", "--json")
    checks = called.json()["data"]["written"]["checks"]
    assert called.code == 1
    assert [(c["executor"], c["verdict"]) for c in checks] == [
        ("reference", "right"),
        ("mine", "right"),
        ("off", "WRONG"),
    ]
    assert call("run", scale, "--device", "mine").code == 0
    refused = call("validate", scale, "--on", "mine,yours")
    assert refused.code == 2 and "unknown executor 'yours'; there are reference" in refused.err
