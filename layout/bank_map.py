"""Which bank of shared memory holds each element of a buffer, with what its order (swizzles, boxes) makes of it."""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from ..ir.element_orders import Order
from ..support.dataclasses import dataclass
from .banks import BankModel
from .nested import IntArray


@dataclass(frozen=True, eq=False)
class BankMap:
    """The places of a buffer's elements.

    Attributes:
        shape: Of the buffer.
        element_bits: What an element takes.
        order: Of the elements; None is row by row.
        model: The chip's banks.
    """

    shape: tuple[int, ...]
    element_bits: int
    order: Order | None
    model: BankModel

    @cached_property
    def bytes(self) -> IntArray:
        """Where each element begins, in bytes from the first bank's, an array of the buffer's shape."""
        numbers = np.arange(prod(self.shape), dtype=np.int64)
        places = numbers if self.order is None else self.order.place(numbers)
        return (places * self.element_bits // 8).reshape(self.shape)

    @cached_property
    def banks(self) -> IntArray:
        """The bank in which each element begins, an array of the buffer's shape."""
        return self.bytes // self.model.bank_bytes % self.model.banks

    @property
    def row_bytes(self) -> int:
        """Bytes from one row of banks to the next."""
        return self.model.banks * self.model.bank_bytes
