"""Loops whose iterations have no order: which of them touched what, and where two of them meet.

Every granule remembers the iteration, counted from 1, that wrote it last, and one that read it, with the operation:

    62 SEVERAL iterations read it | 61 .. 14 iteration | 13 .. 0 operation
"""

from __future__ import annotations

import numpy as np

from ..ir.core import Operation
from ..ir.numerics import Array
from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple
from .access_places import Granular, Place
from .buffers import Buffer
from .races import OP_BITS, operations_of

_ITERATION = np.int64((1 << 62) - (1 << OP_BITS))
_SEVERAL = np.int64(1 << 62)
_NONE = np.int64(0)


class Span(NamedTuple):
    """What an operation, by its number, touches."""

    buffer: Buffer
    place: Place
    itemsize: int
    operation: int


@dataclass(frozen=True, eq=False)
class Meeting:
    """An access meets another iteration's: where, and the stamps of what the other did there."""

    clash: Array
    stamps: Array
    verb: str


@dataclass
class Unordered:
    """One execution of such a loop."""

    op: Operation
    iteration: int = 0
    _touched: dict[Buffer, Granular] = field(default_factory=dict[Buffer, Granular])

    def enter_read(self, span: Span) -> Meeting:
        """What it meets; the read is entered."""
        granular, parts, own = self._own(span)
        writes, reads = granular.arrays
        meeting = Meeting(*self._others(span.place.take(writes, parts)), "writes")
        last = span.place.take(reads, parts)
        several = (last != _NONE) & (((last ^ own) & _ITERATION) != _NONE)
        span.place.put(reads, np.where(several, last | _SEVERAL, own), parts)
        return meeting

    def enter_write(self, span: Span, atomic: Array | None = None) -> list[Meeting]:
        """What it meets but for the operations numbered in `atomic`; the write is entered."""
        granular, parts, own = self._own(span)
        writes, reads = granular.arrays
        read, (written, stamps) = (self._others(span.place.take(side, parts)) for side in (reads, writes))
        if atomic is not None:
            written = written & ~np.isin(operations_of(stamps.view(np.uint64)), atomic)
        span.place.put(writes, own, parts)
        return [Meeting(*read, "reads"), Meeting(written, stamps, "writes")]

    def _own(self, span: Span) -> tuple[Granular, int, Array]:
        granular = self._touched.setdefault(span.buffer, Granular(span.buffer.data.size, np.int64, np.int64))
        return granular, granular.parts(span.itemsize), np.asarray(self.iteration << OP_BITS | span.operation, np.int64)

    def _others(self, last: Array) -> tuple[Array, Array]:
        """Where stamps are of another iteration."""
        iteration = np.int64(self.iteration << OP_BITS)
        other = ((last & _ITERATION) != iteration) | ((last & _SEVERAL) != _NONE)
        return np.asarray((last != _NONE) & other), last
