"""nvgpu: barrier objects and copies of boxes. What an owner does once, one of its threads does; all of them wait."""

from __future__ import annotations

from ...ir.core import Block, Operation, Region, Value
from ...ir.dialects import scf
from ...ir.dialects.nvgpu_mbarrier import (
    MBarrierArriveExpectTxOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierGetOp,
    MBarrierInitOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
)
from ...ir.dialects.nvgpu_tma import TmaAsyncLoadOp, TmaCreateDescriptorOp
from ...ir.dialects.nvgpu_tma_prefetch import TmaFenceOp, TmaPrefetchOp
from ...ir.dialects.nvgpu_tma_store import BulkCommitGroupOp, BulkWaitGroupOp, TmaAsyncStoreOp
from ...ir.dialects.nvvm import SetMaxRegisterOp
from ...ir.dialects.nvvm_cluster import ClusterArriveOp, ClusterArriveRelaxedOp, ClusterWaitOp
from ...support.diagnostics import CompileError, Diagnostic
from ..context import DISTRIBUTE, Distribution, distributes
from .gpu import distribute_scalar

DISTRIBUTE.of(
    BulkWaitGroupOp,
    MBarrierCreateOp,
    MBarrierGetOp,
    MBarrierTryWaitParityOp,
    TmaFenceOp,
    TmaCreateDescriptorOp,
    SetMaxRegisterOp,
    ClusterArriveOp,
    ClusterArriveRelaxedOp,
    ClusterWaitOp,
)(distribute_scalar)


@distributes(
    MBarrierInitOp, MBarrierArriveExpectTxOp, TmaAsyncLoadOp, TmaPrefetchOp, TmaAsyncStoreOp, BulkCommitGroupOp
)
def _by_one(d: Distribution, op: Operation) -> None:
    """Neighbours share the branch of the first thread."""
    if d.workgroup.scope == "thread":
        distribute_scalar(d, op)
        return
    if d.workgroup.scope == "subgroup" and not d.workgroup.launched:
        message = f"{op.title} is of workgroups' programs or threads', this one is a subgroup's"
        raise CompileError([Diagnostic(message, op.location)])
    _in_branch(d, op, d.is_first())


@distributes(MBarrierArriveOp, MBarrierArriveNoCompleteOp)
def _by_first_lanes(d: Distribution, op: Operation) -> None:
    """Each subgroup's: those that come first wait for nobody."""
    if d.workgroup.scope == "thread":
        distribute_scalar(d, op)
        return
    if any(token.users for token in op.results):
        message = f"{op.title} gives a token that is used: programs of threads have tokens, this one is a"
        raise CompileError([Diagnostic(f"{message} {d.workgroup.scope}'s", op.location)])
    _in_branch(d, op, d.build.compare("eq", d.build.rem(d.thread_id(), d.subgroup_size), 0))


@distributes(MBarrierTestWaitOp)
def _by_each(d: Distribution, op: MBarrierTestWaitOp) -> None:
    """What one thread sees, another may not see yet."""
    if d.workgroup.scope != "thread":
        message = f"{op.title} is of programs of threads, each of which sees by itself, this one is a"
        raise CompileError([Diagnostic(f"{message} {d.workgroup.scope}'s", op.location)])
    distribute_scalar(d, op)


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
