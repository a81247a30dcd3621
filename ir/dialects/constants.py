"""Values that are known before the program runs."""

from __future__ import annotations

from ..attributes import number_of
from ..core import Value
from ..numerics import Array
from ..types import Attribute
from .arith import ConstantOp


def constant_attribute(value: Value) -> Attribute | None:
    op = value.owner
    return op.attributes["value"] if isinstance(op, ConstantOp) else None


def constant_array(value: Value) -> Array:
    """The elements of what a constant operation gives."""
    op = value.operation
    assert isinstance(op, ConstantOp)
    return op.array()


def constant_int(value: Value) -> int | None:
    """The number of an integer constant."""
    return number_of(constant_attribute(value))
