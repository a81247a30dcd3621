"""iree_vector_ext: `to_layout` anchors its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ...ir.dialects.iree_map import PackLayoutAttr
from ...ir.dialects.iree_vector_ext import NestedLayoutAttr, ToLayoutOp, VectorLayoutAttr
from ...ir.dialects.lanewise_layout import InMemoryAttr
from ...ir.types import shape_of
from ..dimension import LayoutError
from ..nested import NestedLayout
from ..pack_layout import nested
from ..shared_operands import in_memory
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule

LayoutAttr = NestedLayoutAttr | InMemoryAttr


@lru_cache(maxsize=1024)
def layout_of(attribute: LayoutAttr) -> NestedLayout:
    """The layout that an attribute describes: by its seven lists, or of what nobody holds."""
    return _LAYOUTS[type(attribute)](attribute)


_LAYOUTS: Mapping[type[LayoutAttr], Callable[[Any], NestedLayout]] = {
    NestedLayoutAttr: NestedLayout.of_attribute,
    InMemoryAttr: lambda attribute: in_memory(attribute.shape),
}


def anchored(attribute: VectorLayoutAttr, subgroup_size: int) -> NestedLayout:
    """The layout that a program asks for. LayoutError where it is no nested layout."""
    return _READERS[type(attribute)](attribute, subgroup_size)


def attribute_of(layout: NestedLayout) -> LayoutAttr:
    return layout.attribute if layout.is_held else InMemoryAttr(layout.shape)


_READERS: Mapping[type[VectorLayoutAttr], Callable[[Any, int], NestedLayout]] = {
    NestedLayoutAttr: lambda attribute, subgroup_size: layout_of(attribute),
    PackLayoutAttr: nested,
}


class ToLayoutRule(TransferRule[ToLayoutOp]):
    """The result is anchored; the input is asked to agree unless shared memory has to carry it."""

    anchors = True
    rank = 0

    def own(self, op: ToLayoutOp, known: Known) -> Iterable[Assignment]:
        layout = anchored(op.layout, known.subgroup_size)
        problems = layout.wrapped(known.workgroup.subgroups).problems(
            shape=shape_of(op.output.type), threads=known.threads, subgroup_size=known.subgroup_size
        )
        if problems:
            raise LayoutError(f"layout {layout}: " + "; ".join(problems))
        return [([None if op.shared_memory_conversion is not None else layout], [layout])]

    def work(self, op: ToLayoutOp, operands: Layouts, results: Layouts, known: Known) -> int:
        return 0


TRANSFER.set(ToLayoutOp, ToLayoutRule())
