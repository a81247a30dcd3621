"""Orders of shared memory in which tensor cores of sm_90a read a tile by itself, through a descriptor.

A tile is cut into boxes of rows of 128, 64 or 32 bytes, whose pieces of 16 bytes are mixed by the number of their row:
of every row of 128 bytes, of every second one of 64, every fourth one of 32 (PTX ISA, "Swizzling modes").
"""

from __future__ import annotations

from math import prod

from ..support.named_tuples import NamedTuple
from .dialects.iree_codegen import SwizzleAttr, xor_shuffle
from .element_orders import Order
from .types import MemRefType, memory_bits

ROWS = 8
"""The rows of one pattern."""
_PIECE = 16
_WIDTHS = (128, 64, 32)


class TensorOrder(NamedTuple):
    """Boxes of `rows` rows of `width` bytes, swizzled."""

    width: int
    rows: int

    @property
    def alignment(self) -> int:
        """Bytes that a pattern begins at a multiple of."""
        return ROWS * self.width


def width_of(row_bytes: int) -> int | None:
    """The widest rows that boxes of a tile with rows of so many bytes may have; None where there are none."""
    return next((width for width in _WIDTHS if row_bytes % width == 0), None)


def swizzle_of(width: int, element_bits: int) -> SwizzleAttr:
    """The swizzle of boxes whose rows have `width` bytes."""
    row, access, alike = width * 8 // element_bits, _PIECE * 8 // element_bits, _WIDTHS[0] // width
    return xor_shuffle(row, access, row, alike)


def tensor_order(type: MemRefType, order: Order | None) -> TensorOrder | None:
    """What tensor cores make of an allocation's order; None where they cannot read it."""
    if order is None or order.swizzle is None or type.rank < 2 or None in type.shape:
        return None
    bits, *shape = memory_bits(type.element), *(n or 0 for n in type.shape)
    # A view has some of the rows of its allocation's boxes.
    rows, box = (prod(shape[:-1]), shape[-1]) if order.boxes is None else (order.boxes.rows, order.boxes.box)
    width = box * bits // 8
    given = order.swizzle
    expected = swizzle_of(width, bits) if width in _WIDTHS else None
    same = expected is not None and (given.kind, given.row, given.access, given.repeated) == (
        expected.kind,
        expected.row,
        expected.access,
        expected.repeated,
    )
    return TensorOrder(width, rows) if same and shape[-2] % ROWS == 0 else None
