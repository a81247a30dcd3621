"""Tensor maps that a launch makes for a kernel: parameters behind its arguments, 128 bytes each."""

from __future__ import annotations

from ...support.dataclasses import dataclass

MAP_BYTES = 128
MAP_ALIGNMENT = 64
"""The alignment of a CUtensorMap (CUDA driver API)."""
FARTHEST = (1 << 31) - 256
"""No box begins beyond this element: its last one, at most 255 further, has a number of 32 bits, and its first is a
whole piece of 16 bytes into its row. Extents are at most this, so that a box there is outside."""


@dataclass(frozen=True, slots=True)
class MapParameter:
    """What the map at `offset` of the packed arguments is of.

    `address` is the number of the machine parameter that is the tensor's address; `shape` are its extents, outermost
    first, `sources` the numbers of the machine parameters where they are 0. `box` and `shape` count elements of the
    program's type `element`; `swizzle` is the bytes of a row that is mixed, or 0; `promotion` the bytes that the second
    level of cache fetches at once, or 0.
    """

    offset: int
    address: int
    element: str
    shape: tuple[int, ...]
    sources: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int
    promotion: int
