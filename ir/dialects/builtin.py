"""builtin: the module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.diagnostics import Location
from ..attributes import StringAttr
from ..core import Operation
from ..define import optional_attribute, region

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class ModuleOp(Operation, opname="builtin.module"):
    """A program: kernels and the modules that hold them."""

    pure = False
    isolated = True
    holds_symbols = True
    sym_name = optional_attribute(StringAttr)
    body_region = region()

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        name = {"sym_name": StringAttr(parser.symbol())} if parser.token.kind == "symbol" else {}
        attributes = {**name, **parser.optional_attributes_keyword(name)}
        return cls(attributes=attributes, regions=[parser.parse_region(isolated=True)], location=location)

    def print(self, printer: Printer) -> None:
        if self.sym_name is not None:
            printer.symbol(self.sym_name.value)
        printer.attribute_dict(self, hidden=("sym_name",), keyword="attributes")
        printer.region(self.body_region)
