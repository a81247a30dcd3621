"""Vector values: known by their elements, as one LLVM value, or both; each is written when it is first asked for.

That value is an LLVM vector. Elements of 2 and 4 bits stand in words of 32 bits instead, or in one shorter integer, the
first in the lowest bits, as in memory and in matrix fragments; LLVM would give each of them a register.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import integers
from .byte_gathers import gathered
from .text import INTEGER_BITS, Ssa, Writer, integer

_WORD_BITS = 32
_IN_WORDS = frozenset({2, 4})


class Pack:
    """A vector of any rank, flattened row-major. Taking apart what was just put together writes nothing."""

    __slots__ = ("_elements", "_vector", "count")

    def __init__(self, elements: list[Ssa] | None, vector: Ssa | None, count: int) -> None:
        self._elements = elements
        self._vector = vector
        self.count = count

    @classmethod
    def of(cls, elements: Sequence[Ssa]) -> Pack:
        return cls(list(elements), None, len(elements))

    @classmethod
    def of_vector(cls, vector: Ssa, count: int) -> Pack:
        return cls(None, vector, count)

    def elements(self, w: Writer) -> list[Ssa]:
        if self._elements is not None:
            return self._elements
        assert self._vector is not None
        # Not kept: the instructions belong to the scope that asks, which may be narrower than the pack's.
        return take_apart(w, self._vector, self.count)

    def vector(self, w: Writer) -> Ssa:
        if self._vector is not None:
            return self._vector
        assert self._elements is not None
        return put_together(w, self._elements)


def is_narrow(element: str) -> bool:
    """Whether a byte has several elements of an LLVM type."""
    return INTEGER_BITS.get(element) in _IN_WORDS


def vector_type(element: str, count: int) -> str:
    """The LLVM type of `count` elements."""
    if not is_narrow(element):
        return f"<{count} x {element}>"
    bits = count * INTEGER_BITS[element]
    return f"<{bits // _WORD_BITS} x i{_WORD_BITS}>" if bits > _WORD_BITS and bits % _WORD_BITS == 0 else f"i{bits}"


def element_of(type: str) -> str:
    """`float` of `<4 x float>`."""
    return type[type.index("x ") + 2 : -1]


def _lanes(type: str) -> int:
    """The lanes of an LLVM vector; 1 of a scalar."""
    return int(type[1 : type.index(" x")]) if type.startswith("<") else 1


def put_together(w: Writer, elements: Sequence[Ssa]) -> Ssa:
    """One LLVM value of the elements; if they are those of a vector, in order, that vector."""
    type = vector_type(elements[0].type, len(elements))
    if is_narrow(elements[0].type):
        size = len(elements) // _lanes(type)
        words = [_word(w, elements[i : i + size]) for i in range(0, len(elements), size)]
        return words[0] if len(words) == 1 else put_together(w, words)
    source = _source(w, elements)
    if source is not None and source.type == type:
        return source
    gained = gathered(w, elements) if w.permute_bytes else ()
    if gained:
        return w.bitcast(gained[0] if len(gained) == 1 else put_together(w, gained), type)
    start = [e if e.is_constant else Ssa("poison", e.type) for e in elements]
    whole = Ssa(f"<{', '.join(map(str, start))}>", type)
    for i, element in enumerate(elements):
        if not element.is_constant:
            whole = w.pure(f"insertelement {whole}, {element}, i32 {i}", type)
    return whole


def _source(w: Writer, elements: Sequence[Ssa], opcode: str = "extractelement") -> Ssa | None:
    """The vector, or the word, whose elements 0, 1, ... these are."""
    found: Ssa | None = None
    for i, element in enumerate(elements):
        definition = w.definition(element)
        if definition is None or definition.opcode != opcode:
            return None
        vector, index = definition.operands
        if index.number != i or (found is not None and vector != found):
            return None
        found = vector
    return found


def _word(w: Writer, parts: Sequence[Ssa]) -> Ssa:
    """An integer of the parts' bits; if they are those of one, in order, that one."""
    bits = INTEGER_BITS[parts[0].type]
    type = f"i{len(parts) * bits}"
    source = _source(w, parts, "part")
    if source is not None and source.type == type:
        return source
    whole = integer(0, type)
    for i, part in enumerate(parts):
        moved = integers.binary(w, "shl", integers.resize(w, part, type, signed=False), integer(i * bits, type))
        whole = integers.binary(w, "or", whole, moved)
    return whole


def take_apart(w: Writer, vector: Ssa, count: int) -> list[Ssa]:
    lanes = _lanes(vector.type)
    if not vector.is_vector:
        return _parts(w, vector, count)
    type = element_of(vector.type)
    found = [w.extract(vector, integer(i, "i32"), type) for i in range(lanes)]
    return found if lanes == count else [part for word in found for part in _parts(w, word, count // lanes)]


def _parts(w: Writer, word: Ssa, count: int) -> list[Ssa]:
    bits = INTEGER_BITS[word.type] // count
    return [_part(w, word, i, bits) for i in range(count)]


def _part(w: Writer, word: Ssa, number: int, bits: int) -> Ssa:
    shifted = integers.binary(w, "lshr", word, integer(number * bits, word.type))
    part = integers.resize(w, shifted, f"i{bits}", signed=False)
    return part if part.is_constant else w.named(part, "part", word, integer(number, "i32"))


def extract_at(w: Writer, vector: Ssa, count: int, position: Ssa) -> Ssa:
    """One of `count` elements."""
    if _lanes(vector.type) == count and vector.is_vector:
        return w.extract(vector, position, element_of(vector.type))
    word, shift, bits = _place(w, vector, count, position)
    return integers.resize(w, integers.binary(w, "lshr", word, shift), f"i{bits}", signed=False)


def insert_at(w: Writer, vector: Ssa, count: int, element: Ssa, position: Ssa) -> Ssa:
    if not is_narrow(element.type):
        return w.pure(f"insertelement {vector}, {element}, {position}", vector.type)
    word, shift, bits = _place(w, vector, count, position)
    hole = integers.binary(w, "shl", integer((1 << bits) - 1, word.type), shift)
    kept = integers.binary(w, "and", word, integers.binary(w, "xor", hole, integer(-1, word.type)))
    moved = integers.binary(w, "shl", integers.resize(w, element, word.type, signed=False), shift)
    changed = integers.binary(w, "or", kept, moved)
    if _lanes(vector.type) == 1:
        return changed
    number = integers.binary(w, "udiv", position, integer(count // _lanes(vector.type), position.type))
    return w.pure(f"insertelement {vector}, {changed}, {number}", vector.type)


def _place(w: Writer, vector: Ssa, count: int, position: Ssa) -> tuple[Ssa, Ssa, int]:
    """The word that has a narrow element, by how many bits it is moved there, and its bits."""
    lanes = _lanes(vector.type)
    each = integer(count // lanes, position.type)
    word = vector if lanes == 1 else w.extract(vector, integers.binary(w, "udiv", position, each), f"i{_WORD_BITS}")
    bits = INTEGER_BITS[word.type] * lanes // count
    inside = position if lanes == 1 else integers.binary(w, "urem", position, each)
    shift = integers.mul(w, integers.resize(w, inside, word.type, signed=False), integer(bits, word.type))
    return word, shift, bits
