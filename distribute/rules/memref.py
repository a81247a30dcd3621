"""memref: buffers and views stay; a store or atomic update of the workgroup's program is done by one thread."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.builder import constant_int
from ...ir.core import Block, Operation, OpT, Region
from ...ir.dialects import memref, memref_buffers, memref_views, scf
from ...ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ...ir.dialects.amdgpu_prefetch import GlobalPrefetchOp
from ...ir.dialects.nvvm_cluster import MapaOp
from ...support.diagnostics import CompileError, Diagnostic
from ..context import DISTRIBUTE, Distribution, distributes
from ..driver import distribute_block
from .gpu import distribute_scalar

DISTRIBUTE.of(
    memref.LoadOp,
    memref.DimOp,
    memref.SubViewOp,
    memref.ViewOp,
    memref.CastOp,
    memref_buffers.PrefetchOp,
    memref_views.ReinterpretCastOp,
    memref_views.ExtractStridedMetadataOp,
    memref_views.MemorySpaceCastOp,
    FatRawBufferCastOp,
    GlobalPrefetchOp,
    MapaOp,
)(distribute_scalar)
DISTRIBUTE.set(memref.DeallocOp, lambda d, op: None)


@distributes(memref.AllocOp)
def _alloc(d: Distribution, op: memref.AllocOp) -> None:
    """Memory of single threads has no place in a program of several."""
    if op.is_private and d.workgroup.scope != "thread":
        message = f"{op.title} is memory of each thread, in a {d.workgroup.scope}'s program"
        hint = "name the workgroup's memory in its type: #gpu.address_space<workgroup>"
        raise CompileError([Diagnostic(message, op.location, hint=hint)])
    distribute_scalar(d, op)


@distributes(memref.AssumeAlignmentOp)
def _assume_alignment(d: Distribution, op: memref.AssumeAlignmentOp) -> None:
    """Texts without a result state it of the operand itself."""
    distribute_scalar(d, op)
    d.divisibility.assume(d.scalar(op.memref), op.alignment)


@distributes(memref.AtomicRMWOp)
def _atomic_rmw(d: Distribution, op: memref.AtomicRMWOp) -> None:
    _check_old_value(d, op)
    _by_one_thread(d, op)


def _check_old_value(d: Distribution, op: Operation) -> None:
    if d.workgroup.scope != "thread" and any(op.result in user.operands for user in _function(op).walk()):
        message = f"{op.title} returns the old value to one thread, but its {d.workgroup.scope}'s program uses it"
        hint = 'write the kernel for a thread: lanewise.scope = "thread"'
        raise CompileError([Diagnostic(message, op.location, hint=hint)])


@distributes(memref_buffers.GenericAtomicRMWOp)
def _generic_atomic_rmw(d: Distribution, op: memref_buffers.GenericAtomicRMWOp) -> None:
    _check_old_value(d, op)
    _by_one_thread(d, op, _with_region)


def _with_region(d: Distribution, op: memref_buffers.GenericAtomicRMWOp) -> None:
    block, (current,) = Block([op.result_.type]), op.body.arguments
    d.set_scalar(current, block.arguments[0])
    operands = d.scalar(op.memref), [d.scalar(v) for v in op.indices]
    made = d.build.op(type(op), *operands, types=[op.result_.type], regions=[Region([block])])
    with d.build.scope(block):
        distribute_block(d, op.body)
    d.set_scalar(op.result_, made.result_)


@distributes(memref_buffers.AtomicYieldOp)
def _atomic_yield(d: Distribution, op: memref_buffers.AtomicYieldOp) -> None:
    d.build.op(memref_buffers.AtomicYieldOp, d.scalar(op.value))


def _function(op: Operation) -> Operation:
    around = op.enclosing()
    assert around is not None
    while (outer := around.enclosing()) is not None:
        around = outer
    return around


@distributes(memref.StoreOp)
def _store(d: Distribution, op: memref.StoreOp) -> None:
    _by_one_thread(d, op)


def _by_one_thread(d: Distribution, op: OpT, write: Callable[[Distribution, OpT], None] = distribute_scalar) -> None:
    """A thread's program does it itself; of a larger owner its first thread."""
    if d.workgroup.scope == "thread":
        write(d, op)
        return
    first = d.build.compare("eq", d.thread_id(), 0)
    if constant_int(first) == 1:
        write(d, op)
        return
    block = Block()
    d.build.op(scf.IfOp, first, types=[], regions=[Region([block]), Region()])
    with d.build.scope(block):
        write(d, op)
        d.build.op(scf.YieldOp, [])
