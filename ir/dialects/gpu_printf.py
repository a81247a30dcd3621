"""gpu: printf, of scalars under a constant format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..assembly import check_type
from ..attributes import StringAttr
from ..core import Operation
from ..define import attribute, is_scalar, operands
from ..messages import FormatError, Message, formatted
from .vector_print import MessageOp

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class PrintfOp(MessageOp, opname="gpu.printf"):
    """C's printf. Each owner prints once: a thread's program as often as there are threads, a workgroup's once."""

    pure = False
    format_ = attribute(StringAttr)
    args = operands(is_scalar)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`"%d\\n", %x : i32`; older texts have no comma, so that a value may be the next operation's result."""
        attributes = parser.optional_attribute_dict(["format"])
        attributes["format"] = format = parser.parse_attribute()
        older = parser.token.kind == "value" and "%" in str(format)
        values = [parser.operand()] if parser.accept(",") or older else []
        while values and parser.accept(","):
            values.append(parser.operand())
        for number, value in enumerate(values):
            parser.expect("," if number else ":")
            check_type(parser, value, location)
        return cls(values, (), attributes, location=location)

    def print(self, printer: Printer) -> None:
        printer.attribute_dict(self, hidden=("format",))
        words = ", ".join([printer.attribute(self.format_), *map(printer.name, self.args)])
        types = ", ".join(str(value.type) for value in self.args)
        printer.word(f"{words} : {types}" if self.args else words)

    def verify(self, report: Report) -> None:
        try:
            formatted(self.format_.value, [value.type for value in self.args])
        except FormatError as error:
            self.error(report, str(error))

    @property
    def message(self) -> Message:
        return formatted(self.format_.value, [value.type for value in self.args])
