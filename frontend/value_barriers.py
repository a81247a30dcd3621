"""iree_gpu's barriers on values are barriers."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..ir.dialects import gpu
from .dialects.iree_gpu_ops import BarrierRegionOp, ValueBarrierOp, YieldOp
from .table import EXPAND, Place

EXPAND.needless("ends a region of iree_gpu, which is expanded", YieldOp)


@EXPAND.of(ValueBarrierOp)
def _value_barrier(place: Place, op: ValueBarrierOp) -> Sequence[Value]:
    """What a thread holds stays as it is; the barrier is what others may rely on."""
    place.op(gpu.BarrierOp)
    return op.inputs


@EXPAND.of(BarrierRegionOp)
def _barrier_region(place: Place, op: BarrierRegionOp) -> Sequence[Value]:
    place.op(gpu.BarrierOp)
    for argument, value in zip(op.body.arguments, op.inputs, strict=True):
        argument.replace_uses(value)
    *inner, last = op.body.operations
    for each in inner:
        place.append(op.body.remove(each))
    place.op(gpu.BarrierOp)
    return list(last.operands)
