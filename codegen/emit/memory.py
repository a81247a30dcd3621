"""memref and the memory operations of vector: views are descriptors, accesses are loads and stores."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ...ir.attributes import IntegerAttr
from ...ir.core import Value
from ...ir.dialects import memref, vector
from ...ir.types import Type, VectorType, element_type, memory_bits
from . import integers, wide_access
from .descriptor import Address, Descriptor, Extent, address, plus, row_major, ssa, times
from .emission import Emission
from .emit_rules import EMIT
from .pack import Pack
from .text import Ssa, integer

# -- views ----------------------------------------------------------------------------------------------------------


@EMIT.of(memref.AllocOp)
def _alloc(em: Emission, op: memref.AllocOp) -> None:
    em.set(op.memref, em.allocated[op])


@EMIT.of(memref.DeallocOp)
def _dealloc(em: Emission, op: memref.DeallocOp) -> None:
    """Nothing: workgroup memory lives as long as the kernel."""


@EMIT.of(memref.CastOp)
def _cast(em: Emission, op: memref.CastOp) -> None:
    em.alias(op.result_, op.source)


@EMIT.of(memref.AssumeAlignmentOp)
def _assume_alignment(em: Emission, op: memref.AssumeAlignmentOp) -> None:
    em.alias(op.result_, op.memref)


@EMIT.of(memref.DimOp)
def _dim(em: Emission, op: memref.DimOp) -> None:
    source, index = em.memref(op.memref), em.scalar(op.index)
    chosen = ssa(source.sizes[-1]) if source.sizes else integer(0)
    for i, size in reversed(list(enumerate(source.sizes[:-1]))):
        chosen = integers.select(em.w, integers.compare(em.w, "eq", index, integer(i)), ssa(size), chosen)
    em.set(op.result_, chosen)


@EMIT.of(memref.ViewOp)
def _view(em: Emission, op: memref.ViewOp) -> None:
    source = em.memref(op.source)
    if source.order is not None:
        raise em.error("views bytes of a buffer whose elements lie in an order of their own")
    shift = plus(em.w, source.offset, _extent(em.scalar(op.byte_shift)))
    base = source.base
    if shift != 0:
        base = em.w.behind("i8", base, ssa(shift))
    type = op.result_.type
    given = iter(em.scalars(op.sizes))
    sizes = tuple(_extent(next(given)) if n is None else n for n in type.shape)
    strides = row_major(em.w, sizes)
    bits = memory_bits(type.element)
    view = source.rebased(base=base, element_bits=bits, offset=0, sizes=sizes, strides=strides, near=False)
    em.set(op.result_, view)


@EMIT.of(memref.SubViewOp)
def _subview(em: Emission, op: memref.SubViewOp) -> None:
    source, w = em.memref(op.source), em.w
    offsets, sizes, steps = ([mixed(em, n) for n in numbers] for numbers in op.mixed())
    offset = source.offset
    for start, stride in zip(offsets, source.strides, strict=True):
        offset = plus(w, offset, times(w, start, stride))
    strides = [times(w, step, stride) for step, stride in zip(steps, source.strides, strict=True)]
    kept = op.kept_dims()
    view = source.rebased(offset=offset, sizes=tuple(sizes[d] for d in kept), strides=tuple(strides[d] for d in kept))
    em.set(op.result_, view)


def mixed(em: Emission, number: int | Value) -> Extent:
    return number if isinstance(number, int) else _extent(em.scalar(number))


def _extent(value: Ssa) -> Extent:
    return value if value.number is None else value.number


# -- single elements ------------------------------------------------------------------------------------------------


def locate(em: Emission, source: Value, indices: Sequence[Value]) -> tuple[Descriptor, Address]:
    """A memref, and where one of its elements is."""
    found = em.memref(source)
    return found, address(em.w, found, em.scalars(indices))


@EMIT.of(memref.LoadOp)
def _load(em: Emission, op: memref.LoadOp) -> None:
    found, place = locate(em, op.memref, op.indices)
    loaded = wide_access.load(em, found, place, em.stored_type(op.result_.type), 1, found.element_bits)
    em.set_pack(op.result_, wide_access.from_memory(em, loaded.elements(em.w), em.type(op.result_.type)))


@EMIT.of(memref.StoreOp)
def _store(em: Emission, op: memref.StoreOp) -> None:
    found, place = locate(em, op.memref, op.indices)
    values = wide_access.to_memory(em, [em.scalar(op.value)], op.value.type)
    wide_access.store(em, found, place, values, found.element_bits)


# -- packs ----------------------------------------------------------------------------------------------------------


def _alignment(em: Emission, found: Descriptor, attribute: IntegerAttr | int | None) -> int:
    """Bits that the operation proves its address to be a multiple of; its element's at least."""
    if attribute is None:
        return found.element_bits
    number = attribute.value if isinstance(attribute, IntegerAttr) else attribute
    if number & (number - 1):
        raise em.error(f"alignment must be a power of two, found {number}")
    most = 8 * number if found.order is None else gcd(8 * number, found.order.access * found.element_bits)
    return max(most, found.element_bits)


def _pack_place(em: Emission, source: Value, indices: Sequence[Value], type: Type) -> tuple[Descriptor, Address]:
    found, place = locate(em, source, indices)
    if isinstance(type, VectorType) and type.rank > 1:
        raise em.error(f"moves a {type}; a thread's memory accesses have one dimension")
    is_pack = isinstance(type, VectorType) and type.elements > 1
    if is_pack and found.strides and found.strides[-1] != 1:
        raise em.error(f"needs a last dimension of stride 1, found a memref of type {source.type}")
    return found, place


def _bind_loaded(em: Emission, result: Value, loaded: Pack) -> None:
    type = em.type(element_type(result.type))
    if type == em.stored_type(result.type):
        em.set(result, loaded)
    else:
        em.set_pack(result, wide_access.from_memory(em, loaded.elements(em.w), type))


@EMIT.of(vector.LoadOp)
def _load_pack(em: Emission, op: vector.LoadOp) -> None:
    type = op.result_.type
    found, place = _pack_place(em, op.memref, op.indices, type)
    alignment = _alignment(em, found, op.alignment)
    _bind_loaded(em, op.result_, wide_access.load(em, found, place, em.stored_type(type), type.elements, alignment))


@EMIT.of(vector.StoreOp)
def _store_pack(em: Emission, op: vector.StoreOp) -> None:
    found, place = _pack_place(em, op.memref, op.indices, op.value.type)
    values = wide_access.to_memory(em, em.elements(op.value), op.value.type)
    wide_access.store(em, found, place, values, _alignment(em, found, op.alignment))


@EMIT.of(vector.MaskedLoadOp)
def _masked_load(em: Emission, op: vector.MaskedLoadOp) -> None:
    found, place = _pack_place(em, op.memref, op.indices, op.result_.type)
    other = wide_access.to_memory(em, em.elements(op.pass_thru), op.pass_thru.type)
    alignment = _alignment(em, found, op.alignment)
    _bind_loaded(em, op.result_, wide_access.masked_load(em, found, place, em.elements(op.mask), other, alignment))


@EMIT.of(vector.MaskedStoreOp)
def _masked_store(em: Emission, op: vector.MaskedStoreOp) -> None:
    found, place = _pack_place(em, op.memref, op.indices, op.value.type)
    values = wide_access.to_memory(em, em.elements(op.value), op.value.type)
    wide_access.masked_store(em, found, place, em.elements(op.mask), values, _alignment(em, found, op.alignment))
