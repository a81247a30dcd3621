"""lanewise.async_copy: pieces of 16 bytes, neighbouring threads along memory."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from ...analysis.divisibility import Divisibility, element_bits
from ...ir.dialects.lanewise_async import AsyncCopyOp
from ...ir.dialects.nvgpu_async import COPY_BYTES
from ...ir.types import Attribute
from ..coalescing import Memory, coalesced
from ..nested import NestedLayout
from ..transfer import TRANSFER, Known, Layouts, TransferRule
from ..workgroup import Workgroup
from .iree_vector_ext import attribute_of


class AsyncCopyRule(TransferRule[AsyncCopyOp]):
    """It has no vector: who copies what is chosen for it alone."""

    def memory(self, op: AsyncCopyOp, known: Known) -> Memory:
        """What it reads."""
        return _source(op, known.divisibility)

    def attributes(self, op: AsyncCopyOp, operands: Layouts, known: Known) -> Mapping[str, Attribute]:
        if op.layout is not None:
            return {}
        bits, wide = element_bits(op.src), widest(op, known.divisibility)
        return {"layout": attribute_of(copy_layout(op.shape, bits, wide, known.workgroup))}


def copy_layout(shape: tuple[int, ...], bits: int, wide: int, workgroup: Workgroup) -> NestedLayout:
    """The layout of a tile of elements of `bits`: accesses as wide as both addresses are proven to be aligned, `wide`
    elements; narrower, as long as that takes one instruction, where threads would have nothing to copy."""
    if workgroup.chip.supports(_TOGETHER) and workgroup.threads >= workgroup.subgroup_size:
        lanes = coalesced(shape, workgroup.subgroup_size, wide)
        if lanes.threads_used == workgroup.subgroup_size:
            return by_subgroups(lanes, workgroup.subgroups)
    return coalesced(shape, workgroup.threads, wide, least=max(1, 8 * COPY_BYTES[0] // bits))


_TOGETHER = "global_load_lds"
"""Lanes of a subgroup write one after another, from a place that it has in a scalar register: where all that a subgroup
copies lies together, its instructions share that. Every lane writes, so each has to have a piece."""


def by_subgroups(layout: NestedLayout, subgroups: int) -> NestedLayout:
    """The same lanes, and of what a subgroup repeats a part for each subgroup, as far as they divide it."""
    parts, left = list(layout.dimensions), subgroups
    for dim, part in enumerate(parts):
        taken = gcd(part.batch, left)
        parts[dim] = part._replace(subgroup=taken, batch=part.batch // taken)
        left //= taken
        if part.batch > taken:
            break  # what a subgroup has of the next dimension would not follow on this one's
    stride = 1
    for dim, part in reversed(list(enumerate(parts))):
        parts[dim] = part._replace(subgroup_stride=stride if part.subgroup > 1 else 0)
        stride *= part.subgroup
    return NestedLayout.of_dimensions(parts)


def widest(op: AsyncCopyOp, known: Divisibility) -> int:
    """Elements that one access may copy."""
    return min(_source(op, known).widest, Memory.of_tile(op.dst, op.dstIndices, len(op.shape), known))


def _source(op: AsyncCopyOp, known: Divisibility) -> Memory:
    return Memory.of(op, op.src, op.srcIndices, known, conditional=op.condition is not None, written=False)


TRANSFER.set(AsyncCopyOp, AsyncCopyRule())
