"""What an operation that only moves elements does with them, read off its own `reference` function.

The numbers of all elements go through the function, which moves arrays of any element type: what comes out says where
each element of the result comes from. So the operation's meaning is written once. An element that is zero, whatever
the operands are, comes from nowhere: it is poison.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from ..support.named_tuples import NamedTuple
from ..support.reindex import Reindex
from .core import Block, Operation
from .types import Attribute, Type, shape_of


def moves_all(cls: type[Operation]) -> bool:
    """Whether the one result of such operations takes over elements of all their operands as they are."""
    return cls.moves == slice(None) and cls.result_limits == (1, 1)


def only_moves(op: Operation) -> bool:
    """Whether the operation itself says where every element goes: no operand is a number that is known later."""
    count = len(op.operands)
    return count > 0 and len(op.results) == 1 and len(range(*op.moves.indices(count))) == count


def reindexes(op: Operation) -> tuple[Reindex | None, ...]:
    """f of every operand of an operation that only moves elements; None for one of which none is left."""
    types = tuple(operand.type for operand in op.operands)
    attributes = tuple(sorted(op.attributes.items()))
    return _reindexes(_Class(type(op)), types, op.results[0].type, attributes)


class _Class(NamedTuple):
    """An operation's class, as something to remember answers by."""

    of: type[Operation]


@lru_cache(maxsize=4096)
def _reindexes(
    cls: _Class, operands: tuple[Type, ...], result: Type, attributes: tuple[tuple[str, Attribute], ...]
) -> tuple[Reindex | None, ...]:
    op = cls.of(Block(list(operands)).arguments, [result], dict(attributes))
    shapes = [shape_of(type) for type in operands]
    starts = np.cumsum([1, *(prod(shape) for shape in shapes)])
    numbers = [
        np.arange(start, start + prod(shape), dtype=np.int64).reshape(shape)
        for start, shape in zip(starts[:-1], shapes, strict=True)
    ]
    moved = np.asarray(op.reference(*numbers)).reshape(shape_of(result))
    found: list[Reindex | None] = []
    for start, end, shape in zip(starts[:-1], starts[1:], shapes, strict=True):
        found.append(Reindex.of_table(np.where((start <= moved) & (moved < end), moved - start, -1), shape))
    return tuple(found)
