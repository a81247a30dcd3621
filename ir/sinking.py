"""Moves operations down to where their results are first used, so that fewer registers are alive at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .core import Block, Operation
from .effects import accesses


def blocks_in(function: Operation) -> Iterator[Block]:
    """Every block inside an operation."""
    return (block for op in list(function.walk()) for region in op.regions for block in region.blocks)


def sink(
    block: Block, moves: Callable[[Operation], bool], is_passed: Callable[[Operation], bool] = lambda op: False
) -> None:
    """Puts each operation that `moves` just before the first use of its results in the block, the others staying in
    order. What reads memory passes nothing that may write it or orders accesses to it, but for what `is_passed`. What
    only the block's terminator uses stays: it was read ahead for whoever comes next."""
    operations = list(block.operations)
    number = {op: at for at, op in enumerate(operations)}
    limits = _next_writes(operations, is_passed)
    place: dict[Operation, int] = {}
    """In front of which operation those that move will stand."""
    for at in reversed(range(len(operations))):
        op = operations[at]
        if moves(op):
            uses = [_place_in(block, user, number, place) for result in op.results for user in result.users]
            first = min(uses if op.pure else [*uses, limits[at]], default=at)
            place[op] = at if first == len(operations) - 1 else first
    block.reorder(sorted(operations, key=lambda op: (place.get(op, number[op]), op not in place, number[op])))


def _place_in(block: Block, user: Operation, number: Mapping[Operation, int], place: Mapping[Operation, int]) -> int:
    """Where the operation of `block` stands that `user` is, or is inside of."""
    while user.parent is not block:
        owner = user.enclosing()
        assert owner is not None
        user = owner
    return place.get(user, number[user])


def _next_writes(operations: Sequence[Operation], is_passed: Callable[[Operation], bool]) -> list[int]:
    """For every operation, the first after it that may change memory, or orders accesses to it."""
    limits, following = [0] * len(operations), len(operations) - 1
    for at in reversed(range(len(operations))):
        limits[at] = following
        op = operations[at]
        only_reads = bool(op.memory_groups) and not any(access.writes for access in accesses(op))
        if op.regions or not (op.pure or only_reads or is_passed(op)):
            following = at
    return limits
