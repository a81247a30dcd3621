"""lanewise: a tile that its owner copies from global to workgroup memory while it does something else.

It is what `nvgpu.device_async_copy` is to a thread: copies since the last `nvgpu.device_async_create_group` are a
group, and `nvgpu.device_async_wait` waits for groups. All threads of the owner take part in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ...support.diagnostics import Report
from ..affine import AffineMap
from ..attributes import ArrayAttr, DenseArrayAttr, IntegerAttr, are_flags, flags_of
from ..define import (
    attribute,
    int_array_attribute,
    is_i1,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    result,
)
from ..traits import LANDS, READS
from ..types import I1, MemRefType
from .iree_vector_ext import VectorLayoutAttr
from .nvgpu_async import DeviceAsyncCreateGroupOp, GroupedCopyOp, check_places, is_token


class AsyncCopyOp(GroupedCopyOp, opname="lanewise.async_copy"):
    """Copies `shape` elements, from the indices on along the last dimensions of both memrefs. Zeros stand for what is
    outside of the source; `in_bounds` promises, dimension by dimension of the shape, that nothing is. Where `condition`
    is false, nothing is read and all is zeros.

    `layout` says which thread copies what; without it that is chosen."""

    src = operand(is_memref, READS)
    srcIndices = operands(is_index)
    dst = operand(is_memref, LANDS)
    dstIndices = operands(is_index)
    condition = optional_operand(is_i1)
    shape = int_array_attribute()
    in_bounds = attribute(ArrayAttr)
    layout = optional_attribute(VectorLayoutAttr)
    asyncToken = result(is_token)
    assembly = (
        "$src `` `[` $srcIndices `]` `,` $dst `` `[` $dstIndices `]` (`if` $condition^)? attr-dict"
        " `:` type($src) `to` type($dst)"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shape = self.attributes.get("shape")
        if isinstance(shape, (ArrayAttr, DenseArrayAttr)):
            self.attributes.setdefault("in_bounds", ArrayAttr((IntegerAttr(0, I1),) * len(shape.values)))

    @property
    def memref_type(self) -> MemRefType:
        """The source's."""
        return self.src.type

    @property
    def in_bounds_flags(self) -> tuple[bool, ...]:
        return flags_of(self.in_bounds)

    @property
    def map(self) -> AffineMap:
        """From indices of the source to those of the tile."""
        return AffineMap.minor_identity(self.src.type.rank, len(self.shape))

    def dims(self, memory: MemRefType) -> tuple[int, ...]:
        """The dimension of one of the memrefs that each dimension of the shape runs along."""
        return tuple(range(memory.rank - len(self.shape), memory.rank))

    def promise(self, dim: int) -> str:
        """Why all of the source's dimension `dim` that is touched must be inside; empty where it need not."""
        axis = dim - (self.src.type.rank - len(self.shape))
        if axis < 0:
            return "no dimension of the tile runs along it"
        return f"in_bounds[{axis}] is true" if self.in_bounds_flags[axis] else ""

    def verify(self, report: Report) -> None:
        src, dst, rank = self.src.type, self.dst.type, len(self.shape)
        check_places(self, src, len(self.srcIndices), dst, len(self.dstIndices), report)
        if not 1 <= rank <= min(src.rank, dst.rank) or min(self.shape) < 1:
            found = f"found {list(self.shape)}"
            self.error(report, f"shape must have 1 to {min(src.rank, dst.rank)} extents of at least 1, {found}")
        elif not _are_flags(self.in_bounds, rank):
            self.error(report, f"in_bounds must be a list of {rank} times true or false, found {self.in_bounds}")
        else:
            self._check_room(dst.shape[dst.rank - rank :], report)
            self._check_token(report)

    def _check_room(self, extents: Sequence[int | None], report: Report) -> None:
        small = [n for n, wanted in zip(extents, self.shape, strict=True) if n is not None and n < wanted]
        if small:
            self.error(report, f"copies {list(self.shape)} elements, {prod(self.shape)} in all, to {self.dst.type}")

    def _check_token(self, report: Report) -> None:
        """Threads have as many copies as they have, which only their groups count."""
        for user in self.asyncToken.users:
            if not isinstance(user, DeviceAsyncCreateGroupOp) or user.parent is not self.parent:
                words = "has a token for a nvgpu.device_async_create_group in the same block"
                self.error(report, f"{words}, found '{user.opname}'")


def _are_flags(given: ArrayAttr, count: int) -> bool:
    return len(given.values) == count and are_flags(given)
