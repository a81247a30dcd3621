"""What a value is while regions hand it on: one LLVM value, or for a memref all of its descriptor that its type leaves
open."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...ir.core import Value
from ...ir.define import is_memref
from ...ir.dialects.memref import PRIVATE_MEMORY
from ...ir.memory_spaces import CLUSTER as CLUSTER_MEMORY
from ...ir.memory_spaces import is_fat_buffer, is_workgroup
from ...ir.types import MemRefType, memory_bits
from ...support.patterns import regex
from .descriptor import BUFFER, CLUSTER, GLOBAL, PRIVATE, SHARED, Descriptor, Extent, ssa
from .emission import Emission
from .text import Ssa


def parts_of(em: Emission, values: Sequence[Value]) -> list[Ssa]:
    """The parts of all values, in order."""
    return [part for value in values for part in _parts(em, value)]


def _parts(em: Emission, value: Value) -> list[Ssa]:
    if not is_memref.admits(value):
        carried = em.scalar(value)
        return [em.w.bitcast(carried, _carrier(em, carried.type))]
    given = em.memref(value)
    if given.space != space_of(value.type):
        raise em.error(f"hands on a {value.type}, whose type does not name the memory that it lies in")
    stated = _stated(value.type)
    found = [given.offset, *given.sizes, *given.strides]
    return [given.base, *(ssa(f) for f, number in zip(found, stated, strict=True) if number is None)]


_BYTES = regex(r"<(\d+) x i8>", re.ASCII)


def _carrier(em: Emission, type: str) -> str:
    """The type in which a value is handed on; bytes go as words: LLVM's code generation for AMD hands on each byte in a
    register of its own."""
    found = _BYTES.fullmatch(type)
    if found is None or not em.machine.permute_bytes or int(found[1]) % 4:
        return type
    return f"<{int(found[1]) // 4} x i32>" if int(found[1]) > 4 else "i32"


def space_of(type: MemRefType) -> int:
    """Where a memref lies as far as its type says."""
    if is_workgroup(type.memory_space):
        return SHARED
    if is_fat_buffer(type.memory_space):
        return BUFFER
    if type.memory_space == CLUSTER_MEMORY:
        return CLUSTER
    return PRIVATE if str(type.memory_space) in PRIVATE_MEMORY else GLOBAL


def _stated(type: MemRefType) -> list[int | None]:
    """Offset, sizes and strides, as far as the type says them."""
    strides, offset = type.strides_and_offset()
    return [offset, *type.shape, *strides]


def bind(em: Emission, values: Sequence[Value], parts: Sequence[Ssa]) -> None:
    """The inverse: gives the parts out to `values`."""
    rest = iter(parts)
    for value in values:
        if not is_memref.admits(value):
            part, type = next(rest), em.type(value.type)
            em.set_llvm(value, em.w.bitcast(part, type) if part.type == _carrier(em, type) else part)
            continue
        base = next(rest)
        offset, *extents = (_extent(next(rest)) if number is None else number for number in _stated(value.type))
        rank = value.type.rank
        bits = memory_bits(value.type.element)
        sizes, strides = tuple(extents[:rank]), tuple(extents[rank:])
        is_fat = is_fat_buffer(value.type.memory_space)
        em.set(value, Descriptor(base, space_of(value.type), bits, offset, sizes, strides, is_fat=is_fat))


def _extent(value: Ssa) -> Extent:
    return value if value.number is None else value.number
