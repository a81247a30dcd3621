"""When the workgroup's buffers of one thread's program are in use, so that those which never are at once share bytes.

What counts is the order of the operations in the function's own block: whatever stands in a loop or a branch is used
where that stands. Between the last use of one buffer and the first of another there has to be a barrier of all threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .core import Operation, Value
from .dialects import gpu, memref
from .dialects.func import FunctionLike
from .dialects.lanewise_warpgroup import WarpgroupWaitOp
from .effects import Buffers, accesses
from .memory_spaces import is_workgroup
from .traits import Effect


@dataclass
class Lifetime:
    """From the first to the last position that touches a buffer. `asynchronous`: by way of the async proxy."""

    first: int
    last: int
    asynchronous: bool = False


class Lifetimes:
    """Of the buffers that a function allocates in its own block, and uses for nothing but accesses."""

    def __init__(self, function: FunctionLike) -> None:
        self._function = function
        own = (op for op in function.body.operations if isinstance(op, memref.AllocOp))
        self._candidates = {op.memref: op for op in own if is_workgroup(op.memref.type.memory_space)}

    @cached_property
    def _buffers(self) -> Buffers:
        return Buffers(self._function)

    @cached_property
    def of(self) -> Mapping[Operation, Lifetime]:
        """By allocation; those that nobody touches have none."""
        found: dict[Value, Lifetime] = {}
        late, handed_on, waits = set[Value](), set[Value](), 0
        for position, outer in enumerate(self._function.body.operations):
            for op in outer.walk():
                for access in accesses(op) if op.memory_groups else ():
                    for buffer in self._buffers.of(access.memref):
                        known = found.setdefault(buffer, Lifetime(position, position))
                        known.last = position
                        known.asynchronous |= op.through_async_proxy
                        if op.through_async_proxy or Effect.LATER in access.effect:
                            late.add(buffer)
                if not op.pure:
                    handed_on |= self._handed_on(op)
                if op.awaits_copies:
                    waits = position
        for wait in self._function.all_of(WarpgroupWaitOp):
            waits = max(waits, self._position(wait))
        for buffer in late:
            found[buffer].last = max(found[buffer].last, waits)
        return {op: found[b] for b, op in self._candidates.items() if b in found and b not in handed_on}

    def _handed_on(self, op: Operation) -> set[Value]:
        """The buffers that an operation has for what is no access, nor followed by `Buffers`."""
        if op.view_results or op.regions or op.terminator or op.memory_groups:
            return set()
        return {b for v in op.operands if v in self._candidates for b in self._buffers.of(v)}

    def _position(self, op: Operation) -> int:
        around: Operation | None = op
        while around is not None and around.parent is not self._function.body:
            around = around.enclosing()
        assert around is not None
        return self._function.body.position(around)

    @cached_property
    def barriers(self) -> Sequence[int]:
        """Positions at which all threads meet."""
        operations = enumerate(self._function.body.operations)
        return [i for i, op in operations if isinstance(op, gpu.BarrierOp) and op.address_spaces is None]

    def apart(self, a: Operation, b: Operation, *, with_barrier: bool = True) -> bool:
        """Whether two allocations may have the same bytes. Without `with_barrier`: but for a barrier between them.

        Tensor cores and boxes see what threads wrote behind a fence only, so what they touch is not used second."""
        if a not in self.of or b not in self.of:
            return False
        early, late = sorted((self.of[a], self.of[b]), key=lambda lifetime: lifetime.first)
        ordered = early.last < late.first and not late.asynchronous
        met = not with_barrier or any(early.last < at < late.first for at in self.barriers)
        return ordered and met
