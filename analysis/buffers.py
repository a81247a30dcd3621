"""Where the memrefs of a function may lie, followed backwards through views, loops and branches."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.analyses import Analyses
from ..ir.core import Operation, Value
from ..ir.effects import Access, accesses, viewed


class Buffers:
    """Where the memrefs of a function may lie: in its arguments and allocations, through views, loops and branches."""

    def __init__(self, function: Operation) -> None:
        self.function = function
        self._sources: dict[Value, list[Value]] = {}
        self._known: dict[Value, tuple[Value, ...]] = {}
        for op in function.walk():
            for source, target in op.flows() if op.hands_on else ():
                if source.type.is_memref:
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
