"""gfx1250's extensions of a wave's matrix of short floats, whose scales other lanes hold (V_CVT_SCALE_PK8, _PK16).

Which lane and byte has a lane's scale: upstream's description of `amdgpu.scaled_ext_packed_matrix`. Of bytes with
blocks of 16 it does not say what the upper lanes read; Triton does (`ScaledUpcastToLLVM.cpp`: selector 8). Blocks of K
lie in lanes as a product's do (`amd_fragments.scaled_wmma_a`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.named_tuples import NamedTuple
from .fragment import DigitMap, digits

FEATURE = "cvt.scale.pk8"
LANES, SCALE_LANES = 32, 16
BYTES = 4
"""Scales of a lane."""


class ScaleChoice(NamedTuple):
    """The choice of scales of elements of some length, and blocks of `block` elements along K."""

    starts: frozenset[tuple[int, int]]
    """What `firstScaleLane` and `firstScaleByte` may be."""
    place: DigitMap
    """The place of a lane's scale: the lane whose scale it takes, and the byte of it, behind the first ones."""


def _choice(lanes: tuple[int, ...], bytes: tuple[int, ...], apart: int) -> ScaleChoice:
    return _of_pairs(frozenset((lane, byte) for lane in lanes for byte in bytes), apart)


def _of_pairs(starts: frozenset[tuple[int, int]], apart: int) -> ScaleChoice:
    """`apart`: bytes between those of the lower and of the upper lanes."""
    return ScaleChoice(starts, DigitMap(2, (digits((SCALE_LANES, 0, 1), (2, 1, apart)),)))


_HALVES = (0, 16)
_OF_SHORT = {32: _choice(_HALVES, (0, 2), 1), 16: _choice(_HALVES, (0, 1), 2)}
_OF_BYTES = {32: _choice(_HALVES, (0, 1, 2, 3), 0), 16: _of_pairs(frozenset([(0, 0), (16, 2)]), 1)}
CHOICES: Mapping[int, Mapping[int, ScaleChoice]] = {4: _OF_SHORT, 6: _OF_SHORT, 8: _OF_BYTES}
"""By bits of an element, and elements of a block."""
