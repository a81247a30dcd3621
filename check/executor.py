"""What an executor is: a way to run kernels that `validate` compares with the reference, on copies of the arguments.

An object with a name and `prepare` is one. What `prepare` gives is made of a function on numpy arrays by
`prepared_on_arrays`, of a device by `prepared_on_device` (on_devices.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..ir.printing import Record
from ..jit.arrays import host_view
from ..jit.device import DeviceUnavailable, Dim3
from ..jit.emulated import Arithmetic
from ..jit.facts import Facts
from ..jit.launchable import Launchable
from ..lang.eager import Written
from ..reference.evaluate import Doubts
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import LanewiseError
from ..support.limits import GENEROUS, Limits
from .inputs import is_array

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Outcome:
    """What one run of a kernel left.

    Attributes:
        arguments: Each argument in the kernel's order: arrays as copies with what is in them now, numbers as they were.
        seconds: How long it took.
        problems: What else was wrong, a sentence each.
        preparation: Seconds for compiling the variant for these arguments, where it was not there yet, and loading it.
        writer: Says who wrote an element, by number of the argument and index.
        doubts: The reference's.
        facts: Those of the variant that ran, if what ran is one thread's program: all runs of one variant must give the
            same bits. None: only the reference's bound counts, as sums may be in another order.
        printed: What the kernel printed, by owner.
    """

    arguments: tuple[object, ...]
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    preparation: float = 0.0
    writer: WriterOf | None = None
    doubts: Doubts | None = None
    facts: Facts | None = None
    printed: tuple[Record, ...] = ()


WriterOf: TypeAlias = Callable[[int, tuple[int, ...]], str]
Run: TypeAlias = Callable[[Dim3, Sequence[object]], Outcome]
"""One run, given the grid of workgroups and the arguments, which it may not change."""


@dataclass(frozen=True)
class Terms:
    """When all but GPUs are stopped, how an emulator sums products of matrices, the function that the kernel was traced
    from, with its constants, where it is one in Python, and whether executors make all of their runs."""

    limits: Limits = GENEROUS
    arithmetic: Arithmetic = "exact"
    written: Written | None = None
    thorough: bool = True


@dataclass(frozen=True)
class Prepared:
    """An executor made ready for one kernel.

    Attributes:
        where: What executes it, in words, such as a device and its driver.
        runs: Each has a name, the first an empty one. A validation that is not thorough takes the first alone. A run
            raises `LaunchError` where the kernel fails, and `NotExecuted` where that says nothing of the kernel.
    """

    where: str
    runs: tuple[tuple[str, Run], ...]


class ExecutorError(LanewiseError):
    """Executors that are no executors, or are called as others are, or leave what does not fit."""


class UnfitKernelError(DeviceUnavailable):
    """An executor does not run kernels of this kind, on whatever machine."""


class UnfitOutcomeError(ExecutorError, TypeError):
    """What an executor gives is no outcome, or not one of the kernel's arguments."""


@runtime_checkable
class Executor(Protocol):
    """A way to run kernels. `name` is what `validate(on=[...])` calls it."""

    @property
    def name(self) -> str: ...

    def prepare(self, kernel: Launchable, terms: Terms) -> Prepared:
        """Raises `DeviceUnavailable` where this machine cannot execute the kernel, and says what is missing."""
        ...


def prepared_on_arrays(where: str, run: Run) -> Prepared:
    """One run on numpy arrays: `run` gets copies of the arguments, may change them, and is timed."""

    def timed(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        copies = copies_of(arguments, copy_of)
        start = time.perf_counter()
        outcome = outcome_of(run(grid, copies), where)
        return replace(outcome, seconds=time.perf_counter() - start)

    return Prepared(where, (("", timed),))


def is_executor(found: object) -> TypeGuard[Executor]:
    """False of a class, too, which may have all that its objects have."""
    return isinstance(found, Executor) and not isinstance(found, type)


def prepared_of(found: object, who: str) -> Prepared:
    """What `prepare` gave. Raises UnfitOutcomeError, as where somebody forgot to return it."""
    if not isinstance(found, Prepared):
        expected = "`prepare` gives a lanewise.Prepared, as lanewise.prepared_on_arrays makes it"
        raise UnfitOutcomeError(f"{who}: {expected}; found {type(found).__name__}")
    return found


def outcome_of(found: object, who: str) -> Outcome:
    """What a run gave. Raises UnfitOutcomeError."""
    if not isinstance(found, Outcome):
        raise UnfitOutcomeError(f"{who}: a run gives a lanewise.Outcome; found {type(found).__name__}")
    return found


def copy_of(argument: object) -> object:
    """An array of its own with the same strides, or the number itself."""
    if not is_array(argument):
        return argument
    view = host_view(argument, None)
    copy = view.laid_over(np.zeros(sum(view.reach), np.uint8), argument.dtype)
    copy[...] = argument
    return copy


def copies_of(arguments: Sequence[object], copy: Callable[[object], object]) -> list[object]:
    """One copy for an array, however often it is passed."""
    made: dict[int, object] = {}
    return [made[id(a)] if id(a) in made else made.setdefault(id(a), copy(a)) for a in arguments]
