"""What operations do to memory, asked of their classes: which memrefs are read and written, and where these lie."""

from __future__ import annotations

from collections.abc import Iterator

from ..support.named_tuples import NamedTuple
from .analyses import Analyses
from .core import Operation, Value
from .define import is_memref
from .traits import Effect
from .types import MemRefType


class Access(NamedTuple):
    """What one operation does through one of its memref operands."""

    operation: Operation
    memref: Value[MemRefType]
    effect: Effect

    @property
    def reads(self) -> bool:
        return Effect.READS in self.effect

    @property
    def writes(self) -> bool:
        return Effect.WRITES in self.effect

    @property
    def atomic(self) -> bool:
        return Effect.ATOMIC in self.effect


def accesses(op: Operation) -> Iterator[Access]:
    """What the operation itself reads, writes or frees, not what those in its regions do. What it does through a
    tensor map it does to the tensor that this is of."""
    for group in op.memory_groups:
        for value in group.group(op):
            memref = value if isinstance(value.type, MemRefType) else viewed(value)
            if memref is not None and is_memref.admits(memref):
                assert group.effect is not None
                yield Access(op, memref, group.effect)
    for value, effect in op.touches():
        assert is_memref.admits(value)
        yield Access(op, value, effect)


def viewed(memref: Value) -> Value | None:
    """The memref whose memory this one shares, where a single operation made it of that."""
    op = memref.operation
    if op is None or not op.view_results:
        return None
    source = op.view_results.get(memref.index)
    return None if source is None else source.group(op)[0]


def views(memref: Value) -> Iterator[Value]:
    """The memref and all views of it, of views too."""
    yield memref
    for op in memref.users:
        for position, source in op.view_results.items():
            if source.group(op)[0] is memref:
                yield from views(op.results[position])


class Buffers:
    """Where the memrefs of a function may lie: in its arguments and allocations, through views, loops and branches."""

    def __init__(self, function: Operation) -> None:
        self.function = function
        self._sources: dict[Value, list[Value]] = {}
        self._known: dict[Value, tuple[Value, ...]] = {}
        for op in function.walk():
            for source, target in op.flows() if op.hands_on else ():
                if isinstance(source.type, MemRefType):
                    self._sources.setdefault(target, []).append(source)

    @classmethod
    def of_function(cls, function: Operation, analyses: Analyses) -> Buffers:
        return cls(function)

    def of(self, memref: Value) -> tuple[Value, ...]:
        """The buffers that `memref` may lie in: function arguments, results of allocations (and of calls)."""
        if memref not in self._known:
            self._known[memref] = self._reached(memref)
        return self._known[memref]

    def accesses(self) -> Iterator[tuple[Access, tuple[Value, ...]]]:
        """Every access in the function, in program order, and the buffers that it may be to."""
        for op in self.function.walk():
            for access in accesses(op) if op.has_accesses else ():
                yield access, self.of(access.memref)

    def written(self) -> frozenset[Value]:
        """The buffers that the function may write."""
        return frozenset(buffer for access, buffers in self.accesses() if access.writes for buffer in buffers)

    def _reached(self, memref: Value) -> tuple[Value, ...]:
        found, pending, seen = dict[Value, None](), [memref], {memref}
        while pending:
            value = pending.pop()
            source = viewed(value)
            before = [source] if source is not None else self._sources.get(value, [])
            if not before:
                found[value] = None
            pending += [v for v in before if v not in seen]
            seen.update(before)
        return tuple(found)
