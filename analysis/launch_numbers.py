"""Between which bounds the ids and extents of a launch are: of threads, subgroups and workgroups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ..ir.dialects import gpu
from ..ir.dialects.func import FunctionLike
from ..ir.integer_ranges import Range, below, exactly
from ..ir.kernels import MAX_THREADS, block_size, is_kernel, subgroup_size
from ..support.named_tuples import NamedTuple
from ..targets.chip import MOST_WORKGROUPS

_MOST_LANES = 64
"""No chip has subgroups of more lanes."""


class Launch(NamedTuple):
    """What a program says of its launches: how many threads a workgroup has along x, y and z, and a subgroup."""

    block_size: tuple[int, int, int] | None = None
    subgroup_size: int | None = None

    @classmethod
    def of(cls, function: FunctionLike) -> Launch:
        """What a kernel says; of the launch of another function nothing is known."""
        return cls(block_size(function), subgroup_size(function)) if is_kernel(function) else cls()

    def range(self, op: gpu.IdOp) -> Range:
        """Between which bounds an id or extent is."""
        return _RANGES[type(op)](self, op.dimension.index if isinstance(op, gpu.DimensionOp) else 0)

    def thread_id(self, axis: int) -> Range:
        """The thread's coordinate in its workgroup along x, y or z."""
        return below(MAX_THREADS if self.block_size is None else self.block_size[axis])

    def workgroup_id(self, axis: int) -> Range:
        """The workgroup's coordinate in the grid."""
        return below(MOST_WORKGROUPS[axis])

    def workgroups(self, axis: int) -> Range:
        """How many there are along an axis of the grid."""
        return Range(1, MOST_WORKGROUPS[axis])

    @property
    def threads(self) -> int:
        """The most that a workgroup has."""
        return MAX_THREADS if self.block_size is None else math.prod(self.block_size)

    @property
    def lanes(self) -> Range:
        """How many a subgroup has."""
        return Range(1, _MOST_LANES) if self.subgroup_size is None else exactly(self.subgroup_size)

    @property
    def subgroups(self) -> Range:
        """How many a workgroup has."""
        lanes = self.lanes
        return Range(1, -(-self.threads // lanes.low))


_RANGES: Mapping[type[gpu.IdOp], Callable[[Launch, int], Range]] = {
    gpu.ThreadIdOp: Launch.thread_id,
    gpu.BlockIdOp: Launch.workgroup_id,
    gpu.GridDimOp: Launch.workgroups,
    gpu.BlockDimOp: lambda launch, axis: (
        Range(1, MAX_THREADS) if launch.block_size is None else exactly(launch.block_size[axis])
    ),
    gpu.LaneIdOp: lambda launch, _: below(launch.lanes.high),
    gpu.SubgroupSizeOp: lambda launch, _: launch.lanes,
    gpu.SubgroupIdOp: lambda launch, _: below(launch.subgroups.high),
    gpu.NumSubgroupsOp: lambda launch, _: launch.subgroups,
}
RANGED = tuple(_RANGES)
"""The operations that it knows."""
