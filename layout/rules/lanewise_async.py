"""lanewise.async_copy: pieces of 16 bytes, neighbouring threads along memory."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.dialects.lanewise_async import AsyncCopyOp
from ...ir.dialects.nvgpu_async import COPY_BYTES
from ...ir.divisibility import Divisibility, element_bits
from ...ir.types import Attribute
from ..coalescing import Memory, coalesced
from ..nested import NestedLayout
from ..transfer import TRANSFER, Known, Layouts, TransferRule
from ..workgroup import Workgroup
from .iree_vector_ext import attribute_of


class AsyncCopyRule(TransferRule[AsyncCopyOp]):
    """It has no vector: who copies what is chosen for it alone."""

    def attributes(self, op: AsyncCopyOp, operands: Layouts, known: Known) -> Mapping[str, Attribute]:
        if op.layout is not None:
            return {}
        return {"layout": attribute_of(copy_layout(op, known.workgroup, known.divisibility))}


def copy_layout(op: AsyncCopyOp, workgroup: Workgroup, known: Divisibility) -> NestedLayout:
    """As wide as both addresses are proven to be aligned; narrower, as long as that takes one instruction, where
    threads would have nothing to copy."""
    bits = element_bits(op.src)
    return coalesced(op.shape, workgroup.threads, widest(op, known), least=max(1, 8 * COPY_BYTES[0] // bits))


def widest(op: AsyncCopyOp, known: Divisibility) -> int:
    """Elements that one access may copy."""
    source = Memory.of(op, op.src, op.srcIndices, known, masked=op.condition is not None, written=False)
    return min(source.widest, Memory.of_tile(op.dst, op.dstIndices, len(op.shape), known))


TRANSFER.set(AsyncCopyOp, AsyncCopyRule())
