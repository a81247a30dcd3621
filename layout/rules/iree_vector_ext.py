"""iree_vector_ext: `to_layout` anchors its result."""

from __future__ import annotations

from functools import lru_cache

from ...ir.dialects.iree_vector_ext import NestedLayoutAttr, ToLayoutOp, ToSIMDOp, ToSIMTOp
from ..nested import NestedLayout
from ..transfer import TRANSFER, Known, Layouts, TransferRule


@lru_cache(maxsize=1024)
def layout_of(attribute: NestedLayoutAttr) -> NestedLayout:
    """The layout that the attribute's seven lists describe."""
    return NestedLayout(
        attribute.subgroup_tile,
        attribute.batch_tile,
        attribute.outer_tile,
        attribute.thread_tile,
        attribute.element_tile,
        attribute.subgroup_strides,
        attribute.thread_strides,
    )


def attribute_of(layout: NestedLayout) -> NestedLayoutAttr:
    return NestedLayoutAttr(
        layout.subgroup_tile,
        layout.batch_tile,
        layout.outer_tile,
        layout.thread_tile,
        layout.element_tile,
        layout.subgroup_strides,
        layout.thread_strides,
    )


class ToLayoutRule(TransferRule[ToLayoutOp]):
    """The analysis anchors the result; the input is asked to agree unless shared memory has to carry it."""

    def forward(self, op: ToLayoutOp, known: Known) -> Layouts:
        return [known(op.output)]

    def backward(self, op: ToLayoutOp, results: Layouts, known: Known) -> Layouts:
        return [None if op.shared_memory_conversion is not None else results[0]]


TRANSFER.set(ToLayoutOp, ToLayoutRule())
TRANSFER.needless("bridges to one thread's values, which have no layout", ToSIMDOp, ToSIMTOp)
