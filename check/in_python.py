"""Kernels as `validate` takes them: those in Python are compiled for arguments, which say the grid, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..jit.device import Dim3
from ..jit.grids import Grid, grid_of
from ..jit.launchable import Launchable
from ..lang.eager import Written
from ..lang.python_kernel import Kernel, Specialisation
from ..support.named_tuples import NamedTuple


class Specialised(NamedTuple):
    """A kernel for arguments.

    Attributes:
        kernel: What is launched.
        grid: What was asked for, else what follows from what the kernel writes.
        arguments: In the order of the parameters.
        written: The function, of a kernel in Python.
        lacking: Where the grid covers too little.
    """

    kernel: Launchable
    grid: Grid | None
    arguments: tuple[object, ...]
    written: Written | None
    lacking: tuple[str, ...] = ()


class Taken(NamedTuple):
    """A kernel in Python for types of arguments and constants.

    Attributes:
        kernel: Which.
        found: What it is compiled to for these.
        constants: In the order of the parameters.
    """

    kernel: Kernel
    found: Specialisation
    constants: tuple[object, ...]

    def grid(self, arguments: Sequence[object]) -> Dim3:
        """The one of a launch that says none. Raises NoGrid where none follows."""
        return grid_of(self.kernel.grid_of(self.found, arguments, self.constants))

    def on(self, launched: Launchable, grid: Grid, arguments: Sequence[object]) -> Specialised:
        """For a launch of `launched`, which is `found` for some chip."""
        extents = grid_of(grid)
        written = self.kernel.written(arguments, self.constants)
        by_name = dict(zip(written.names, arguments, strict=True))
        lacking = tuple(map(str, self.found.cover.lacking(extents, by_name)))
        return Specialised(launched, extents, tuple(arguments), written, lacking)


def specialised(
    kernel: Kernel, grid: Grid | None, arguments: Sequence[object], constants: Mapping[str, object]
) -> Specialised:
    """Raises SignatureError, TraceError and what compiling raises, and NoGrid where none is given and none follows."""
    given, chosen = kernel.signature.bound(arguments, constants)
    taken = Taken(kernel, kernel.specialisation(given, chosen), chosen)
    return taken.on(taken.found.kernel, taken.grid(given) if grid is None else grid, given)
