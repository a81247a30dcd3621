"""func: functions. A function that carries IREE's `translation_info` is a kernel (see `kernels.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ..attributes import ArrayAttr, DictAttr, StringAttr, SymbolRefAttr, TypeAttr, UnitAttr
from ..core import Operation, Value
from ..define import anything, attribute, operands, optional_attribute, region, results
from ..diagnostics import Location, Report
from ..lexer import Token
from ..traits import ACCESSES, HANDS_ON
from ..types import Attribute, FunctionType, Type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


_VISIBILITY_WORDS = ("private", "public", "nested")
_VISIBILITIES = tuple(map(StringAttr, _VISIBILITY_WORDS))


class FunctionLike(Operation):
    """A name, a type, attributes for arguments, and a body whose entry block has the arguments."""

    pure = False
    isolated = True
    sym_name = attribute(StringAttr)
    function_type = attribute(TypeAttr)
    sym_visibility = optional_attribute(StringAttr)
    arg_attrs = optional_attribute(ArrayAttr)
    res_attrs = optional_attribute(ArrayAttr)
    body_region = region(branches=True)

    keywords: ClassVar[Mapping[str, str]] = {}
    """Words written between the type and `attributes`, and the unit attributes they stand for."""

    @property
    def name(self) -> str:
        return self.sym_name.value

    @property
    def arguments(self) -> list[Value]:
        return self.body_region.blocks[0].arguments

    def argument_attribute(self, index: int, name: str) -> Attribute | None:
        """Attribute `name` of argument number `index`."""
        if self.arg_attrs is None:
            return None
        entry = self.arg_attrs.values[index]
        return entry.get(name) if isinstance(entry, DictAttr) else None

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        attributes: dict[str, Attribute] = {}
        if parser.token.text in _VISIBILITY_WORDS:
            attributes["sym_visibility"] = StringAttr(parser.keyword())
        attributes["sym_name"] = StringAttr(parser.symbol())
        parser.expect("(")
        arguments = parser.comma_separated(")", lambda: _argument(parser))
        types = parser.type_list() if parser.accept("->") else []
        attributes.update((name, UnitAttr()) for word, name in cls.keywords.items() if parser.accept(word))
        attributes.update(parser.optional_attributes_keyword())
        inputs = tuple(type for _, type, _ in arguments)
        attributes["function_type"] = TypeAttr(FunctionType(inputs, tuple(types)))
        if any(entry.entries for _, _, entry in arguments):
            attributes["arg_attrs"] = ArrayAttr(tuple(entry for _, _, entry in arguments))
        if parser.token.text != "{":
            in_space = parser.token.text in ("workgroup", "private")
            hint = "write buffers as memref.alloc() in the body" if in_space else ""
            raise parser.error(f"a function needs a body in braces, found {parser.found()}", hint=hint)
        body = parser.parse_region([(t, type) for t, type, _ in arguments], isolated=True)
        return cls(attributes=attributes, regions=[body], location=location)

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.word(self.sym_visibility.value)
        printer.symbol(self.name)
        printer.raw("(" + ", ".join(self._argument_text(printer, i) for i in range(len(self.arguments))) + ")")
        type = self.function_type.type
        assert isinstance(type, FunctionType)
        if type.results:
            printer.word("-> " + str(FunctionType((), type.results)).removeprefix("() -> "))
        for word, name in self.keywords.items():
            if name in self.attributes:
                printer.word(word)
        hidden = ("sym_name", "sym_visibility", "function_type", "arg_attrs", *self.keywords.values())
        printer.attribute_dict(self, hidden, keyword="attributes")
        printer.region(self.body_region)

    def _argument_text(self, printer: Printer, index: int) -> str:
        argument = self.arguments[index]
        entry = self.arg_attrs.values[index] if self.arg_attrs is not None else DictAttr(())
        attributes = f" {printer.attribute(entry)}" if isinstance(entry, DictAttr) and entry.entries else ""
        return f"{printer.assign([argument])}: {argument.type}{attributes}"

    def verify(self, report: Report) -> None:
        type = self.function_type.type
        if not isinstance(type, FunctionType):
            self.error(report, f"function_type must be a function type, found {type}")
        elif tuple(a.type for a in self.arguments) != type.inputs:
            found = ", ".join(str(a.type) for a in self.arguments)
            self.error(report, f"arguments ({found}) do not agree with the type {type}")
        elif not any(op.terminator for block in self.body_region.blocks for op in block.operations):
            # one in the middle has an error of its own
            self.error(report, f"body must end in {'gpu.return' if self.keywords else 'return'}")
        self._verify_attributes(report)

    def _verify_attributes(self, report: Report) -> None:
        entries = self.arg_attrs.values if self.arg_attrs is not None else ()
        if self.arg_attrs is not None and len(entries) != len(self.arguments):
            self.error(report, f"has {len(self.arguments)} arguments and attributes for {len(entries)}")
        for entry in entries:
            if not isinstance(entry, DictAttr):
                self.error(report, f"attributes of an argument must be a dictionary, found {entry}")
        visibility = self.sym_visibility
        if visibility is not None and visibility not in _VISIBILITIES:
            self.error(report, f'sym_visibility must be "private", "public" or "nested", found {visibility}')


def _argument(parser: Parser) -> tuple[Token, Type, DictAttr]:
    token = parser.expect_kind("value", "an argument name")
    parser.expect(":")
    type = parser.parse_type()
    entry = DictAttr.of(parser.optional_attribute_dict())
    parser.skip_location()
    return token, type, entry


class FuncOp(FunctionLike, opname="func.func"):
    """A function; a kernel when it carries `translation_info`."""


class ReturnOp(Operation, opname="func.return"):
    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        check_return(self, report)


def check_return(op: Operation, report: Report) -> None:
    """Returned values agree with the function's type."""
    function = op.enclosing()
    if not isinstance(function, FunctionLike):
        op.error(report, "must be inside a function")
        return
    attribute = function.attributes.get("function_type")
    type = attribute.type if isinstance(attribute, TypeAttr) else None
    found = tuple(v.type for v in op.operands)
    if isinstance(type, FunctionType) and found != type.results:
        values = ", ".join(map(str, found)) or "nothing"
        op.error(report, f"returns {values}, the function's type is {type}")


class CallOp(Operation, opname="func.call"):
    """A call of a function of the same module; in kernels the function's body stands in its place."""

    pure = False
    callee = attribute(SymbolRefAttr)
    arguments = operands(anything, ACCESSES)
    values = results(anything)
    assembly = "$callee `` `(` $arguments `)` attr-dict `:` functional-type(operands, results)"
