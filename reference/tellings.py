"""What barrier objects hand on: what was before the arrivals of a phase is before what those do who see it over."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass, field

Told = Mapping[str, Array]
"""By memory, of the subgroups of one workgroup: see `Clock.tell`."""


@dataclass
class Telling:
    """What is told at one object."""

    told: Told = field(default_factory=dict[str, Array])
    """What is before the end of this phase."""
    before: Told = field(default_factory=dict[str, Array])
    """What is before the end of the last one."""

    def tell(self, told: Told) -> None:
        """This is before the end of this phase."""
        self.told = _together(self.told, told)

    def end_phase(self) -> None:
        self.before, self.told = _together(self.before, self.told), {}


def _together(a: Told, b: Told) -> Told:
    return {space: np.maximum(a.get(space, 0), b.get(space, 0)) for space in {**a, **b}}
