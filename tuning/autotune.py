"""`@lanewise.autotune(...)`: a kernel that is tuned at the first launch with arguments of new shapes."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..jit.grids import Grid
from ..lang.python_kernel import Kernel
from .search import Space, Tuning, candidates_of, tune
from .trial import Constants


class Autotuned:
    """A kernel whose constants are those that were found best for the shapes of the arguments.

    Attributes:
        kernel: What is tuned.
        tunings: What came of each tuning, by shapes.
    """

    def __init__(self, kernel: Kernel, space: Space, folder: str | Path | None) -> None:
        functools.update_wrapper(self, kernel.function)
        self.kernel = kernel
        self._space = candidates_of(space)
        self._folder = folder
        self.tunings: dict[Any, Tuning] = {}
        self._best: dict[Any, Constants] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any, stream: object = None) -> None:
        self.kernel(*arguments, stream=stream, **self.best(*arguments))

    def __getitem__(self, grid: Grid | Callable[..., Grid]) -> Callable[..., None]:
        return functools.partial(self._launch, grid)

    def _launch(self, grid: Grid | Callable[..., Grid], *arguments: Any, stream: object = None) -> None:
        best = self.best(*arguments, grid=grid)
        chosen = grid(*arguments, **best) if callable(grid) else grid
        self.kernel.launch(chosen, *arguments, stream=stream, **best)

    def best(self, *arguments: Any, grid: Grid | Callable[..., Grid] | None = None) -> Constants:
        """The constants for such arguments, tuned where they are new. Raises TuningError where none is right."""
        key = tuple(map(_kind, arguments))
        found = self._best.get(key)
        if found is None:
            with self._lock:
                found = self._best.get(key)
                if found is None:
                    self.tunings[key] = tune(self.kernel, self._space, *arguments, grid=grid, folder=self._folder)
                    found = self._best[key] = self.tunings[key].best
        return found


def _kind(argument: Any) -> object:
    """What of an argument has tunings of its own."""
    return (tuple(argument.shape), str(argument.dtype)) if hasattr(argument, "shape") else type(argument).__name__


def autotune(space: Space, *, folder: str | Path | None = None) -> Callable[[Kernel], Autotuned]:
    """`@lanewise.autotune({"tile": (256, 1024)})` above `@lanewise.kernel(...)`; `folder` keeps trials."""

    def decorate(kernel: Kernel) -> Autotuned:
        return Autotuned(kernel, space, folder)

    return decorate
