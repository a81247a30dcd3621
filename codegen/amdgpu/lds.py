"""Copies from global memory to LDS that no register sees, and waits for them.

LLVM waits for all copies before the first access of LDS that it cannot tell from theirs, and at each of its fences of
the workgroup. So accesses of LDS are marked as other than the copies (`SHARED_MARKS`), which is what the program
promises until it waits, and where copies may be under way a barrier has fences of the wave alone: those that order its
text, beside waits of their own. Copies that are done where they stand have a wait of ours behind the last in a row.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.core import Operation
from ...ir.dialects.amdgpu_lds import GatherToLDSOp, GlobalLoadAsyncToLDSOp, MemoryCounterWaitOp
from ...ir.dialects.rocdl_waits import CounterWaitOp, WaitAsynccntOp
from ..emit import integers
from ..emit.descriptor import BUFFER, GLOBAL, SHARED, Address, address, ssa
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import Ssa, integer
from .guarded import in_resource

SHARED_MARKS = ", !alias.scope !4, !noalias !3"
_COPY_MARKS = ", !alias.scope !3, !noalias !4"
METADATA = (
    '!5 = distinct !{!5, !"lds"}',
    '!6 = distinct !{!6, !5, !"copies"}',
    '!7 = distinct !{!7, !5, !"accesses"}',
    "!3 = !{!6}",
    "!4 = !{!7}",
)
"""The metadata of `SHARED_MARKS`."""
_REACH = 1 << 12
"""Bytes below which an instruction adds a number of its own to both its addresses."""
_NO_EXPORTS = 7 << 4
"""In the number of gfx9's `s_waitcnt`, which has vmcnt in two pieces, expcnt and lgkmcnt: no wait for exports."""
_NOT_AGAIN = 2
"""nt."""
_NOT_AGAIN_1250 = 1
"""TH_LOAD_NT."""
_NOWHERE = "inttoptr (i32 -1 to ptr addrspace(3))"
_MOST, _MOST_LOCAL = 63, 15
"""Operations that vmcnt and lgkmcnt can leave."""


def copies_to_lds(em: Emission) -> bool:
    return bool(em.all_of(GatherToLDSOp))


@AMD.of(GatherToLDSOp)
def _gather(em: Emission, op: GatherToLDSOp) -> None:
    em.require("global_load_lds" if op.bytes <= 4 else "global_load_lds.16")
    w, source, target = em.w, em.memref(op.src), em.memref(op.dst)
    if op.async_ is None and not _is_at_once(_before(op)):
        _wait(em, accesses=0)
    if source.space not in (GLOBAL, BUFFER) or target.space != SHARED:
        raise em.error(f"copies from global to workgroup memory, found {op.src.type} and {op.dst.type}")
    origin = address(w, source, em.scalars(op.srcIndices))
    place = address(w, target.rebased(order=None), em.scalars(op.dstIndices))
    near = place.bytes % _REACH
    base = _same_in_subgroup(em, place._replace(bytes=place.bytes - near))
    size, end = integer(op.bytes, "i32"), (integer(near, "i32"), integer(_NOT_AGAIN * em.nontemporal, "i32"))
    if source.space == BUFFER:
        pointer = origin._replace(bytes=origin.bytes - near).pointer(w)
        _call(em, "llvm.amdgcn.load.to.lds.p7", pointer, base, size, *end)
    elif origin.memref.near and em.chip.supports("raw_buffer"):
        resource, offset, moving = in_resource(em, origin)
        offset = integers.add(w, offset, integer(-near, "i32"))
        _call(em, "llvm.amdgcn.raw.ptr.buffer.load.lds", resource, base, size, offset, moving, *end)
    else:
        pointer = origin._replace(bytes=origin.bytes - near).pointer(w)
        _call(em, "llvm.amdgcn.global.load.lds", pointer, base, size, *end)
    if op.async_ is None and not _is_at_once(_behind(op)):
        _wait(em, copies=0)


def _is_at_once(op: Operation | None) -> bool:
    return isinstance(op, GatherToLDSOp) and op.async_ is None


