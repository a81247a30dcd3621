"""What an operation on integers gives, where the numbers that it is given are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.core import Operation
from ..ir.numerics import Array, dtype_of


def is_evaluated(op: Operation) -> bool:
    """Whether `evaluated` knows of it: it makes one integer of integers, element by element, and does nothing else."""
    return op.pure and op.elementwise and op.result.type.is_whole


def evaluated(op: Operation, numbers: Sequence[int | Array]) -> Array:
    """Its result by its own `reference`, for each element of the numbers; an i1 is 0 or 1."""
    given = [np.asarray(n).astype(dtype_of(v.type)) for n, v in zip(numbers, op.operands, strict=True)]
    with np.errstate(all="ignore"):
        return np.asarray(op.reference(*given))
