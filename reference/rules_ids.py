"""Rules for ids: where an owner is, as far as the program's scope lets it know."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

import numpy as np

from ..ir.dialects import gpu
from ..ir.numerics import Array
from ..ir.program_parts import part_around
from ..ir.traits import finer
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .geometry import Batch, Geometry

_OF_DIMENSION: Mapping[type[gpu.DimensionOp], Callable[[Batch, int], Array]] = {
    gpu.ThreadIdOp: lambda batch, i: batch.thread_ids[i],
    gpu.BlockIdOp: lambda batch, i: batch.block_ids[i],
    gpu.BlockDimOp: lambda batch, i: np.array(batch.geometry.block[i]),
    gpu.GridDimOp: lambda batch, i: np.array(batch.geometry.grid[i]),
}
_OF_SUBGROUP: Mapping[type[gpu.IdOp], Callable[[Batch], Array]] = {
    gpu.LaneIdOp: operator.attrgetter("lane"),
    gpu.SubgroupIdOp: operator.attrgetter("subgroup_ids"),
    gpu.SubgroupSizeOp: lambda batch: np.array(batch.geometry.lanes),
    gpu.NumSubgroupsOp: lambda batch: np.array(batch.geometry.subgroups),
}


def _require_known(op: gpu.IdOp, geometry: Geometry, of_subgroup: bool) -> None:
    unknown = of_subgroup and geometry.subgroup_size is None
    if geometry.scope == "grid" or finer(op.belongs_to, geometry.scope) or unknown:
        raise failure(op, "has no value here: the owner is larger than what it numbers, or its size is not known")


@EVALUATE.of(*_OF_DIMENSION)
def _id_along(op: gpu.DimensionOp, c: Compiler) -> Step:
    out, of, dimension = c.slot(op.result_), _OF_DIMENSION[type(op)], op.dimension.index

    def step(m: State) -> None:
        _require_known(op, m.batch.geometry, False)
        m.values[out] = of(m.batch, dimension)

    return step


@EVALUATE.of(*_OF_SUBGROUP)
def _id_of_subgroup(op: gpu.IdOp, c: Compiler) -> Step:
    out, of = c.slot(op.result_), _OF_SUBGROUP[type(op)]

    part = part_around(op)
    own = part if isinstance(op, gpu.SubgroupIdOp) and part is not None and part.count == 1 else None

    def step(m: State) -> None:
        if own is not None and m.batch.geometry.scope == "workgroup":
            m.values[out] = np.array(own.first)
            return
        _require_known(op, m.batch.geometry, True)
        m.values[out] = of(m.batch)

    return step
