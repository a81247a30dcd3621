"""How the elements of a memref are stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.numerics import dtype_of
from ..ir.types import MemRefType, scalar_type, shape_of


def dtype_and_shape(type: MemRefType) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """What one scalar is stored as, and the shape of an element: () unless elements are vectors."""
    return dtype_of(scalar_type(type.element)), shape_of(type.element)
