"""Layouts for values that no anchor reaches."""

from __future__ import annotations

from math import gcd, prod

from .dimension import Dimension
from .nested import NestedLayout

_ACCESS_BITS = 128


def in_thread(shape: tuple[int, ...]) -> NestedLayout:
    """Every thread holds the whole vector."""
    return NestedLayout.of_dimensions([Dimension(element=n) for n in shape])


def coalesced(shape: tuple[int, ...], threads: int, element_bits: int) -> NestedLayout:
    """Neighbouring threads hold neighbouring elements, each up to 128 bits; what is left is repeated per thread.

    Tiles are powers of two, so that the rest of the compiler may use shuffles.
    """
    wide = max(1, _ACCESS_BITS // element_bits)
    remaining = threads & -threads
    if prod(shape) < remaining * wide:
        wide = max(1, _power_of_two(prod(shape) // remaining))
    dimensions: list[Dimension] = []
    stride = 1
    for position, extent in enumerate(reversed(shape)):
        element = gcd(extent, wide) if position == 0 else 1
        thread = gcd(extent // element & -(extent // element), remaining)
        batch = extent // (element * thread)
        dimensions.append(
            Dimension(batch=batch, thread=thread, element=element, thread_stride=stride if thread > 1 else 0)
        )
        remaining //= thread
        stride *= thread
    return NestedLayout.of_dimensions(reversed(dimensions))


def _power_of_two(n: int) -> int:
    """The largest power of two not above n, at least 1."""
    return 1 << max(0, n.bit_length() - 1)
