"""A group of waves that execute together."""

from __future__ import annotations

from typing import Any

import numpy as np

from .wave_values import ALL, Array


class Group:
    """`waves` are their numbers in the batch, ascending; `whole` when they are all waves of the batch.

    Values of a group are [wave of the group, lane]; "local" lane numbers count through such an array.
    """

    __slots__ = ("_active", "_mask", "count", "lanes", "waves", "whole")

    def __init__(self, waves: Array, lanes: int, *, whole: bool) -> None:
        self.waves = waves
        self.count = int(waves.size)
        self.whole = whole
        self.lanes = lanes
        self._mask: Any = None
        self._active: Array | None = None

    def active(self, mask: Any) -> Array | None:
        """Local numbers of the lanes of an execution mask; None for all."""
        if mask is ALL:
            return None
        if mask is not self._mask:
            self._mask = mask
            self._active = np.flatnonzero(np.broadcast_to(mask, (self.count, self.lanes)))
        return self._active

    def flat(self, value: Any, active: Array | None) -> Array:
        """The values of the active lanes, in order."""
        if np.shape(value) != (self.count, self.lanes):
            value = np.broadcast_to(value, (self.count, self.lanes))
        flat: Array = value.reshape(-1)
        return flat if active is None else flat[active]

    def spread(self, values: Array, active: Array | None) -> Array:
        """Values of the active lanes, in order, to [wave, lane] (zero elsewhere)."""
        if active is None:
            return values.reshape(self.count, self.lanes)
        out = np.zeros(self.count * self.lanes, values.dtype)
        out[active] = values
        return out.reshape(self.count, self.lanes)

    def numbers(self, active: Array | None) -> Array:
        """Lane numbers in the batch of the active lanes."""
        if self.whole:
            return np.arange(self.count * self.lanes) if active is None else active
        own = (self.waves[:, None] * self.lanes + np.arange(self.lanes)).reshape(-1)
        return own if active is None else own[active]
