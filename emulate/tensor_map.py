"""The emulator's own form of a tensor map: hardware's is known to its driver alone."""

from __future__ import annotations

import struct

from ..support.dataclasses import dataclass

MAP_BYTES = 128
_MAGIC = b"boxes\0\0\1"
_RANKS = 5
_FORM = struct.Struct(f"<8s{3 + 2 * _RANKS}q")


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A tensor at `address`, row by row, in elements of `size` bytes; `shape` and `box` are outermost first. Boxes are
    put down with pieces of 16 bytes mixed in rows of `swizzle` bytes, or as they are (0)."""

    address: int
    size: int
    shape: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int

    def encode(self) -> bytes:
        rest = _RANKS - len(self.shape)
        numbers = self.address, self.size, self.swizzle, *self.shape, *[0] * rest, *self.box, *[0] * rest
        return _FORM.pack(_MAGIC, *numbers).ljust(MAP_BYTES, b"\0")

    @classmethod
    def decode(cls, data: bytes) -> TensorMap | None:
        """None for bytes that are no map."""
        magic, address, size, swizzle, *extents = _FORM.unpack_from(data)
        if magic != _MAGIC:
            return None
        shape, box = extents[:_RANKS], extents[_RANKS:]
        rank = sum(n > 0 for n in box)
        return cls(address, size, tuple(shape[:rank]), tuple(box[:rank]), swizzle)
