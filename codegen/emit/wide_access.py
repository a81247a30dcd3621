"""Reading and writing packs: as wide as the proven alignment allows, guarded where a mask says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.types import IntegerType, Type, scalar_type
from . import integers, part_of_byte
from .descriptor import GLOBAL, SHARED, Address, Descriptor
from .element_orders import placed
from .emission import Emission
from .pack import Pack, is_narrow, put_together, take_apart, vector_type
from .text import TRUE, Ssa, bits_of, integer, zero

_WORD_BITS = 32
WIDEST = 16
"""Bytes of the widest memory instruction."""


def pieces(count: int, element_bits: int, alignment: int) -> Iterator[tuple[int, int]]:
    """(first element, elements) of the accesses that move `count` elements from an address aligned to `alignment`
    bits: each a power of two of at most 16 bytes, at a multiple of its own size, or one element of less than a byte."""
    largest = max(1, min(alignment, 8 * WIDEST) // element_bits)
    first = 0
    while first < count:
        size = min(largest, 1 << ((count - first).bit_length() - 1))
        yield first, size if size * element_bits >= 8 else 1
        first += size if size * element_bits >= 8 else 1


def _reach(address: Address, alignment: int) -> int:
    """Bits that an access may have at once: of a buffer's resource whole words are enough."""
    return 8 * WIDEST if address.memref.is_fat and alignment >= _WORD_BITS else alignment


def _after(em: Emission, address: Address, count: int) -> Address:
    """The place of what comes so many elements on: of one access."""
    return placed(em.w, address.after(em.w, count))


def load(em: Emission, memref: Descriptor, address: Address, type: str, count: int, alignment: int) -> Pack:
    """`count` consecutive elements of LLVM type `type`."""
    parts = list(pieces(count, memref.element_bits, _reach(address, alignment)))
    if _by_instruction(em, address):
        places = [(address.after(em.w, first), size) for first, size in parts]
        return Pack.of([element for place, size in places for element in _instructed_load(em, place, type, size)])
    words = _WORD_BITS // memref.element_bits
    if parts == [(0, count)] and count > 1 and not (is_narrow(type) and count > words):
        return Pack.of_vector(_load_piece(em, memref, _after(em, address, 0), type, count), count)
    elements: list[Ssa] = []
    for first, size in parts:
        there = _after(em, address, first)
        if is_narrow(type) and size > words:
            elements += _load_words(em, memref, there, type, size)
            continue
        piece = _load_piece(em, memref, there, type, size)
        elements += take_apart(em.w, piece, size) if size > 1 else [piece]
    return Pack.of(elements)


