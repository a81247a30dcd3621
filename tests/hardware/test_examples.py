"""Every example, at odd, tiny and several-workgroup sizes, on every executor; hardware where the machine has it."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import lanewise
import pytest
from lanewise.check.inputs import Data, make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.jit.device_choice import DRIVERS, Driver
from lanewise.jit.program_text import read_source

ROOT = Path(__file__).resolve().parents[2]


def _cases() -> ModuleType:
    """bench/cases.py, which `make hardware` uses, too."""
    spec = importlib.util.spec_from_file_location("cases", ROOT / "bench/cases.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = _cases().CASES
EVERY_CASE = pytest.mark.parametrize(
    ("name", "sizes"),
    [pytest.param(n, s, id="-".join([n, *(f"{k}{v}" for k, v in s.items())])) for n, all in CASES.items() for s in all],
)


@functools.cache
def example(name: str, target: str = "sm_90") -> tuple[lanewise.Kernel, str]:
    """The kernel, and what its file says of its arguments."""
    source = read_source(ROOT / f"examples/{name}.mlir")
    kernel = lanewise.compile(source.text, target=target)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    return kernel, text


def report(
    name: str, sizes: Any, data: Data, executor: str, thorough: bool = True, target: str = "sm_90"
) -> lanewise.Report:
    kernel, text = example(name, target)
    inputs = make_inputs(text, kernel.signature, sizes=sizes, data=data)
    return lanewise.validate(kernel, inputs.grid, *inputs.arguments, on=executor.split("+"), thorough=thorough)


def test_every_example_has_cases() -> None:
    assert set(CASES) == {path.stem for path in (ROOT / "examples").glob("*.mlir")}


@pytest.mark.one_of(2)
@EVERY_CASE
def test_interpreter_and_emulator_agree_with_the_reference(name: str, sizes: Any, pytestconfig: pytest.Config) -> None:
    """Every second size, of every fourth program also off its alignment and without facts; with `--thorough` every
    size of all, and other data, with which each program runs in any case."""
    in_turn = list(CASES).index(name) % 4 == 0
    thorough = pytestconfig.getoption("thorough") or in_turn
    found = report(name, sizes, "written", "interpret+emulated", thorough)
    assert found.ok, str(found)


@pytest.mark.turns("data")
@pytest.mark.parametrize("data", ["exact", "index", "special"])
@pytest.mark.parametrize("name", list(CASES))
def test_other_data(name: str, data: Data, pytestconfig: pytest.Config) -> None:
    size = -1 if data == "exact" else 0  # sums are long; what is special is seen of few elements
    found = report(name, CASES[name][size], data, "interpret+emulated", pytestconfig.getoption("thorough"))
    assert found.ok, str(found)


@pytest.mark.parametrize("driver", [pytest.param(d, marks=pytest.mark.device(d.name), id=d.name) for d in DRIVERS])
@pytest.mark.parametrize("name", list(CASES))
def test_the_gpu_agrees_with_the_reference_and_the_interpreter(name: str, driver: Driver) -> None:
    """At every size, with every kind of data: without a GPU that is one skip for a program."""
    kinds: tuple[Data, ...] = ("written", "exact", "special")
    try:
        target = driver.open(0).properties.target
    except lanewise.DeviceUnavailable as error:
        pytest.skip(str(error))
    executors = f"interpret+{driver.name}"
    found = [report(name, sizes, data, executors, target=target) for sizes in CASES[name] for data in kinds]
    wrong = [str(each) for each in found if not each.ok]
    assert not wrong, "\n".join(wrong)
