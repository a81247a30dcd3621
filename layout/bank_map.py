"""Which bank of shared memory has each element: of a buffer with what its order (swizzles, boxes) makes of it, or of a
vector that goes through shared memory from one layout to another."""

from __future__ import annotations

from math import prod

import numpy as np

from ..ir.element_orders import Order
from ..support.dataclasses import dataclass
from .banks import BankModel
from .nested import IntArray
from .plan import SharedMemory

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class BankMap:
    """The places of elements in shared memory.

    Attributes:
        first_bytes: Where each element begins, in bytes from the first bank's, an array of the shape of the buffer or
            of the vector; `NOWHERE` for one that is not there.
        element_bits: What an element takes.
        model: The chip's banks.
    """

    first_bytes: IntArray
    element_bits: int
    model: BankModel

    @classmethod
    def of_buffer(cls, shape: tuple[int, ...], element_bits: int, order: Order | None, model: BankModel) -> BankMap:
        """The map of a buffer that begins at the first bank; an order of None is row by row."""
        numbers = np.arange(prod(shape), dtype=np.int64)
        places = numbers if order is None else order.place(numbers)
        return cls((places * element_bits // 8).reshape(shape), element_bits, model)

    @classmethod
    def of_exchange(cls, plan: SharedMemory, shape: tuple[int, ...], element_bits: int, model: BankModel) -> BankMap:
        """The map of a vector that goes through shared memory: of what goes in pieces, each where its piece lies."""
        size = -(-element_bits // 8)
        offsets = plan.places.offsets(np.arange(prod(shape), dtype=np.int64))
        found = np.where(offsets < 0, NOWHERE, offsets % plan.elements * size)
        return cls(found.reshape(shape), 8 * size, model)

    @property
    def words(self) -> IntArray:
        """The word in which each element begins, as numbers of words from the first bank's."""
        return np.where(self.first_bytes < 0, NOWHERE, self.first_bytes // self.model.bank_bytes)

    @property
    def banks(self) -> IntArray:
        """The bank in which each element begins."""
        return np.where(self.first_bytes < 0, NOWHERE, self.words % self.model.banks)
