"""func: functions. A function that carries IREE's `translation_info` is a kernel (see `kernels.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.diagnostics import Location, Report
from ...support.named_tuples import NamedTuple
from ..attributes import ArrayAttr, DictAttr, StringAttr, SymbolRefAttr, TypeAttr, UnitAttr
from ..core import Block, Operation, Region, Value
from ..define import anything, attribute, operands, optional_attribute, optional_region, results
from ..did_you_mean import did_you_mean
from ..lexer import Token
from ..traits import ACCESSES, HANDS_ON
from ..types import Attribute, FunctionType, Type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


_VISIBILITY_WORDS = ("private", "public", "nested")
_VISIBILITIES = tuple(map(StringAttr, _VISIBILITY_WORDS))
_PRIVATE = _VISIBILITIES[0]


class FunctionLike(Operation):
    """A name, a type, attributes for arguments and results, and a body whose entry block has the arguments.

    Without a body it is a declaration of what is defined elsewhere.
    """

    pure = False
    isolated = True
    sym_name = attribute(StringAttr)
    function_type = attribute(TypeAttr)
    sym_visibility = optional_attribute(StringAttr)
    arg_attrs = optional_attribute(ArrayAttr)
    res_attrs = optional_attribute(ArrayAttr)
    body_region = optional_region(branches=True)

    keywords: ClassVar[Mapping[str, str]] = {}
    """Words written between the type and `attributes`, and the unit attributes they stand for."""

    @property
    def name(self) -> str:
        return self.sym_name.value

    @property
    def arguments(self) -> list[Value]:
        return self.body_region.blocks[0].arguments

    @property
    def is_declaration(self) -> bool:
        return not self.body_region.blocks

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
        arguments = parser.comma_separated(")", lambda: parse_argument(parser))
        results = _results(parser) if parser.accept("->") else []
        buffers = cls.parse_buffers(parser)
        attributes.update((name, UnitAttr()) for word, name in cls.keywords.items() if parser.accept(word))
        types = tuple(a.type for a in arguments), tuple(type for type, _ in results)
        attributes["function_type"] = TypeAttr(FunctionType(*types))
        for name, entries in (("arg_attrs", [a.entry for a in arguments]), ("res_attrs", [e for _, e in results])):
            if any(entry.entries for entry in entries):
                attributes[name] = ArrayAttr(tuple(entries))
        attributes.update(parser.optional_attributes_keyword(attributes))
        body = cls._parse_body(parser, [*arguments, *buffers])
        return cls.made(attributes, [body], location)

    @classmethod
    def _parse_body(cls, parser: Parser, arguments: list[Argument]) -> Region:
        if parser.token.text != "{" and all(a.token is None for a in arguments):
            return Region()
        named: list[tuple[Token, Type]] = []
        for token, type, _, start in arguments:
            if token is None:
                raise parser.error("an argument of a function with a body needs a name", start)
            named.append((token, type))
        if parser.token.text != "{":
            raise parser.error(f"a function needs a body in braces, found {parser.found()}")
        return parser.parse_region(named, isolated=True)

    @classmethod
    def parse_buffers(cls, parser: Parser) -> list[Argument]:
        """Buffers that a function declares behind its type, as further arguments of its body."""
        return []

    @classmethod
    def from_generic(
        cls,
        operands: Sequence[Value],
        result_types: Sequence[Type],
        attributes: Mapping[str, Attribute],
        regions: Sequence[Region],
        location: Location,
        segments: tuple[int, ...] | None,
        successors: Sequence[Block],
    ) -> Operation:
        for region in regions:  # `({})` of a declaration
            region.blocks = [b for b in region.blocks if b.arguments or b.operations]
        if operands or result_types or successors:  # the verifier says that there are none
            return cls(operands, result_types, attributes, regions, location, segments, successors)
        return cls.made(attributes, regions, location)

    @classmethod
    def made(cls, attributes: Mapping[str, Attribute], regions: Sequence[Region], location: Location) -> Operation:
        """The function of a text's parts."""
        return cls((), (), attributes, regions, location)

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.word(self.sym_visibility.value)
        printer.symbol(self.name)
        type = self.function_type.type
        assert isinstance(type, FunctionType)
        names = [] if self.is_declaration else [f"{printer.assign([a])}: " for a in self.arguments]
        printer.raw(f"({', '.join(_described(printer, type.inputs, self.arg_attrs, names))})")
        self._print_results(printer, type.results)
        for word, name in self.keywords.items():
            if name in self.attributes:
                printer.word(word)
        hidden = ("sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs", *self.keywords.values())
        printer.attribute_dict(self, hidden, keyword="attributes")
        if not self.is_declaration:
            printer.region(self.body_region)

    def _print_results(self, printer: Printer, results: Sequence[Type]) -> None:
        if self.res_attrs is not None:
            printer.word(f"-> ({', '.join(_described(printer, results, self.res_attrs))})")
        elif results:
            printer.word("-> " + str(FunctionType((), tuple(results))).removeprefix("() -> "))

    def verify(self, report: Report) -> None:
        type = self.function_type.type
        if not isinstance(type, FunctionType):
            self.error(report, f"function_type must be a function type, found {type}")
            return
        if self.is_declaration:
            self._verify_declaration(report)
        elif tuple(a.type for a in self.arguments) != type.inputs:
            found = ", ".join(str(a.type) for a in self.arguments)
            self.error(report, f"arguments ({found}) do not agree with the type {type}")
        elif not [op for block in self.body_region.blocks for op in block.operations if op.terminator]:
            # one in the middle has an error of its own
            self.error(report, f"body must end in {'gpu.return' if self.keywords else 'return'}")
        self._verify_entries("arguments", self.arg_attrs, len(type.inputs), report)
        self._verify_entries("results", self.res_attrs, len(type.results), report)
        visibility = self.sym_visibility
        if visibility is not None and visibility not in _VISIBILITIES:
            self.error(report, f'sym_visibility must be "private", "public" or "nested", found {visibility}')

    def _verify_declaration(self, report: Report) -> None:
        if self.sym_visibility != _PRIVATE:
            self.error(report, "has no body: a function that is only declared is private", "write its body in braces")

    def _verify_entries(self, words: str, given: ArrayAttr | None, count: int, report: Report) -> None:
        if given is None:
            return
        if len(given.values) != count:
            self.error(report, f"has {count} {words} and attributes for {len(given.values)}")
        for entry in given.values:
            if not isinstance(entry, DictAttr):
                self.error(report, f"attributes of {words} must be dictionaries, found {entry}")


