"""Which buffers a program accesses at places that depend on what it reads: bins of a histogram, rows of a table.

Elements of these that nobody touches say nothing of the grid: other data would have touched them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.buffers import Buffers
from ..ir.core import Operation, Value
from ..ir.define import is_i1, is_index, is_index_vector, is_mask
from ..ir.effects import accesses

_PLACES = frozenset({is_index, is_index_vector, is_mask, is_i1})
"""What says where an access goes, or whether it happens."""


def buffers_at_read_places(function: Operation) -> frozenset[Value]:
    """The arguments and allocations that a function accesses where, or only if, something that it read says so."""
    read = _from_memory(function)
    buffers = Buffers(function)
    return frozenset(
        buffer
        for access, found in buffers.accesses()
        if any(value in read for op in _around(access.operation, function) for value in _places(op))
        for buffer in found
    )


def _from_memory(function: Operation) -> frozenset[Value]:
    """All values that depend on what an operation has read."""
    flows: dict[Value, list[Value]] = {}
    pending: list[Value] = []
    for op in function.walk():
        for source, target in op.flows() if op.hands_on else ():
            flows.setdefault(source, []).append(target)
        if any(access.reads for access in accesses(op)):
            pending += [result for result in op.results if not result.type.is_memref]
    found = set(pending)
    while pending:
        value = pending.pop()
        reached = [*flows.get(value, ()), *(result for op in value.users for result in op.results)]
        pending += [other for other in dict.fromkeys(reached) if other not in found]
        found.update(reached)
    return frozenset(found)


def _places(op: Operation) -> Iterator[Value]:
    for group in op.operand_groups:
        if group.constraint in _PLACES:
            yield from group.group(op)


def _around(op: Operation, function: Operation) -> Iterator[Operation]:
    """The operation and those that hold it within the function."""
    current: Operation | None = op
    while current is not None and current is not function:
        yield current
        current = current.enclosing()
