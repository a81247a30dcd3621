"""iree_codegen's hints: how an index differs between lanes, and in which order a buffer's elements lie."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..ir.dialects.iree_codegen import IndexHintOp, SwizzleHintOp, TensorSwizzleHintOp
from ..ir.dialects.memref import AllocOp, DeallocOp
from ..ir.element_orders import SWIZZLE
from .legalisations import TENSORS, Place, expands, refuse
from .tensors import Tensors


@expands(IndexHintOp)
def _index_hint(_: Place, op: IndexHintOp) -> Sequence[Value]:
    """Lanes get their elements from layouts, not from indices."""
    return [op.index]


@expands(SwizzleHintOp)
def _swizzle_hint(_: Place, op: SwizzleHintOp) -> Sequence[Value]:
    """Where all accesses go through the hint, nobody can see in which order the elements lie: the allocation has it."""
    maker = op.operand_.operation
    others = [user for user in op.operand_.users if user is not op and not isinstance(user, DeallocOp)]
    if not isinstance(maker, AllocOp) or others:
        raise refuse(op, "reorders memory that is also seen without it", "hint at an allocation that nothing else uses")
    maker.attributes[SWIZZLE] = op.swizzle
    return [op.operand_]


@TENSORS.of(TensorSwizzleHintOp)
def _tensor_swizzle_hint(tensors: Tensors, place: Place, op: TensorSwizzleHintOp) -> None:
    """Hands a hint on to a tensor's buffer; where it lies in none, to the one that it may get."""
    found = tensors.where[op.operand_]
    if found.memref is not None:
        raise refuse(op, "reorders memory that is also seen without it", "hint at a tensor that lies in no buffer yet")
    tensors.where[op.result_] = found
    tensors.orders[op.result_] = op.swizzle
