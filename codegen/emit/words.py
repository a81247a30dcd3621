"""Values as 32-bit words: what lanes exchange."""

from __future__ import annotations

from collections.abc import Sequence

from . import integers
from .emission import Emission
from .pack import put_together, take_apart
from .text import Ssa, bits_of


def to_words(em: Emission, value: Ssa) -> list[Ssa]:
    """A scalar's bits in i32, the low ones first."""
    bits = bits_of(value.type)
    whole = integers.bitcast(em.w, value, f"i{bits}")
    if bits <= 32:
        return [integers.resize(em.w, whole, "i32", signed=False)]
    return take_apart(em.w, integers.bitcast(em.w, whole, "<2 x i32>"), 2)


def from_words(em: Emission, words: Sequence[Ssa], type: str) -> Ssa:
    """The reverse."""
    if bits_of(type) > 32:
        return integers.bitcast(em.w, put_together(em.w, words), type)
    return integers.bitcast(em.w, integers.resize(em.w, words[0], f"i{bits_of(type)}", signed=False), type)
