"""When the workgroup's buffers of one thread's program are in use, so that those which never are at once share bytes.

What counts is the order of the operations in the function's own block: whatever stands in a loop or a branch is used
where that stands. Between the last use of one buffer and the first of another there has to be a barrier of all threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.analyses import Analyses
from ..ir.core import Operation, Value
from ..ir.dialects import gpu, memref
from ..ir.dialects.func import FunctionLike
from ..ir.effects import accesses
from ..ir.memory_spaces import is_workgroup
from ..ir.traits import Effect
from ..support.dataclasses import dataclass
from .arrivals import Arrivals
from .buffers import Buffers


@dataclass
class Lifetime:
    """From the first to the last position that touches a buffer. `asynchronous`: by way of the async proxy."""

    first: int
    last: int
    asynchronous: bool = False


def is_barrier(op: Operation) -> bool:
    """Whether all threads meet, whatever they have touched."""
    return isinstance(op, gpu.BarrierOp) and op.address_spaces is None


class Lifetimes:
    """The lifetimes of the buffers that a function allocates in its own block, and uses for nothing but accesses."""

    of: Mapping[Operation, Lifetime]
    """By allocation; those that nobody touches have none."""
    barriers: Sequence[int]
    """Positions at which all threads meet."""

    def __init__(self, function: FunctionLike, buffers: Buffers) -> None:
        operations = function.body.operations
        own = (op for op in operations if isinstance(op, memref.AllocOp))
        self._function, self._buffers = function, buffers
        self._candidates = {op.memref: op for op in own if is_workgroup(op.memref.type.memory_space)}
        self.of = self._found() if self._candidates else {}
        self.barriers = [i for i, op in enumerate(operations) if is_barrier(op)]

    @classmethod
    def of_function(cls, function: FunctionLike, analyses: Analyses) -> Lifetimes:
        return cls(function, analyses.get(Buffers, function))

    def _found(self) -> Mapping[Operation, Lifetime]:
        found: dict[Value, Lifetime] = {}
        late, handed_on, arrivals = list[tuple[Operation, int, Value]](), set[Value](), Arrivals()
        for position, outer in enumerate(self._function.body.operations):
            for op in outer.walk() if outer.regions else (outer,):
                for access in accesses(op) if op.has_accesses else ():
                    for buffer in self._buffers.of(access.memref):
                        known = found.setdefault(buffer, Lifetime(position, position))
                        known.last = position
                        known.asynchronous |= op.through_async_proxy
                        if op.through_async_proxy or Effect.LATER in access.effect:
                            late.append((op, position, buffer))
                handed_on.update(b for v in op.used_elsewhere() for b in self._buffers.of(v))
                if not op.pure:
                    handed_on |= self._handed_on(op)
                    arrivals.meet(op, position)
        latest = len(self._function.body.operations) - 1
        for op, position, buffer in late:
            end = arrivals.end_of(op, position)
            found[buffer].last = max(found[buffer].last, latest if end is None else end)
        return {op: found[b] for b, op in self._candidates.items() if b in found and b not in handed_on}

    def _handed_on(self, op: Operation) -> set[Value]:
        """The buffers that an operation has for what is no access, nor followed by `Buffers`."""
        if op.view_results or op.regions or op.terminator or op.has_accesses:
            return set()
        return {b for v in op.operands if v in self._candidates for b in self._buffers.of(v)}

    def apart(self, a: Operation, b: Operation, *, with_barrier: bool = True) -> bool:
        """Whether two allocations may have the same bytes. Without `with_barrier`: but for a barrier between them."""
        if a not in self.of or b not in self.of:
            return False
        early, late = self.in_order(a, b)
        return early.last < late.first and (not with_barrier or bool(self.between(early, late)))

    def in_order(self, a: Operation, b: Operation) -> tuple[Lifetime, Lifetime]:
        return (self.of[a], self.of[b]) if self.of[a].first <= self.of[b].first else (self.of[b], self.of[a])

    def between(self, early: Lifetime, late: Lifetime) -> list[int]:
        """Positions at which all threads meet."""
        return [at for at in self.barriers if early.last < at < late.first]
