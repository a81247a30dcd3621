"""lanewise: subgroups that branch to programs of their own. All lanes of a subgroup go the same way."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Block
from ...ir.dialects.lanewise import SplitOp, ThreadsOp
from ...ir.program_parts import parts_of
from . import integers
from .emission import Emission
from .emit_rules import EMIT
from .ids import linear_thread
from .text import Ssa, integer


@EMIT.of(SplitOp)
def _split(em: Emission, op: SplitOp) -> None:
    done = em.w.label()
    number = _subgroup(em) if len(op.regions) > 1 else integer(0, "i32")
    ends = [part.first + part.count for part in parts_of(op)]
    _choose(em, number, [(end, region.block) for end, region in zip(ends, op.regions, strict=True)], done)
    em.w.start(done)


def _choose(em: Emission, number: Ssa, programs: Sequence[tuple[int, Block]], done: str) -> None:
    """The program of the first part whose subgroups end above a number; the last one's is of all that are left."""
    w, ((end, block), *rest) = em.w, programs
    if not rest:
        _program(em, block, done)
        return
    own, others = w.label(), w.label()
    w.branch(integers.compare(w, "ult", number, integer(end, "i32")), own, others)
    w.start(own)
    _program(em, block, done)
    w.start(others)
    with w.scope():
        _choose(em, number, rest, done)


def _program(em: Emission, block: Block, done: str) -> None:
    with em.w.scope():
        em.block_without_terminator(block)
        em.w.jump(done)


def _subgroup(em: Emission) -> Ssa:
    """The subgroup's number in its workgroup, as i32."""
    shift = integer(em.subgroup_size.bit_length() - 1)
    own = integers.binary(em.w, "lshr", linear_thread(em), shift)
    return em.machine.same_in_subgroup(em, integers.resize(em.w, own, "i32", signed=False))


@EMIT.of(ThreadsOp)
def _threads(em: Emission, op: ThreadsOp) -> None:
    """What the thread's program around it is, too."""
    with em.w.scope():
        em.block_without_terminator(op.body)
