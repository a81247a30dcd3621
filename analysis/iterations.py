"""What is seen of a loop without running it: whether there is one, the numbers that it counts, what is made inside."""

from __future__ import annotations

from ..ir.core import Block, Operation, Value
from ..ir.dialects import scf
from ..ir.dialects.constants import constant_int


def is_repeated(op: Operation) -> bool:
    """Whether a loop is around an operation."""
    around = op.enclosing()
    while around is not None and not around.repeats:
        around = around.enclosing()
    return around is not None


def counted(loop: scf.ForOp) -> range | None:
    """The induction variable's values, where its bounds are constants."""
    bounds = [constant_int(v) for v in (loop.lower_bound, loop.upper_bound, loop.step)]
    if any(b is None for b in bounds):
        return None
    low, high, step = (loop.reading(b) for b in bounds if b is not None)
    return range(low, high, step) if step > 0 else None


def is_inside(value: Value, around: Operation) -> bool:
    """Whether a value is made in a region of an operation, or in one further inside."""
    block: Block | None = value.block
    while block is not None and block.parent is not None:
        owner = block.parent.parent
        if owner is around:
            return True
        block = None if owner is None else owner.parent
    return False
