"""Rules for barriers whose state lies in LDS: copies land when somebody sees that an arrival behind them counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.core import Operation
from ..ir.dialects.amdgpu_barriers import (
    MOST,
    PENDING,
    PENDING_BITS,
    PHASE,
    DsAsyncBarrierArriveOp,
    DsBarrierArriveOp,
    DsBarrierInitOp,
    DsBarrierPollStateOp,
    OnBarrierOp,
)
from ..ir.dialects.amdgpu_tensor import TensorCopyOp
from ..ir.numerics import Array
from ..ir.traits import ASYNC_COUNTER
from .accesses import claim_atomic, write
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .handing_on import learn, told_by
from .memory import ELEMENT, Access
from .rules_async_groups import groups_of
from .rules_copies import Placed, Side
from .rules_tma import of_each
from .tellings import Telling


def _side(op: OnBarrierOp, c: Compiler) -> Side:
    return Side(c.site(op, "writes"), c.slot(op.base), c.slots(op.indices), ELEMENT, None)


def _telling(m: State, access: Access, place: int) -> Telling:
    return m.tellings.setdefault((access.memref.buffer, place), Telling())


def _claim(m: State, access: Access) -> Array:
    """The places of barriers, one an owner, that are touched in one step each."""
    known = [i for i, other in enumerate(m.run.operations) if other.is_atomic or isinstance(other, TensorCopyOp)]
    claim_atomic(m, access, np.array(known, np.uint64))
    return access.positions.reshape(-1)


def _of_all(m: State, owners: Array, found: Sequence[int]) -> Array:
    """A value of the active owners."""
    values = np.zeros(m.batch.size, np.int64)
    values[owners] = found
    return values


@EVALUATE.of(DsBarrierInitOp)
def _init(op: DsBarrierInitOp, c: Compiler) -> Step:
    side, participants = _side(op, c), c.slot(op.participants)

    def step(m: State) -> None:
        owners = m.present()
        counts = of_each(m, owners, participants)
        wrong = next((i for i, n in enumerate(counts) if not 1 <= n <= MOST), None)
        if wrong is not None:
            raise failure(op, f"{m.at(int(owners[wrong]))}takes 1 to {MOST} participants, found {counts[wrong]}")
        m.settle(op, [participants, *side.indices])
        access = side.at(m).access(m, owners).per_owner()
        write(m, access, _of_all(m, owners, [n - 1 | n - 1 << 32 for n in counts]))
        for place in access.positions.reshape(-1).tolist():
            m.tellings[access.memref.buffer, place] = Telling()

    return step


@EVALUATE.of(DsBarrierPollStateOp)
def _poll(op: DsBarrierPollStateOp, c: Compiler) -> Step:
    side, out = _side(op, c), c.slot(op.out)

    def step(m: State) -> None:
        owners = m.present()
        m.settle(op, side.indices)
        access = side.at(m).access(m, owners).per_owner()
        for completion in op.awaits:
            groups_of(m, op, completion).reach(access.memref.buffer, access.positions)
        places = _claim(m, access)
        cells = access.memref.buffer.typed(access.memref.dtype)
        m.values[out] = _of_all(m, owners, cells[places].tolist())
        seen = [(_telling(m, access, place), owner) for place, owner in zip(places.tolist(), owners, strict=True)]
        learn(m, owners, seen)

    return step


@EVALUATE.of(DsBarrierArriveOp)
def _arrive(op: DsBarrierArriveOp, c: Compiler) -> Step:
    """One owner after the other."""
    side, count, out = _side(op, c), c.slot(op.count), c.slot(op.out)

    def step(m: State) -> None:
        owners = m.present()
        m.settle(op, [count, *side.indices])
        m.values[out] = _of_all(m, owners, arrive(m, op, side.at(m), owners, of_each(m, owners, count)))

    return step


@EVALUATE.of(DsAsyncBarrierArriveOp)
def _arrive_behind(op: DsAsyncBarrierArriveOp, c: Compiler) -> Step:
    side = _side(op, c)

    def step(m: State) -> None:
        owners, place = m.present(), side.at(m)
        m.settle(op, side.indices)
        access = place.access(m, owners).per_owner()

        def land(some: Array) -> None:
            arrive(m, op, place, some, [1] * some.size)

        groups = groups_of(m, op, ASYNC_COUNTER)
        groups.begin(owners, land, (access.memref.buffer, access.positions.reshape(-1)))
        groups.end_group(owners)

    return step


def arrive(m: State, op: Operation, place: Placed, owners: Array, counts: Sequence[int]) -> list[int]:
    """Each of these owners arrives so often; the states that they found."""
    access, found = place.access(m, owners).per_owner(), list[int]()
    places, cells = _claim(m, access), access.memref.buffer.typed(access.memref.dtype)
    for owner, where, count, told in zip(owners.tolist(), places.tolist(), counts, told_by(m, owners), strict=True):
        state = int(cells[where])
        missing = (state & PENDING) + 1
        if not 1 <= count <= missing:
            words = f"arrives {count} times where {missing} of {(state >> 32) + 1} arrivals are missing"
            raise failure(op, f"{m.at(owner)}{words}")
        telling = _telling(m, access, where)
        telling.tell(told)
        found.append(state)
        cells[where] = state - count
        if count == missing:
            telling.end_phase()
            phase = (state >> PENDING_BITS) - 1 & PHASE
            cells[where] = state >> 32 << 32 | phase << PENDING_BITS | state >> 32
    return found
