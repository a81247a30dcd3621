"""Programs as text, in the forms that operations declare."""

from __future__ import annotations

from ..support.argument_checks import require
from .assembly import format_of
from .core import Operation
from .operation_printer import Printer


class ProgramPrinter(Printer):
    """Prints each operation in the form that it declares."""

    def declared_form(self, op: Operation) -> None:
        format_of(type(op)).print(self, op)


def print_operation(op: Operation, generic: bool = False, locations: bool = False) -> str:
    """The text of `op`, without a final newline."""
    printer = ProgramPrinter(generic, locations)
    printer.operation(op)
    return printer.text()


def print_program(module: Operation, generic: bool = False, locations: bool = False) -> str:
    """The text of a whole program, which `parse_program` reads back to an equal one; with `locations` it says where
    each operation stands, `loc("file":line:column)`."""
    require(module, Operation, "a module, as lanewise.parse gives it,")
    return print_operation(module, generic, locations) + "\n"
