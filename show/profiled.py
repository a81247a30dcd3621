"""What `kernel.profile` gives: what a launch costs, what bounds it, and what its hot loop waits for."""

from __future__ import annotations

from collections.abc import Mapping

from ..support.dataclasses import dataclass
from ..timing.loop_time import LoopTime, Waiting


@dataclass(frozen=True)
class Profiled:
    """One launch on the emulator, counted; times are a model's, which ran on no device. `print` shows `text`.

    Attributes:
        counts: By name, as `lanewise profile` lists them.
        occupancy: How many warps or waves are there at the same time, in words; None where nothing tells.
        microseconds: The time of the launch on the chip's product: what the busiest resource takes, or the hot loop
            where that is more; None where no product is stated.
        resource: The busiest one.
        loop: The model of time of the hot loop; None where there is none, and the text says why.
        waits: What happens in the loop while the matrix units have nothing to do, by lines of the program.
        text: All of that for people.
    """

    counts: Mapping[str, int]
    occupancy: str | None
    microseconds: float | None
    resource: str | None
    loop: LoopTime | None
    waits: tuple[Waiting, ...]
    text: str

    def __str__(self) -> str:
        return self.text
