"""Ids and extents by others: where a thread is in the grid; where a workgroup is in its cluster, and the cluster in the
grid, from the workgroup's place, since clusters are blocks of the grid; and hal's names."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..ir.dialects import arith, gpu
from ..ir.dialects.gpu_together import ClusterBlockIdOp, ClusterDimBlocksOp, ClusterDimOp, ClusterIdOp, GlobalIdOp
from ..ir.dialects.hal import WorkgroupOp
from ..ir.dialects.longhand import constant
from ..ir.types import INDEX
from .legalisations import Place, expands


def _size(place: Place, op: gpu.DimensionOp) -> Value:
    return constant(place, place.kernel.cluster_size[op.dimension.index], INDEX)


@expands(ClusterDimBlocksOp)
def _blocks(place: Place, op: ClusterDimBlocksOp) -> Sequence[Value]:
    return [_size(place, op)]


@expands(ClusterDimOp)
def _clusters(place: Place, op: ClusterDimOp) -> Sequence[Value]:
    extent = place.value(gpu.GridDimOp, dimension=op.dimension)
    return [place.value(arith.DivUIOp, extent, _size(place, op))]


@expands(ClusterIdOp)
def _cluster(place: Place, op: ClusterIdOp) -> Sequence[Value]:
    number = place.value(gpu.BlockIdOp, dimension=op.dimension)
    return [place.value(arith.DivUIOp, number, _size(place, op))]


@expands(ClusterBlockIdOp)
def _within(place: Place, op: ClusterBlockIdOp) -> Sequence[Value]:
    number = place.value(gpu.BlockIdOp, dimension=op.dimension)
    return [place.value(arith.RemUIOp, number, _size(place, op))]


@expands(GlobalIdOp)
def _thread(place: Place, op: GlobalIdOp) -> Sequence[Value]:
    block = place.value(gpu.BlockIdOp, dimension=op.dimension)
    extent = place.value(gpu.BlockDimOp, dimension=op.dimension)
    before = place.value(arith.MulIOp, block, extent)
    return [place.value(arith.AddIOp, before, place.value(gpu.ThreadIdOp, dimension=op.dimension))]


@expands(WorkgroupOp)
def _workgroup(place: Place, op: WorkgroupOp) -> Sequence[Value]:
    dimension = gpu.DimensionAttr("xyz"[op.dimension])
    return [place.value(op.same_as, dimension=dimension, upper_bound=op.upper_bound)]
