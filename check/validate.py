"""Runs a kernel in several ways and compares what they write with what the program means.

Every executor works on copies: buffers that the kernel only writes are filled first, so that an element left out is
seen; on devices they lie between guard bands; buffers that it does not write must stay as they were. Devices run the
variant that a launch takes, the one for buffers off their alignment, and the general one; a GPU runs the first again,
to see that its bits repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from types import NoneType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..ir.core import Operation
from ..ir.printing import text_of_records
from ..jit.device import DeviceFault, DeviceUnavailable, Dim3, LaunchError, NotExecuted
from ..jit.emulated import Arithmetic
from ..jit.facts import Facts
from ..jit.grids import Grid, grid_of
from ..jit.kernel import Kernel
from ..jit.kernel import compile as compile_program
from ..jit.launchable import Launchable
from ..jit.loaded import load
from ..jit.signature import describe
from ..jit.source import ProgramSource
from ..lang.python_kernel import Kernel as KernelInPython
from ..reference.errors import EvaluationError, EvaluationLimit, UnfitArgumentError, UnmetAssumption
from ..reference.evaluate import Doubts
from ..reference.propagation import may_be_undefined
from ..support.argument_checks import require
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import LanewiseError
from ..support.limits import GENEROUS, Limits
from .accuracy import is_bitwise
from .compare import Bound, Comparison, Tolerance, compare
from .data_places import buffers_at_read_places
from .executor import Executor, Outcome, Run, Terms, UnfitKernelError, UnfitOutcomeError, outcome_of, prepared_of
from .executors import Registered, UnknownExecutorError, chosen
from .in_python import Specialised, specialised
from .inputs import is_array
from .prepared import prepared
from .printed import differences
from .report import Check, Report, Untouched

Array = NDArray[Any]


def validate(
    kernel: Launchable | ProgramSource | KernelInPython,
    grid: Grid | None,
    *arguments: object,
    on: str | Executor | Iterable[str | Executor] | None = None,
    tolerance: Tolerance | None = None,
    thorough: bool = True,
    limits: Limits = GENEROUS,
    arithmetic: Arithmetic = "exact",
    **constants: object,
) -> Report:
    """Runs a kernel on executors and compares them with the reference, which always runs.

    LLVM runs in a process of its own, as with `compile(..., isolate=True)`. What is judged is what a GPU would load: on
    AMD the code object is made besides the text that the emulator executes.

    Args:
        kernel: What `compile` or `load` gave, a kernel in Python, a program (a file's name, a path, text, a module), or
            the name of a compiled kernel's file that ends in `.lw`. What is not compiled yet is compiled for its own
            target, else for `sm_90`.
        grid: Workgroups along x, y and z, as a launch says them. None, of a kernel in Python: what follows from it.
        arguments: Numpy arrays (or what numpy can view) and numbers; they are copied, never written.
        on: One or several of `reference`, `eager` (`kernel.debug`, of kernels in Python), `interpret`, `emulated`,
            `cuda` and `hip`, of the executors that installed packages register, of `MODULE:OBJECT` and of executors
            themselves (docs/python.md). None: all that the machine has, by name.
        tolerance: What to allow in float buffers; None is the bound that the reference carries.
        thorough: Whether devices run again, also with buffers off their alignment. Without, they run the variant that
            a launch takes alone, and the interpreter executes its thread's program instead of the general one's.
        limits: When a run of the reference, the interpreter or the emulator is stopped; each has all of it.
        arithmetic: How the emulator sums products of matrices; `unit` as the chip does (`EmulatedDevice`).
        constants: Those of a kernel in Python, by name.

    Raises:
        ArgumentError, UnfitArgumentError: The arguments do not fit.
        CompileError: The program cannot be compiled for its target.
        LlvmProcessError: LLVM aborts, over the text or the code object.
        DeviceUnavailable: An executor that `on` names is not there.
        UnknownExecutorError: `on` names something else.
        ExecutorNameError: Two executors have one name.
        UnfitOutcomeError: What an executor gave back does not fit the arguments.
        SignatureError, TraceError, NoGrid: What a kernel in Python takes, or says.
    """
    if isinstance(kernel, KernelInPython):
        taken = specialised(kernel, grid, arguments, constants)
    elif constants:
        raise TypeError(f"constants are of kernels in Python, found {', '.join(constants)}")
    else:
        launched = kernel if isinstance(kernel, Launchable) else _launchable(kernel)
        taken = Specialised(launched, grid, arguments, None)
    return validate_specialised(taken, on, tolerance, thorough=thorough, limits=limits, arithmetic=arithmetic)


def validate_specialised(
    taken: Specialised,
    on: str | Executor | Iterable[str | Executor] | None = None,
    tolerance: Tolerance | None = None,
    *,
    thorough: bool = True,
    limits: Limits = GENEROUS,
    arithmetic: Arithmetic = "exact",
) -> Report:
    """See `validate`."""
    require(tolerance, (Tolerance, NoneType), "a lanewise.Tolerance, such as Tolerance(relative=1e-3),")
    require(limits, Limits, "limits as lanewise.Limits(seconds=60)")
    require(on, (str, Executor, Iterable, NoneType), "a list of executors, such as ['reference', 'emulated'],")
    executors = chosen(on)
    if arithmetic != "exact" and "emulated" not in [row.name for row in executors]:
        raise UnknownExecutorError(f"arithmetic {arithmetic!r} is the emulator's: 'emulated' is expected, found {on!r}")
    settings = _Settings(tolerance, thorough, Terms(limits, arithmetic, taken.written, thorough))
    kernel = taken.kernel.isolated if isinstance(taken.kernel, Kernel) else taken.kernel
    made = _Validation(kernel, grid_of(taken.grid), prepared(kernel, taken.arguments), settings)
    return replace(made.run(executors, required=on is not None), lacking=taken.lacking)


def _launchable(source: ProgramSource) -> Launchable:
    """The kernel of a program, or of a compiled kernel's file."""
    expected = "a kernel, as lanewise.compile or lanewise.load gives it, or a program"
    require(source, (str, PathLike, Operation), expected)
    if isinstance(source, (str, PathLike)) and fspath(source).endswith(".lw"):
        return load(Path(source))
    return compile_program(source)


@dataclass(frozen=True)
class _Settings:
    tolerance: Tolerance | None
    thorough: bool
    terms: Terms


@dataclass(frozen=True)
class _Opened:
    """An executor that is ready to run the kernel, by its name."""

    name: str
    where: str
    runs: tuple[tuple[str, Run], ...]


class _Validation:
    def __init__(self, kernel: Launchable, grid: Dim3, arguments: Sequence[object], settings: _Settings) -> None:
        self.kernel, self.grid, self.arguments, self.settings = kernel, grid, arguments, settings
        self.skipped: dict[str, str] = {}

    def run(self, executors: Sequence[Registered], required: bool) -> Report:
        reference, *others = self._opened(executors, required)
        try:
            expected = self._first_run(reference)
        except EvaluationLimit as error:
            return self._report([_without_result(reference, "", error)])
        except UnfitArgumentError:
            raise
        except EvaluationError as error:
            return self._report([_without_result(reference, "", error), *self._alone(others)])
        base = self._check(reference, "", expected, expected, exact=True)
        base = replace(base, against="", untouched=tuple(self._untouched(expected)))
        return self._report([base, *self._compared(others, expected)])

    def _alone(self, executors: Sequence[_Opened]) -> Iterator[Check]:
        """What executors themselves find wrong with a program that has no right result."""
        for executor in executors:
            name, run = executor.runs[0]
            try:
                run(self.grid, self.arguments)
            except _NO_RESULT as error:
                yield _without_result(executor, name, error)
            else:
                yield _unjudged(executor, name, "the reference has no result to compare with")

    def _compared(self, executors: Sequence[_Opened], expected: Outcome) -> Iterator[Check]:
        bitwise: dict[Facts, tuple[str, Outcome]] = {}
        for executor in executors:
            for name, run in executor.runs if self.settings.thorough else executor.runs[:1]:
                try:
                    outcome = run(self.grid, self.arguments)
                except _NO_RESULT as error:
                    yield _without_result(executor, name, error)
                    if isinstance(error, DeviceFault):
                        break  # every further run would only report it again
                    continue
                self._require_fit(executor, outcome_of(outcome, f"executor {executor.name!r}"))
                check = self._check(executor, name, outcome, expected, exact=False)
                if outcome.facts is None:
                    yield check  # what it executes is not one thread's program
                    continue
                facts = self.kernel.variants.interface.relevant(outcome.facts)
                if facts in bitwise and check.ok:
                    check = self._also_bitwise(check, outcome, *bitwise[facts], expected.doubts)
                elif is_bitwise(self.kernel.view):
                    bitwise[facts] = executor.name, outcome
                yield check

    def _report(self, checks: Sequence[Check]) -> Report:
        shown = tuple(describe(argument).removeprefix("ndarray ") for argument in self.arguments)
        return Report(self.kernel.name, self.kernel.target.name, self.grid, shown, tuple(checks), self.skipped)

    def _opened(self, rows: Sequence[Registered], required: bool) -> Iterator[_Opened]:
        for row in rows:
            try:
                found = row.load().prepare(self.kernel, self.settings.terms)
            except DeviceUnavailable as error:
                if required:
                    raise
                if not isinstance(error, UnfitKernelError):
                    self.skipped[row.name] = str(error)
            else:
                opened = prepared_of(found, f"executor {row.name!r}")
                yield _Opened(row.name, opened.where, opened.runs)

    def _require_fit(self, executor: _Opened, outcome: Outcome) -> None:
        names = [parameter.name for parameter in self.kernel.signature]
        if len(outcome.arguments) != len(names):
            raise UnfitOutcomeError(
                f"executor {executor.name!r}: an outcome of {len(names)} arguments ({', '.join(names)}) is expected,"
                f" found {len(outcome.arguments)}"
            )
        for name, given, found in zip(names, self.arguments, outcome.arguments, strict=True):
            expected, left = _shape(given), _shape(found)
            if is_array(given) and left != expected:
                raise UnfitOutcomeError(
                    f"executor {executor.name!r}: {expected} is expected of argument '{name}', found {left}"
                )

    def _first_run(self, executor: _Opened) -> Outcome:
        return executor.runs[0][1](self.grid, self.arguments)

    def _check(self, executor: _Opened, run: str, outcome: Outcome, expected: Outcome, exact: bool) -> Check:
        comparisons = tuple(self._comparisons(outcome, expected, exact))
        printed = differences(expected.printed, outcome.printed, exact=exact)
        problems = (*outcome.problems, *self._changed_inputs(outcome), *printed)
        times = outcome.seconds, outcome.preparation
        writers = self._writers(outcome, comparisons)
        check = Check(
            executor.name,
            executor.where,
            run,
            "reference",
            *times,
            comparisons,
            problems,
            writers,
            printed=text_of_records(outcome.printed),
        )
        doubts = expected.doubts
        if check.ok and not exact and (open_ := [c.buffer for c in comparisons if 0 < c.elements == c.undecided]):
            return replace(check, unjudged=f"every element of buffer '{open_[0]}' is undecided")
        if problems or check.ok or doubts is None or not doubts.unsettled:
            return check
        return replace(check, unjudged=_unsettled(doubts.unsettled))

    def _also_bitwise(
        self, check: Check, outcome: Outcome, name: str, expected: Outcome, doubts: Doubts | None
    ) -> Check:
        """Those that execute the same thread's program may not differ in a single bit."""
        undefined = self._undefined(doubts)
        comparisons = tuple(self._comparisons(outcome, expected, exact=True, open_=undefined))
        printed = () if undefined else tuple(differences(expected.printed, outcome.printed, exact=True))
        if all(c.ok for c in comparisons) and not printed:
            return check
        writers = self._writers(outcome, comparisons)
        return replace(check, against=name, comparisons=comparisons, problems=printed, writers=writers)

    def _writers(self, outcome: Outcome, comparisons: Sequence[Comparison]) -> dict[str, str]:
        if outcome.writer is None:
            return {}
        numbers = {parameter.name: i for i, parameter in enumerate(self.kernel.signature)}
        wrong = [(c.buffer, c.first.index) for c in comparisons if c.first is not None]
        return {buffer: outcome.writer(numbers[buffer], index) for buffer, index in wrong}

    def _undefined(self, doubts: Doubts | None) -> Sequence[Bound] | None:
        """Bounds that let alone what may be undefined: there executions of one program may differ."""
        if doubts is None or not any(may_be_undefined(op) for op in self.kernel.view.op.walk()):
            return None
        return [None if bound is None else np.where(np.isinf(bound), bound, 0.0) for bound in doubts.bounds]

    def _comparisons(
        self, outcome: Outcome, expected: Outcome, exact: bool, open_: Sequence[Bound] | None = None
    ) -> Iterator[Comparison]:
        none: Sequence[Bound] = (None,) * len(self.arguments)
        bounds = open_ or none if exact or expected.doubts is None else expected.doubts.bounds
        sides = zip(self.kernel.signature, outcome.arguments, expected.arguments, bounds, strict=True)
        for parameter, found, right, bound in sides:
            if parameter.written:
                if not exact and self.settings.tolerance is not None:
                    bound = self.settings.tolerance.bound(cast("Array", right))
                yield compare(parameter.name, cast("Array", right), cast("Array", found), bound)

    def _untouched(self, expected: Outcome) -> Iterator[Untouched]:
        assert expected.doubts is not None, "the reference tells"
        view = self.kernel.view
        by_data = buffers_at_read_places(view.op)
        given = zip(self.kernel.signature, view.arguments, self.arguments, expected.doubts.untouched, strict=False)
        for parameter, value, argument, left in given:
            if left is not None:
                unread, unwritten = left.unread * parameter.read, left.unwritten * parameter.written
                if unread or unwritten:
                    size = cast("Array", argument).size
                    first = left.first_unwritten if unwritten else ()
                    yield Untouched(parameter.name, size, unread, unwritten, value in by_data, first)

    def _changed_inputs(self, outcome: Outcome) -> Iterator[str]:
        for parameter, before, after in zip(self.kernel.signature, self.arguments, outcome.arguments, strict=True):
            if parameter.is_buffer and not parameter.written:
                comparison = compare(parameter.name, cast("Array", before), cast("Array", after))
                if comparison.first is not None:
                    yield f"input '{parameter.name}' was changed: {comparison.first}"


def _shape(argument: object) -> str:
    return f"an array of {argument.dtype} {argument.shape}" if is_array(argument) else type(argument).__name__


_NO_RESULT = EvaluationError, LaunchError


def _without_result(executor: _Opened, run: str, error: LanewiseError) -> Check:
    if isinstance(error, (EvaluationLimit, NotExecuted, UnmetAssumption)):
        return _unjudged(executor, run, str(error))
    diagnostic = error.diagnostic if isinstance(error, EvaluationError) else None
    return Check(executor.name, executor.where, run, "", 0.0, 0.0, (), (str(error),), diagnostic=diagnostic)


def _unjudged(executor: _Opened, run: str, why: str) -> Check:
    return Check(executor.name, executor.where, run, "", 0.0, 0.0, (), unjudged=why)


def _unsettled(operations: Sequence[Operation]) -> str:
    op = operations[0]
    where = f" at {op.location}" if op.location else ""
    more = f", and {len(operations) - 1} more" if len(operations) > 1 else ""
    return f"the reference does not know which way '{op.opname}'{where} goes: it depends on rounding{more}"
