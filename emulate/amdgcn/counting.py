"""What hardware performance counters would see of one memory instruction."""

from __future__ import annotations

import numpy as np

from ..counters import Counters
from .chip import Chip
from .group import Group
from .wave_values import Array


def _by_wave(values: Array, group: Group, active: Array | None) -> Array:
    """[wave, lane]; absent lanes repeat some present lane of the wave, absent waves are left out."""
    if active is None:
        return values.reshape(group.count, group.lanes)
    full = np.full(group.count * group.lanes, -1, np.int64)
    full[active] = values
    rows = full.reshape(group.count, group.lanes)
    rows = rows[(rows >= 0).any(axis=1)]
    return np.where(rows < 0, rows.max(axis=1, keepdims=True), rows)


def count_sectors(addresses: Array, nbytes: int, group: Group, active: Array | None) -> int:
    """Distinct 32-byte sectors per wave, summed; an access of at most 32 bytes lies in one or two of them."""
    if not addresses.size:
        return 0
    rows = _by_wave(addresses >> 5, group, active)
    if ((addresses & 31) + nbytes > 32).any():
        rows = np.hstack((rows, _by_wave(addresses + (nbytes - 1) >> 5, group, active)))
    steps = np.diff(rows, axis=1)
    if steps.min() < 0:
        steps = np.diff(np.sort(rows, axis=1), axis=1)
    return int(np.count_nonzero(steps)) + int(rows.shape[0])


_PAIRS = np.array(((0, 20), (4, 16), (8, 28), (12, 24)))[:, :, None] + np.arange(4)
"""The lanes, of 32, that CDNA serves together in a read of 16 bytes (ROCm: composable_kernel, "LDS bank conflicts")."""


def count_passes(
    counters: Counters,
    flat: Array,
    nbytes: int,
    group: Group,
    active: Array | None,
    chip: Chip | None = None,
    *,
    site: int,
) -> None:
    """Passes through shared memory: banks of 4 bytes, phases of 32 lanes, but for wider accesses of as many as all
    banks together serve. `chip`: of a read."""
    banks = 32 if chip is None else chip.banks(nbytes)
    if not flat.size:
        return
    words = max(nbytes // 4, 1)
    phase = min(32, banks // (1 << (words - 1).bit_length()))
    rows = _by_wave(flat >> 2, group, active)
    if chip is not None and chip.pairs_lanes(nbytes):
        rows = rows.reshape(-1, 32)[:, _PAIRS.ravel()]
    rows = rows.reshape(-1, phase)
    if words > 1:
        rows = (rows[:, :, None] + np.arange(words)).reshape(rows.shape[0], -1)
    counters.passes(site, rows.shape[0], _passes(rows, banks) - rows.shape[0])


def _passes(rows: Array, banks: int) -> int:
    """Each row of word numbers costs as many passes as its busiest bank has distinct words."""
    steps = np.diff(rows, axis=1)
    if (steps == 1).all() or not steps.any():
        return int(rows.shape[0])
    ordered = np.sort(rows, axis=1)
    fresh = np.ones(ordered.shape, np.bool_)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    bank: Array = ordered % banks + banks * np.arange(rows.shape[0], dtype=np.int64)[:, None]
    busy = np.bincount(bank[fresh], minlength=banks * rows.shape[0]).reshape(-1, banks).max(axis=1)
    return int(busy.sum())
