"""Runs a kernel in several ways and compares what they write with what the program means.

Every executor works on copies: buffers that the kernel only writes are poisoned first, so that an element left out is
seen; on devices they lie between guard bands; buffers that it does not write must stay as they were. Devices run the
variant that a launch takes, the one for buffers off their alignment, and the general one; a GPU runs the first again,
to see that its bits repeat.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..distribute.interpret import InterpretError
from ..ir.diagnostics import LanewiseError
from ..ir.limits import GENEROUS, Limits
from ..jit.device import DeviceFault, DeviceUnavailable, Dim3, LaunchError
from ..jit.kernel import Kernel
from ..jit.launchable import Launchable
from ..jit.launcher import Grid, grid_of
from ..jit.signature import ArgumentCountError, ArgumentTypeError, BufferParameter, describe
from .compare import EXACT, Comparison, Tolerance, compare
from .executors import EXECUTORS, Executor, ExecutorName, Outcome, copy_of, make_executor
from .inputs import is_array, poison
from .tolerance import is_bitwise, tolerance_of

Array = NDArray[Any]


class UnknownExecutorError(LanewiseError, ValueError):
    """An executor was named that does not exist."""


@dataclass(frozen=True)
class Check:
    """One run of an executor. `against` names the executor whose result it was compared with."""

    executor: str
    where: str
    run: str
    against: str
    seconds: float
    preparation: float
    comparisons: tuple[Comparison, ...]
    problems: tuple[str, ...] = ()
    writers: dict[str, str] = field(default_factory=dict[str, str])
    """Who wrote the first wrong element of a buffer, where the executor can tell."""

    @property
    def ok(self) -> bool:
        return not self.problems and all(c.ok for c in self.comparisons)

    @property
    def max_ulps(self) -> int:
        return max((c.max_ulps for c in self.comparisons), default=0)

    def findings(self) -> Iterator[str]:
        """What is wrong, one line each."""
        label = f"{self.executor} ({self.run})" if self.run else self.executor
        yield from (f"{label}: {problem}" for problem in self.problems)
        for c in self.comparisons:
            if c.first is not None:
                count = f"{c.mismatches} of {c.elements} elements differ from {self.against}"
                writer = f", {self.writers[c.buffer]}" if c.buffer in self.writers else ""
                yield f"{label}: buffer '{c.buffer}': {count}, allowed: {c.tolerance}; first {c.first}{writer}"


@dataclass(frozen=True)
class Report:
    """The verdict on one kernel with one set of arguments."""

    kernel: str
    target: str
    grid: Dim3
    arguments: tuple[str, ...]
    checks: tuple[Check, ...]
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    """Executors that this machine has not, and why."""

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    @property
    def max_ulps(self) -> int:
        return max((check.max_ulps for check in self.checks), default=0)

    @property
    def first_difference(self) -> Check | None:
        """The first run that is wrong, in the order from the program's meaning to the hardware."""
        return next((check for check in self.checks if not check.ok), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain data; what is no number in JSON (NaN, infinities) stands as text."""
        data: dict[str, Any] = {"ok": self.ok, "max_ulps": self.max_ulps} | dataclasses.asdict(self)
        for entry, check in zip(data["checks"], self.checks, strict=True):
            entry["ok"] = check.ok
        return cast("dict[str, Any]", _json_numbers(data))

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2, allow_nan=False)

    def __str__(self) -> str:
        lines = [f"@{self.kernel} for {self.target}, grid {self.grid}: {'ok' if self.ok else 'MISMATCH'}"]
        for check in self.checks:
            label = f"{check.executor} {check.run}".strip()
            lines.append(
                f"  {label:40} {'ok' if check.ok else 'MISMATCH':8} {check.max_ulps} ulps {check.seconds:.3f} s"
            )
        lines += [f"  {name}: skipped, {reason}" for name, reason in self.skipped.items()]
        lines += [f"  {finding}" for check in self.checks for finding in check.findings()]
        return "\n".join(lines)


def validate(
    kernel: Launchable,
    grid: Grid,
    *arguments: object,
    on: Sequence[str] | None = None,
    tolerance: Tolerance | None = None,
    small_integers: bool = False,
    thorough: bool = True,
    limits: Limits = GENEROUS,
) -> Report:
    """Runs a kernel on executors and compares them with the reference, which always runs.

    LLVM runs in a process of its own, as with `compile(..., isolate=True)`.

    Args:
        arguments: Numpy arrays (or what numpy can view) and numbers; they are copied, never written.
        on: Executors among `reference`, `interpret`, `emulated` and `cuda`. None: all that the machine has.
        tolerance: What to allow in float buffers; None is the rule of `tolerance.py`.
        small_integers: All data are integers in [-3, 3], so that nothing is rounded.
        thorough: Whether devices run again, also with buffers off their alignment.
        limits: When a run of the reference, the interpreter or the emulator is stopped; each has all of it.

    Raises:
        ArgumentError, EvaluationError: The arguments do not fit, or the program does something undefined with them.
        CompileError: The program cannot be compiled for its target.
        LlvmProcessError: LLVM aborts.
        DeviceUnavailable: An executor that `on` names is not there.
        UnknownExecutorError: `on` names something else.
    """
    settings = _Settings(tolerance, small_integers, thorough, limits)
    if isinstance(kernel, Kernel):
        kernel = kernel.isolated
    return _Validation(kernel, grid_of(grid), _prepared(kernel, arguments), settings).run(on)


@dataclass(frozen=True)
class _Settings:
    tolerance: Tolerance | None
    small_integers: bool
    thorough: bool
    limits: Limits


class _Validation:
    def __init__(self, kernel: Launchable, grid: Dim3, arguments: Sequence[object], settings: _Settings) -> None:
        self.kernel, self.grid, self.arguments, self.settings = kernel, grid, arguments, settings
        self.skipped: dict[str, str] = {}

    def run(self, on: Sequence[str] | None) -> Report:
        executors = self._executors(on)
        expected = self._first_run(executors[0])
        base = self._check(executors[0], "", expected, expected, exact=True)
        checks = [dataclasses.replace(base, against="")]
        bitwise: tuple[str, Outcome] | None = None
        for executor in executors[1:]:
            for name, run in executor.runs if self.settings.thorough else executor.runs[:1]:
                try:
                    outcome = run(self.grid, self.arguments)
                except (InterpretError, LaunchError) as error:
                    checks.append(Check(executor.name, executor.where, name, "", 0.0, 0.0, (), (str(error),)))
                    if isinstance(error, DeviceFault):
                        break  # every further run would only report it again
                    continue
                checks.append(self._check(executor, name, outcome, expected, exact=False))
                if bitwise is not None and checks[-1].ok:
                    checks[-1] = self._also_bitwise(checks[-1], outcome, *bitwise)
                elif is_bitwise(self.kernel.view):
                    bitwise = executor.name, outcome
        shown = tuple(describe(argument).removeprefix("ndarray ") for argument in self.arguments)
        return Report(self.kernel.name, self.kernel.target.name, self.grid, shown, tuple(checks), self.skipped)

    def _executors(self, on: Sequence[str] | None) -> list[Executor]:
        if on is not None:
            for name in on:
                if name not in EXECUTORS:
                    raise UnknownExecutorError(f"unknown executor {name!r}; there are {', '.join(EXECUTORS)}")
        wanted: list[ExecutorName] = [name for name in EXECUTORS if name == "reference" or on is None or name in on]
        return [executor for name in wanted if (executor := self._executor(name, required=on is not None))]

    def _executor(self, name: ExecutorName, required: bool) -> Executor | None:
        try:
            return make_executor(self.kernel, name, self.settings.limits)
        except DeviceUnavailable as error:
            if required:
                raise
            self.skipped[name] = str(error)
            return None

    def _first_run(self, executor: Executor) -> Outcome:
        return executor.runs[0][1](self.grid, self.arguments)

    def _check(self, executor: Executor, run: str, outcome: Outcome, expected: Outcome, exact: bool) -> Check:
        comparisons = tuple(self._comparisons(outcome, expected, exact))
        problems = (*outcome.problems, *self._changed_inputs(outcome))
        times = outcome.seconds, outcome.preparation
        writers = self._writers(outcome, comparisons)
        return Check(executor.name, executor.where, run, "reference", *times, comparisons, problems, writers)

    def _also_bitwise(self, check: Check, outcome: Outcome, name: str, expected: Outcome) -> Check:
        """Those that execute the same thread's program may not differ in a single bit."""
        comparisons = tuple(self._comparisons(outcome, expected, exact=True))
        if all(c.ok for c in comparisons):
            return check
        writers = self._writers(outcome, comparisons)
        return dataclasses.replace(check, against=name, comparisons=comparisons, writers=writers)

    def _writers(self, outcome: Outcome, comparisons: Sequence[Comparison]) -> dict[str, str]:
        if outcome.writer is None:
            return {}
        numbers = {parameter.name: i for i, parameter in enumerate(self.kernel.signature)}
        wrong = [(c.buffer, c.first.index) for c in comparisons if c.first is not None]
        return {buffer: outcome.writer(numbers[buffer], index) for buffer, index in wrong}

    def _comparisons(self, outcome: Outcome, expected: Outcome, exact: bool) -> Iterator[Comparison]:
        for parameter, found, right in zip(self.kernel.signature, outcome.arguments, expected.arguments, strict=True):
            if isinstance(parameter, BufferParameter) and parameter.written:
                tolerance = EXACT if exact else self._tolerance(parameter)
                yield compare(parameter.name, cast("Array", right), cast("Array", found), tolerance)

    def _tolerance(self, parameter: BufferParameter) -> Tolerance:
        if self.settings.tolerance is not None:
            return self.settings.tolerance
        return tolerance_of(
            self.kernel.view, self.arguments, parameter.dtype, small_integers=self.settings.small_integers
        )

    def _changed_inputs(self, outcome: Outcome) -> Iterator[str]:
        for parameter, before, after in zip(self.kernel.signature, self.arguments, outcome.arguments, strict=True):
            if isinstance(parameter, BufferParameter) and not parameter.written:
                comparison = compare(parameter.name, cast("Array", before), cast("Array", after), EXACT)
                if comparison.first is not None:
                    yield f"input '{parameter.name}' was changed: {comparison.first}"


def _prepared(kernel: Launchable, arguments: Sequence[object]) -> list[object]:
    """Copies, poisoned where the kernel only writes; one copy for an array that is passed more than once."""
    if len(arguments) != len(kernel.signature):
        raise ArgumentCountError([p.name for p in kernel.signature], len(arguments))
    copies: dict[int, object] = {}
    prepared: list[object] = []
    for parameter, argument in zip(kernel.signature, arguments, strict=True):
        if isinstance(parameter, BufferParameter):
            if id(argument) not in copies:
                copies[id(argument)] = copy_of(_as_array(parameter, argument))
            argument = copies[id(argument)]
        prepared.append(argument)
    read = {id(a) for p, a in zip(kernel.signature, prepared, strict=True) if getattr(p, "read", False)}
    for parameter, argument in zip(kernel.signature, prepared, strict=True):
        if is_array(argument) and isinstance(parameter, BufferParameter) and id(argument) not in read:
            poison(argument)
    return prepared


def _as_array(parameter: BufferParameter, argument: object) -> Array:
    if isinstance(argument, (int, float, str)) or argument is None:
        raise ArgumentTypeError(parameter.name, f"an array {parameter}", describe(argument))
    array: Array = np.asarray(argument)
    if array.dtype.kind == "O":
        raise ArgumentTypeError(parameter.name, f"an array {parameter}", describe(argument))
    return array


def _json_numbers(value: object) -> object:
    if isinstance(value, dict):
        return {str(k): _json_numbers(v) for k, v in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_json_numbers(v) for v in cast("Sequence[object]", value)]
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value
