"""Arrays of a group of waves: scalars [wave, 1], vectors [wave, lane], or numpy scalars where all waves agree.

Everything here accepts all three. Lane masks are booleans of the same shapes; `ALL` stands for "every lane".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..batch_values import Value, choose

Array = npt.NDArray[Any]

ALL = np.bool_(True)
U4, U8, I8 = np.dtype("u4"), np.dtype("u8"), np.dtype("i8")
_HIGH = np.uint64(32)


def merge(mask: Value, new: Value, old: Value) -> Value:
    """`new` for the lanes of the mask, else `old`."""
    if mask is ALL:
        return new
    return choose(mask, new, old)


def merge_pair(mask: Value, new: Value, low: Value, high: Value) -> Value:
    """`new` for the lanes of the mask, else the 64 bits of `low` and `high`."""
    if mask is ALL:
        return new
    old = combine(low, high)
    return choose(mask, new, old.view(new.dtype))


def both(mask: Value, other: Value) -> Value:
    """The lanes of both masks."""
    return other if mask is ALL else np.logical_and(mask, other)


def narrow(mask: Value) -> Value:
    """An execution mask in its canonical form."""
    return ALL if mask.all() else mask


def combine(low: Value, high: Value) -> Value:
    """64-bit words from two 32-bit words."""
    if np.ndim(low) == 0 and np.ndim(high) == 0:
        return np.uint64(int(low) | (int(high) << 32))
    if np.ndim(low) != np.ndim(high):
        shape = np.broadcast_shapes(np.shape(low), np.shape(high))
    else:
        shape = low.shape if low.size >= high.size else high.shape
    out = np.empty((*shape, 2), U4)
    out[..., 0] = low
    out[..., 1] = high
    return out.view(U8)[..., 0]


def low_word(pair: Value) -> Value:
    """Bits 31..0 of 64-bit words."""
    return pair.astype(U4)


def high_word(pair: Value) -> Value:
    """Bits 63..32 of 64-bit words."""
    return (pair >> _HIGH).astype(U4)


def mask_packer(lanes: int) -> Callable[[Value], Value]:
    """The function from masks to words, bit l being lane l."""
    dtype = np.dtype(f"u{lanes // 8}")
    full, none = dtype.type(2**lanes - 1), dtype.type(0)

    def pack(mask: Value) -> Value:
        if np.ndim(mask) == 0:
            return full if mask else none
        if mask.shape[-1] != lanes:
            mask = np.broadcast_to(mask, (mask.shape[0], lanes))
        bits = np.packbits(mask, axis=-1, bitorder="little")
        return np.ascontiguousarray(bits).view(dtype)  # which numpy lays out as the mask, in whatever order that is

    return pack


def mask_unpacker(lanes: int) -> Callable[[Value], Value]:
    """The function from words to masks."""
    dtype = np.dtype(f"u{lanes // 8}")
    full = 2**lanes - 1

    def unpack(words: Value) -> Value:
        if np.ndim(words) == 0:
            if int(words) in (0, full):
                return ALL if words else np.bool_(False)
            words = np.asarray(words, dtype).reshape(1, 1)
        bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
        return bits.view(np.bool_)

    return unpack


def any_lane(mask: Value) -> Value:
    """Per wave: whether some lane is in the mask."""
    if np.ndim(mask) == 0:
        return mask
    return mask.any(axis=-1, keepdims=True)
