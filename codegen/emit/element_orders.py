"""Addresses in buffers whose elements do not lie row by row (`ir/element_orders.py`)."""

from __future__ import annotations

from ...ir.dialects.iree_codegen import SwizzleAttr
from ...ir.element_orders import Boxes, Order
from . import integers
from .descriptor import Address, plus, ssa
from .text import Ssa, Writer, integer

_INDEX = "i32"
"""Offsets in a workgroup's memory fit, and are computed sooner."""


def placed(w: Writer, address: Address) -> Address:
    """Where the element really lies. What comes after it does up to the order's next access only.

    Distances of whole periods stay in the immediate offset, so that the rows of one thread share what is computed.
    """
    order = address.memref.order
    if order is None:
        return address
    bits = address.memref.element_bits
    before, after = order.period
    periods, rest = divmod(address.bytes * 8 // bits, before)
    total = address.elements
    for part in (*address.steps, rest):
        total = plus(w, total, part)
    plain = address.memref.rebased(order=None)
    found = order.place(total) if isinstance(total, int) else _place(w, order, total)
    return Address(plain, found, (), periods * after * bits // 8, address.moving)


def _place(w: Writer, order: Order, offset: Ssa) -> Ssa:
    place = integers.resize(w, offset, _INDEX, signed=True)
    if order.boxes is not None:
        place = _boxed(w, order.boxes, place)
    if order.swizzle is not None:
        place = _swizzled(w, order.swizzle, place)
    return integers.resize(w, place, ssa(0).type, signed=True)


def _boxed(w: Writer, boxes: Boxes, offset: Ssa) -> Ssa:
    row, column = _divide(w, offset, boxes.row)
    number, inside = _divide(w, column, boxes.box)
    start = integers.mul(w, number, integer(boxes.rows * boxes.box, _INDEX))
    return integers.add(w, integers.add(w, start, integers.mul(w, row, integer(boxes.box, _INDEX))), inside)


def _swizzled(w: Writer, swizzle: SwizzleAttr, offset: Ssa) -> Ssa:
    pieces = swizzle.row // swizzle.access
    _, row = _divide(w, _divide(w, offset, swizzle.repeated)[0], pieces)
    if not swizzle.rotates and swizzle.access & (swizzle.access - 1) == 0:
        return integers.binary(w, "xor", offset, integers.mul(w, row, integer(swizzle.access, _INDEX)))
    start, inside = _divide(w, offset, swizzle.access)
    line, column = _divide(w, start, pieces)
    mixed = integers.binary(w, "add" if swizzle.rotates else "xor", column, row)
    mixed = _divide(w, mixed, pieces)[1]
    piece = integers.add(w, integers.mul(w, line, integer(pieces, _INDEX)), mixed)
    return integers.add(w, integers.mul(w, piece, integer(swizzle.access, _INDEX)), inside)


def _divide(w: Writer, value: Ssa, by: int) -> tuple[Ssa, Ssa]:
    """Quotient and remainder of a number that is not negative."""
    shift = by.bit_length() - 1
    if by == 1 << shift:
        low = integers.binary(w, "and", value, integer(by - 1, _INDEX))
        return integers.binary(w, "lshr", value, integer(shift, _INDEX)), low
    divisor = integer(by, _INDEX)
    return integers.binary(w, "udiv", value, divisor), integers.binary(w, "urem", value, divisor)
