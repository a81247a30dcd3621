"""memref: buffers and views stay; a store or atomic update of the workgroup's program is done by one thread."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.builder import constant_int
from ...ir.core import Block, OpT, Region
from ...ir.dialects import memref, memref_buffers, memref_views, scf
from ...ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ...ir.dialects.amdgpu_prefetch import GlobalPrefetchOp
from ...ir.dialects.nvvm_cluster import MapaOp
from ...support.diagnostics import CompileError, Diagnostic
from ..context import DISTRIBUTE, Distribution, distributes
from ..driver import distribute_block
from ..shuffle import from_thread
from ..through_shared_memory import scratch
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
    _by_one_thread_for_all(d, op, distribute_scalar)


def _by_one_thread_for_all(d: Distribution, op: OpT, write: Callable[[Distribution, OpT], None]) -> None:
    """The owner's first thread does it, and every thread gets the result where the program uses it: by a shuffle in a
    subgroup, else through shared memory."""
    first = d.build.compare("eq", d.thread_id(), 0)
    if constant_int(first) == 1 or d.workgroup.scope == "thread" or not op.result.users:
        _by_one_thread(d, op, write)
        return
    if d.threads <= d.subgroup_size:
        either, other = Block(), Block()
        found = d.build.op(scf.IfOp, first, types=[op.result.type], regions=[Region([either]), Region([other])])
        with d.build.scope(either):
            write(d, op)
            d.build.op(scf.YieldOp, [d.scalar(op.result)])
        with d.build.scope(other):
            d.build.op(scf.YieldOp, [d.build.constant(0, op.result.type)])
        d.set_scalar(op.result, from_thread(d, found.results[0], d.build.constant(0)))
        return
    buffer = scratch(d, 1, op.result.type)

    def write_and_tell(d: Distribution, op: OpT) -> None:
        write(d, op)
        d.build.op(memref.StoreOp, d.scalar(op.result), buffer, [d.build.constant(0)])

    _by_one_thread(d, op, write_and_tell)
    d.set_scalar(op.result, d.build.value(memref.LoadOp, buffer, [d.build.constant(0)]))


@distributes(memref_buffers.GenericAtomicRMWOp)
def _generic_atomic_rmw(d: Distribution, op: memref_buffers.GenericAtomicRMWOp) -> None:
    _by_one_thread_for_all(d, op, _with_region)


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
