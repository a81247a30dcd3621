"""What is said to the scheduler of machine instructions, and what passes before a result of matrix units is there."""

from __future__ import annotations

from functools import partial

from ...ir.dialects.amdgpu_schedule import KINDS, SchedBarrierOp
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import integer


def settle_before_branch(em: Emission) -> None:
    """LLVM 22 counts the wait states from an mfma to what needs its result along the first way that it finds, not the
    shortest: those that go around several masked blocks may have too few. So they pass before the first branch."""
    if em.chip.supports("mfma"):
        em.w.before_branch = partial(_settle, em)


def _settle(em: Emission) -> None:
    em.w.call_void("llvm.amdgcn.sched.barrier", integer(0, "i32"))
    for states in _SETTLED:
        em.w.call_void("llvm.amdgcn.s.nop", integer(states - 1, "i16"))


def settle_before_two_branches(em: Emission) -> None:
    """A block that ends with a branch back and one on, as that of a loop in a loop does, has one wait state too few on
    the way back: LLVM 22 counts the second branch, which that way does not pass."""
    if em.chip.supports("mfma"):
        em.w.call_void("llvm.amdgcn.sched.barrier", integer(0, "i32"))
        em.w.call_void("llvm.amdgcn.s.nop", integer(_FEWER, "i16"))


_SETTLED = (16, 4)
"""Wait states that any result takes at most (CDNA3 ISA, "Manually inserted wait states"); one s_nop has up to 16."""


_FEWER = -16
"""The operand of s_nop: one wait state, as its four lowest bits are 0 (CDNA3 ISA, "S_NOP"); LLVM 22 adds 1 to the
number as it is, so that it counts 15 fewer than passed before."""


_KNOWN_TO_LLVM = KINDS["all"] & ~KINDS["ldsdma"]
"""LLVM 22 aborts at more: what it does not know stays where it is."""


@AMD.of(SchedBarrierOp)
def _sched_barrier(em: Emission, op: SchedBarrierOp) -> None:
    em.w.call_void("llvm.amdgcn.sched.barrier", integer(op.opts.mask & _KNOWN_TO_LLVM, "i32"))
