"""Lists whose entries are numbers or values, such as `[%i, 4]`: numbers live in an attribute, values in operands.

In the attribute, `DYNAMIC` stands where a value is; read through a field it is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..support.diagnostics import Report
from .attributes import ArrayAttr, DenseArrayAttr, int_array
from .core import Operation, Value
from .define import AttributeField, OperandField
from .operation_parser import Parser
from .operation_printer import Printer
from .types import I64, Attribute, IndexType

DYNAMIC = -(1 << 63)
"""MLIR's mark for "known only at run time" in arrays of i64."""


class MixedArrayField(AttributeField["tuple[int | None, ...]"]):
    def read(self, op: Operation) -> tuple[int | None, ...]:
        return static_numbers(op.attributes[self.name])


def static_numbers(attribute: Attribute) -> tuple[int | None, ...]:
    """The numbers of such a list, None where a value stands."""
    return tuple(None if n == DYNAMIC else n for n in int_array(attribute))


def mixed_attribute() -> MixedArrayField:
    """`array<i64: 4, -9223372036854775808>`, read as (4, None)."""
    return MixedArrayField((DenseArrayAttr, ArrayAttr), False, None)


def static_attr(numbers: Sequence[int | None]) -> DenseArrayAttr:
    """The attribute for a list with None where values stand."""
    return DenseArrayAttr(I64, tuple(DYNAMIC if n is None else n for n in numbers))


def parse_mixed(parser: Parser, open: str = "[", close: str = "]") -> tuple[list[Value], DenseArrayAttr]:
    """Reads `[%i, 4]`: the values, and the attribute."""
    parser.expect(open)
    values, numbers = parser.dynamic_index_list(close)
    return values, static_attr(numbers)


def merge(numbers: Sequence[int | None], values: Sequence[Value]) -> list[int | Value]:
    """One list, with each value at its place."""
    remaining: Iterator[Value] = iter(values)
    return [next(remaining) if n is None else n for n in numbers]


def mixed_text(printer: Printer, numbers: Sequence[int | None], values: Sequence[Value]) -> str:
    """`%i, 4`, without brackets."""
    return ", ".join(printer.name(e) if isinstance(e, Value) else str(e) for e in merge(numbers, values))


# -- rectangles -------------------------------------------------------------------------------------------------------

RECTANGLE = ("static_offsets", "static_sizes", "static_strides")
"""The attributes of an operation that says offsets, sizes and strides, one a dimension."""
Group = tuple[str, Sequence["int | None"], Sequence[Value]]
"""Words for a list, its numbers, and its values."""


class Rectangle(Operation):
    """An operation that has offsets, sizes and strides, each a number or a value a dimension."""

    static_offsets = mixed_attribute()
    static_sizes = mixed_attribute()
    static_strides = mixed_attribute()
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

    def rectangle_text(self, printer: Printer, between: str = "") -> str:
        return between.join(f"[{mixed_text(printer, numbers, values)}]" for _, numbers, values in self.groups)


def parse_rectangle(parser: Parser) -> tuple[list[Value], dict[str, Attribute], tuple[int, ...]]:
    """Reads `[%i, 4] [2, %n] [1, 1]`: the values, the attributes, and how many values each list has."""
    lists = [parse_mixed(parser) for _ in RECTANGLE]
    values = [value for found, _ in lists for value in found]
    attributes: dict[str, Attribute] = {name: numbers for name, (_, numbers) in zip(RECTANGLE, lists, strict=True)}
    return values, attributes, tuple(len(found) for found, _ in lists)


def check_lists(op: Operation, groups: Sequence[Group], rank: int, of: str, report: Report) -> bool:
    """Whether each list has an entry for each of `rank` dimensions, and a value where it has no number."""
    before = len(report.diagnostics)
    for words, numbers, values in groups:
        if len(numbers) != rank:
            op.error(report, f"has {len(numbers)} {words} for {of}")
        elif numbers.count(None) != len(values):
            op.error(report, f"has {len(values)} {words} as values, {numbers.count(None)} in the list")
    return len(report.diagnostics) == before
