"""What a loop copies from global to shared memory is read an iteration before it is written.

    scf.for %k .. {                                   %first = read %A[lb]
      %a = vector.transfer_read %A[%k]                scf.for %k .. iter_args(%held = %first) {
      vector.transfer_write %a, %tile                   vector.transfer_write %held, %tile
      .. what uses the tile ..                          %next = read %A[%k + step]
    }                                                   .. what uses the tile ..
                                                        scf.yield %next }

so that the memory's latency passes while the tile is used. The registers of `%held` are the price. Of n stages n - 1
tiles are held: the next one is written, and one that is n - 1 iterations further on is read.

What is promised of places (that they are inside of memory, that a sum does not overflow) holds in iterations that there
are. So beyond the last one its own tile is read again, and the first read stands in a branch where there may be none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..analysis.buffers import Buffers
from ..ir.analyses import Analyses
from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.core import Before, Builder, Operation, Value
from ..ir.dialects import arith, scf
from ..ir.dialects.amdgpu_schedule import KINDS, SchedBarrierOp, SchedBarrierOptAttr
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.constants import constant_int
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.vector import TransferReadOp, TransferWriteOp
from ..ir.passes import Outcome
from ..ir.types import I1
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass
from ..targets import matrix_instructions
from .loop_copies import Copy, copies, erase, runs
from .loops import carry, copied, hand_on, loops, reads, where_it_runs
from .peel import peel

_OFFSETS = "raw_buffer"
"""Accesses have an offset that all threads share: there what an iteration adds to its tiles' places costs nothing, and
comparing them with extents is most of what is left, where matrix units multiply. Elsewhere it is a predicate."""

_PASSES = KINDS["valu"] | KINDS["salu"] | KINDS["all_ds"]
"""What may be done on either side of the reads ahead, which stand before products."""


@dataclass(frozen=True)
class Prefetch:
    """The pass. `ahead`: iterations between a read and its tile's use, and tiles that a thread holds for it."""

    ahead: int = 1

    def __call__(self, function: FunctionLike, workgroup: Workgroup, analyses: Analyses) -> Outcome:
        """Rewrites the loops of a function in the vector stage, in place."""
        outcome = Outcome()
        for loop in loops(function) if workgroup.scope == "workgroup" else ():
            found: list[Copy] = []
            for c in copies(loop, analyses.get(Buffers, function)):
                why = c.bound or _why_not(c, loop, workgroup)
                if why:
                    outcome.leave(c.read, f"{c.read.vector.type} is not read an iteration ahead: {why}")
                else:
                    found.append(c)
            if found:
                if workgroup.chip.supports(_OFFSETS) and matrix_instructions(workgroup.chip):
                    peel(loop, [c.read for c in found])
                _rewrite(loop, found, self.ahead, workgroup)
                outcome.changed = True
                analyses.forget(function)  # loops that carry more are others
        return outcome


def _why_not(c: Copy, loop: scf.ForOp, workgroup: Workgroup) -> str:
    """Promises are made of iterations that there are: the first tile is read although there may be none."""
    if not _is_strict(c) or runs(loop) or _may_branch(workgroup):
        return ""
    return "what is known of its place holds in iterations alone, and the loop may have none"


def _may_branch(workgroup: Workgroup) -> bool:
    """Whether the first tiles may be read in a branch. Elsewhere whole rows are copied asynchronously, and what is left
    to registers, rows of odd lengths, has been measured without."""
    return workgroup.chip.supports(_OFFSETS)


def _is_strict(c: Copy) -> bool:
    return c.changes or c.may_fail or _unnamed(c.read)


def _promises(c: Copy) -> bool:
    """Something holds in the iterations that there are and maybe in no other: that the tile is inside of memory, that a
    sum does not overflow, that nobody writes the tile meanwhile."""
    return _is_strict(c) or any(c.read.in_bounds_flags)


def _unnamed(read: TransferReadOp) -> bool:
    """Whether memory has a dimension along which the vector does not run, so that an index outside is never right."""
    return len({dim for dim in read.memory_dims if dim is not None}) < read.memref_type.rank


