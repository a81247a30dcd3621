"""Copies from global memory to LDS that no register sees, waits for them, and reads of LDS across rows.

LLVM waits for all copies before the first access of LDS that it cannot tell from theirs, and at each of its fences of
the workgroup. So accesses of LDS are marked as other than the copies (`SHARED_MARKS`), which is what the program
promises until it waits, and where copies may be under way a barrier has fences of the wave alone: those that order its
text, beside waits of their own.
"""

from __future__ import annotations

from ...ir.core import Value
from ...ir.dialects.amdgpu_lds import GatherToLDSOp, MemoryCounterWaitOp, TransposeLoadOp
from ..emit import integers
from ..emit.descriptor import BUFFER, GLOBAL, SHARED, Address, Descriptor, address, ssa
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.orders import placed
from ..emit.pack import Pack
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
"""Of `SHARED_MARKS`."""
_REACH = 1 << 12
"""Bytes below which an instruction adds a number of its own to both its addresses."""
_NO_WAIT = 63 & 15 | 63 >> 4 << 14 | 7 << 4 | 15 << 8
"""`s_waitcnt` of gfx9 that waits for nothing: vmcnt in two pieces, expcnt, lgkmcnt."""
_NOT_AGAIN = 2
"""nt."""
_MOST = 63
"""Operations that vmcnt can leave."""


def copies_to_lds(em: Emission) -> bool:
    return bool(em.all_of(GatherToLDSOp))


@AMD.of(GatherToLDSOp)
def _gather(em: Emission, op: GatherToLDSOp) -> None:
    em.require("global_load_lds" if op.bytes <= 4 else "global_load_lds.16")
    w, source, target = em.w, em.memref(op.src), em.memref(op.dst)
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
            pointer = w.pure(f"getelementptr i8, {pointer}, {same}", pointer.type)
    if place.moving != 0:
        offset = integers.mul(w, integers.low_word(w, ssa(place.moving)), size)
        pointer = w.pure(f"getelementptr i8, {pointer}, {offset}", pointer.type)
    return w.pure(f"getelementptr i8, {pointer}, i32 {place.bytes}", pointer.type) if place.bytes else pointer


@AMD.of(MemoryCounterWaitOp)
def _wait(em: Emission, op: MemoryCounterWaitOp) -> None:
    """The fences keep LLVM from moving what is marked over it."""
    if not em.chip.supports("global_load_lds"):
        raise em.error(f"waits for copies to workgroup memory, which {em.chip.name} does not have")
    left = min(op.left, _MOST)
    em.w.do('fence syncscope("wavefront") release')
    em.w.call_void("llvm.amdgcn.s.waitcnt", integer(_NO_WAIT & ~(15 | 3 << 14) | left & 15 | left >> 4 << 14, "i32"))
    em.w.do('fence syncscope("wavefront") acquire')


@AMD.of(TransposeLoadOp)
def _transpose_load(em: Emission, op: TransposeLoadOp) -> None:
    em.require("ds_read_tr")
    place = placed(em.w, address(em.w, _workgroup(em, op.src), em.scalars(op.srcIndices)))
    name = "llvm.amdgcn.ds.read.tr16.b64.v4i16"
    words = em.w.call_fresh("<4 x i16>", name, place.pointer(em.w), marks=em.shared_marks)
    em.set(op.res, Pack.of_vector(em.w.bitcast(words, em.type(op.res.type)), op.res.type.elements))


def _workgroup(em: Emission, memory: Value) -> Descriptor:
    found = em.memref(memory)
    if found.space != SHARED:
        raise em.error(f"reads workgroup memory, found {memory.type}")
    return found
