"""Elements as bytes: little-endian, each in as many whole bytes as its bits take, a bool in one of its own."""

from __future__ import annotations

import numpy as np

from ..support.patterns import regex
from .numerics import float_from_bits
from .types import I1, FloatType, Type, bit_width

_HEXADECIMAL = regex(r"0x((?:[0-9A-Fa-f]{2})+)\Z")


def hexadecimal(text: str) -> bytes | None:
    """The bytes of `0x0A1B`, None where the text is no such thing."""
    match = _HEXADECIMAL.match(text)
    return None if match is None else bytes.fromhex(match[1])


def element_bytes(element: Type) -> int:
    return -(-bit_width(element) // 8)


def elements_from_bytes(data: bytes, element: Type) -> list[int | float]:
    """The values of a whole number of elements; integers are signed, bits above an element's are not read."""
    size, width = element_bytes(element), bit_width(element)
    padded = np.zeros((len(data) // size, 8), np.uint8)
    padded[:, :size] = np.frombuffer(data, np.uint8).reshape(-1, size)
    numbers: list[int] = padded.view("<u8").reshape(-1).tolist()
    if element == I1:
        return [int(n != 0) for n in numbers]
    bits = [n & ((1 << width) - 1) for n in numbers]
    if isinstance(element, FloatType):
        return [float_from_bits(n, element) for n in bits]
    return [n - (n >> (width - 1) << width) for n in bits]