def _rewrite(loop: scf.ForOp, found: list[Copy], ahead: int, workgroup: Workgroup) -> None:
    stays_inside = any(map(_promises, found))

    def tiles(build: Builder) -> list[Value]:
        """Those that the loop begins with."""
        numbers = [_later(build, loop, loop.lower_bound, turn, stays_inside=stays_inside) for turn in range(ahead)]
        return [_read_at(build, loop, c, number, promises=runs(loop) or guarded) for number in numbers for c in found]

    types = [c.read.vector.type for c in found] * ahead
    guarded = any(map(_is_strict, found)) and not runs(loop)
    loop, held = carry(loop, where_it_runs(loop, types, tiles) if guarded else tiles(Before(loop)))
    start = Before(loop.body.operations[0])
    for c, value in zip(found, held, strict=False):
        known, old = copied(start, c.corner, {}), c.write
        operands = [value, *(known.get(v, v) for v in old.operands[1:])]
        start.append(TransferWriteOp(operands, [], old.attributes, (), old, old.segments))
    for c, value in zip(found * ahead, held, strict=True):
        value.hint = c.read.vector.hint and f"held_{c.read.vector.hint}"
    later = Before(_behind_barrier(loop, found))
    following = _later(later, loop, loop.induction_variable, ahead, stays_inside=stays_inside)
    hand_on(loop, [*held[len(found) :], *(_read_at(later, loop, c, following, promises=True) for c in found)])
    if workgroup.chip.supports("mfma"):  # whose scheduler would else read them when they are needed
        later.op(SchedBarrierOp, types=[], opts=SchedBarrierOptAttr(_PASSES))
    erase(loop, found)


def _behind_barrier(loop: scf.ForOp, found: Sequence[Copy]) -> Operation:
    """Before which the next tiles are read: once the barrier is passed that orders the tiles' writes and reads, since
    a barrier may wait for all that its threads are reading."""
    tiles = {c.write.memref for c in found}
    first = next((read for read in reads(loop) if read.memref in tiles), found[0].read)
    return loop.body.operations[loop.body.position(first) + 1]


def _later(build: Builder, loop: scf.ForOp, number: Value, turns: int, *, stays_inside: bool) -> Value:
    """The number of the iteration that comes so many after the one of `number`. With `stays_inside` it is `number`
    again where there is none, whose place may be read."""
    if not turns:
        return number
    step = loop.step if turns == 1 else _times(build, loop.step, turns)
    following = build.value(arith.AddIOp, number, step)
    if not stays_inside:
        return following
    end, compared = cast(Value, loop.upper_bound), following
    if constant_int(loop.lower_bound) != 0 or loop.is_unsigned:  # else nothing is negative, and nothing wraps
        end, compared = build.value(arith.SubIOp, end, number), step
    more = build.value(arith.CmpIOp, end, compared, predicate=IntegerPredicateAttr("ugt"))
    return build.value(arith.SelectOp, more, following, number)


def _times(build: Builder, step: Value, turns: int) -> Value:
    known = constant_int(step)
    factor = build.value(arith.ConstantOp, types=[step.type], value=IntegerAttr(turns * (known or 1), step.type))
    return factor if known is not None else build.value(arith.MulIOp, step, factor)


def _read_at(build: Builder, loop: scf.ForOp, c: Copy, number: Value, *, promises: bool) -> Value:
    """What the copy reads in the iteration of a number."""
    known = copied(build, c.places, {loop.induction_variable: number})
    read = c.read
    attributes = dict(read.attributes)
    if not promises:
        attributes["in_bounds"] = ArrayAttr((IntegerAttr(0, I1),) * len(read.in_bounds_flags))
    operands = [known.get(v, v) for v in read.operands]
    made = build.append(TransferReadOp(operands, [read.vector.type], attributes, (), read, read.segments))
    made.vector.hint = read.vector.hint
    return made.vector
