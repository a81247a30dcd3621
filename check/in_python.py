"""Kernels in Python as `validate` takes them: what they are compiled to for arguments, and on which grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..jit.grids import Grid, grid_of
from ..jit.launchable import Launchable
from ..lang.eager import Written
from ..lang.python_kernel import Kernel
from ..support.named_tuples import NamedTuple


class Specialised(NamedTuple):
    """A kernel for arguments.

    Attributes:
        kernel: What is launched.
        grid: What was asked for, else what follows from what the kernel writes.
        arguments: In the order of the parameters.
        written: The function.
        lacking: Where the grid covers too little.
    """

    kernel: Launchable
    grid: Grid
    arguments: tuple[object, ...]
    written: Written
    lacking: tuple[str, ...]


def specialised(
    kernel: Kernel, grid: Grid | None, arguments: Sequence[object], constants: Mapping[str, object]
) -> Specialised:
    """Raises SignatureError, TraceError and what compiling raises, and NoGrid where none is given and none follows."""
    given, chosen = kernel.signature.bound(arguments, constants)
    found = kernel.specialisation(given, chosen)
    extents = grid_of(kernel.grid_of_launch(given, chosen) if grid is None else grid)
    written = kernel.written(given, chosen)
    lacking = tuple(map(str, found.cover.lacking(extents, dict(zip(written.names, given, strict=True)))))
    return Specialised(found.kernel, extents, given, written, lacking)
