"""Copies from global to shared memory that a loop makes in every iteration, of which another one can do them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.buffers import Buffers
from ..analysis.iterations import counted
from ..ir.core import Operation
from ..ir.dialects import scf
from ..ir.dialects.util import AssumeIntOp
from ..ir.dialects.vector import TransferReadOp, TransferWriteOp
from ..ir.effects import accesses
from ..ir.memory_spaces import is_global, is_workgroup
from ..reference.propagation import may_be_undefined
from ..support.dataclasses import dataclass
from .loops import counts, makers, reads, written


@dataclass(frozen=True, eq=False)
class Copy:
    """`read` of global memory whose value `write` puts into shared memory; their places are computed by `places` and
    `corner` in each iteration."""

    read: TransferReadOp
    write: TransferWriteOp
    bound: str = ""
    """Why no other iteration can make it, in words; the fields below are of those that one can."""
    places: Sequence[Operation] = ()
    corner: Sequence[Operation] = ()
    changes: bool = False
    """The function writes what is read, before the loop or after it."""
    may_fail: bool = False
    """The numbers of `places` say nothing where there is no iteration."""


def copies(loop: scf.ForOp, buffers: Buffers) -> Iterator[Copy]:
    """Those of a loop's own, in order."""
    here, anywhere = written(loop, buffers), buffers.written()
    waits = any(op.awaits_grids for op in loop.walk())
    for read in reads(loop):
        users = list(read.vector.users)
        write = users[0] if len(users) == 1 else None
        if not isinstance(write, TransferWriteOp) or write.parent is not loop.body:
            continue
        if is_global(read.memref_type.memory_space) and is_workgroup(write.memref_type.memory_space):
            sources = buffers.of(read.memref)
            if waits:
                yield Copy(read, write, "the loop waits for other grids")
            elif here.isdisjoint(sources):
                yield _copy(read, write, loop, buffers, not anywhere.isdisjoint(sources))
            else:
                yield Copy(read, write, "the loop writes the memory that is read")


def _copy(read: TransferReadOp, write: TransferWriteOp, loop: scf.ForOp, buffers: Buffers, changes: bool) -> Copy:
    places, corner = makers(read.operands, loop), makers(write.operands[1:], loop)
    if places is None or corner is None or any(op.view_results for op in places):
        return Copy(read, write, "its place depends on more than the iteration's number")
    if not counts(loop, read, places):
        return Copy(read, write, "it is the same in every iteration")
    if not _is_first(write, loop, buffers):
        return Copy(read, write, "the tile that it is written to is touched before that in an iteration")
    return Copy(read, write, "", places, corner, changes, any(map(_may_fail, places)))


def _may_fail(op: Operation) -> bool:
    """Whether there are operands for which it says nothing: outside of a range, zero, or so large that it overflows."""
    limited = not op.attributes.keys() <= {"value", "predicate", "map"}
    return limited or isinstance(op, AssumeIntOp) or may_be_undefined(op)


def runs(loop: scf.ForOp) -> bool:
    """Whether it is known to have an iteration."""
    return bool(counted(loop))


def _is_first(write: TransferWriteOp, loop: scf.ForOp, buffers: Buffers) -> bool:
    """Whether nothing before it in an iteration touches what it writes, so that it may stand at the start."""
    target = set(buffers.of(write.memref))
    for op in loop.body.operations[: loop.body.position(write)]:
        for inner in op.walk():
            if any(not target.isdisjoint(buffers.of(access.memref)) for access in accesses(inner)):
                return False
    return True


def erase(loop: scf.ForOp, done: Sequence[Copy]) -> None:
    """Takes out what was copied, and what nobody needs any more."""
    for c in done:
        for op in (c.write, c.read, *reversed((*c.places, *c.corner))):
            if op.parent is not None and not any(r.users for r in op.results):
                loop.body.erase(op)
