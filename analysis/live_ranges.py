"""Between which operations of a program values are alive, whatever they take there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.core import Block, Operation, Value


class LiveRanges:
    """`number`: of each operation in program order; `spans`: (first, last) of each value."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.number = {op: i for i, op in enumerate(operations)}
        self.spans = _spans(operations, self.number)


def _spans(operations: Sequence[Operation], number: Mapping[Operation, int]) -> dict[Value, tuple[int, int]]:
    """(first, last); what a loop uses from outside lives through it. What it carries lives in its block's argument
    until that is used last, then in what is yielded, and after the loop in the result."""
    ends: dict[Block, int] = {}
    for op in operations:
        for region in op.regions:
            for block in region.blocks:
                final = block.operations[-1] if block.operations else op
                ends[block] = number.get(final, number[op])  # a program inside this one has numbers of its own
    spans: dict[Value, tuple[int, int]] = {}
    for at, op in enumerate(operations):
        blocks = [block for region in op.regions for block in region.blocks]
        done = max((ends[block] for block in blocks), default=at)
        spans.update(dict.fromkeys(op.results, (done, done)))
        spans.update(dict.fromkeys((argument for block in blocks for argument in block.arguments), (at, at)))
        for value in op.operands:
            if value in spans:
                first, last = spans[value]
                spans[value] = first, max(last, _end_of_use(value, op, at, ends))
    return spans


def _end_of_use(value: Value, op: Operation, at: int, ends: Mapping[Block, int]) -> int:
    home = value.block
    block, last = op.parent, at
    while block is not None and block is not home:
        last = ends.get(block, last)
        block = None if block.parent is None or block.parent.parent is None else block.parent.parent.parent
    return last
