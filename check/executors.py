"""The executors that `validate` chooses from by name: lanewise's own, and those that installed packages register.

A package registers one by an entry point of the group `lanewise.executors`; `on` takes `MODULE:OBJECT` and an executor
itself besides, so that nothing has to be kept in the process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import TypeAlias, cast

import numpy as np

from ..distribute.interpret import interpret_kernel
from ..ir.did_you_mean import did_you_mean
from ..ir.printing import Record
from ..ir.printing_programs import stated_printing
from ..jit.device import DeviceUnavailable, Dim3
from ..jit.device_choice import DRIVERS, choose_device
from ..jit.emulated import EmulatedDevice
from ..jit.facts import GENERAL, Facts
from ..jit.launchable import Launchable
from ..lang.eager import run_eagerly
from ..reference.evaluate import Writers, run_kernel
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import LanewiseError
from .accuracy import machine_of
from .executor import (
    Array,
    Executor,
    ExecutorError,
    Outcome,
    Prepared,
    Terms,
    UnfitKernelError,
    is_executor,
    prepared_on_arrays,
)
from .on_devices import NOBODY, facts_of_launch, prepared_on_device

GROUP = "lanewise.executors"
"""The entry points by which installed packages register executors."""


# lanewise's own. On the host both check their accesses themselves, so no guard bands are needed


def _reference(kernel: Launchable, terms: Terms) -> Prepared:
    def run(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        size = kernel.compilation.subgroup_size
        room = _Room(kernel, grid, needed=stated_printing(kernel.view.op) is not None)
        # Of a distributed program that in which threads wait for each other, as its order says.
        program = kernel.compilation.thread_kernel if kernel.view.stage == "distributed" else kernel.view
        machine = machine_of(kernel.target, lambda: kernel.compilation_for(_facts(kernel, terms, arguments)))
        doubts = run_kernel(program, grid, room.after(arguments), size, machine, limits=terms.limits)
        count = len(arguments)
        doubts = replace(doubts, bounds=doubts.bounds[:count], untouched=doubts.untouched[:count])
        return Outcome(tuple(arguments), doubts=doubts, printed=(*doubts.printed, *room.records()))

    return prepared_on_arrays("numpy, the program's meaning", run)


def _eager(kernel: Launchable, terms: Terms) -> Prepared:
    written = terms.written
    if written is None:
        raise UnfitKernelError(
            f"'eager' runs kernels in Python, as lanewise.validate({kernel.name}, ...) takes them; kernel"
            f" '@{kernel.name}' is a program"
        )

    def run(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        records: list[Record] = []
        size = kernel.compilation.subgroup_size
        run_eagerly(written, grid, arguments, size, records.append, terms.limits)
        return Outcome(tuple(arguments), printed=tuple(sorted(records, key=lambda record: record.place)))

    return prepared_on_arrays("plain Python, each operation as the reference does it", run)


def _facts(kernel: Launchable, terms: Terms, arguments: Sequence[object]) -> Facts:
    """Those of the variant whose thread's program the host looks at: the general one; that which a launch takes where
    devices run no other, so that one is compiled and not two (decision 0109)."""
    return GENERAL if terms.thorough else facts_of_launch(kernel, arguments)


def _interpret(kernel: Launchable, terms: Terms) -> Prepared:
    def run(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        facts = _facts(kernel, terms, arguments)
        compilation, room = kernel.compilation_for(facts), _Room(kernel, grid)
        thread_kernel, size = compilation.thread_kernel, compilation.subgroup_size
        writers = interpret_kernel(thread_kernel, grid, room.after(arguments), subgroup_size=size, limits=terms.limits)
        writer = partial(_interpreted_writer, writers, arguments)
        return Outcome(tuple(arguments), writer=writer, facts=facts, printed=room.records())

    return prepared_on_arrays("numpy, one thread's program for all threads", run)


class _Room:
    """The buffer on the host for what a kernel prints, where it is an argument."""

    def __init__(self, kernel: Launchable, grid: Dim3, needed: bool = True) -> None:
        self._printing, self._grid = kernel.variants.interface.printing if needed else None, grid
        self._array = None if self._printing is None else np.zeros(self._printing.shape(grid), np.int32)

    def after(self, arguments: Sequence[object]) -> list[object]:
        return [*arguments, *([] if self._array is None else [self._array])]

    def records(self) -> tuple[Record, ...]:
        return () if self._printing is None or self._array is None else self._printing.read(self._array, self._grid)


def _interpreted_writer(writers: Writers, arguments: Sequence[object], argument: int, index: tuple[int, ...]) -> str:
    strides = cast("Array", arguments[argument]).strides
    found = writers.writer(argument, sum(i * stride for i, stride in zip(index, strides, strict=True)))
    if found is None:
        return NOBODY
    who, operation = found
    return f"written by {who} in '{operation.opname}'" + (f" from {operation.location}" if operation.location else "")


def _emulated(kernel: Launchable, terms: Terms) -> Prepared:
    device = EmulatedDevice(kernel.target.name, limits=terms.limits, arithmetic=terms.arithmetic)
    return prepared_on_device(kernel, device, where=device.properties.name)


def _gpu(name: str, kernel: Launchable, terms: Terms) -> Prepared:
    """No limit stops what a GPU runs."""
    return prepared_on_device(kernel, choose_device(name, kernel.target), again=True)


@dataclass(frozen=True)
class OwnExecutor:
    """An executor of lanewise."""

    name: str
    make: Callable[[Launchable, Terms], Prepared]

    def prepare(self, kernel: Launchable, terms: Terms) -> Prepared:
        return self.make(kernel, terms)


# Those there are


class UnknownExecutorError(ExecutorError, ValueError):
    """An executor was named that does not exist, or one that is asked for something is not among those named."""


class ExecutorNameError(ExecutorError, ValueError):
    """An executor is called as another one is, or by a name that `on` cannot say."""


@dataclass(frozen=True)
class Registered:
    """An executor by its name: who gave it, and how it is had, which may raise DeviceUnavailable."""

    name: str
    origin: str
    load: Callable[[], Executor]


@dataclass(frozen=True)
class Executors:
    """Executors in the order in which they run, the reference first."""

    rows: tuple[Registered, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    def register(self, row: Registered) -> Executors:
        """Those, and one more. Raises ExecutorNameError where its name is taken, or is none."""
        if not _NAME.fullmatch(row.name):
            expected = "a name of letters, digits, '_', '-' and '.' is expected, as of an executor"
            raise ExecutorNameError(f"{expected}; found {row.name!r}, from {row.origin}")
        for other in self.rows:
            if other.name == row.name:
                raise ExecutorNameError(
                    f"two executors are called {row.name!r}: that of {other.origin}, and that of {row.origin}"
                )
        return Executors((*self.rows, row))

    def find(self, name: str) -> Registered:
        """Raises UnknownExecutorError, which lists those there are."""
        for row in self.rows:
            if row.name == name:
                return row
        message, hint = f"unknown executor {name!r}; there are {self}", did_you_mean(name, self.names)
        raise UnknownExecutorError(f"{message}; {hint}" if hint else message)

    def __str__(self) -> str:
        return ", ".join(self.names)


_NAME = re.compile(r"[A-Za-z][\w.-]*")


def _own(executor: Executor) -> Registered:
    return Registered(executor.name, "lanewise", lambda: executor)


_OWN = (
    OwnExecutor("reference", _reference),
    OwnExecutor("eager", _eager),
    OwnExecutor("interpret", _interpret),
    OwnExecutor("emulated", _emulated),
    *(OwnExecutor(driver.name, partial(_gpu, driver.name)) for driver in DRIVERS),
)
BUILT_IN = Executors(tuple(_own(executor) for executor in _OWN))


def installed() -> Executors:
    """lanewise's own executors and those of installed packages. Raises ExecutorNameError where names are taken."""
    found = BUILT_IN
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        found = found.register(_of_package(point))
    return found


