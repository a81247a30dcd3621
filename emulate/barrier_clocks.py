"""What barriers of some of a workgroup's teams have ordered, as vector clocks.

A team's epoch is the number of such barriers that it has passed. What a team knows of another is up to which of its
epochs all that it did lies before what the team does now: those that meet learn all that any of them knows, so that
order is handed on through teams that meet one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..support.dataclasses import dataclass

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Order:
    """At one moment. `epochs` [workgroup, team]; `known` [workgroup, team that knows, team]: epochs below it are before
    what the team does now."""

    epochs: Array
    known: Array

    @classmethod
    def start(cls, workgroups: int, teams: int) -> Order:
        """Nobody has met anyone."""
        return cls(np.zeros((workgroups, teams), np.int64), np.zeros((workgroups, teams, teams), np.int64))

    def handed_on(self, members: Array) -> Array:
        """What those in `members` [workgroup, team] know together, and did: [workgroup, team]."""
        own = np.where(members, self.epochs + 1, 0)
        learned = np.where(members[:, :, None], self.known, 0).max(axis=1)
        return np.asarray(np.maximum(own, learned))

    def arrived(self, members: Array) -> Order:
        """They have told what they did so far, and wait for nobody."""
        return Order(self.epochs + members, self.known)

    def learned(self, members: Array, told: Array) -> Order:
        """Those in `members` have waited for those who had `told` [workgroup, team] what they did."""
        known = np.maximum(self.known, told[:, None, :])
        return Order(self.epochs, np.where(members[:, :, None], known, self.known))

    def met(self, members: Array, told: Array) -> Order:
        """They have waited for each other, and for those who had `told` what they did."""
        learned = np.maximum(self.handed_on(members), told)[:, None, :]
        known = np.where(members[:, :, None], np.maximum(self.known, learned), self.known)
        return Order(self.epochs + members, known)