def _before(op: Operation) -> Operation | None:
    """The operation in front of it that does more than compute."""
    assert op.parent is not None
    earlier = op.parent.operations[: op.parent.position(op)]
    return next((other for other in reversed(earlier) if not other.pure), None)


def _behind(op: Operation) -> Operation | None:
    assert op.parent is not None
    later = op.parent.operations[op.parent.position(op) + 1 :]
    return next((other for other in later if not other.pure), None)


def _call(em: Emission, name: str, *operands: Ssa) -> None:
    em.w.call_void(name, *operands, marks=_COPY_MARKS)


def _same_in_subgroup(em: Emission, place: Address) -> Ssa:
    """The pointer, in a scalar register: what a loop moves is added to what all lanes are told to be the same."""
    w, size = em.w, integer(place.memref.element_bits // 8, "i32")
    pointer = place.memref.base
    for part in (place.elements, *place.steps):
        if part != 0:
            offset = integers.mul(w, integers.low_word(w, ssa(part)), size)
            same = w.call("i32", "llvm.amdgcn.readfirstlane.i32", offset, ahead=True)
            pointer = w.behind("i8", pointer, same)
    if place.moving != 0:
        offset = integers.mul(w, integers.low_word(w, ssa(place.moving)), size)
        pointer = w.behind("i8", pointer, offset)
    return w.behind("i8", pointer, integer(place.bytes, "i32")) if place.bytes else pointer


@AMD.of(MemoryCounterWaitOp)
def _memory_counter_wait(em: Emission, op: MemoryCounterWaitOp) -> None:
    if op.load is not None:
        if not em.chip.supports("global_load_lds"):
            raise em.error(f"waits for copies to workgroup memory, which {em.chip.name} does not have")
        _wait(em, copies=min(op.load, _MOST))
    if op.tensor is not None:
        em.require("tensor_dma")
        left = integer(min(op.tensor, _MOST), "i16")
        ordered(em, lambda: em.w.call_void("llvm.amdgcn.s.wait.tensorcnt", left))


@AMD.of(WaitAsynccntOp)
def _wait_for_counter(em: Emission, op: CounterWaitOp) -> None:
    em.require("async_lds")
    ordered(
        em,
        lambda: em.w.call_void(f"llvm.amdgcn.{op.opname.removeprefix('rocdl.')}", integer(min(op.count, _MOST), "i16")),
    )


@AMD.of(GlobalLoadAsyncToLDSOp)
def _load_async(em: Emission, op: GlobalLoadAsyncToLDSOp) -> None:
    """Where nothing is to be written the lane says a place that LDS does not have. LLVM counts no such copy, and waits
    for none."""
    em.require("async_lds")
    w, source, target = em.w, em.memref(op.src), em.memref(op.dst)
    if source.space != GLOBAL or target.space != SHARED:
        raise em.error(f"copies from global to workgroup memory, found {op.src.type} and {op.dst.type}")
    pointer = address(w, source, em.scalars(op.srcIndices)).pointer(w)
    place = placed(w, address(w, target, em.scalars(op.dstIndices))).pointer(w)
    if op.mask is not None:
        place = w.select(em.scalar(op.mask), place, Ssa(_NOWHERE, place.type))
    policy = integer(_NOT_AGAIN_1250 * em.nontemporal, "i32")
    w.call_void(f"llvm.amdgcn.global.load.async.to.lds.b{8 * op.bytes}", pointer, place, integer(0, "i32"), policy)


def _wait(em: Emission, copies: int = _MOST, accesses: int = _MOST_LOCAL) -> None:
    """Until so many are left."""
    counters = copies & 15 | copies >> 4 << 14 | _NO_EXPORTS | accesses << 8
    ordered(em, lambda: em.w.call_void("llvm.amdgcn.s.waitcnt", integer(counters, "i32")))


def ordered(em: Emission, wait: Callable[[], object]) -> None:
    """The fences keep LLVM from moving accesses over it."""
    em.w.do('fence syncscope("wavefront") release')
    wait()
    em.w.do('fence syncscope("wavefront") acquire')
