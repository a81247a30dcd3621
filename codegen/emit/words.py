"""Values as 32-bit words: what lanes exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import integers
from .emission import Emission
from .pack import put_together, take_apart
from .text import Ssa, bits_of
from .vectors import regroup, ungroup

_WORD_BITS = 32


def to_words(em: Emission, value: Ssa) -> list[Ssa]:
    """A scalar's bits in i32, the low ones first."""
    bits = bits_of(value.type)
    whole = integers.bitcast(em.w, value, f"i{bits}")
    if bits <= 32:
        return [integers.resize(em.w, whole, "i32", signed=False)]
    return take_apart(em.w, integers.bitcast(em.w, integers.resize(em.w, whole, "i64", signed=False), "<2 x i32>"), 2)


def from_words(em: Emission, words: Sequence[Ssa], type: str) -> Ssa:
    """The reverse."""
    whole = words[0] if len(words) == 1 else integers.bitcast(em.w, put_together(em.w, words), "i64")
    return integers.bitcast(em.w, integers.resize(em.w, whole, f"i{bits_of(type)}", signed=False), type)


def exchange_words(em: Emission, elements: Sequence[Ssa], exchange: Callable[[Ssa], Ssa]) -> list[Ssa]:
    """`exchange` of every word of a pack's elements: small ones travel together where they fill words."""
    type, together = elements[0].type, elements_of_a_word(elements)
    if together > 1:
        words = [exchange(word) for word in regroup(em, elements, together, "i32")]
        return ungroup(em, words, together, type)
    return [from_words(em, [exchange(word) for word in to_words(em, element)], type) for element in elements]


def exchange_with(
    em: Emission, elements: Sequence[Ssa], others: Sequence[Ssa], exchange: Callable[[Ssa, Ssa], Ssa]
) -> list[Ssa]:
    """`exchange` of two packs of one type, word by word."""
    type, together = elements[0].type, elements_of_a_word(elements)
    if together > 1:
        pairs = zip(*(regroup(em, pack, together, "i32") for pack in (elements, others)), strict=True)
        return ungroup(em, [exchange(*pair) for pair in pairs], together, type)
    words = ([to_words(em, element) for element in pack] for pack in (elements, others))
    return [
        from_words(em, [exchange(*pair) for pair in zip(*both, strict=True)], type) for both in zip(*words, strict=True)
    ]


def select_words(em: Emission, condition: Ssa, yes: Sequence[Ssa], no: Sequence[Ssa]) -> list[Ssa]:
    """One pack's elements or the other's: small ones are selected together where they fill words."""
    together = elements_of_a_word(yes)
    if together == 1:
        return [integers.select(em.w, condition, a, b) for a, b in zip(yes, no, strict=True)]
    pairs = zip(regroup(em, yes, together, "i32"), regroup(em, no, together, "i32"), strict=True)
    return ungroup(em, [integers.select(em.w, condition, a, b) for a, b in pairs], together, yes[0].type)


def elements_of_a_word(elements: Sequence[Ssa]) -> int:
    """How many elements of a pack share a word: 1 where they do not fill words."""
    bits = bits_of(elements[0].type)
    together = _WORD_BITS // bits if bits in (2, 4, 8, 16) else 1
    return together if len(elements) % together == 0 else 1
