"""Rules for operations on values: constants, ids, packs, index arithmetic.

Elementwise operations need no rule: their reference functions broadcast over the axis of threads.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ...ir.core import Operation
from ...ir.dialects import affine, arith, gpu, vector
from ...ir.numerics import Array
from ...ir.types import shape_of
from .compile import INTERPRET, Compiler, Step, by_reference, interprets, several_results
from .geometry import Batch
from .machine import Machine

for _class in (
    affine.ApplyOp,
    affine.MinOp,
    affine.MaxOp,
    affine.LinearizeIndexOp,
    affine.DelinearizeIndexOp,
    vector.BroadcastOp,
    vector.ShapeCastOp,
    vector.TransposeOp,
    vector.ExtractOp,
    vector.InsertOp,
):
    INTERPRET.set(_class, by_reference)


@interprets(arith.ConstantOp)
def _constant(c: Compiler, op: arith.ConstantOp) -> None:
    c.constant(op.result_, op.array())


@interprets(vector.StepOp, vector.ConstantMaskOp)
def _known_vector(c: Compiler, op: Operation) -> None:
    c.constant(op.result, op.reference())


@interprets(arith.SelectOp)
def _select(c: Compiler, op: arith.SelectOp) -> Step:
    """One condition for a whole pack needs axes like the pack's."""
    axes = (1,) * (len(shape_of(op.true_value.type)) - len(shape_of(op.condition.type)))
    if not axes:
        return by_reference(c, op)
    out, condition, a, b = c.slots([op.result_, *op.operands])

    def step(m: Machine) -> None:
        which = m.values[condition]
        m.values[out] = np.where(which.reshape(which.shape + axes), m.values[a], m.values[b])

    return step


@interprets(vector.ToElementsOp)
def _to_elements(c: Compiler, op: vector.ToElementsOp) -> Step:
    """A tuple also for a pack of one element."""
    return several_results(op.reference, c.slots(op.operands), c.slots(op.results))


@interprets(vector.FromElementsOp)
def _from_elements(c: Compiler, op: vector.FromElementsOp) -> Step:
    out, inputs, shape = c.slot(op.result_), c.slots(op.elements), shape_of(op.result_.type)

    def step(m: Machine) -> None:
        elements = [m.values[i] for i in inputs]
        lead = (m.batch.size,) if any(e.ndim for e in elements) else ()
        pack = np.empty((*lead, len(elements)), elements[0].dtype)
        for i, element in enumerate(elements):
            pack[..., i] = element
        m.values[out] = pack.reshape(lead + shape)

    return step


# -- ids ------------------------------------------------------------------------------------------------------------

_OF_DIMENSION: dict[type[gpu.DimensionOp], Callable[[Batch, int], Array]] = {
    gpu.ThreadIdOp: lambda batch, i: batch.thread_ids[i],
    gpu.BlockIdOp: lambda batch, i: batch.block_ids[i],
    gpu.BlockDimOp: lambda batch, i: np.array(batch.geometry.block[i]),
    gpu.GridDimOp: lambda batch, i: np.array(batch.geometry.grid[i]),
}
_OF_SUBGROUP: dict[type[gpu.IdOp], Callable[[Batch], Array]] = {
    gpu.LaneIdOp: operator.attrgetter("lane"),
    gpu.SubgroupIdOp: operator.attrgetter("subgroup_ids"),
    gpu.SubgroupSizeOp: lambda batch: np.array(batch.geometry.subgroup_size),
    gpu.NumSubgroupsOp: lambda batch: np.array(batch.geometry.subgroups),
}


@interprets(*_OF_DIMENSION)
def _id_along(c: Compiler, op: gpu.DimensionOp) -> Step:
    out, of, dimension = c.slot(op.result_), _OF_DIMENSION[type(op)], op.dimension.index

    def step(m: Machine) -> None:
        m.values[out] = of(m.batch, dimension)

    return step


@interprets(*_OF_SUBGROUP)
def _id_of_subgroup(c: Compiler, op: gpu.IdOp) -> Step:
    out, of = c.slot(op.result_), _OF_SUBGROUP[type(op)]

    def step(m: Machine) -> None:
        m.values[out] = of(m.batch)

    return step
