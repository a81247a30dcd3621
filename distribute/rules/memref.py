"""memref: buffers and views stay; a store or atomic update of the workgroup's program is done by one thread."""

from __future__ import annotations

from ...ir.builder import constant_int
from ...ir.core import Block, Operation, Region
from ...ir.diagnostics import CompileError, Diagnostic
from ...ir.dialects import memref, scf
from ..context import DISTRIBUTE, Distribution, distributes
from .gpu import distribute_scalar

for _class in (
    memref.AllocOp,
    memref.LoadOp,
    memref.DimOp,
    memref.SubViewOp,
    memref.ViewOp,
    memref.CastOp,
):
    DISTRIBUTE.set(_class, distribute_scalar)
DISTRIBUTE.set(memref.DeallocOp, lambda d, op: None)


@distributes(memref.AssumeAlignmentOp)
def _assume_alignment(d: Distribution, op: memref.AssumeAlignmentOp) -> None:
    """Texts without a result state it of the operand itself."""
    distribute_scalar(d, op)
    d.divisibility.assume(d.scalar(op.memref), op.alignment)


@distributes(memref.AtomicRMWOp)
def _atomic_rmw(d: Distribution, op: memref.AtomicRMWOp) -> None:
    if d.workgroup.scope != "thread" and any(op.result in user.operands for user in _function(op).walk()):
        message = f"'{op.opname}' op returns the old value to one thread, but its {d.workgroup.scope}'s program uses it"
        hint = 'write the kernel for a thread: lanewise.scope = "thread"'
        raise CompileError([Diagnostic(message, op.location, hint=hint)])
    _by_one_thread(d, op)


def _function(op: Operation) -> Operation:
    around = op.enclosing()
    assert around is not None
    while (outer := around.enclosing()) is not None:
        around = outer
    return around


@distributes(memref.StoreOp)
def _store(d: Distribution, op: memref.StoreOp) -> None:
    _by_one_thread(d, op)


def _by_one_thread(d: Distribution, op: Operation) -> None:
    """A thread's program does it itself; of a larger owner its first thread."""
    if d.workgroup.scope == "thread":
        distribute_scalar(d, op)
        return
    first = d.build.compare("eq", d.thread_id(), 0)
    if constant_int(first) == 1:
        distribute_scalar(d, op)
        return
    block = Block()
    d.build.op(scf.IfOp, first, types=[], regions=[Region([block]), Region()])
    with d.build.scope(block):
        distribute_scalar(d, op)
        d.build.op(scf.YieldOp, [])
