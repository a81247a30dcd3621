"""vector.expandload and compressstore: a prefix count of their masks, and then a gather, or a scatter whose places all
differ."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.attributes import IntegerAttr, UnitAttr
from ..ir.core import Value
from ..ir.dialects import arith, memref
from ..ir.dialects.longhand import constant
from ..ir.dialects.vector_compress import CompressedOp, CompressStoreOp, ExpandLoadOp
from ..ir.dialects.vector_gather import DISTINCT, GatherOp, ScatterOp
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.dialects.vector_scan import ScanOp
from ..ir.dynamic_index_list import static_attr
from ..ir.types import I1, I32, I64, VectorType
from .legalisations import Place, expands


@expands(ExpandLoadOp)
def _load(place: Place, op: ExpandLoadOp) -> Sequence[Value]:
    _state_alignment(place, op)
    operands = (op.base, op.indices, _before(place, op), op.mask, op.pass_thru)
    return place.op(GatherOp, *operands, types=[op.result_.type]).results


@expands(CompressStoreOp)
def _store(place: Place, op: CompressStoreOp) -> Sequence[Value]:
    _state_alignment(place, op)
    operands = (op.base, op.indices, _before(place, op), op.mask, op.value)
    place.op(ScatterOp, *operands, types=[]).attributes[DISTINCT] = UnitAttr()
    return []


def _state_alignment(place: Place, op: CompressedOp) -> None:
    if op.alignment is None:
        return
    rank = op.base.type.rank
    ones, unknown = static_attr([1] * rank), static_attr([None] * rank)
    static = {"static_offsets": unknown, "static_sizes": ones, "static_strides": ones}
    first = place.value(memref.SubViewOp, op.base, op.indices, [], [], **static)
    place.op(memref.AssumeAlignmentOp, first, types=[first.type], alignment=IntegerAttr(op.alignment, I32))


def _before(place: Place, op: CompressedOp) -> Value:
    """How many elements before each are on."""
    ones = place.value(arith.ExtUIOp, op.mask, types=[VectorType(op.mask.type.shape, I32)])
    scan = place.op(
        ScanOp,
        ones,
        constant(place, 0, I32),
        kind=CombiningKindAttr("add"),
        reduction_dim=IntegerAttr(0, I64),
        inclusive=IntegerAttr(0, I1),
    )
    return scan.dest
