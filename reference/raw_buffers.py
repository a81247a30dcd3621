"""Which elements count of a buffer that is reached through a resource (`amdgpu.fat_raw_buffer_cast`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass
from .batch_state import Number

_ADDRESSES = 1 << 32
WORD = 4
"""Bytes that the hardware compares at once with what counts, where an access has as many."""


@dataclass(frozen=True, eq=False)
class RawBounds:
    """So many bytes count, from byte `first` of the memory on, which may have fewer; one number for all owners, or one
    each. Where they are not `checked` nothing else may be accessed."""

    first: Number
    bytes: Number
    checked: bool

    def places(
        self, positions: Array, itemsize: int, unit: int, rows: Callable[[Number], Number]
    ) -> tuple[Array, Array, Array]:
        """The places of elements, by number in the memory, [owners, ...]: which ones they are, distances being modulo
        2^32, and of the `unit` bytes that each is moved with whether all count, and whether any. `rows` gives the
        entries of those owners."""

        def each(number: Number) -> Array:
            array = np.asarray(rows(number))
            return array.reshape(array.shape + (1,) * (positions.ndim - array.ndim)) if array.ndim else array

        distance = (positions * itemsize - each(self.first)) % _ADDRESSES
        end = each(self.bytes)
        start = distance // unit * unit
        return (each(self.first) + distance) // itemsize, start + unit <= end, start < end
