"""The forms in which texts write an operation's attributes: MLIR's generic form has numbers for some enumerations, and
lists of integers are `[1, 2]` for some operations and `array<i64: 1, 2>` for others, older texts having it otherwise.

In memory an enumeration is its word, a list has the form that its field names first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .attributes import (
    ArrayAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    EnumAttr,
    IntegerAttr,
    IntegersAttr,
    StringAttr,
    UnitAttr,
    dense_i64,
    i64_array,
    int_array,
    is_int_array,
)
from .fields import AttributeField
from .types import I1, Attribute, IntegerType


class OutOfRange(Exception):
    """A number that no word of its enumeration has."""


def _flag(value: IntegerAttr) -> Attribute | None:
    if value.type != I1:
        return value
    return UnitAttr() if value.value else None


def _numbers(value: DenseElementsAttr) -> Attribute:
    element = value.type.element
    if not isinstance(element, IntegerType):
        return value
    count = value.type.elements if value.is_splat else 1
    return IntegersAttr(tuple(int(v) for v in value.values) * count, element)


_RESTATED: dict[tuple[type[Attribute], type[Attribute]], Callable[[Any], Attribute | None]] = {
    (UnitAttr, IntegerAttr): _flag,
    (IntegersAttr, DenseElementsAttr): _numbers,
}
"""By the kind that a field wants and the one that a text has: `disjoint = false`, and numbers dense in a vector."""


def stored(slot: AttributeField[object], value: Attribute) -> Attribute | None:
    """What a text's `value` of an attribute stands for, in the form in which operations have it; values of other kinds
    are left to the verifier; None is an attribute that is not there. Raises OutOfRange."""
    kind = slot.classes[0]
    restated = _RESTATED.get((kind, type(value)))
    if restated is not None:
        return restated(value)
    if isinstance(value, StringAttr) and issubclass(kind, EnumAttr) and value.value in kind.cases:
        return kind(value.value)
    if isinstance(value, IntegerAttr) and issubclass(kind, EnumAttr) and kind.number is not None:
        if value.type != kind.number:
            raise OutOfRange(f"{slot.name} is a number of {kind.number}, found {value}")
        if not 0 <= value.value < len(kind.cases):
            raise OutOfRange(f"{slot.name} is a number below {len(kind.cases)}, found {value.value}")
        return kind(kind.cases[value.value])
    return _listed(kind, value) if ArrayAttr in slot.classes and DenseArrayAttr in slot.classes else value


def written(slot: AttributeField[object], value: Attribute) -> Attribute:
    """The attribute as upstream's generic form has it."""
    if isinstance(value, EnumAttr) and value.number is not None:
        return IntegerAttr(value.cases.index(value.value), value.number)
    return _listed(slot.classes[0], value) if ArrayAttr in slot.classes and DenseArrayAttr in slot.classes else value


def _listed(kind: type[Attribute], value: Attribute) -> Attribute:
    if isinstance(value, kind) or not is_int_array(value):
        return value
    return (dense_i64 if kind is DenseArrayAttr else i64_array)(list(int_array(value)))
