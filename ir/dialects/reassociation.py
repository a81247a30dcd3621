"""Dimensions of a memref or a tensor that are split and joined: which belong together."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import ClassVar

from ...support.diagnostics import Report
from ..attributes import ArrayAttr, int_array, is_int_array
from ..core import Operation, Value
from ..define import OperandField, attribute, static_numbers_attribute
from ..types import Attribute, IndexType, MemRefType, TensorType

Shaped = MemRefType | TensorType
Groups = tuple[tuple[int, ...], ...]


def groups_of(attributes: Mapping[str, Attribute]) -> Groups:
    """The groups of an operation with these attributes."""
    groups = attributes["reassociation"]
    assert isinstance(groups, ArrayAttr)
    return tuple(int_array(entry) for entry in groups.values)


def joined_extents(expanded: Shaped, groups: Groups) -> tuple[int | None, ...]:
    """The shape that joining dimensions so gives: where one is not known, their product is not."""
    extents = [[expanded.shape[dim] for dim in dims] for dims in groups]
    return tuple(None if None in found else prod(n or 0 for n in found) for found in extents)


class Reassociation(Operation):
    """`[[0, 1], [2]]`: which dimensions of the type of more dimensions belong to each of the other."""

    reassociation = attribute(ArrayAttr)

    @property
    def groups(self) -> Groups:
        return groups_of(self.attributes)

    def check_groups(self, collapsed: Shaped, expanded: Shaped, report: Report) -> bool:
        """That the groups cover all dimensions in order, and that their extents agree."""
        if not all(map(is_int_array, self.reassociation.values)):
            self.error(report, f"needs groups of dimensions, such as [[0, 1], [2]], found {self.reassociation}")
            return False
        groups, flat = self.groups, [d for group in self.groups for d in group]
        if len(collapsed.shape) and len(groups) != len(collapsed.shape):
            self.error(report, f"has {len(groups)} groups of dimensions for {collapsed}")
        elif flat != list(range(len(flat))):
            self.error(report, "reassociation indices must be contiguous")
        elif len(collapsed.shape) and len(flat) != len(expanded.shape):
            self.error(report, f"groups {len(flat)} dimensions, {expanded} has {len(expanded.shape)}")
        else:
            return all(self._check_extent(collapsed.shape[i], g, expanded, report) for i, g in enumerate(groups))
        return False

    def _check_extent(self, size: int | None, dims: tuple[int, ...], expanded: Shaped, report: Report) -> bool:
        extents = [expanded.shape[d] for d in dims]
        known = [n for n in extents if n is not None]
        if len(known) < len(dims):
            if size is not None:
                self.error(report, f"joins dimensions of {expanded} of which some are dynamic into one of {size}")
            return size is None
        if size is None:
            self.error(report, f"a dimension of dynamic size is joined of {expanded}, where it is {prod(known)}")
        elif prod(known) != size:
            self.error(report, f"collapsed dim size ({size}) must equal reassociation group size ({prod(known)})")
        return prod(known) == size


class ExpandsShape(Reassociation):
    """Splits dimensions of `src` as the type of more dimensions, the result's, has them."""

    static_output_shape = static_numbers_attribute()
    output_shape: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    assembly = (
        "$src $reassociation `output_shape` custom<DynamicIndexList>($output_shape, $static_output_shape) attr-dict"
        " `:` type($src) `into` type($result)"
    )

    def check_shape(self, source: Shaped, target: Shaped, report: Report) -> bool:
        """That `output_shape` is the result's, and the groups fit."""
        if self.static_output_shape == target.shape and len(self.output_shape) == target.shape.count(None):
            return self.check_groups(source, target, report)
        found = ", ".join("?" if n is None else str(n) for n in self.static_output_shape)
        self.error(report, f"output_shape [{found}] with {len(self.output_shape)} values is not that of {target}")
        return False


class CollapsesShape(Reassociation):
    """Joins dimensions of `src`, the type of more dimensions."""

    assembly = "$src $reassociation attr-dict `:` type($src) `into` type($result)"
