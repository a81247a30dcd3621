"""Scratch memory of the programs in a kernel: which bytes of its one scratch buffer are whose.

Programs that run at once lie side by side; those that run one after the other lie in the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from ..analysis.shared_places import LEAST_ALIGNMENT
from ..ir.attributes import IntegerAttr
from ..ir.core import Value
from ..ir.types import INDEX


class Scratch:
    """The scratch memory of one program."""

    def __init__(self, zero: Callable[[], Value]) -> None:
        """`zero` makes the constant that becomes the first byte, which nothing else may use unless it stays 0."""
        self.bytes = 0
        self._zero = zero
        self._inside: list[tuple[Scratch, int]] = []

    @cached_property
    def start(self) -> Value:
        """The first byte, once `place` was called."""
        return self._zero()

    def need(self, size: int) -> None:
        self.bytes = max(self.bytes, size)

    def hold(self, programs: Iterable[Scratch]) -> None:
        """Those of programs inside this one that run at once."""
        end = 0
        for inner in programs:
            self._inside.append((inner, end))
            end += -(-inner.bytes // LEAST_ALIGNMENT) * LEAST_ALIGNMENT
        self.need(end)

    def place(self, first: int) -> None:
        if first and self.bytes:
            maker = self.start.operation
            assert maker is not None
            maker.attributes["value"] = IntegerAttr(first, INDEX)
        for inner, offset in self._inside:
            inner.place(first + offset)
