"""`kernel.debug[grid](...)`: the kernel as plain Python on the host, in place on the arrays that it is given."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..ir.printing import Record
from ..jit.grids import Grid, grid_of
from ..support.dataclasses import replace
from ..support.limits import Limits
from ..targets import Chip
from .eager import Written, run_eagerly
from .grids import Lack
from .hosts import DebugError, Hosts
from .trace import TraceError
from .tracebacks import for_users, is_own

UNLIMITED = Limits(seconds=float("inf"), steps=1 << 62)
"""Who debugs may take his time."""


class GridWarning(UserWarning):
    """A grid covers less than what a kernel writes."""


class Debugged(Protocol):
    """What a debug run asks of a kernel."""

    @property
    def chip(self) -> Chip: ...
    def bound(
        self, arguments: Sequence[Any], constants: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]: ...
    def grid_of_launch(self, given: Sequence[Any], chosen: Sequence[Any]) -> Grid: ...
    def written(self, given: Sequence[Any], chosen: Sequence[Any]) -> Written: ...


class Debug:
    """A kernel as plain Python.

    `kernel.debug[grid](*arguments, **constants)` runs it, workgroup by workgroup; `kernel.debug(*arguments)` on the
    grid that follows from the kernel; `kernel.debug(workgroup=(1, 0, 0))[grid](...)` runs one workgroup alone.
    """

    def __init__(self, kernel: Debugged, workgroup: tuple[int, ...] | None = None) -> None:
        self._kernel, self._workgroup = kernel, workgroup

    def __repr__(self) -> str:
        return f"<{self._kernel!r} as plain Python>"

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        @for_users
        def launch(*arguments: Any, **constants: Any) -> None:
            self._run(grid, arguments, constants)

        return launch

    @for_users
    def __call__(self, *arguments: Any, workgroup: int | tuple[int, ...] | None = None, **constants: Any) -> Any:
        """With `workgroup` alone, runs of that one; with arguments, runs on the grid that follows from the kernel."""
        if workgroup is not None:
            chosen = Debug(self._kernel, tuple(np.atleast_1d(workgroup).tolist()))
            return chosen(*arguments, **constants) if arguments or constants else chosen
        self._run(None, arguments, constants)
        return None

    def _run(self, grid: Grid | None, arguments: Sequence[Any], constants: dict[str, Any]) -> None:
        kernel = self._kernel
        given, chosen = kernel.bound(arguments, constants)
        extents = grid_of(self._inferred(given, chosen) if grid is None else grid)
        written = kernel.written(given, chosen)
        hosts = Hosts(written.names, written.types, given)
        only = None if self._workgroup is None else _number(self._workgroup, extents)
        size = kernel.chip.default_subgroup_size
        try:
            ran = run_eagerly(written, extents, hosts.values, size, _say, UNLIMITED, only)
        finally:
            hosts.give_back()
        if only is None:
            arrays = dict(zip(written.names, hosts.values, strict=True))
            _warn(written.name, ran.cover.lacking(extents, arrays), ran.unwritten, arrays)

    def _inferred(self, given: Sequence[Any], chosen: Sequence[Any]) -> Grid:
        """It follows from the traced kernel, in which there are no numbers."""
        try:
            return self._kernel.grid_of_launch(given, chosen)
        except TraceError as error:
            first, *rest = error.diagnostics
            words = "where it uses numbers as Python's, say its grid: kernel.debug[grid](...)"
            note = ("the grid was to follow from the kernel, which is traced for that", None)
            raise TraceError([replace(first, notes=(*first.notes, note), hint=words), *rest]) from None


def _say(record: Record) -> None:
    sys.stdout.write(record.text)


def _number(workgroup: tuple[int, ...], grid: tuple[int, int, int]) -> int:
    x, y, z = place = (*workgroup, 0, 0, 0)[:3]
    if len(workgroup) > 3 or any(not 0 <= n < extent for n, extent in zip(place, grid, strict=True)):
        raise DebugError(f"workgroup {workgroup if len(workgroup) > 3 else place} is not in the grid of {grid}")
    return x + grid[0] * (y + grid[1] * z)


def _warn(kernel: str, lacks: Sequence[Lack], unwritten: Mapping[str, int], arrays: Mapping[str, Any]) -> None:
    if not lacks:
        return
    names = dict.fromkeys(lack.use.array for lack in lacks)
    left = [f"{unwritten[n]} of {arrays[n].size} elements of '{n}'" for n in names if unwritten[n]]
    words = f"; {', '.join(left)} are written by nobody" if left else ""
    text = f"the grid of '{kernel}' covers too little: {'; '.join(map(str, lacks))}{words}"
    warnings.warn(text, GridWarning, stacklevel=_levels())


def _levels() -> int:
    """How far up the user's line is."""
    frame, count = sys._getframe(1), 1  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and is_own(frame):
        frame, count = frame.f_back, count + 1
    return count
