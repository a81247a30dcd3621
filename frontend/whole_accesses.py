"""Reads and writes of all of a buffer, as one vector in the buffer's own order."""

from __future__ import annotations

from ..ir.affine import AffineMap, AffineMapAttr
from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.core import Builder, Value
from ..ir.dialects.ub import PoisonOp
from ..ir.dialects.vector_transfer import TransferReadOp, TransferWriteOp
from ..ir.types import I1, Attribute, VectorType, shape_of
from .affine import number


def read_whole(build: Builder, memref: Value, type: VectorType) -> Value:
    start, attributes = _all_of(build, type.rank)
    padding = build.value(PoisonOp, types=[type.element])
    return build.value(TransferReadOp, memref, start, padding, [], types=[type], **attributes)


def write_whole(build: Builder, vector: Value, memref: Value) -> None:
    start, attributes = _all_of(build, len(shape_of(vector.type)))
    segments = (1, 1, len(start), 0)
    build.append(TransferWriteOp([vector, memref, *start], [], attributes, (), build.location, segments))


def _all_of(build: Builder, rank: int) -> tuple[list[Value], dict[str, Attribute]]:
    """From the first element on, nothing outside."""
    inside = ArrayAttr((IntegerAttr(1, I1),) * rank)
    map = AffineMapAttr(AffineMap.identity(rank))
    return [number(build, 0)] * rank, {"permutation_map": map, "in_bounds": inside}
