"""Atomic read-modify-write operations: each address is updated in the order of the accesses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch_values import choose

Array = npt.NDArray[Any]
Update = Callable[[Array, list[Array]], Array]
"""From the bits that were there and the operands' to the new bits."""


def increment(old: Array, limit: Array) -> Array:
    """One more, or zero from the limit on."""
    return np.asarray(choose(old >= limit, old.dtype.type(0), old + old.dtype.type(1)))


def decrement(old: Array, limit: Array) -> Array:
    """One less, or the limit from zero and from above it."""
    return np.asarray(choose((old == 0) | (old > limit), limit, old - old.dtype.type(1)))


def update_in_order(cells: Array, places: Array, operands: list[Array], update: Update) -> Array:
    """Updates `cells[places]`, and gives what was there before each update.

    In rounds: the n-th does the n-th operation on every place, so each place sees its operations in order.
    """
    before = np.zeros(places.size, cells.dtype)
    if not places.size:
        return before
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.concatenate([starts, [places.size]]))
    for turn in range(int(lengths.max())):
        here = order[starts[lengths > turn] + turn]
        old = cells[places[here]]
        before[here] = old
        cells[places[here]] = update(old, [operand[here] for operand in operands])
    return before
