"""What a near buffer is: launches see it, and code that is made for near buffers counts their bytes in 32 bits."""

from __future__ import annotations

NEAR_BYTES = 1 << 31
"""A buffer that ends within so many bytes after its pointer, and does not begin before it, is near: 31 bits number its
bytes."""
