"""Which nested layout a `#iree_map.pack_layout` is."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.dialects.iree_map import Leaf, PackLayoutAttr
from .dimension import Factor, LayoutError, Level, dimension_of
from .nested import NestedLayout


def nested(layout: PackLayoutAttr, subgroup_size: int) -> NestedLayout:
    """The same distribution, whose registers are numbered as those of nested layouts. LayoutError where a nested layout
    cannot have the leaves in their order: subgroups, registers, threads, registers."""
    return NestedLayout.of_dimensions(
        dimension_of([factor for leaf in mode for factor in _factors(leaf, subgroup_size)], dim)
        for dim, mode in enumerate(layout.modes)
    )


def _factors(leaf: Leaf, subgroup_size: int) -> Iterator[Factor]:
    """A leaf of threads of several subgroups is cut where subgroups end."""
    size, stride = leaf
    if not stride:
        yield Factor(Level.BATCH, size, 0)
    elif stride % subgroup_size == 0:
        yield Factor(Level.SUBGROUP, size, stride // subgroup_size)
    elif size * stride <= subgroup_size:
        yield Factor(Level.THREAD, size, stride)
    else:
        inside = subgroup_size // stride
        if subgroup_size % stride or size % inside:
            raise LayoutError(f"{size} threads of stride {stride} are cut by subgroups of {subgroup_size}")
        yield Factor(Level.SUBGROUP, size // inside, 1)
        yield Factor(Level.THREAD, inside, stride)
