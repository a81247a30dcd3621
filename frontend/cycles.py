"""The cycles of a graph of blocks: the largest sets in which every block is reached from every other."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Block
from ..ir.dominance import successors
from ..ir.reachable import reachable


def cycles(blocks: Sequence[Block]) -> list[list[Block]]:
    """In order of the blocks; a block alone is one where it goes on to itself."""
    reach = {block: reachable(successors(block), successors) for block in blocks}
    found, seen = list[list[Block]](), set[Block]()
    for block in blocks:
        if block not in seen and block in reach[block]:
            cycle = [other for other in blocks if other in reach[block] and block in reach[other]]
            seen.update(cycle)
            found.append(cycle)
    return found
