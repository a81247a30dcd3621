"""nvgpu: barrier objects and copies of boxes. What an owner does once, one of its threads does; all of them wait."""

from __future__ import annotations

from ...ir.core import Block, Operation, Region, Value
from ...ir.diagnostics import CompileError, Diagnostic
from ...ir.dialects import scf
from ...ir.dialects.nvgpu_mbarrier import (
    MBarrierArriveExpectTxOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierInitOp,
    MBarrierTryWaitParityOp,
)
from ...ir.dialects.nvgpu_tma import TmaAsyncLoadOp, TmaCreateDescriptorOp
from ...ir.dialects.nvgpu_tma_prefetch import TmaPrefetchOp
from ...ir.dialects.nvvm import SetMaxRegisterOp
from ...ir.dialects.nvvm_cluster import ClusterArriveOp, ClusterArriveRelaxedOp, ClusterWaitOp
from ..context import DISTRIBUTE, Distribution, distributes
from .gpu import distribute_scalar

for _class in (
    MBarrierCreateOp,
    MBarrierTryWaitParityOp,
    TmaCreateDescriptorOp,
    SetMaxRegisterOp,
    ClusterArriveOp,
    ClusterArriveRelaxedOp,
    ClusterWaitOp,
):
    DISTRIBUTE.set(_class, distribute_scalar)


@distributes(MBarrierInitOp, MBarrierArriveExpectTxOp, TmaAsyncLoadOp, TmaPrefetchOp)
def _by_one(d: Distribution, op: Operation) -> None:
    """Neighbours share the branch of the first thread."""
    if d.workgroup.scope == "thread":
        distribute_scalar(d, op)
        return
    if d.workgroup.scope == "subgroup" and not d.workgroup.launched:
        message = f"'{op.opname}' op is of workgroups' programs or threads', this one is a subgroup's"
        raise CompileError([Diagnostic(message, op.location)])
    _in_branch(d, op, d.is_first())


@distributes(MBarrierArriveOp)
def _by_first_lanes(d: Distribution, op: MBarrierArriveOp) -> None:
    """Each subgroup's: those that come first wait for nobody."""
    if d.workgroup.scope == "thread":
        distribute_scalar(d, op)
        return
    _in_branch(d, op, d.build.compare("eq", d.build.rem(d.thread_id(), d.subgroup_size), 0))


def _in_branch(d: Distribution, op: Operation, writer: Value) -> None:
    block = _open_branch(d, writer)
    if block is None:
        block = Block()
        d.build.op(scf.IfOp, writer, types=[], regions=[Region([block]), Region()])
    else:
        block.erase(block.operations[-1])
    with d.build.scope(block):
        distribute_scalar(d, op)
        d.build.op(scf.YieldOp, [])


def _open_branch(d: Distribution, writer: Value) -> Block | None:
    """That of the operation before, if it is the same thread's."""
    last = d.build.block.operations[-1] if d.build.block.operations else None
    return last.regions[0].block if isinstance(last, scf.IfOp) and last.condition is writer else None
