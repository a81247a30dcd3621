"""Buffers that the program reaches through a resource: LLVM's pointers that carry one, and split it off again; and
what a program says to caches."""

from __future__ import annotations

from ...ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ...ir.dialects.amdgpu_prefetch import GlobalPrefetchOp
from ...ir.dialects.lanewise_update import UpdatePairOp
from ...ir.types import element_count
from ..emit import integers
from ..emit.descriptor import BUFFER, GLOBAL, NEAR_BYTES, Descriptor, Extent, address, plus, pointer_type, ssa, times
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.pack import Pack
from ..emit.text import Ssa, integer

_CDNA_WORD, _RDNA_WORD = 0x00027000, 0x01027000
"""Word 3 of a resource, as MLIR's `amdgpu` dialect lowers its own: elements of 32 bits."""
_CHECK_RAW, _CHECK_NOTHING = 3 << 28, 2 << 28
"""How RDNA compares an offset with the size; CDNA always does as if it were raw."""
_SWIZZLE = 1 << 14
"""In the stride's word: lines change places in the first cache, by the stride."""
_LARGEST = (1 << 32) - 1
"""Bytes that a resource counts at most."""


@AMD.of(FatRawBufferCastOp)
def _fat_raw_buffer_cast(em: Emission, op: FatRawBufferCastOp) -> None:
    em.require("raw_buffer")
    w, source = em.w, em.memref(op.source)
    if source.space != GLOBAL:
        raise em.error(f"casts a buffer in global memory, found {op.source.type}")
    base = source.base
    if op.begins_at_offset and source.offset != 0:
        distance = times(w, source.offset, source.element_bits // 8)
        base = w.behind("i8", base, ssa(distance))
    offset = 0 if op.begins_at_offset else source.offset
    if op.validBytes is None:
        bytes_ = _bytes(em, source, offset)
    else:
        bytes_ = integers.resize(w, em.scalar(op.validBytes), "i64", signed=False)
    checks = _CHECK_RAW if op.is_checked else _CHECK_NOTHING
    word = _CDNA_WORD if em.chip.supports("raw_buffer.gfx9") else _RDNA_WORD | checks
    least = integers.select(w, integers.compare(w, "ult", bytes_, integer(_LARGEST)), bytes_, integer(_LARGEST))
    operands = (base, _stride(em, op), least, integer(word, "i32"))
    type = pointer_type(BUFFER)
    fat = w.call(type, "llvm.amdgcn.make.buffer.rsrc.p7.p1", *operands)
    known = bytes_.number is not None and bytes_.number <= NEAR_BYTES
    near = op.is_checked and (known or (source.near and op.validBytes is None))
    em.set(op.result_, source.rebased(base=fat, space=BUFFER, offset=offset, near=near, is_fat=True))


@AMD.of(GlobalPrefetchOp)
def _global_prefetch(em: Emission, op: GlobalPrefetchOp) -> None:
    em.require("global_prefetch")
    place = address(em.w, em.memref(op.src), em.scalars(op.indices))
    em.w.call_void("llvm.amdgcn.global.prefetch", place.pointer(em.w), integer(op.policy, "i32"))


@AMD.of(UpdatePairOp)
def _update_pair(em: Emission, op: UpdatePairOp) -> None:
    w = em.w
    place = address(w, em.memref(op.memref), em.scalars(op.indices))
    value = em.pack(op.value).vector(w)
    scope = em.machine.atomic_scopes[BUFFER]
    update = f'atomicrmw fadd {place.pointer(w)}, {value} syncscope("{scope}") monotonic, align 4'
    found = w.fresh(update + em.machine.atomic_facts, value.type)
    em.set(op.result_, Pack.of_vector(found, element_count(op.value.type)))


def _bytes(em: Emission, memref: Descriptor, offset: Extent) -> Ssa:
    """Behind the offset the greatest extent times stride, of a memref that has dimensions."""
    w = em.w
    most: Ssa = integer(0 if memref.sizes else 1)
    for size, stride in zip(memref.sizes, memref.strides, strict=True):
        reach = ssa(times(w, size, stride))
        most = integers.select(w, integers.compare(w, "sgt", reach, most), reach, most)
    elements = ssa(plus(w, offset, most if most.number is None else most.number))
    if memref.element_bits >= 8:
        return integers.mul(w, elements, integer(memref.element_bits // 8))
    bits = integers.mul(w, elements, integer(memref.element_bits))
    return integers.binary(w, "lshr", integers.add(w, bits, integer(7)), integer(3))


def _stride(em: Emission, op: FatRawBufferCastOp) -> Ssa:
    """Where no cache can be swizzled so, there is nothing to say."""
    if op.cacheSwizzleStride is None or not em.chip.supports("cache_swizzle"):
        return integer(0, "i16")
    w = em.w
    stride = w.convert("zext", em.scalar(op.cacheSwizzleStride), "i16")
    return integers.binary(w, "or", stride, integer(_SWIZZLE, "i16"))
