"""What a function does to memory, block by block, as far as an order may be needed or given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..analysis.access_places import Places
from ..analysis.buffers import Buffers
from ..analysis.iterations import is_repeated
from ..analysis.thread_numbers import Threads
from ..ir.analyses import Analyses
from ..ir.core import Block, Operation, Value
from ..ir.dialects import gpu, memref
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.lanewise import SplitOp
from ..ir.effects import accesses, viewed_first
from ..ir.numerics import Array
from ..ir.printing import ARGUMENT
from ..ir.program_parts import Part, parts_of
from ..ir.thread_marks import origin
from ..ir.traits import Completion, Effect
from ..support.dataclasses import dataclass
from .footprints import Footprint, Kind, footprints


@dataclass(frozen=True, eq=False)
class Event:
    """Accesses of one kind to one buffer (or one of several), which one vector operation became."""

    operations: list[Operation]
    kind: Kind
    buffers: frozenset[Value]
    arrives_later: bool = False

    @property
    def completion(self) -> Completion | None:
        """How threads learn that it has arrived, which is later than it is issued."""
        return self.operations[0].begins if self.arrives_later else None

    @property
    def is_counted(self) -> bool:
        """Whether barrier objects say when it has arrived."""
        return self.completion is not None and self.completion.by_object

    def follows(self, other: Event) -> bool:
        """Whether both became of one vector operation."""
        number = origin(self.operations[0])
        same = number is not None and number == origin(other.operations[0])
        alike = self.completion is other.completion
        return same and alike and self.kind == other.kind and self.buffers == other.buffers


Item = Event | Operation
"""An operation is a barrier of the author's, or waits for copies, or has regions."""


class Events:
    """`met` are the buffers in which threads may meet."""

    def __init__(self, function: FunctionLike, threads: Threads, analyses: Analyses) -> None:
        self._function, self._analyses = function, analyses
        self.numbers = analyses.get(threads, function)
        self._items: dict[Block, list[Item]] = {}
        self._footprints: dict[Event, list[Footprint]] = {}
        self._taking: dict[Event, Array] = {}
        """The threads that get to an event, if not all do."""
        self._under_way: dict[tuple[Completion, Kind], dict[Value, None]] = {}
        """The buffers that asynchronous copies read, and write."""
        self._views: list[memref.ViewOp] = []
        self._collect(function.body, None)
        self._places = Places(self.numbers, self._views)
        self.met = self._needing_order()

    def of(self, block: Block) -> list[Item]:
        return self._items[block]

    def take(self, event: Event, taking: Array) -> None:
        """Only the threads in `taking` get to it."""
        self._taking[event] = taking & self._taking.get(event, True)

    def footprints(self, event: Event) -> list[Footprint]:
        if event not in self._footprints:
            places = [self._places.of(op, event.buffers) for op in event.operations]
            together, taking = event.operations[0].collective is not None, self._taking.get(event)
            if taking is not None:
                places = [place._replace(threads=place.threads & taking) for place in places]
            self._footprints[event] = footprints(event.kind, places, together)
        return self._footprints[event]

    # -- what there is ------------------------------------------------------------------------------------------

    def _collect(self, block: Block, taking: Array | None) -> None:
        items: list[Event | Operation] = []
        for op in block.operations:
            if op.has_accesses:
                items += self._events(op)
            if isinstance(op, memref.ViewOp):
                self._views.append(op)
            if isinstance(op, gpu.BarrierOp) or op.regions or op.awaits_copies:
                items.append(op)
                for region, threads in zip(op.regions, self._threads_of(op, taking), strict=True):
                    for inner in region.blocks:
                        self._collect(inner, threads)
        self._items[block] = _together(items)
        if taking is not None:
            self._taking.update({item: taking for item in self._items[block] if isinstance(item, Event)})

    def _threads_of(self, op: Operation, around: Array | None) -> Sequence[Array | None]:
        """Who may get to each region of an operation."""
        if not isinstance(op, SplitOp):
            return [around] * len(op.regions)
        size, ids = self.numbers.subgroup_size, np.arange(self.numbers.threads)
        return [_of_part(ids // size, part) for part in parts_of(op)]

    def _events(self, op: Operation) -> list[Event]:
        """One a kind: what an operation reads of several buffers needs one order with what was before."""
        touched: dict[tuple[Kind, bool], frozenset[Value]] = {}
        for access in accesses(op):
            if access.effect & _TOUCHES:
                kind = _kind(access.effect), Effect.LATER in access.effect
                touched[kind] = touched.get(kind, frozenset()) | self._buffers_of(access.memref)
        return [Event([op], kind, buffers, later) for (kind, later), buffers in touched.items()]

    def _buffers_of(self, buffer: Value) -> frozenset[Value]:
        buffer = viewed_first(buffer)
        if isinstance(buffer.owner, memref.AllocOp) or buffer.owner is self._function.body:
            return frozenset([buffer])
        return frozenset(self._analyses.get(Buffers, self._function).of(buffer))

    def _needing_order(self) -> frozenset[Value]:
        """The buffers that are written, and touched by another access or again in a loop."""
        touched: dict[Value, int] = {}
        written = set[Value]()
        for items in self._items.values():
            for event in items:
                if isinstance(event, Event):
                    for buffer in event.buffers:
                        touched[buffer] = touched.get(buffer, 0) + 1 + is_repeated(event.operations[0])
                    written |= event.buffers if event.kind != Kind.READ else set()
                    if event.completion is not None:
                        found = self._under_way.setdefault((event.completion, event.kind), {})
                        found.update(dict.fromkeys(event.buffers))
        return frozenset(buffer for buffer in written if touched[buffer] > 1 and not self._is_printed(buffer))

    def _is_printed(self, buffer: Value) -> bool:
        """Whether it is what prints write, each to places of its own."""
        is_argument = buffer.owner is self._function.body
        return is_argument and self._function.argument_attribute(buffer.index, ARGUMENT) is not None

    def _inside_matters(self, op: Operation) -> bool:
        """Whether something inside needs order, or gives it."""
        items = (item for region in op.regions for block in region.blocks for item in self._items[block])
        return any(self.matters(item) for item in items)

    def matters(self, item: Event | Operation) -> bool:
        if isinstance(item, Event):
            return not item.buffers.isdisjoint(self.met)
        if item.awaits_copies:
            return any(self.under_way(item, kind) for kind in (Kind.READ, Kind.WRITE))
        return isinstance(item, gpu.BarrierOp) or self._inside_matters(item)

    def under_way(self, wait: Operation, kind: Kind) -> list[Value]:
        """Where threads may meet what copies read, or write, that a wait is for."""
        found = (self._under_way.get((completion, kind), {}) for completion in wait.awaits)
        return [buffer for buffers in found for buffer in buffers if buffer in self.met]


def _of_part(subgroups: Array, part: Part) -> Array:
    return np.asarray((subgroups >= part.first) & (subgroups < part.first + part.count))


_TOUCHES = Effect.READS | Effect.WRITES


def _kind(effect: Effect) -> Kind:
    if Effect.ATOMIC in effect:
        return Kind.UPDATE
    return Kind.WRITE if Effect.WRITES in effect else Kind.READ


def _together(items: Sequence[Event | Operation]) -> list[Event | Operation]:
    """Neighbouring accesses that one vector operation became are one event: it does not meet itself."""
    merged: list[Event | Operation] = []
    for item in items:
        last = merged[-1] if merged else None
        if isinstance(item, Event) and isinstance(last, Event) and item.follows(last):
            last.operations.extend(item.operations)
        else:
            merged.append(item)
    return merged
