"""What a near buffer is: launches see it, and code that is made for near buffers counts their bytes in 32 bits."""

from __future__ import annotations

from ..ir.integer_ranges import Range, below

NEAR_BYTES = 1 << 31
"""A buffer that ends within so many bytes after its pointer, and does not begin before it, is near: 31 bits number its
bytes."""
NEAR = "lanewise.pointer_range"
"""The attribute of an argument that states it."""


def near_extents(element_bits: int) -> Range:
    """Between which numbers extents and row-major strides of a near buffer are, in elements of so many bits."""
    return below(NEAR_BYTES * 8 // element_bits)