def _of_package(point: EntryPoint) -> Registered:
    origin = f"package {point.dist.name}" if point.dist is not None else point.value

    def load() -> Executor:
        executor = _loaded(point, DeviceUnavailable)
        if executor.name != point.name:
            raise ExecutorNameError(
                f"{origin} registers {point.name!r}, an executor that calls itself {executor.name!r}"
            )
        return executor

    return Registered(point.name, origin, load)


def _loaded(point: EntryPoint, error_kind: type[LanewiseError]) -> Executor:
    """The executor that `MODULE:OBJECT` refers to, as entry points do."""
    try:
        found: object = point.load()
    except (ImportError, AttributeError, ValueError) as error:
        raise error_kind(f"executor {point.value!r} cannot be loaded: {error}") from error
    if not is_executor(found):
        raise UnknownExecutorError(f"an executor has a `name` and `prepare`; {point.value!r} is {_words(found)}")
    return found


def _words(found: object) -> str:
    """What was found; a class in place of an object is the likely mistake."""
    return f"the class {found.__name__}, of which an object is expected" if isinstance(found, type) else repr(found)


Given: TypeAlias = str | Executor


def chosen(on: Given | Iterable[Given] | None) -> tuple[Registered, ...]:
    """The executors that `on` names, in their order, and the reference before them; all there are for None.

    Raises:
        UnknownExecutorError: Nobody has such a name; `MODULE:OBJECT` is none.
        ExecutorNameError: Two have one name.
    """
    if on is None:
        return installed().rows
    given = (on,) if isinstance(on, (str, Executor)) else tuple(on)
    known = BUILT_IN if all(isinstance(each, str) and each in BUILT_IN.names for each in given) else installed()
    if not given:
        raise UnknownExecutorError(f"no executor is named; there are {known}")
    wanted = {BUILT_IN.rows[0].name}
    for each in dict.fromkeys(given):
        if isinstance(each, str) and ":" not in each:
            wanted.add(known.find(each).name)
        else:
            row = _brought(each, known)
            known = known.register(row)
            wanted.add(row.name)
    return tuple(row for row in known.rows if row.name in wanted)


def _brought(given: object, known: Executors) -> Registered:
    """An executor that the caller has himself, or says where it stands."""
    if isinstance(given, str):
        given = _loaded(EntryPoint(given, given, GROUP), UnknownExecutorError)
    if not is_executor(given):
        raise UnknownExecutorError(
            f"a name of an executor ({known}), MODULE:OBJECT, or an object with a `name` and `prepare` is expected;"
            f" found {_words(given)}"
        )
    executor = given
    return Registered(executor.name, _words(executor), lambda: executor)
