"""What a loop copies from global to shared memory is read an iteration before it is written.

    scf.for %k .. {                                   %first = read %A[lb]
      %a = vector.transfer_read %A[%k]                scf.for %k .. iter_args(%held = %first) {
      vector.transfer_write %a, %tile                   vector.transfer_write %held, %tile
      .. what uses the tile ..                          %next = read %A[%k + step]
    }                                                   .. what uses the tile ..
                                                        scf.yield %next }

so that the memory's latency passes while the tile is used. The registers of `%held` are the price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.core import Before, Operation, Value
from ..ir.dialects import arith, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.util import AssumeIntOp
from ..ir.dialects.vector import TransferReadOp, TransferWriteOp
from ..ir.effects import Buffers, accesses
from ..ir.iterations import counted
from ..ir.memory_spaces import is_global, is_workgroup
from ..ir.reference.propagation import may_be_undefined
from ..ir.types import I1
from ..layout.workgroup import Workgroup
from .loops import carry, copied, counts, hand_on, loops, makers, reads, written


@dataclass(frozen=True, eq=False)
class _Copy:
    """`read` of global memory whose value `write` puts into shared memory; their places are computed by `places` and
    `corner` in each iteration."""

    read: TransferReadOp
    write: TransferWriteOp
    places: Sequence[Operation]
    corner: Sequence[Operation]
    promises: bool
    """Something holds in the iterations that there are and maybe in no other: that the tile is inside of memory, that a
    sum does not overflow, that nobody writes the tile meanwhile."""


def prefetch(function: Operation, workgroup: Workgroup) -> bool:
    """Rewrites the loops of a function in the vector stage, in place; says whether it did anything."""
    if workgroup.scope != "workgroup":
        return False
    changed = False
    for loop in loops(function):
        found = _copies(loop, Buffers(function))  # anew: loops that carry more are others
        if found:
            _rewrite(loop, found)
            changed = True
    return changed


def _copies(loop: scf.ForOp, buffers: Buffers) -> list[_Copy]:
    here, anywhere = written(loop, buffers), buffers.written()
    found: list[_Copy] = []
    for read in reads(loop):
        sources = buffers.of(read.memref)
        if is_global(read.memref_type.memory_space) and here.isdisjoint(sources):
            copy = _copy_of(read, loop, not anywhere.isdisjoint(sources))
            if copy is not None and _is_first(copy.write, loop, buffers):
                found.append(copy)
    return found


def _copy_of(read: TransferReadOp, loop: scf.ForOp, changes: bool) -> _Copy | None:
    """None where the value is used for more, or its place depends on more than the iteration's number; and where
    promises are made of a loop that may have no iteration. `changes`: the function writes the buffer elsewhere."""
    users = list(read.vector.users)
    write = users[0] if len(users) == 1 else None
    if (
        not isinstance(write, TransferWriteOp)
        or write.parent is not loop.body
        or not is_workgroup(write.memref_type.memory_space)
    ):
        return None
    places, corner = makers(read.operands, loop), makers(write.operands[1:], loop)
    if places is None or corner is None or any(op.view_results for op in places):
        return None
    if not counts(loop, read, places):
        return None
    strict = changes or any(map(_may_fail, places)) or _unnamed(read)
    if strict and not _runs(loop):
        return None
    return _Copy(read, write, places, corner, strict or any(read.in_bounds_flags))


def _may_fail(op: Operation) -> bool:
    """Whether there are operands for which it says nothing: outside of a range, zero, or so large that it overflows."""
    limited = not op.attributes.keys() <= {"value", "predicate", "map"}
    return limited or isinstance(op, AssumeIntOp) or may_be_undefined(op)


def _runs(loop: scf.ForOp) -> bool:
    """Whether it is known to have an iteration."""
    return bool(counted(loop))


def _unnamed(read: TransferReadOp) -> bool:
    """Whether memory has a dimension along which the vector does not run, so that an index outside is never right."""
    return len({dim for dim in read.memory_dims if dim is not None}) < read.memref_type.rank


def _is_first(write: TransferWriteOp, loop: scf.ForOp, buffers: Buffers) -> bool:
    """Whether nothing before it in an iteration touches what it writes, so that it may stand at the start."""
    target = set(buffers.of(write.memref))
    for op in loop.body.operations[: loop.body.position(write)]:
        for inner in op.walk():
            if any(not target.isdisjoint(buffers.of(access.memref)) for access in accesses(inner)):
                return False
    return True


def _rewrite(loop: scf.ForOp, found: Sequence[_Copy]) -> None:
    first = [_read_at(Before(loop), loop, c, loop.lower_bound, promises=_runs(loop)) for c in found]
    loop, held = carry(loop, first)
    start = Before(loop.body.operations[0])
    for c, value in zip(found, held, strict=True):
        value.hint = c.read.vector.hint and f"held_{c.read.vector.hint}"
        known, old = copied(start, c.corner, {}), c.write
        operands = [value, *(known.get(v, v) for v in old.operands[1:])]
        start.append(TransferWriteOp(operands, [], old.attributes, (), old.location, old.segments))
    later = Before(_behind_barrier(loop, found))
    following = _next(later, loop, stays_inside=any(c.promises for c in found))
    hand_on(loop, [_read_at(later, loop, c, following, promises=True) for c in found])
    for c in found:
        for op in (c.write, c.read, *reversed((*c.places, *c.corner))):
            if op.parent is not None and not any(r.users for r in op.results):
                loop.body.erase(op)


def _behind_barrier(loop: scf.ForOp, found: Sequence[_Copy]) -> Operation:
    """Before which the next tiles are read: once the barrier is passed that orders the tiles' writes and reads, since
    a barrier may wait for all that its threads are reading."""
    tiles = {c.write.memref for c in found}
    first = next((read for read in reads(loop) if read.memref in tiles), found[0].read)
    return loop.body.operations[loop.body.position(first) + 1]


def _next(build: Before, loop: scf.ForOp, *, stays_inside: bool) -> Value:
    """The next iteration's number. With `stays_inside` the last one has its own again, whose place was read before."""
    number, step = loop.induction_variable, loop.step
    following = build.value(arith.AddIOp, number, step)
    if not stays_inside:
        return following
    left = build.value(arith.SubIOp, loop.upper_bound, number)
    more = build.value(arith.CmpIOp, left, step, predicate=IntegerPredicateAttr("ugt"))
    return build.value(arith.SelectOp, more, following, number)


def _read_at(build: Before, loop: scf.ForOp, c: _Copy, number: Value, *, promises: bool) -> Value:
    """What the copy reads in the iteration of a number."""
    known = copied(build, c.places, {loop.induction_variable: number})
    read = c.read
    attributes = dict(read.attributes)
    if not promises:
        attributes["in_bounds"] = ArrayAttr((IntegerAttr(0, I1),) * len(read.in_bounds_flags))
    operands = [known.get(v, v) for v in read.operands]
    made = build.append(TransferReadOp(operands, [read.vector.type], attributes, (), read.location, read.segments))
    made.vector.hint = read.vector.hint
    return made.vector
