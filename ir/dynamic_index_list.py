"""Lists whose entries are numbers or values, such as `[%i, 4]`: numbers live in an attribute, values in operands.

In the attribute, `DYNAMIC` stands where a value is; read through a field it is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..support.diagnostics import Report
from .attributes import DYNAMIC, DenseArrayAttr, int_array
from .core import Operation, Value
from .define import OperandField, static_numbers_attribute
from .types import I64, Attribute, IndexType


def static_numbers(attribute: Attribute) -> tuple[int | None, ...]:
    """The numbers of such a list, None where a value stands."""
    return tuple(None if n == DYNAMIC else n for n in int_array(attribute))


def static_attr(numbers: Sequence[int | None]) -> DenseArrayAttr:
    """The attribute for a list with None where values stand."""
    return DenseArrayAttr(I64, tuple(DYNAMIC if n is None else n for n in numbers))


def known_part(entries: Sequence[int | Value]) -> list[int | None]:
    """A list of numbers and values with None where values stand."""
    return [n if isinstance(n, int) else None for n in entries]


def static_part(entries: Sequence[int | Value]) -> DenseArrayAttr:
    """The attribute for a list of numbers and values."""
    return static_attr(known_part(entries))


def dynamic_part(entries: Sequence[int | Value]) -> list[Value]:
    """The operands for a list of numbers and values."""
    return [v for v in entries if not isinstance(v, int)]


def merge(numbers: Sequence[int | None], values: Sequence[Value]) -> list[int | Value]:
    """One list, with each value at its place."""
    remaining: Iterator[Value] = iter(values)
    return [next(remaining) if n is None else n for n in numbers]


# -- rectangles -------------------------------------------------------------------------------------------------------

Group = tuple[str, Sequence["int | None"], Sequence[Value]]
"""Words for a list, its numbers, and its values."""


class Rectangle(Operation):
    """An operation that has offsets, sizes and strides, each a number or a value a dimension."""

    static_offsets = static_numbers_attribute()
    static_sizes = static_numbers_attribute()
    static_strides = static_numbers_attribute()
    offsets: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    sizes: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    strides: ClassVar[OperandField[tuple[Value[IndexType], ...]]]

    def mixed(self) -> tuple[list[int | Value], list[int | Value], list[int | Value]]:
        """Offsets, sizes and strides."""
        return (
            merge(self.static_offsets, self.offsets),
            merge(self.static_sizes, self.sizes),
            merge(self.static_strides, self.strides),
        )

    @property
    def groups(self) -> tuple[Group, ...]:
        return (
            ("offsets", self.static_offsets, self.offsets),
            ("sizes", self.static_sizes, self.sizes),
            ("strides", self.static_strides, self.strides),
        )


def check_lists(op: Operation, groups: Sequence[Group], rank: int, of: str, report: Report) -> bool:
    """Whether each list has an entry for each of `rank` dimensions, and a value where it has no number."""
    before = len(report.diagnostics)
    for words, numbers, values in groups:
        if len(numbers) != rank:
            op.error(report, f"has {len(numbers)} {words} for {of}")
        elif numbers.count(None) != len(values):
            op.error(report, f"has {len(values)} {words} as values, {numbers.count(None)} in the list")
    return len(report.diagnostics) == before


def rectangle(between: str = " ") -> str:
    """The format of a rectangle's three lists."""
    names = ("offsets", "sizes", "strides")
    return between.join(f"custom<DynamicIndexList>(${name}, $static_{name})" for name in names)
