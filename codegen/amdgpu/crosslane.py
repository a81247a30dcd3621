"""Which instruction moves a value between lanes, found by matching where every lane reads from.

A shuffle whose offset and width are known is a table: the source of each lane. Cheaper instructions move fixed kinds of
tables; what fits none goes through `ds_bpermute`, which moves any. From cheap to dear: DPP and the permlane family are
vector instructions, `ds_swizzle` and `ds_bpermute` travel through the LDS unit, though not through its memory.

Source: "DPP", "V_PERMLANE16_B32" and "DS_SWIZZLE_B32" in AMD's instruction set documents of each generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ...support.dataclasses import dataclass
from ...targets import Chip

Sources = tuple[int, ...]
"""For every lane of the subgroup the lane it reads."""
QUAD, ROW, HALF = 4, 16, 32


@dataclass(frozen=True, slots=True)
class Dpp:
    """`v_mov_b32_dpp` with this control word; LLVM merges it into the instruction that reads the result."""

    control: int


@dataclass(frozen=True, slots=True)
class Permlane16:
    """Any exchange within rows of 16 lanes, the same in all; with `crossed`, each reads the other row of its half.

    Lane i of a row reads lane `selects >> 4 * i & 15`.
    """

    selects: int
    crossed: bool


@dataclass(frozen=True, slots=True)
class Permlane64:
    """Swaps the halves of 64 lanes."""


@dataclass(frozen=True, slots=True)
class PermlaneSwap:
    """Swaps neighbouring groups of `lanes`, 16 or 32."""

    lanes: int


@dataclass(frozen=True, slots=True)
class Swizzle:
    """`ds_swizzle_b32`: within 32 lanes, lane i reads `((i & and) | or) ^ xor`, masks of five bits each."""

    offset: int


@dataclass(frozen=True, slots=True)
class ReadLane:
    """Everyone reads one lane."""

    lane: int


Move: TypeAlias = "Dpp | Permlane16 | Permlane64 | PermlaneSwap | Swizzle | ReadLane"
Moves = tuple[Move, ...]

_ROW_ROR, _ROW_MIRROR, _HALF_MIRROR, _ROW_SHARE, _ROW_XMASK = 0x120, 0x140, 0x141, 0x150, 0x160


def moves_for(chip: Chip, sources: Sources) -> Moves | None:
    """The instructions that move a value as `sources` says, None where only `ds_bpermute` does."""
    if sources == tuple(range(len(sources))):
        return ()
    return next((moves for matcher in _MATCHERS if (moves := matcher(chip, sources)) is not None), None)


def _within(sources: Sources, group: int, crossed: int = 0) -> Sources | None:
    """What each lane of a group reads within its group (or the group `crossed` lanes away), if all groups agree."""
    pattern = tuple(s & (group - 1) for s in sources[:group])
    expected = (((lane ^ crossed) & -group) | pattern[lane & (group - 1)] for lane in range(len(sources)))
    return pattern if sources == tuple(expected) else None


def _quad(chip: Chip, sources: Sources) -> Moves | None:
    pattern = _within(sources, QUAD)
    return None if pattern is None else (Dpp(sum(lane << 2 * i for i, lane in enumerate(pattern))),)


def _row(chip: Chip, sources: Sources) -> Moves | None:
    """Patterns that DPP spells within rows of 16 lanes; two that gfx9 has to compose of others."""
    pattern = _within(sources, ROW)
    if pattern is None:
        return None
    known: dict[Sources, Moves] = dict(_rows_of_gfx10() if chip.supports("permlane16") else _rows_of_gfx9())
    return known.get(pattern)


def _rows_of_gfx9() -> Iterator[tuple[Sources, Moves]]:
    reverse_quads = Dpp(0b00_01_10_11)
    yield _row_xor(7), (Dpp(_HALF_MIRROR),)
    yield _row_xor(15), (Dpp(_ROW_MIRROR),)
    yield _row_xor(4), (Dpp(_HALF_MIRROR), reverse_quads)
    yield _row_xor(12), (Dpp(_ROW_MIRROR), reverse_quads)
    yield from _rotations()


def _rows_of_gfx10() -> Iterator[tuple[Sources, Moves]]:
    yield from _rotations()
    for n in range(ROW):
        yield (n,) * ROW, (Dpp(_ROW_SHARE | n),)
        yield _row_xor(n), (Dpp(_ROW_XMASK | n),)


def _row_xor(n: int) -> Sources:
    return tuple(i ^ n for i in range(ROW))


def _rotations() -> Iterator[tuple[Sources, Moves]]:
    for n in range(1, ROW):
        yield tuple(i - n & (ROW - 1) for i in range(ROW)), (Dpp(_ROW_ROR | n),)


def _permlane16(chip: Chip, sources: Sources) -> Moves | None:
    if not chip.supports("permlane16"):
        return None
    for crossed in (False, True):
        pattern = _within(sources, ROW, ROW if crossed else 0)
        if pattern is not None:
            return (Permlane16(sum(lane << 4 * i for i, lane in enumerate(pattern)), crossed),)
    return None


def _permlane_swap(chip: Chip, sources: Sources) -> Moves | None:
    if not chip.supports("permlane_swap"):
        return None
    for lanes in (ROW, HALF):
        if sources == tuple(i ^ lanes for i in range(len(sources))):
            return (PermlaneSwap(lanes),)
    return None


def _permlane64(chip: Chip, sources: Sources) -> Moves | None:
    swapped = chip.supports("permlane64") and sources == tuple(i ^ HALF for i in range(len(sources)))
    return (Permlane64(),) if swapped else None


def _read_lane(chip: Chip, sources: Sources) -> Moves | None:
    return (ReadLane(sources[0]),) if len(set(sources)) == 1 else None


def _swizzle(chip: Chip, sources: Sources) -> Moves | None:
    """Each bit of the source is a constant, or the same bit of the lane, or its opposite."""
    pattern = _within(sources, HALF)
    if pattern is None:
        return None
    zero, ones = pattern[0], pattern[-1]
    kept, flipped = ~zero & ones & 31, zero & ~ones & 31
    constant = zero & ones & 31
    if pattern != tuple(((i & (kept | flipped)) | constant) ^ flipped for i in range(HALF)):
        return None
    return (Swizzle(flipped << 10 | constant << 5 | kept | flipped),)


_MATCHERS = (_quad, _row, _permlane16, _permlane_swap, _permlane64, _read_lane, _swizzle)
"""In order of preference."""


def bpermute_reach(chip: Chip, subgroup_size: int) -> int:
    """Lanes among which `ds_bpermute` surely moves: RDNA executes the halves of 64 lanes apart. (RDNA 4 may not; code
    that names lanes of the own half only is right either way.)"""
    return subgroup_size if chip.supports("bpermute64") else min(subgroup_size, HALF)
