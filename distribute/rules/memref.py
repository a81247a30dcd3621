"""memref: buffers and views stay; a scalar store of the workgroup's program is done by one thread."""

from __future__ import annotations

from ...ir.builder import constant_int
from ...ir.core import Block, Region
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


@distributes(memref.StoreOp)
def _store(d: Distribution, op: memref.StoreOp) -> None:
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
