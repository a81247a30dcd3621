"""A tile that is a view lies in the boxes of its allocation."""

from __future__ import annotations

from lanewise.ir.element_orders import Boxes, Order
from lanewise.ir.tensor_orders import TensorOrder, swizzle_of, tensor_order
from lanewise.ir.types import F16, MemRefType


def test_boxes_of_a_view_have_the_rows_of_its_allocation() -> None:
    order = Order(swizzle_of(128, 16), Boxes(rows=2 * 64, row=128, box=64))
    assert tensor_order(MemRefType((2, 64, 128), F16), order) == TensorOrder(width=128, rows=128)
    assert tensor_order(MemRefType((64, 128), F16), order) == TensorOrder(width=128, rows=128)
