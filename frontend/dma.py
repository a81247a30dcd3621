"""dma_start is a copy of elements in a row, done at once; dma_wait has nothing left to wait for."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Operation, Value
from ..ir.dialects import arith
from ..ir.dialects.constants import constant_int
from ..ir.dialects.memref import memref_type
from ..ir.dialects.memref_buffers import CopyOp
from ..ir.dialects.memref_views import Mixed
from ..ir.types import MemRefType, StridedLayout
from .affine import number, values_of
from .dialects.affine_dma import AffineDmaStartOp, AffineDmaWaitOp
from .dialects.memref_dma import DmaStart, DmaStartOp, DmaWaitOp
from .legalisations import Place, expands, refuse
from .reinterpreted import metadata, reinterpreted, times


@expands(DmaStartOp)
def _start(place: Place, op: DmaStartOp) -> Sequence[Value]:
    return _copy(place, op, op.source_indices, op.target_indices)


@expands(AffineDmaStartOp)
def _affine_start(place: Place, op: AffineDmaStartOp) -> Sequence[Value]:
    source = values_of(place, op.src_map.map, op.source_indices)
    return _copy(place, op, source, values_of(place, op.dst_map.map, op.target_indices))


@expands(DmaWaitOp)
@expands(AffineDmaWaitOp)
def _wait(place: Place, op: Operation) -> Sequence[Value]:
    return ()


def _copy(place: Place, op: DmaStart, source: Sequence[Value], target: Sequence[Value]) -> Sequence[Value]:
    if op.strides:
        message = "copies with a stride: upstream does not say of which of the two buffers it is"
        raise refuse(op, message, "start one copy for each row")
    known = constant_int(op.count)
    extent: Mixed = op.count if known is None else known
    views = [_row(place, memref, indices, extent) for memref, indices in ((op.source, source), (op.target, target))]
    return place.op(CopyOp, *views).results


def _row(place: Place, memref: Value, indices: Sequence[Value], extent: Mixed) -> Value:
    """As many elements behind each other in memory, from one on."""
    type = memref_type(memref)
    offset, _, strides = metadata(place, memref)
    for index, stride in zip(indices, strides, strict=True):
        offset = sum_of(place, offset, times(place, index, stride))
    known = extent if isinstance(extent, int) else None
    view = MemRefType((known,), type.element, StridedLayout((1,), None), type.memory_space)
    return reinterpreted(place, memref, view, offset, [extent], [1])


def sum_of(place: Place, a: Mixed, b: Mixed) -> Mixed:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0:
        return b
    return place.value(arith.AddIOp, *(number(place, v) if isinstance(v, int) else v for v in (a, b)))
