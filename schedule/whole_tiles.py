"""A loop whose tiles are copied by instructions that take whole ones alone.

    scf.for .. { A[%k] -> %tile; .. %tile .. }          if there is a whole tile:
                                                          scf.for .. { A[%k] -> %first; .. %first .. }
                                                        scf.for .. { A[%k] -> %tile; .. %tile .. }

`peel` says which iterations have whole tiles, and leaves the others behind them; these keep the buffers. The condition
is one of the whole workgroup.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.cloning import clone
from ..ir.core import Before, Block, Builder, Region
from ..ir.dialects import memref, scf
from .loop_copies import Copy, runs
from .loops import has_iterations, reads
from .peel import peel


def only_whole(loop: scf.ForOp, found: Sequence[Copy], times: int) -> None:
    """Makes it the loop of whole tiles, with buffers of its own; it has an iteration where it stands, and a multiple of
    `times`."""
    if peel(loop, [c.read for c in found], everywhere=True, times=times) is not None:
        _own_buffers(loop, found)
    if not runs(loop):
        _where_there_is_one(loop)


def _own_buffers(loop: scf.ForOp, found: Sequence[Copy]) -> None:
    for c in found:
        old = c.write.memref.operation
        assert isinstance(old, memref.AllocOp)
        new = Before(old).append(clone(old, {})).results[0]
        new.hint = old.memref.hint
        for user in (c.write, *(read for read in reads(loop) if read.memref is old.memref)):
            user.set_operands([new if v is old.memref else v for v in user.operands])


def _where_there_is_one(loop: scf.ForOp) -> None:
    """Puts it into a branch, beside which stands what it begins with."""
    build, block = Before(loop), loop.parent
    assert block is not None
    some, inner, other = has_iterations(build, loop), Block(), Block()
    branch = build.op(scf.IfOp, some, types=[v.type for v in loop.results], regions=[Region([inner]), Region([other])])
    for old, new in zip(loop.results, branch.results, strict=True):
        new.hint = old.hint
        old.replace_uses(new)
    block.remove(loop)
    inner.insert(0, loop)
    Builder(inner, loop).op(scf.YieldOp, loop.results, types=[])
    Builder(other, loop).op(scf.YieldOp, loop.init_args, types=[])
