"""Host arrays and packed memory: types of ml_dtypes with 2 or 4 bits take a byte each on the host, less on a device.

In device memory the first element of a byte lies in its lowest bits, as in IREE, in PTX and in AMD's registers.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BITS = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}


_VALUE_BITS = {**_BITS, "float6_e2m3fn": 6, "float6_e3m2fn": 6}


@functools.cache
def value_bits(dtype: np.dtype[Any]) -> int:
    """Bits of a host element that say what it is; above them it has zeros."""
    return _VALUE_BITS.get(dtype.name, 8 * dtype.itemsize)


@functools.cache
def element_bits(dtype: np.dtype[Any]) -> int:
    """Bits that one element of a host array's type takes in device memory."""
    return _BITS.get(dtype.name, 8 * dtype.itemsize)


def byte_count(elements: int, dtype: np.dtype[Any]) -> int:
    """Bytes of so many elements in device memory, in whole words where a byte has several: a thread that writes one of
    them updates a word."""
    bits = element_bits(dtype)
    return elements * bits // 8 if bits >= 8 else -(-elements * bits // 32) * 4


def pack(elements: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of a flat array of elements of less than a byte; what is left of the last word is zero."""
    bits = element_bits(elements.dtype)
    each = 8 // bits
    codes = np.zeros(byte_count(elements.size, elements.dtype) * each, np.uint8)
    codes[: elements.size] = elements.view(np.uint8) & ((1 << bits) - 1)
    shifts = np.arange(each, dtype=np.uint8) * np.uint8(bits)
    packed: NDArray[np.uint8] = np.bitwise_or.reduce(codes.reshape(-1, each) << shifts, axis=1).astype(np.uint8)
    return packed


def unpack(data: NDArray[np.uint8], dtype: np.dtype[Any], count: int) -> NDArray[Any]:
    """The first `count` elements that the bytes hold."""
    bits = element_bits(dtype)
    shifts = np.arange(8 // bits, dtype=np.uint8) * np.uint8(bits)
    codes: NDArray[np.uint8] = (data[:, None] >> shifts).reshape(-1)[:count] & np.uint8((1 << bits) - 1)
    return codes.view(dtype)


def encoded(memory: NDArray[np.uint8], dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    """A host's memory of elements of a type as a device has it."""
    return pack(memory.view(dtype)) if element_bits(dtype) < 8 else memory


def decoded(data: NDArray[np.uint8], dtype: np.dtype[Any], nbytes: int) -> NDArray[np.uint8]:
    """The reverse, for so many bytes of the host."""
    return unpack(data, dtype, nbytes).view(np.uint8) if element_bits(dtype) < 8 else data[:nbytes]