def _align(address: Address, count: int) -> int:
    bytes_ = count * address.memref.element_bits // 8
    return min(bytes_, _WORD_BITS // 8) if address.memref.is_fat else bytes_


def _load_words(em: Emission, memref: Descriptor, address: Address, type: str, count: int) -> list[Ssa]:
    """As an instruction that LLVM does not look into: it would take a vector of words as one of elements, and load it
    in many pieces."""
    zeros = [integer(0, f"i{_WORD_BITS}")] * (count * memref.element_bits // _WORD_BITS)
    words = em.machine.guarded_load(em, address, TRUE, zeros, read_only=memref.read_only)
    return [part for word in words for part in take_apart(em.w, word, count // len(words))]


def _load_piece(em: Emission, memref: Descriptor, address: Address, type: str, count: int) -> Ssa:
    if count * memref.element_bits < 8:
        return part_of_byte.load(em, address, type)
    whole = type if count == 1 else vector_type(type, count)
    align = _align(address, count)
    # The launch lets nothing that is written overlap a buffer that is not: its loads may take the read-only path.
    marks = (", !invariant.load !{}" if memref.read_only else "") + nontemporal_mark(em) + _shared_marks(em, address)
    return em.w.fresh(f"load {whole}, {address.pointer(em.w)}, align {align}{marks}", whole)


def nontemporal_mark(em: Emission) -> str:
    """Behind a load or store, where the operation says that its data is not used again and LLVM can."""
    return em.machine.nontemporal if em.nontemporal else ""


def _shared_marks(em: Emission, address: Address) -> str:
    return em.shared_marks if address.space == SHARED else ""


def _by_instruction(em: Emission, address: Address) -> bool:
    """Whether only the machine's own instruction says to caches what the operation does."""
    return em.is_hinted and not em.machine.nontemporal and address.space == GLOBAL


def _instructed_load(em: Emission, address: Address, type: str, size: int) -> list[Ssa]:
    memref = address.memref
    if size * memref.element_bits < 8:
        return [part_of_byte.load(em, address, type)]
    carriers = _carriers(em, [zero(type)] * size)
    loaded = em.machine.guarded_load(em, address, TRUE, carriers, read_only=memref.read_only)
    return loaded if len(loaded) == size else take_apart(em.w, _whole(em, loaded), size)


def store(em: Emission, memref: Descriptor, address: Address, values: Sequence[Ssa], alignment: int) -> None:
    """Writes consecutive elements."""
    for first, size in pieces(len(values), memref.element_bits, _reach(address, alignment)):
        there = _after(em, address, first)
        if size * memref.element_bits < 8:
            part_of_byte.store(em, there, values[first])
            continue
        if _by_instruction(em, there):
            em.machine.guarded_store(em, there, TRUE, _carriers(em, values[first : first + size]))
            continue
        value = values[first] if size == 1 else put_together(em.w, values[first : first + size])
        marks = nontemporal_mark(em) + _shared_marks(em, there)
        em.w.do(f"store {value}, {there.pointer(em.w)}, align {_align(there, size)}{marks}")


def masked_load(
    em: Emission, memref: Descriptor, address: Address, mask: Sequence[Ssa], other: Sequence[Ssa], alignment: int
) -> Pack:
    """Elements where the mask holds, those of `other` elsewhere; nothing is touched there."""
    elements: list[Ssa] = []
    for first, size in guarded_pieces(mask, memref.element_bits, _reach(address, alignment)):
        guard, fallback = mask[first], other[first : first + size]
        elements += _guarded_load(em, memref, address.after(em.w, first), guard, fallback)
    return Pack.of(elements)


def _guarded_load(em: Emission, memref: Descriptor, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    size, type = len(other), other[0].type
    if guard.number:
        return load(em, memref, address, type, size, size * memref.element_bits).elements(em.w)
    address = _after(em, address, 0)
    if size * memref.element_bits < 8:
        return [part_of_byte.guarded_load(em, address, guard, other[0])]
    if guard.number is not None:
        return list(other)
    loaded = em.machine.guarded_load(em, address, guard, _carriers(em, other), read_only=memref.read_only)
    return loaded if len(loaded) == size else take_apart(em.w, _whole(em, loaded), size)


def _carriers(em: Emission, elements: Sequence[Ssa]) -> list[Ssa]:
    """Elements of whole bytes with the same bits."""
    if not is_narrow(elements[0].type):
        return list(elements)
    whole = put_together(em.w, elements)
    return take_apart(em.w, whole, bits_of(elements[0].type) * len(elements) // 32) if whole.is_vector else [whole]


def _whole(em: Emission, carriers: Sequence[Ssa]) -> Ssa:
    return carriers[0] if len(carriers) == 1 else put_together(em.w, carriers)


def masked_store(
    em: Emission, memref: Descriptor, address: Address, mask: Sequence[Ssa], values: Sequence[Ssa], alignment: int
) -> None:
    """Writes the elements where the mask holds."""
    for first, size in guarded_pieces(mask, memref.element_bits, _reach(address, alignment)):
        guard, written = mask[first], values[first : first + size]
        if guard.number:
            store(em, memref, address.after(em.w, first), written, size * memref.element_bits)
            continue
        there = _after(em, address, first)
        if size * memref.element_bits < 8:
            part_of_byte.guarded_store(em, there, guard, values[first])
        elif guard.number is None:
            em.machine.guarded_store(em, there, guard, _carriers(em, written))


def guarded_pieces(mask: Sequence[Ssa], element_bits: int, alignment: int) -> Iterator[tuple[int, int]]:
    """An access in `pieces`; element by element unless one condition guards all."""
    uniform = all(m == mask[0] for m in mask)
    return pieces(len(mask), element_bits, alignment if uniform else element_bits)


def from_memory(em: Emission, elements: Sequence[Ssa], type: str) -> list[Ssa]:
    """Elements as loaded to elements as computed with: bytes to i1, what memory extends to what was extended."""
    if type == "i1":
        return [em.w.compare("ne", e, integer(0, e.type)) for e in elements]
    return [e if e.type == type else integers.resize(em.w, e, type, signed=False) for e in elements]


def to_memory(em: Emission, elements: Sequence[Ssa], type: Type) -> list[Ssa]:
    """The reverse: an i1 is stored as a byte, 0 or 1, an integer of a width that memory lacks as the number it is."""
    element, stored = scalar_type(type), em.stored_type(type)
    signed = isinstance(element, IntegerType) and element.width > 1 and element.signedness != "u"
    return [e if e.type == stored else integers.resize(em.w, e, stored, signed=signed) for e in elements]
