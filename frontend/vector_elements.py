"""Memrefs whose elements are vectors: whether there are any (`vector_memrefs.py` writes them out)."""

from __future__ import annotations

from ..ir.core import Operation
from ..ir.types import MemRefType, Type, VectorType
from .table import values_of


def element_shape(type: Type) -> tuple[int, ...] | None:
    """Of the elements of a memref of vectors; None for other types."""
    match type:
        case MemRefType(element=VectorType(shape=shape)):
            return shape
        case _:
            return None


def has_memrefs_of_vectors(function: Operation) -> bool:
    return any(element_shape(value.type) is not None for value in values_of(function))
