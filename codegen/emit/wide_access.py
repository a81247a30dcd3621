"""Reading and writing packs: as wide as the proven alignment allows, guarded where a mask says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import integers
from .descriptor import Address, Descriptor
from .emission import Emission
from .pack import Pack, put_together, take_apart, vector_type
from .text import Ssa

WIDEST = 16
"""Bytes of the widest memory instruction."""


def pieces(count: int, element_bytes: int, alignment: int) -> Iterator[tuple[int, int]]:
    """(first element, elements) of the accesses that move `count` elements from an address aligned to `alignment`
    bytes: each a power of two of at most 16 bytes, at a multiple of its own size."""
    largest = max(1, min(alignment, WIDEST) // element_bytes)
    first = 0
    while first < count:
        size = min(largest, 1 << ((count - first).bit_length() - 1))
        yield first, size
        first += size


def load(em: Emission, memref: Descriptor, address: Address, type: str, count: int, alignment: int) -> Pack:
    """`count` consecutive elements of LLVM type `type`."""
    parts = list(pieces(count, memref.element_bytes, alignment))
    if parts == [(0, count)] and count > 1:
        return Pack.of_vector(_load_piece(em, memref, address, type, count), count)
    elements: list[Ssa] = []
    for first, size in parts:
        there = address.after(first * memref.element_bytes)
        piece = _load_piece(em, memref, there, type, size)
        elements += take_apart(em.w, piece, size) if size > 1 else [piece]
    return Pack.of(elements)


def _load_piece(em: Emission, memref: Descriptor, address: Address, type: str, count: int) -> Ssa:
    whole = type if count == 1 else vector_type(type, count)
    align = count * memref.element_bytes
    # The launch lets nothing that is written overlap a buffer that is not: its loads may take the read-only path.
    invariant = ", !invariant.load !{}" if memref.read_only else ""
    return em.w.fresh(f"load {whole}, {address.pointer(em.w)}, align {align}{invariant}", whole)


def store(em: Emission, memref: Descriptor, address: Address, values: Sequence[Ssa], alignment: int) -> None:
    """Writes consecutive elements."""
    for first, size in pieces(len(values), memref.element_bytes, alignment):
        there = address.after(first * memref.element_bytes)
        value = values[first] if size == 1 else put_together(em.w, values[first : first + size])
        em.w.do(f"store {value}, {there.pointer(em.w)}, align {size * memref.element_bytes}")


def masked_load(
    em: Emission, memref: Descriptor, address: Address, mask: Sequence[Ssa], other: Sequence[Ssa], alignment: int
) -> Pack:
    """Elements where the mask holds, those of `other` elsewhere; nothing is touched there."""
    elements: list[Ssa] = []
    for first, size in guarded_pieces(mask, memref.element_bytes, alignment):
        there = address.after(first * memref.element_bytes)
        guard, fallback = mask[first], other[first : first + size]
        elements += _guarded_load(em, memref, there, guard, fallback)
    return Pack.of(elements)


def _guarded_load(em: Emission, memref: Descriptor, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    size, type = len(other), other[0].type
    if guard.number is not None:
        if not guard.number:
            return list(other)
        return load(em, memref, address, type, size, size * memref.element_bytes).elements(em.w)
    return em.machine.guarded_load(em, address, guard, other, read_only=memref.read_only)


def masked_store(
    em: Emission, memref: Descriptor, address: Address, mask: Sequence[Ssa], values: Sequence[Ssa], alignment: int
) -> None:
    """Writes the elements where the mask holds."""
    for first, size in guarded_pieces(mask, memref.element_bytes, alignment):
        there = address.after(first * memref.element_bytes)
        guard, written = mask[first], values[first : first + size]
        if guard.number is None:
            em.machine.guarded_store(em, there, guard, written)
        elif guard.number:
            store(em, memref, there, written, size * memref.element_bytes)


def guarded_pieces(mask: Sequence[Ssa], element_bytes: int, alignment: int) -> Iterator[tuple[int, int]]:
    """As `pieces`; element by element unless one condition guards all."""
    uniform = all(m == mask[0] for m in mask)
    return pieces(len(mask), element_bytes, alignment if uniform else element_bytes)


def from_memory(em: Emission, elements: Sequence[Ssa], type: str) -> list[Ssa]:
    """Elements as loaded to elements as computed with: bytes to i1."""
    if type != "i1":
        return list(elements)
    return [em.w.pure(f"icmp ne {e}, 0", "i1") for e in elements]


def to_memory(em: Emission, elements: Sequence[Ssa]) -> list[Ssa]:
    """The reverse: an i1 is stored as a byte, 0 or 1."""
    return [integers.resize(em.w, e, "i8", signed=False) if e.type == "i1" else e for e in elements]
