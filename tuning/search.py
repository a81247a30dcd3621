"""`lanewise.tune`: tries the constants of a kernel in Python, and tells which are the fastest that are right.

Candidates are traced here and compiled by any `concurrent.futures.Executor`; each is compared with the reference once.
On a GPU they are timed one after the other; without one the model of `lanewise profile` orders them.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from ..jit.device import Device, Dim3
from ..jit.emulated import EmulatedDevice
from ..jit.grids import Grid, grid_of
from ..jit.kernel import Kernel as CompiledKernel
from ..lang.python_kernel import Kernel
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from .kept import Kept, key_of
from .shown import lines_of, notes_of, reported, table_of
from .trial import Constants, Job, Made, Source, Trial, on_device, work

if TYPE_CHECKING:
    from rich.console import RenderableType

Space: TypeAlias = Mapping[str, Iterable[Any]] | Iterable[Constants]
"""The values of each constant, of which all combinations are tried; or the combinations themselves."""


class TuningError(LanewiseError, ValueError):
    """Nothing can be tuned, or no candidate was right; the message has what each said."""


@dataclass(frozen=True)
class Tuning:
    """What came of a tuning.

    Attributes:
        kernel: What was tuned.
        trials: All candidates that came to an end, the fastest first, then those that did not count.
        source: Where their times are from.
        is_whole: Whether all candidates were tried; a tuning that is interrupted keeps what it has.
    """

    kernel: Kernel
    trials: tuple[Trial, ...]
    source: Source
    is_whole: bool

    @property
    def best(self) -> Constants:
        """The constants of the fastest candidate that is right. Raises TuningError where there is none."""
        first = next((trial for trial in self.trials if trial.counts), None)
        if first is None:
            said = "\n".join(f"{_words(t.constants)}: {t.verdict or t.message}" for t in self.trials)
            raise TuningError(f"none of {len(self.trials)} candidates of {self.kernel!r} counts\n{said}")
        return first.constants

    def __str__(self) -> str:
        return "\n".join([*lines_of(self.trials, self.source), *notes_of(self.source, self.is_whole)])

    def __rich__(self) -> RenderableType:
        return table_of(self.trials, self.source, self.is_whole)


def tune(
    kernel: Kernel,
    space: Space,
    *arguments: Any,
    grid: Grid | Callable[..., Grid] | None = None,
    checked: Sequence[Any] | None = None,
    target: str | None = None,
    executor: Executor | None = None,
    folder: str | Path | None = None,
    progress: bool | Callable[[Trial, int, int], object] = False,
) -> Tuning:
    """Tries the constants of a kernel.

    Args:
        kernel: A kernel in Python.
        space: See `Space`.
        arguments: Of launches, as they are timed: on a GPU these launches write them.
        grid: None follows from what the kernel writes; or a function of the arguments and constants.
        checked: Arguments that are compared with the reference, smaller ones perhaps; None are `arguments`.
        target: What is compiled for; None is the kernel's.
        executor: Who compiles, and without a GPU runs; None are as many processes as there are processors.
        folder: Where trials are kept, failures too, and looked for first; None keeps nothing.
        progress: Called behind each trial with it, how many are done, and of how many; True shows a bar.

    Raises:
        TuningError: The space is empty.
    """
    candidates = candidates_of(space)
    if not candidates:
        raise TuningError(f"the space of {kernel!r} has no candidate")
    run = _Run(kernel, arguments, grid, checked, target, None if folder is None else Kept(Path(folder)))
    trials: list[Trial] = []
    is_whole = True
    own = ProcessPoolExecutor(os.cpu_count()) if executor is None else nullcontext(executor)
    with own as workers, reported(progress) as report:
        try:
            for trial in run.trials(candidates, workers):
                trials.append(trial)
                report(trial, len(trials), len(candidates))
        except KeyboardInterrupt:
            is_whole = False
            run.cancel()
    trials.sort(key=lambda t: (not t.counts, t.microseconds or 0.0))
    return Tuning(kernel, tuple(trials), run.source, is_whole)


def candidates_of(space: Space) -> list[Constants]:
    """The combinations of constants that a space has."""
    if not isinstance(space, Mapping):
        return list(space)
    values = cast("Mapping[str, Iterable[Any]]", space)
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]


class _Run:
    """One tuning under way."""

    def __init__(
        self,
        kernel: Kernel,
        arguments: Sequence[Any],
        grid: Grid | Callable[..., Grid] | None,
        checked: Sequence[Any] | None,
        target: str | None,
        kept: Kept | None,
    ) -> None:
        self._kernel, self._arguments, self._grid = kernel, tuple(arguments), grid
        self._checked = self._arguments if checked is None else tuple(checked)
        self._target, self._kept = target, kept
        self._waiting: dict[Future[Made], tuple[Constants, Job]] = {}
        self._device: Device | None = None
        self.source: Source = "model"

    def trials(self, candidates: Sequence[Constants], workers: Executor) -> Iterator[Trial]:
        """What comes of each, in the order in which they come to an end."""
        for constants in candidates:
            try:
                job = self._job(self._compiled(constants), constants)
            except LanewiseError as error:
                yield Trial(constants, source=self.source, message=str(error))
                continue
            known = None if self._kept is None else self._kept.find(self._key(job), constants)
            if known is not None:
                yield known
            else:
                self._waiting[workers.submit(work, job)] = constants, job
        for future in as_completed(list(self._waiting)):
            constants, job = self._waiting.pop(future)
            trial = self._trial(constants, job, future.result())
            if self._kept is not None:
                self._kept.keep(self._key(job), trial)
            yield trial

    def cancel(self) -> None:
        for future in self._waiting:
            future.cancel()

    def _compiled(self, constants: Constants) -> CompiledKernel:
        """The candidate, of which nothing is compiled yet. The first one decides where all run."""
        made = self._kernel.compile(*self._arguments, target=self._target, **constants)
        if self._device is None:
            self._device = made.device
            self.source = "model" if isinstance(self._device, EmulatedDevice) else "measured"
        return made

    def _job(self, made: CompiledKernel, constants: Constants) -> Job:
        arguments = tuple(map(_on_host, self._checked)) if self.source == "model" else None
        grid = self._grid_of(self._checked if arguments else self._arguments, constants)
        return Job(made.vector_ir, made.target.name, self._kernel.fastmath, grid, arguments)

    def _grid_of(self, arguments: Sequence[Any], constants: Constants) -> Dim3:
        grid = self._grid(*arguments, **constants) if callable(self._grid) else self._grid
        return grid_of(self._kernel.grid_for(*arguments, **constants) if grid is None else grid)

    def _trial(self, constants: Constants, job: Job, made: Made) -> Trial:
        if made.file is not None:
            assert self._device is not None
            made = on_device(made, self._device, job.grid, self._arguments, self._checked)
        return Trial(constants, made.verdict, made.microseconds, self.source, made.message)

    def _key(self, job: Job) -> str:
        assert self._device is not None
        return key_of(job, self._arguments, self._checked, self._device.properties.name, self.source)


def _on_host(argument: Any) -> object:
    """What another process can be sent."""
    return np.asarray(argument) if hasattr(argument, "shape") else argument


def _words(constants: Constants) -> str:
    return ", ".join(f"{name}={value}" for name, value in constants.items())
