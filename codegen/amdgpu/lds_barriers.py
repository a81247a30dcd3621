"""Barriers whose state lies in LDS (gfx1250): arrivals release what was done before them, and who looks acquires it."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Value
from ...ir.dialects.amdgpu_barriers import (
    PARTS,
    PENDING,
    DsAsyncBarrierArriveOp,
    DsBarrierArriveOp,
    DsBarrierInitOp,
    DsBarrierPollStateOp,
    StatePartOp,
)
from ...ir.types import MemRefType
from ..emit import integers
from ..emit.descriptor import SHARED, address
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import Ssa, integer

_ORDERED = 'syncscope("workgroup")'


def barrier_at(em: Emission, base: Value[MemRefType], indices: Sequence[Value]) -> Ssa:
    """The pointer to a barrier."""
    em.require("async_lds")
    found = em.memref(base)
    if found.space != SHARED:
        raise em.error(f"is of barriers in workgroup memory, found {base.type}")
    return placed(em.w, address(em.w, found, em.scalars(indices))).pointer(em.w)


@AMD.of(DsBarrierInitOp)
def _init(em: Emission, op: DsBarrierInitOp) -> None:
    w = em.w
    count = integers.binary(w, "add", em.scalar(op.participants), integer(-1, "i32"))
    count = integers.resize(w, integers.binary(w, "and", count, integer(PENDING, "i32")), "i64", signed=False)
    state = integers.binary(w, "or", integers.binary(w, "shl", count, integer(32, "i64")), count)
    w.do(f"store atomic {state}, {barrier_at(em, op.base, op.indices)} {_ORDERED} release, align 8")


@AMD.of(DsBarrierPollStateOp)
def _poll(em: Emission, op: DsBarrierPollStateOp) -> None:
    pointer = barrier_at(em, op.base, op.indices)
    em.set(op.out, em.w.fresh(f"load atomic i64, {pointer} {_ORDERED} acquire, align 8", "i64"))


@AMD.of(DsBarrierArriveOp)
def _arrive(em: Emission, op: DsBarrierArriveOp) -> None:
    pointer = barrier_at(em, op.base, op.indices)
    em.w.do(f"fence {_ORDERED} release")
    name = "llvm.amdgcn.ds.atomic.barrier.arrive.rtn.b64"
    em.set(op.out, em.w.call_fresh("i64", name, pointer, em.scalar(op.count)))


@AMD.of(DsAsyncBarrierArriveOp)
def _arrive_behind(em: Emission, op: DsAsyncBarrierArriveOp) -> None:
    """In order behind the thread's copies; other accesses are released before it."""
    pointer = barrier_at(em, op.base, op.indices)
    em.w.do(f"fence {_ORDERED} release")
    em.w.call_void("llvm.amdgcn.ds.atomic.async.barrier.arrive.b64", pointer)


@AMD.of(*PARTS)
def _part(em: Emission, op: StatePartOp) -> None:
    w, (result,) = em.w, op.results
    part = integers.binary(w, "lshr", em.scalar(op.state), integer(op.lowest, "i64"))
    part = integers.binary(w, "and", part, integer((1 << op.bits) - 1, "i64"))
    em.set(result, w.convert("trunc", part, em.type(result.type)))
