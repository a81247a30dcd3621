"""Which blocks of a region every way to a block goes through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .core import Block


def successors(block: Block) -> tuple[Block, ...]:
    """Where a block may go on to."""
    return block.terminator.successors if block.terminator is not None else ()


def reachable(entry: Block) -> list[Block]:
    """Every block that is reached from `entry`, each before those that are reached through it alone."""
    order, pending, seen = list[Block](), [(entry, False)], set[Block]()
    while pending:
        block, done = pending.pop()
        if done:
            order.append(block)
        elif block not in seen:
            seen.add(block)
            pending.append((block, True))
            pending += [(s, False) for s in reversed(successors(block)) if s not in seen]
    return order[::-1]


def predecessors(blocks: Sequence[Block]) -> dict[Block, list[Block]]:
    """By block, those that may go on to it, once for each way."""
    found: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        for successor in successors(block):
            if successor in found:
                found[successor].append(block)
    return found


def dominators(entry: Block) -> Mapping[Block, frozenset[Block]]:
    """By reachable block, those on every way to it, itself too."""
    blocks = reachable(entry)
    before = predecessors(blocks)
    found = {block: frozenset(blocks) for block in blocks}
    found[entry] = frozenset([entry])
    changed = True
    while changed:
        changed = False
        for block in blocks[1:]:
            new = _in_all([found[p] for p in before[block]]) | {block}
            changed, found[block] = changed or new != found[block], new
    return found


def _in_all(sets: Sequence[frozenset[Block]]) -> frozenset[Block]:
    common = sets[0]
    for other in sets[1:]:
        common &= other
    return common
