"""Words of bytes that stand in several registers: each is put together by permutations of the bytes of two words, as
few as there are, and the words of a transposed block share theirs."""

from __future__ import annotations

from collections.abc import Sequence

from ...support.named_tuples import NamedTuple
from .text import Ssa, Writer, integer

_BYTES = 4
_WORD = "i32"


class _Byte(NamedTuple):
    """Byte `number` of a word."""

    word: Ssa
    number: int


def gathered(w: Writer, elements: Sequence[Ssa]) -> Sequence[Ssa]:
    """The words of elements of a byte that are parts of several vectors; none where they are not, or no whole words."""
    if elements[0].type != "i8" or len(elements) % _BYTES:
        return ()
    found = [byte for element in elements if (byte := _part(w, element)) is not None]
    if len(found) < len(elements) or len({byte.word for byte in found[:_BYTES]}) == 1:
        return ()
    return [_gathered(w, found[i : i + _BYTES]) for i in range(0, len(found), _BYTES)]


def _part(w: Writer, element: Ssa) -> _Byte | None:
    """Where an element of a vector of whole words stands."""
    made = w.definition(element)
    if made is None or made.opcode != "extractelement" or made.operands[1].number is None:
        return None
    vector, index = made.operands[0], made.operands[1].number
    count = int(vector.type[1 : vector.type.index(" x")])
    if count % _BYTES:
        return None
    if count == _BYTES:
        return _Byte(w.bitcast(vector, _WORD), index)
    words = w.bitcast(vector, f"<{count // _BYTES} x {_WORD}>")
    return _Byte(w.extract(words, integer(index // _BYTES, _WORD), _WORD), index % _BYTES)


def _gathered(w: Writer, parts: Sequence[_Byte]) -> Ssa:
    """One word, the first byte in its lowest bits."""
    words = list(dict.fromkeys(part.word for part in parts))
    if len(words) == 1 and [part.number for part in parts] == list(range(_BYTES)):
        return words[0]
    if len(words) <= 2:
        return _permuted(w, words[0], words[-1], [(words.index(part.word), part.number) for part in parts])
    low, high = (_pair(w, *parts[i : i + 2]) for i in (0, 2))
    return _permuted(
        w, low.word, high.word, [(0, low.number), (0, low.number + 1), (1, high.number), (1, high.number + 1)]
    )


def _pair(w: Writer, first: _Byte, second: _Byte) -> _Byte:
    """Two bytes side by side, and where they begin. Those beside them come along, which a block's next word wants."""
    if first.number != second.number:
        return _Byte(_permuted(w, first.word, second.word, [(0, first.number), (1, second.number)] * 2), 0)
    even = first.number & ~1
    picked = [(word, byte) for byte in (even, even + 1) for word in (0, 1)]
    return _Byte(_permuted(w, first.word, second.word, picked), 2 * (first.number - even))


def _permuted(w: Writer, low: Ssa, high: Ssa, picked: Sequence[tuple[int, int]]) -> Ssa:
    """`picked`: (0 for a byte of `low`, 1 for one of `high`; its number) of each byte."""
    selector = sum((4 * word + byte) << 8 * i for i, (word, byte) in enumerate(picked))
    return w.call(_WORD, w.permute_bytes, high, low, integer(selector, _WORD))