class Argument(NamedTuple):
    """One of a function's text; a declaration's has no name."""

    token: Token | None
    type: Type
    entry: DictAttr
    start: int


def parse_argument(parser: Parser) -> Argument:
    """`%name: T {..}`, or `T {..}`."""
    start, token = parser.token.start, None
    if parser.token.kind == "value":
        token = parser.advance()
        parser.expect(":")
    type = parser.parse_type()
    entry = DictAttr.of(parser.optional_attribute_dict())
    parser.read_location()
    return Argument(token, type, entry, start)


def _results(parser: Parser) -> list[tuple[Type, DictAttr]]:
    """`T` or `(T {..}, U)`."""
    if not parser.accept("("):
        return [(parser.parse_type(), DictAttr(()))]
    return parser.comma_separated(")", lambda: (parser.parse_type(), DictAttr.of(parser.optional_attribute_dict())))


def _described(
    printer: Printer, types: Sequence[Type], attributes: ArrayAttr | None, names: Sequence[str] = ()
) -> Iterator[str]:
    """`%a: T {..}` of arguments or results, those without names only with their types."""
    entries = attributes.values if attributes is not None else (DictAttr(()),) * len(types)
    for name, type, entry in zip(names or [""] * len(types), types, entries, strict=True):
        shown = f" {printer.attribute(entry)}" if isinstance(entry, DictAttr) and entry.entries else ""
        yield f"{name}{type}{shown}"


class FuncOp(FunctionLike, opname="func.func"):
    """A function; a kernel when it carries `translation_info`."""

    def verify(self, report: Report) -> None:
        super().verify(report)
        if self.is_declaration and "translation_info" in self.attributes:
            self.error(report, "is a kernel without a body")


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
    names_by = "callee"

    def verify_named(self, name: SymbolRefAttr, named: Mapping[str, Operation], report: Report) -> None:
        found = named.get(name.path[0]) if len(name.path) == 1 else None
        if not isinstance(found, FunctionLike):
            hint = did_you_mean(str(name), [f"@{n}" for n, op in named.items() if isinstance(op, FunctionLike)])
            self.error(report, f"calls {name}, which is no function of this module", hint)
            return
        given = FunctionType(tuple(v.type for v in self.operands), tuple(r.type for r in self.results))
        type = found.attributes.get("function_type")
        if isinstance(type, TypeAttr) and type.type != given:
            self.error(report, f"is of type {given}, {name} of type {type.type}")
