"""amdgpu's accesses that make a raw buffer of their memref: a cast of the memref, and an access of its elements in a
row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..ir.attributes import IntegerAttr, UnitAttr
from ..ir.core import Block, Builder, Region, Value
from ..ir.dialects import arith, memref
from ..ir.dialects.amdgpu_address_space import FAT_RAW_BUFFER
from ..ir.dialects.amdgpu_buffers import FatRawBufferCastOp, buffer_type
from ..ir.dialects.amdgpu_raw_accesses import (
    RawBufferAtomicCmpswapOp,
    RawBufferAtomicOp,
    RawBufferLoadOp,
    RawBufferOp,
    RawBufferStoreOp,
)
from ..ir.dialects.arith import BitcastOp, IndexCastOp, IntegerPredicateAttr
from ..ir.dialects.lanewise_update import UpdatePairOp
from ..ir.dialects.longhand import constant
from ..ir.dialects.memref_buffers import AtomicYieldOp, GenericAtomicRMWOp
from ..ir.dialects.memref_views import Mixed
from ..ir.dialects.vector_memory import LoadOp, StoreOp
from ..ir.types import I64, INDEX, FloatType, IntegerType, MemRefType, Type, element_count, memory_bits, scalar_type
from .legalisations import Place, expands
from .reinterpreted import metadata, reinterpreted, times

_WORD = 4


def _located(build: Builder, op: RawBufferOp) -> tuple[Value, Value]:
    """The raw buffer as one of elements in a row, and which of them is meant."""
    memory, indices, common = op.place
    type = memory.type
    checks = {"boundsCheck": op.boundsCheck, "resetOffset": UnitAttr()}
    buffer = build.value(FatRawBufferCastOp, memory, [], [], types=[buffer_type(type, reset=True)], **checks)
    _, _, strides = metadata(build, memory)
    row = MemRefType((1,), type.element, None, FAT_RAW_BUFFER)
    flat = reinterpreted(build, buffer, row, 0, [1], [1])
    found: list[Mixed] = [times(build, _index(build, i), s) for i, s in zip(indices, strides, strict=True)]
    more = 0 if op.indexOffset is None else op.indexOffset.value
    found += [_index(build, common)] if common is not None else []
    terms = [v for v in found if isinstance(v, Value)]
    if more or not terms:
        terms.append(constant(build, more, INDEX))
    return flat, reduce(lambda a, b: build.value(arith.AddIOp, a, b), terms)


def _index(build: Builder, number: Value) -> Value:
    """As an index. One that was cut to 32 bits may stay whole: as distances do, bytes count modulo 2^32."""
    maker = number.operation
    if isinstance(maker, IndexCastOp) and maker.in_.type == INDEX:
        return maker.in_
    return build.value(IndexCastOp, number, types=[INDEX])


@expands(RawBufferLoadOp)
def _load(place: Place, op: RawBufferLoadOp) -> Sequence[Value]:
    flat, index = _located(place, op)
    type = op.value.type
    if not type.is_vector:
        return [place.value(memref.LoadOp, flat, [index])]
    return [place.value(LoadOp, flat, [index], types=[type], alignment=_alignment(type))]


@expands(RawBufferStoreOp)
def _store(place: Place, op: RawBufferStoreOp) -> Sequence[Value]:
    flat, index = _located(place, op)
    type = op.value.type
    if not type.is_vector:
        place.op(memref.StoreOp, op.value, flat, [index])
    else:
        place.op(StoreOp, op.value, flat, [index], alignment=_alignment(type))
    return []


def _alignment(type: Type) -> IntegerAttr:
    """What goes in one piece lies at a multiple of its size, at most of a word."""
    return IntegerAttr(min(_WORD, element_count(type) * memory_bits(scalar_type(type)) // 8), I64)


@expands(RawBufferAtomicOp)
def _update(place: Place, op: RawBufferAtomicOp) -> Sequence[Value]:
    flat, index = _located(place, op)
    if op.value.type.is_vector:
        return [place.value(UpdatePairOp, op.value, flat, [index])]
    return [place.value(memref.AtomicRMWOp, op.value, flat, [index], kind=op.kind)]


@expands(RawBufferAtomicCmpswapOp)
def _swap(place: Place, op: RawBufferAtomicCmpswapOp) -> Sequence[Value]:
    flat, index = _located(place, op)
    block = Block([op.src.type])
    made = place.op(GenericAtomicRMWOp, flat, [index], regions=[Region([block])])
    inner = Builder(block, place.location)
    (there,) = block.arguments
    bits = [_bits(inner, v) for v in (there, op.cmp)]
    same = inner.value(arith.CmpIOp, *bits, predicate=IntegerPredicateAttr("eq"))
    chosen = inner.value(arith.SelectOp, same, op.src, there, types=[there.type])
    inner.op(AtomicYieldOp, chosen)
    return [made.result_]


def _bits(build: Builder, value: Value) -> Value:
    type = value.type
    return build.value(BitcastOp, value, types=[IntegerType(type.width)]) if isinstance(type, FloatType) else value
