"""iree_codegen's hints: how an index differs between lanes, and in which order a buffer's elements lie."""

from __future__ import annotations

from collections.abc import Sequence

from ..core import Value
from ..dialects.iree_codegen import IndexHintOp, SwizzleHintOp
from ..dialects.memref import AllocOp, DeallocOp
from ..orders import SWIZZLE
from .table import EXPAND, Place, refuse


@EXPAND.of(IndexHintOp)
def _index_hint(_: Place, op: IndexHintOp) -> Sequence[Value]:
    """Lanes get their elements from layouts, not from indices."""
    return [op.index]


@EXPAND.of(SwizzleHintOp)
def _swizzle_hint(_: Place, op: SwizzleHintOp) -> Sequence[Value]:
    """Where all accesses go through the hint, nobody can see in which order the elements lie: the allocation has it."""
    maker = op.operand_.operation
    others = [user for user in op.operand_.users if user is not op and not isinstance(user, DeallocOp)]
    if not isinstance(maker, AllocOp) or others:
        raise refuse(op, "reorders memory that is also seen without it", "hint at an allocation that nothing else uses")
    maker.attributes[SWIZZLE] = op.swizzle
    return [op.operand_]
