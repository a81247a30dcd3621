"""Changing a program in place: erase, replace, insert before, with a work list of the operations that may change next.

    rewriter = Rewriter(function)
    for op in rewriter:
        if is_dead(op):
            rewriter.erase(op)

Every operation comes at least once, in program order. Whoever changes something makes its neighbours come again: the
makers of operands that were given up, the users of values that were replaced, and what was put in. So a rule need look
at one operation and its neighbours only, and nothing is swept twice in vain.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from .core import Operation, OpT, Value


class Rewriter:
    """The operations inside `root`, those in nested regions included, and the changes made to them."""

    def __init__(self, root: Operation) -> None:
        self._pending = deque[Operation]()
        self._waiting = set[Operation]()
        self._unseen: Operation | None = root
        """The root, until somebody asks for what is in it."""

    def __iter__(self) -> Iterator[Operation]:
        """The operations that are left to look at; it ends when none is."""
        if self._unseen is not None:
            _, *inside = self._unseen.walk()
            self._pending, self._waiting, self._unseen = deque(inside), set(inside), None
        while self._pending:
            op = self._pending.popleft()
            if op in self._waiting:
                self._waiting.remove(op)
                yield op

    def revisit(self, op: Operation) -> None:
        """Puts an operation at the end of the work list, where it is not there already."""
        if self._unseen is None and op not in self._waiting:
            self._waiting.add(op)
            self._pending.append(op)

    def insert_before(self, anchor: Operation, op: OpT) -> OpT:
        """Puts a new operation, and what is in its regions, in front of one that stands in a block."""
        return self._insert(anchor, 0, op)

    def insert_after(self, anchor: Operation, op: OpT) -> OpT:
        """Puts a new operation behind one that is not the block's last."""
        return self._insert(anchor, 1, op)

    def _insert(self, anchor: Operation, behind: int, op: OpT) -> OpT:
        assert anchor.parent is not None
        anchor.parent.insert(anchor.parent.position(anchor) + behind, op)
        for inner in op.walk():
            self.revisit(inner)
        return op

    def erase(self, op: Operation) -> None:
        """Takes an operation out for good, with all in its regions; nobody else uses its results."""
        assert op.parent is not None
        inside = list(op.walk())
        makers = [maker for each in inside for value in each.operands if (maker := value.operation) is not None]
        op.parent.erase(op)
        self._waiting.difference_update(inside)
        for maker in dict.fromkeys(makers):
            if maker.parent is not None:
                self.revisit(maker)

    def replace(self, op: Operation, values: Sequence[Value]) -> None:
        """Lets `values` stand where the results are used, and erases the operation."""
        for result, value in zip(op.results, values, strict=True):
            self.replace_uses(result, value)
        self.erase(op)

    def replace_uses(self, value: Value, by: Value) -> None:
        """Makes all operands that are `value` another value of its type."""
        assert value.type == by.type, f"{value.type} is replaced by {by.type}"
        users = list(value.users)
        value.replace_uses(by)
        for user in users:
            self.revisit(user)
