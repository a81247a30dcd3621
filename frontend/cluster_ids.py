"""Where a workgroup is in its cluster, and the cluster in the grid: from the workgroup's place, since clusters are
blocks of the grid."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.gpu_together import ClusterBlockIdOp, ClusterDimBlocksOp, ClusterDimOp, ClusterIdOp
from ..ir.dialects.longhand import constant
from ..ir.types import INDEX
from .legalisations import EXPAND, Place


def _size(place: Place, op: gpu.DimensionOp) -> Value:
    return constant(place, place.kernel.cluster_size[op.dimension.index], INDEX)


@EXPAND.of(ClusterDimBlocksOp)
def _blocks(place: Place, op: ClusterDimBlocksOp) -> Sequence[Value]:
    return [_size(place, op)]


@EXPAND.of(ClusterDimOp)
def _clusters(place: Place, op: ClusterDimOp) -> Sequence[Value]:
    extent = place.value(gpu.GridDimOp, dimension=op.dimension)
    return [place.value(arith.DivUIOp, extent, _size(place, op))]


@EXPAND.of(ClusterIdOp)
def _cluster(place: Place, op: ClusterIdOp) -> Sequence[Value]:
    number = place.value(gpu.BlockIdOp, dimension=op.dimension)
    return [place.value(arith.DivUIOp, number, _size(place, op))]


@EXPAND.of(ClusterBlockIdOp)
def _within(place: Place, op: ClusterBlockIdOp) -> Sequence[Value]:
    number = place.value(gpu.BlockIdOp, dimension=op.dimension)
    return [place.value(arith.RemUIOp, number, _size(place, op))]
