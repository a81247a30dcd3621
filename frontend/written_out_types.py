"""What a function may have that is written out: memrefs whose elements are vectors (`vector_memrefs.py`), and tensors
(`tensors.py`)."""

from __future__ import annotations

from ..ir.core import Operation
from ..ir.define import is_tensor
from ..ir.types import MemRefType, Type, VectorType
from .legalisations import values_of


def element_shape(type: Type) -> tuple[int, ...] | None:
    """The shape of the elements of a memref of vectors; None for other types."""
    match type:
        case MemRefType(element=VectorType(shape=shape)):
            return shape
        case _:
            return None


def has_memrefs_of_vectors(function: Operation) -> bool:
    return any(element_shape(value.type) is not None for value in values_of(function))


def has_tensors(function: Operation) -> bool:
    return any(of_tensors(op) for op in function.walk())


def of_tensors(op: Operation) -> bool:
    return any(map(is_tensor.admits, (*op.operands, *op.results)))
