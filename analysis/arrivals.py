"""When what a thread's program has under way no longer touches the workgroup's buffers: copies, and products that read
tiles by themselves.

Positions are those of operations in the function's own block; whatever stands in a loop or a branch has its position.
What begins, ends a group and waits, the classes of operations say: see `traits.Completion`.
"""

from __future__ import annotations

from ..ir.core import Block, Operation, Value
from ..support.dataclasses import dataclass, field


@dataclass
class Arrivals:
    """Meets all operations in program order; then tells where what each of them begins is over."""

    _last: int = 0
    """The last wait of any kind."""
    _objects: dict[Value, int] = field(default_factory=dict[Value, int])
    """The last wait for each group of barrier objects."""
    _open: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """What no wait for all of its kind has followed, to which everybody gets who began it. That a box was read will do:
    what it writes is no buffer of a workgroup."""
    _ungrouped: set[Operation] = field(default_factory=set[Operation])
    _ends: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def meet(self, op: Operation, position: int) -> None:
        if op.awaits:
            self._wait(op, position)
        if op.begins is not None and not _ends_itself(op):
            self._open[op] = None
            self._ungrouped |= {op} if op.begins.committed else set()
        elif op.commits is not None:
            self._ungrouped -= {b for b in self._ungrouped if b.begins is op.commits and _is_around(op.parent, b)}

    def _wait(self, op: Operation, position: int) -> None:
        if op.counted_by is not None:
            self._objects[op.counted_by] = position
        if op.begins is None:
            self._last = max(self._last, position)
        if op.counted_by is None:
            whole = [completion for completion in op.awaits if op.groups_left_of(completion) == 0]
            for begun in [b for b in self._open if b.begins in whole and b not in self._ungrouped]:
                if _is_around(op.parent, begun):
                    self._ends[begun] = position
                    del self._open[begun]

    def end_of(self, op: Operation, position: int) -> int | None:
        """The end of what an operation begins at a position: the first wait for all, which whoever began it gets to.
        None where there is no such wait: it stands in a branch, or leaves the newest group. What an object counts is
        over at its last wait, or at the last of all where the object is not known: no kernel may end before."""
        if _ends_itself(op):
            return position
        if op.begins is not None and not op.begins.by_object:
            return self._ends.get(op)
        last = self._last if op.counted_by is None else self._objects.get(op.counted_by, self._last)
        return max(position, last)


def _ends_itself(op: Operation) -> bool:
    """Whether it waits for all groups of its kind, its own among them."""
    return op.begins in op.awaits and not op.groups_left


def _is_around(block: Block | None, op: Operation) -> bool:
    inner: Operation | None = op
    while inner is not None and inner.parent is not block:
        inner = inner.enclosing()
    return inner is not None
