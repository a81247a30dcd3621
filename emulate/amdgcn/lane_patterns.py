"""Where each lane reads from under the modifiers of data-parallel primitives (DPP): tables of lanes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .syntax import Instruction

Lanes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Pattern = Callable[[Lanes, int], tuple[Lanes, Mask]]


def _inside_row(lane: Lanes, source: Lanes) -> tuple[Lanes, Mask]:
    valid = source >> 4 == lane >> 4
    return np.where(valid, source, lane), valid


def _everywhere(source: Lanes) -> tuple[Lanes, Mask]:
    return source, np.ones(source.shape, np.bool_)


def _in_row(lane: Lanes, position: Lanes) -> tuple[Lanes, Mask]:
    return _everywhere((lane & ~15) | (position & 15))


def _in_wave(lane: Lanes, source: Lanes) -> tuple[Lanes, Mask]:
    valid = (source >= 0) & (source < lane.size)
    return np.where(valid, source, lane), valid


def _broadcast(lane: Lanes, n: int) -> tuple[Lanes, Mask]:
    """row_bcast: the last lane of each 16 (or 32) to the following row (or to all rows after it)."""
    if n == 15:
        valid = lane >= 16
        return np.where(valid, (lane & ~15) - 1, lane), valid
    valid = lane >= 32
    return np.where(valid, 31, lane), valid


PATTERNS: dict[str, Pattern] = {
    "row_shl": lambda lane, n: _inside_row(lane, lane + n),
    "row_shr": lambda lane, n: _inside_row(lane, lane - n),
    "row_ror": lambda lane, n: _in_row(lane, lane - n),
    "row_mirror": lambda lane, n: _in_row(lane, 15 - lane),
    "row_half_mirror": lambda lane, n: _everywhere((lane & ~7) | (7 - lane & 7)),
    "row_share": lambda lane, n: _in_row(lane, np.full_like(lane, n)),
    "row_newbcast": lambda lane, n: _in_row(lane, np.full_like(lane, n)),
    "row_xmask": lambda lane, n: _in_row(lane, lane ^ n),
    "row_bcast": _broadcast,
    "wave_shl": lambda lane, n: _in_wave(lane, lane + 1),
    "wave_shr": lambda lane, n: _in_wave(lane, lane - 1),
    "wave_rol": lambda lane, n: _everywhere((lane + 1) % lane.size),
    "wave_ror": lambda lane, n: _everywhere((lane - 1) % lane.size),
}
MODIFIERS = frozenset({*PATTERNS, "quad_perm", "dpp8"})


def is_permuted(i: Instruction) -> bool:
    """Whether the first source of an instruction comes from other lanes."""
    return not MODIFIERS.isdisjoint(i.modifiers)


def sources(i: Instruction, lanes: int) -> tuple[Lanes, Mask]:
    """For each lane, the lane it reads, and whether that lane is in range."""
    lane = np.arange(lanes)
    if "quad_perm" in i.modifiers:
        return _everywhere((lane & ~3) | np.array(i.bits("quad_perm", 4, 0))[lane & 3])
    if "dpp8" in i.modifiers:
        return _everywhere((lane & ~7) | np.array(i.bits("dpp8", 8, 0))[lane & 7])
    name = next(n for n in PATTERNS if n in i.modifiers)
    value = i.modifiers[name]
    return PATTERNS[name](lane, int(value, 0) if value else 0)


def enabled_lanes(i: Instruction, lanes: int) -> Mask:
    """Lanes whose row and bank (four lanes of a row) are written."""
    lane = np.arange(lanes)
    rows, banks = i.number("row_mask", 15), i.number("bank_mask", 15)
    if "dpp8" in i.modifiers:
        rows = banks = 15
    return np.asarray(((rows >> (lane >> 4)) & 1 != 0) & ((banks >> ((lane & 15) >> 2)) & 1 != 0))
