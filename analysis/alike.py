"""Along how many neighbours of a mask its elements are one value, as far as that shows: one access may take so many.

What distribution makes of a mask has one comparison for neighbours that cannot differ (`distribute/rules/vector.py`);
of what memory or arithmetic gives, each element may differ from the next.
"""

from __future__ import annotations

from ..ir.attributes import DenseElementsAttr
from ..ir.core import Value
from ..ir.dialects import arith, vector
from ..ir.types import VectorType
from .divisibility import ANY, Divisibility, power_of_two


def neighbours_alike(mask: Value, dim: int, known: Divisibility) -> int:
    """A power of two: groups of so many elements along a dimension, each from a multiple of it on, are of one value."""
    op = mask.operation
    if isinstance(op, arith.ConstantOp):
        value = op.attributes["value"]
        return ANY if isinstance(value, DenseElementsAttr) and value.is_splat else 1
    if isinstance(op, vector.CreateMaskOp):
        return known.of(op.bounds[dim])
    if isinstance(op, vector.ConstantMaskOp):
        return power_of_two(op.mask_dim_sizes[dim])
    if isinstance(op, vector.BroadcastOp):
        return _of_broadcast(op, dim, known)
    return 1


def _of_broadcast(op: vector.BroadcastOp, dim: int, known: Divisibility) -> int:
    source = op.source
    if not isinstance(source.type, VectorType):
        return ANY
    from_ = dim - (op.vector.type.rank - source.type.rank)
    return ANY if from_ < 0 or source.type.shape[from_] == 1 else neighbours_alike(source, from_, known)
