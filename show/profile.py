"""`kernel.profile`: counts one launch on the emulator, and models its time."""

from __future__ import annotations

from collections.abc import Iterator

from ..check.counts import COUNTS, Measurement
from ..check.hot_loop import Untimed
from ..check.inputs import Inputs
from ..check.prepared import prepared
from ..check.profile import Profile
from ..jit.grids import Grid, grid_of
from ..jit.kernel import Kernel
from ..support.limits import GENEROUS, Limits
from .profiled import Profiled


def profile(kernel: Kernel, grid: Grid, *arguments: object, general: bool, limits: Limits | None) -> Profiled:
    """See `Kernel.profile`. Arguments are copied."""
    inputs = Inputs(tuple(prepared(kernel, arguments)), grid_of(grid), {})
    found = Profile(Measurement(kernel, inputs, general=general, limits=limits or GENEROUS))
    loop = found.hot_loop
    bound = found.bound
    return Profiled(
        found.counts,
        found.occupancy,
        found.microseconds,
        None if bound is None else bound.resource,
        None if isinstance(loop, Untimed) else loop.time,
        () if isinstance(loop, Untimed) else tuple(loop.waiting),
        "\n".join(_lines(found, kernel)),
    )


def _lines(found: Profile, kernel: Kernel) -> Iterator[str]:
    yield f"@{kernel.name} for {kernel.target.name}, the variant {found.measured.variant}"
    yield from (f"{number:>12,} {COUNTS[name].meaning}" for name, number in found.counts.items() if number)
    if found.occupancy is not None:
        yield found.occupancy
    if found.bound is not None:
        yield found.bound.words
    yield from found.time_lines
