"""What crosses processes: every error with its message and what it carries. (Kernels: test_saved_kernels.py.)"""

from __future__ import annotations

import importlib
import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import lanewise
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.support.diagnostics import Diagnostic, LanewiseError, Location, ProgramError, Source

from ..test_structure import FILES

DIAGNOSTIC = Diagnostic(
    "it is wrong", Location(Source("a\nb c\n", "file.mlir"), 4), (("because of this", None),), "try that"
)
SPECIAL: dict[str, tuple[Any, ...]] = {
    "ArgumentCountError": (["x", "y"], 3),
    "ArgumentError": ("x", "a number", "a dog"),
    "ArgumentTypeError": ("x", "a number", "a dog"),
    "ArgumentValueError": ("x", "a number", "a dog"),
    "EvaluationError": (DIAGNOSTIC,),
    "UnfitArgumentError": (DIAGNOSTIC,),
    "UnmetAssumption": (DIAGNOSTIC,),
    "EvaluationLimit": (DIAGNOSTIC,),
    "LaunchError": ("it failed", 7),
}


def errors() -> Iterator[type[LanewiseError]]:
    """Every class of the package that is an error about a user's input."""
    for file in FILES:
        if "__main__" not in file.parts[-1] and file.parts[0] not in ("cli",):
            importlib.import_module(".".join(("lanewise", *file.with_suffix("").parts)).removesuffix(".__init__"))
    pending: list[type[LanewiseError]] = [LanewiseError]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind.__module__.startswith("lanewise"):
            yield kind


def texts(kind: type[LanewiseError]) -> tuple[str, ...]:
    """One for each parameter that its constructor demands; a message for those without a constructor."""
    if not inspect.isfunction(kind.__init__):  # an exception's own
        return ("it failed",)
    parameters = inspect.signature(kind).parameters.values()
    demanded = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    return tuple(demanded)


@pytest.mark.parametrize("kind", sorted(set(errors()), key=lambda kind: kind.__name__), ids=lambda kind: kind.__name__)
def test_every_error_crosses_processes(kind: type[LanewiseError]) -> None:
    arguments = ([DIAGNOSTIC],) if issubclass(kind, ProgramError) else SPECIAL.get(kind.__name__, texts(kind))
    error: Any = kind(*arguments)
    error.add_note("seen in a worker")
    other: Any = pickle.loads(pickle.dumps(error))
    assert type(other) is kind and str(other) == str(error) and other.args == error.args
    assert other.__notes__ == ["seen in a worker"]
    for name, value in vars(error).items():
        if "diagnostic" not in name:
            assert getattr(other, name) == value
    if isinstance(error, ProgramError):
        assert [d.render() for d in other.diagnostics] == [DIAGNOSTIC.render()]
        assert str(other.diagnostics[0].location) == "file.mlir:2:3"


def test_a_fault_of_the_emulator_crosses_processes() -> None:
    fault = EmulationFault("race", "two writes", instruction="st", line=4, thread=(1, 0, 0), block=(0, 0, 0), address=8)
    other = pickle.loads(pickle.dumps(fault))
    assert str(other) == str(fault) and vars(other) == vars(fault)


def test_an_error_as_it_is_raised() -> None:
    with pytest.raises(lanewise.ParseError) as caught:
        lanewise.compile("gpu.func @k(")
    other = pickle.loads(pickle.dumps(caught.value))
    assert str(other) == str(caught.value) and "<string>:1:" in str(other)
