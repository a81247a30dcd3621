"""Lists whose entries are numbers or values, such as `[%i, 4]`: numbers live in an attribute, values in operands.

In the attribute, `DYNAMIC` stands where a value is; read through a field it is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .attributes import ArrayAttr, DenseArrayAttr, int_array
from .core import Operation, Value
from .define import AttributeField
from .operation_parser import Parser
from .operation_printer import Printer
from .types import I64

DYNAMIC = -(1 << 63)
"""MLIR's mark for "known only at run time" in arrays of i64."""


class MixedArrayField(AttributeField["tuple[int | None, ...]"]):
    def read(self, op: Operation) -> tuple[int | None, ...]:
        return tuple(None if n == DYNAMIC else n for n in int_array(op.attributes[self.name]))


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
