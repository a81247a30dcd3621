"""amdgpu: barriers whose state lies in LDS, which count arrivals (gfx1250).

The state is a number of 64 bits: in the lowest 29 how many arrivals are missing besides one (the pending count), in the
next three the phase, above them what the pending count begins with (the init count). The arrival after which none is
missing ends the phase: the pending count begins again, and the phase is one less, modulo 8. Who sees in the state that
a phase is over has what was done before its arrivals (upstream's `!amdgpu.ds_barrier_state`).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import (
    Constraint,
    OperandField,
    exactly,
    is_i1,
    is_i32,
    is_i64,
    is_index,
    operand,
    operands,
    result,
)
from ..memory_spaces import is_workgroup
from ..numerics import Array
from ..traits import ASYNC_COUNTER, TENSOR_COUNTER, UPDATES, WRITES, Completion, Effect
from ..types import DIALECT_TYPES, I1, BitsType, IndexType, MemRefType
from .constants import constant_int

PENDING_BITS = 29
PENDING, PHASE = (1 << PENDING_BITS) - 1, 7
MOST = 1 << 16
"""Participants: the hardware has 16 bits of the init count (CDNA5 ISA, "LDS barriers")."""


@dataclass(frozen=True, slots=True)
class DsBarrierStateType(BitsType):
    """In a memref: a barrier. As a value: what its state was."""

    width: ClassVar[int] = 64

    def __str__(self) -> str:
        return "!amdgpu.ds_barrier_state"


STATE = DsBarrierStateType()
DIALECT_TYPES[str(STATE)[1:]] = lambda parser: STATE
is_state = exactly(STATE)
is_barrier: Constraint[MemRefType] = Constraint(
    f"a memref of {STATE}", lambda t: isinstance(t, MemRefType) and t.element == STATE
)


def check_barrier(op: Operation, barrier: Value[MemRefType], indices: int, report: Report) -> None:
    """Reports what is wrong with a barrier that an operation names."""
    type = barrier.type
    if indices != type.rank:
        op.error(report, f"needs {type.rank} indices for {type}, found {indices}")
    if not is_workgroup(type.memory_space):
        op.error(report, f"is of barriers in workgroup memory (#gpu.address_space<workgroup>), found {type}")


class OnBarrierOp(Operation):
    """What is of one barrier, the element of `base` at `indices`."""

    pure = False
    belongs_to = "thread"
    base: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]


class DsBarrierInitOp(OnBarrierOp, opname="amdgpu.ds_barrier_init"):
    """Phase 0 begins, and each phase takes as many arrivals as there are `participants`."""

    base = operand(is_barrier, WRITES)
    indices = operands(is_index)
    participants = operand(is_i32)
    assembly = "$base `` `[` $indices `]` `,` $participants attr-dict `:` type($base) `,` type($participants)"

    def verify(self, report: Report) -> None:
        check_barrier(self, self.base, len(self.indices), report)
        known = constant_int(self.participants)
        if known is not None and not 1 <= known <= MOST:
            self.error(report, f"takes 1 to {MOST} participants, found {known}")


class DsBarrierPollStateOp(OnBarrierOp, opname="amdgpu.ds_barrier_poll_state"):
    """The state now."""

    awaits = (ASYNC_COUNTER, TENSOR_COUNTER)
    base = operand(is_barrier, UPDATES)
    indices = operands(is_index)
    out = result(is_state)
    assembly = "$base `` `[` $indices `]` attr-dict `:` type($base) `->` type($out)"

    def groups_left_of(self, completion: Completion) -> None:
        """What is over is what the arrivals that it sees were behind."""
        return

    def verify(self, report: Report) -> None:
        check_barrier(self, self.base, len(self.indices), report)


class DsBarrierArriveOp(OnBarrierOp, opname="amdgpu.ds_barrier_arrive"):
    """Arrives `count` times, not more often than arrivals are missing; the state before that."""

    base = operand(is_barrier, UPDATES)
    indices = operands(is_index)
    count = operand(is_i64)
    out = result(is_state)
    assembly = "$base `` `[` $indices `]` `,` $count attr-dict `:` type($base) `,` type($count) `->` type($out)"

    def verify(self, report: Report) -> None:
        check_barrier(self, self.base, len(self.indices), report)
        known = constant_int(self.count)
        if known is not None and not 1 <= known <= MOST:
            self.error(report, f"arrives 1 to {MOST} times, found {known}")


class DsAsyncBarrierArriveOp(OnBarrierOp, opname="amdgpu.ds_async_barrier_arrive"):
    """Each thread arrives once, behind all `amdgpu.global_load_async_to_lds` that it has issued: what they write is
    there for who sees that the phase is over. Nobody waits here; it is one of what `rocdl.s.wait.asynccnt` counts."""

    begins = ASYNC_COUNTER
    base = operand(is_barrier, UPDATES | Effect.LATER)
    indices = operands(is_index)
    assembly = "$base `` `[` $indices `]` attr-dict `:` type($base)"

    def verify(self, report: Report) -> None:
        check_barrier(self, self.base, len(self.indices), report)


class StatePartOp(Operation):
    """A part of a state."""

    pure = True
    batched = True
    state = operand(is_state)
    assembly = "$state attr-dict `:` type($state) `->` type($res)"
    lowest: ClassVar[int]
    bits: ClassVar[int]

    def reference(self, *operands: Array) -> Array:
        (state,) = operands
        part = state >> self.lowest & (1 << self.bits) - 1
        return np.asarray(part).astype(np.bool_ if self.results[0].type == I1 else np.int32)


class DsBarrierStatePhaseOp(StatePartOp, opname="amdgpu.ds_barrier_state_phase"):
    """The phase, 0 to 7."""

    res = result(is_i32)
    lowest, bits = PENDING_BITS, 3


class DsBarrierStatePendingCountOp(StatePartOp, opname="amdgpu.ds_barrier_state_pending_count"):
    """Arrivals that are missing, less one."""

    res = result(is_i32)
    lowest, bits = 0, PENDING_BITS


class DsBarrierStateInitCountOp(StatePartOp, opname="amdgpu.ds_barrier_state_init_count"):
    """Arrivals of a phase, less one."""

    res = result(is_i32)
    lowest, bits = 32, 32


class DsBarrierStatePhaseParityOp(StatePartOp, opname="amdgpu.ds_barrier_state_phase_parity"):
    """Whether the phase is odd."""

    res = result(is_i1)
    lowest, bits = PENDING_BITS, 1


ON_BARRIERS = DsBarrierInitOp, DsBarrierPollStateOp, DsBarrierArriveOp, DsAsyncBarrierArriveOp
PARTS = (
    DsBarrierStatePhaseOp,
    DsBarrierStatePendingCountOp,
    DsBarrierStateInitCountOp,
    DsBarrierStatePhaseParityOp,
)
