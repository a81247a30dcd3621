"""What a program prints: a message is text and values, printed as C's printf and MLIR's vector.print do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..support.dataclasses import dataclass
from ..support.patterns import regex
from .attributes import ArrayAttr, StringAttr, TypeAttr
from .numerics import Array
from .types import I1, INDEX, Attribute, ScalarType, Type, bit_width, scalar_type, shape_of

WORD_BITS = 32
"""Values travel in words of so many bits."""


@dataclass(frozen=True)
class Shown:
    """A value: `conversion` is printf's without the percent sign and without a length, or empty for MLIR's text."""

    conversion: str
    type: Type

    @property
    def words(self) -> int:
        """The words of one element: 1, or 2 where it is longer than a word."""
        return 1 + (bit_width(scalar_type(self.type)) > WORD_BITS)


Piece = str | Shown
Message = tuple[Piece, ...]


def shown(message: Message) -> list[Shown]:
    """The values of a message, in order."""
    return [piece for piece in message if isinstance(piece, Shown)]


def text_of(message: Message, values: Sequence[Array]) -> str:
    """What is printed. `values` are in `canonical` form, one for each value of the message."""
    given = iter(values)
    return "".join(_text(piece, next(given)) if isinstance(piece, Shown) else piece for piece in message)


def canonical(values: Array, type: Type) -> Array:
    """Elements as they are printed, exactly: float32 or float64, or int64."""
    element = scalar_type(type)
    if not element.is_float:
        return np.asarray(values.astype(np.int64))
    return np.asarray(values.astype(np.float64 if bit_width(element) > WORD_BITS else np.float32))


def from_words(words: Array, type: Type) -> Array:
    """The canonical form of a value that lies in uint32 words: low words of all elements, then high words."""
    element, shape = scalar_type(type), shape_of(type)
    count = words.size // Shown("", type).words
    low, high = words[:count].reshape(shape), words[count:].reshape(shape if words.size > count else (0,))
    floats = element.is_float
    if not high.size:
        return np.asarray(low.view(np.float32) if floats else low.view(np.int32).astype(np.int64))
    both = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(WORD_BITS)
    return np.asarray(both.view(np.float64 if floats else np.int64))


# -- text -------------------------------------------------------------------------------------------------------------


def _text(piece: Shown, value: Array) -> str:
    if piece.type.is_vector:
        return _nested(piece, np.atleast_1d(value))
    return _scalar(piece, value[()])


def _nested(piece: Shown, value: Array) -> str:
    """`( 1, 2 )`, and `( ( 1, 2 ), ( 3, 4 ) )`."""
    inner = [_nested(piece, part) if value.ndim > 1 else _scalar(piece, part) for part in value]
    return f"( {', '.join(inner)} )"


def _scalar(piece: Shown, value: Any) -> str:
    element = scalar_type(piece.type)
    if element.is_float:
        return f"%{piece.conversion or 'g'}" % float(value)
    kind = piece.conversion[-1:] or ("u" if is_unsigned(element) else "d")
    number = int(value)
    if kind not in "di" or element == I1:
        number &= (1 << bit_width(element)) - 1
    if kind == "c":
        return f"%{piece.conversion[:-1]}s" % chr(number & 0xFF)
    return ("%#x" if kind == "p" else f"%{piece.conversion or 'd'}") % number


def is_unsigned(element: Type) -> bool:
    """Whether `vector.print` takes its bits as a number of at least 0."""
    return element in (INDEX, I1)


# -- formats ----------------------------------------------------------------------------------------------------------

_CONVERSION = regex(r"%(?:(?P<how>[-+ #0]*\d*(?:\.\d*)?)(?:hh|h|ll|l|j|z|t|q|L)?(?P<kind>[A-Za-z])|(?P<percent>%))")
_OF_FLOATS, _OF_INTEGERS = "eEfFgG", "diouxXcp"


class FormatError(Exception):
    """What is wrong with a format or with the values that it is given."""


def formatted(format: str, types: Sequence[Type]) -> Message:
    """The message of a printf. Lengths (`%ld`) change nothing: every value is printed as what its type says.

    Raises FormatError.
    """
    pieces, rest, left = list[Piece](), format, list(types)
    while rest:
        text, percent, _ = rest.partition("%")
        pieces += [text] * bool(text)
        rest = rest[len(text) :]
        if percent:
            match = _CONVERSION.match(rest)
            if match is None:
                raise FormatError(f"format has '{rest[:8]}', which is no conversion of one value")
            pieces.append(match["percent"] or _shown(match["how"], match["kind"], left))
            rest = rest[match.end() :]
    if left:
        raise FormatError(f"format has {len(types) - len(left)} conversions, {len(types)} values are given")
    return tuple(pieces)


def _shown(how: str, kind: str, left: list[Type]) -> Shown:
    if kind not in _OF_FLOATS + _OF_INTEGERS:
        known = ", ".join(f"%{c}" for c in _OF_INTEGERS + _OF_FLOATS)
        raise FormatError(f"format has the conversion %{kind}; there are {known}")
    if not left:
        raise FormatError(f"format has more conversions than values: nothing is left for %{kind}")
    type = left.pop(0)
    if type.is_float != (kind in _OF_FLOATS):
        raise FormatError(f"format prints a value of type {type} by %{kind}")
    return Shown(how + kind, type)


# -- as attributes ----------------------------------------------------------------------------------------------------


def to_attribute(message: Message) -> ArrayAttr:
    """`["x is ", ["d", i32], "\\n"]`."""
    return ArrayAttr(tuple(map(_entry, message)))


def _entry(piece: Piece) -> Attribute:
    match piece:
        case Shown(conversion, type):
            return ArrayAttr((StringAttr(conversion), TypeAttr(type)))
        case text:
            return StringAttr(text)


def from_attribute(attribute: Attribute) -> Message | None:
    """None for one that is no message."""
    match attribute:
        case ArrayAttr(entries):
            pieces = tuple(piece for entry in entries if (piece := _piece(entry)) is not None)
            return pieces if len(pieces) == len(entries) else None
        case _:
            return None


def _piece(attribute: Attribute) -> Piece | None:
    match attribute:
        case StringAttr(text):
            return text
        case ArrayAttr((StringAttr(conversion), TypeAttr(type))) if is_printable(type) and _is_known(conversion, type):
            return Shown(conversion, type)
        case _:
            return None


def is_printable(type: Type) -> bool:
    """Floats, index and signless integers, and vectors of them."""
    element = scalar_type(type)
    return isinstance(element, ScalarType) and not getattr(element, "signedness", "")


def _is_known(conversion: str, type: Type) -> bool:
    try:
        return not conversion or formatted(f"%{conversion}", [scalar_type(type)]) == (
            Shown(conversion, scalar_type(type)),
        )
    except FormatError:
        return False
