"""iree_gpu's barriers on values are barriers, whether threads hold the values or they lie in buffers."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..ir.dialects import gpu
from .dialects.iree_gpu_ops import BarrierRegionOp, ValueBarrierOp, YieldOp
from .legalisations import EXPAND, TENSORS, Place, expands
from .tensors import Tensors

EXPAND.needless("ends a region of iree_gpu, which is expanded", YieldOp)


@expands(ValueBarrierOp)
def _value_barrier(place: Place, op: ValueBarrierOp) -> Sequence[Value]:
    """What a thread holds stays as it is; the barrier is what others may rely on."""
    place.op(gpu.BarrierOp)
    return op.inputs


@TENSORS.of(ValueBarrierOp)
def _tensor_barrier(tensors: Tensors, place: Place, op: ValueBarrierOp) -> None:
    """What lies in a buffer stays there: it is read behind the barrier."""
    place.op(gpu.BarrierOp)
    for result, value in zip(op.results, op.inputs, strict=True):
        tensors.where[result] = tensors.where[value]


@expands(BarrierRegionOp)
def _barrier_region(place: Place, op: BarrierRegionOp) -> Sequence[Value]:
    place.op(gpu.BarrierOp)
    for argument, value in zip(op.body.arguments, op.inputs, strict=True):
        argument.replace_uses(value)
    *inner, last = op.body.operations
    for each in inner:
        place.append(op.body.remove(each))
    place.op(gpu.BarrierOp)
    return list(last.operands)
