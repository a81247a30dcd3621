"""lanewise: subgroups that branch to programs of their own. All lanes of a subgroup go the same way."""

from __future__ import annotations

from ...ir.core import Block
from ...ir.dialects.lanewise import SplitOp, ThreadsOp
from ...ir.parts import parts_of
from . import integers
from .emission import Emission
from .emit_rules import EMIT
from .ids import linear_thread
from .text import Ssa, integer


@EMIT.of(SplitOp)
def _split(em: Emission, op: SplitOp) -> None:
    w, done = em.w, em.w.label()
    parts = parts_of(op)
    number = _subgroup(em) if len(parts) > 1 else integer(0, "i32")
    for part, region in zip(parts[:-1], op.regions, strict=False):
        own, others = w.label(), w.label()
        w.branch(integers.compare(w, "ult", number, integer(part.first + part.count, "i32")), own, others)
        _program(em, own, region.block, done)
        w.start(others)
    with w.scope():
        em.block_without_terminator(op.regions[-1].block)
    w.jump(done)
    w.start(done)


def _program(em: Emission, label: str, block: Block, done: str) -> None:
    w = em.w
    with w.scope():
        w.start(label)
        em.block_without_terminator(block)
        w.jump(done)


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
