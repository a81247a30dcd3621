"""vector: masks that are a box at the origin, with bounds known now (constant_mask) or at run time (create_mask)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...support.diagnostics import Report
from ..attributes import dense_i64
from ..core import Builder, Operation, Value
from ..define import int_array_attribute, is_index, is_mask, operands, result
from ..numerics import Array
from ..types import VectorType
from .constants import constant_int


def box(bounds: Sequence[int], shape: Sequence[int]) -> Array:
    """True where every coordinate is below its bound. A vector of rank 0 has one bound, above 0 for true."""
    mask = np.full(tuple(shape), bool(shape) or bounds[0] > 0)
    for i, bound in enumerate(bounds[: len(shape)]):
        inside = np.arange(shape[i]) < bound
        mask &= inside.reshape((-1,) + (1,) * (len(shape) - 1 - i))
    return mask


class BoxOp(Operation):
    """A mask of the places below a bound for each dimension."""

    def projected(self, dims: Sequence[int], build: Builder) -> Value:
        """The box along some of the dims."""
        raise AssertionError

    def covers(self, dims: Sequence[int]) -> bool:
        """Whether it is known to leave out nothing along the dims."""
        raise AssertionError


class CreateMaskOp(BoxOp, opname="vector.create_mask"):
    """Bounds below 0 count as 0, those beyond the extent as the extent."""

    pure = True
    bounds = operands(is_index)
    mask = result(is_mask)
    assembly = "$bounds attr-dict `:` type($mask)"

    def verify(self, report: Report) -> None:
        rank = max(self.mask.type.rank, 1)
        if len(self.bounds) != rank:
            self.error(report, f"{self.mask.type} needs {rank} bounds, found {len(self.bounds)}")

    def reference(self, *bounds: Array) -> Array:
        return box([int(b) for b in bounds], self.mask.type.shape)

    def projected(self, dims: Sequence[int], build: Builder) -> Value:
        return build.value(CreateMaskOp, [self.bounds[d] for d in dims], types=[_along(self.mask.type, dims)])

    def covers(self, dims: Sequence[int]) -> bool:
        bounds, shape = [constant_int(bound) for bound in self.bounds], self.mask.type.shape
        return all((bound := bounds[d]) is not None and bound >= shape[d] for d in dims)


class ConstantMaskOp(BoxOp, opname="vector.constant_mask"):
    pure = True
    mask_dim_sizes = int_array_attribute()
    mask = result(is_mask)
    assembly = "$mask_dim_sizes attr-dict `:` type($mask)"

    def verify(self, report: Report) -> None:
        type, sizes = self.mask.type, self.mask_dim_sizes
        extents = type.shape or (1,)
        if len(sizes) != len(extents):
            self.error(report, f"{type} needs {len(extents)} sizes, found {len(sizes)}")
            return
        for i, (size, extent) in enumerate(zip(sizes, extents, strict=True)):
            if not 0 <= size <= extent:
                self.error(report, f"size {size} of dimension {i} is not within 0 to {extent}")
        if 0 in sizes and any(sizes):
            self.error(report, f"sizes {list(sizes)} mix 0 with others: an empty mask has only zeros")

    def reference(self) -> Array:
        return box(self.mask_dim_sizes, self.mask.type.shape)

    def projected(self, dims: Sequence[int], build: Builder) -> Value:
        sizes = dense_i64([self.mask_dim_sizes[d] for d in dims])
        return build.value(ConstantMaskOp, types=[_along(self.mask.type, dims)], mask_dim_sizes=sizes)

    def covers(self, dims: Sequence[int]) -> bool:
        return all(self.mask_dim_sizes[d] == self.mask.type.shape[d] for d in dims)


def _along(type: VectorType, dims: Sequence[int]) -> VectorType:
    return VectorType(tuple(type.shape[d] for d in dims), type.element)
