"""Declarative assembly: one string per operation gives both its parser and its printer.

The format is MLIR's: `` `word` `` literals, `$field`, `type($field)`, `attr-dict`, `functional-type`, and optional
groups `( ... $anchor^ ... )?` that are printed when the anchor is there. An empty literal (two backticks) suppresses
the space before the next element. `keyword($attribute)` is an enum case without its angle brackets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..support.dataclasses import dataclass
from ..support.diagnostics import Location
from ..support.patterns import regex
from .attributes import ArrayAttr, DenseArrayAttr, EnumAttr, IntegerAttr, SymbolRefAttr, UnitAttr, dense_i64, i64_array
from .core import Operation, Value
from .fields import AttributeField, Field, OperandField, ResultField
from .keyed import next_name
from .types import I64, Attribute, Type

if TYPE_CHECKING:
    from .operation_parser import Parser
    from .operation_printer import Printer

_TOKEN = regex(
    r"`(?P<literal>[^`]*)`|(?P<call>[\w-]+)\((?P<argument>[^)]*)\)|\$(?P<field>\w+)|(?P<word>[\w-]+)|(?P<mark>\)\?|[()^])"
)


class _State:
    """What has been read of one operation so far."""

    __slots__ = ("attributes", "operands", "result_types")

    def __init__(self) -> None:
        self.operands: dict[str, list[Value]] = {}
        self.result_types: dict[str, list[Type]] = {}
        self.attributes: dict[str, Attribute] = {}

    def give(self, parser: Parser, name: str, value: Attribute, place: int) -> None:
        """An attribute that the text has at `place`. Raises ParseError where it had it already."""
        if name in self.attributes:
            raise parser.error(f"attribute '{name}' is given twice", place)
        self.attributes[name] = value


class Directive:
    """One element of a format."""

    def parse(self, parser: Parser, state: _State) -> None:
        raise AssertionError

    def print(self, printer: Printer, op: Operation) -> None:
        raise AssertionError

    def starts(self, parser: Parser) -> bool:
        """Whether the text continues with this element (asked of the first element of an optional group)."""
        raise AssertionError(f"{type(self).__name__} cannot start an optional group")


@dataclass
class _Literal(Directive):
    text: str

    def parse(self, parser: Parser, state: _State) -> None:
        if self.text:
            parser.expect(self.text)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.literal(self.text)

    def starts(self, parser: Parser) -> bool:
        return parser.token.text == self.text


class _Operands(Directive):
    def __init__(self, field: OperandField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: _State) -> None:
        values: list[Value] = []
        if self.field.multiplicity == "one" or self.starts(parser):
            values.append(parser.operand())
        while self.field.multiplicity == "variadic" and values and parser.accept(","):
            values.append(parser.operand())
        state.operands[self.field.name] = values

    def print(self, printer: Printer, op: Operation) -> None:
        printer.values(group(op, self.field))

    def starts(self, parser: Parser) -> bool:
        return parser.token.kind == "value" and not _begins_an_operation(parser)


def _begins_an_operation(parser: Parser) -> bool:
    """Whether the value is a result of what follows, `%r =` or `%r:2 =`, and no operand."""
    start = parser.token.start
    parser.advance()
    if parser.accept(":"):
        parser.advance()
    found = parser.token.text == "="
    parser.rewind(start)
    return found


class _AttributeValue(Directive):
    def __init__(self, field: AttributeField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: _State) -> None:
        cls, place = self.field.classes[0], parser.token.start
        if cls is UnitAttr:  # the literal before it says it all
            value: Attribute = UnitAttr()
        elif issubclass(cls, EnumAttr) and parser.token.kind != "hash":
            value = cls.parse(parser)
        elif ArrayAttr in self.field.classes and DenseArrayAttr in self.field.classes and parser.token.text == "[":
            value = (dense_i64 if cls is DenseArrayAttr else i64_array)(parser.integer_list())
        elif cls is SymbolRefAttr:
            value = SymbolRefAttr((parser.symbol(),))
        elif cls is IntegerAttr:
            value = parser.bare_number(self.field.number or I64)
        else:
            value = parser.parse_attribute()
        state.give(parser, self.field.name, value, place)

    def print(self, printer: Printer, op: Operation) -> None:
        value = op.attributes.get(self.field.name, self.field.default)
        assert value is not None
        if isinstance(value, UnitAttr):
            return
        printer.word(
            f"<{value.value}>"
            if isinstance(value, EnumAttr)
            else printer.bare_attribute(value, self.field.number or I64)
        )


class _Keyword(Directive):
    def __init__(self, field: AttributeField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: _State) -> None:
        cls, place = self.field.classes[0], parser.token.start
        assert issubclass(cls, EnumAttr)
        state.give(parser, self.field.name, cls.parse_case(parser), place)

    def print(self, printer: Printer, op: Operation) -> None:
        value = op.attributes[self.field.name]
        assert isinstance(value, EnumAttr)
        printer.word(value.value)

    def starts(self, parser: Parser) -> bool:
        cls = self.field.classes[0]
        assert issubclass(cls, EnumAttr)
        return parser.token.text.strip('"') in cls.cases


class _TypeOf(Directive):
    def __init__(self, field: Field[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: _State) -> None:
        if isinstance(self.field, OperandField):
            for position, value in enumerate(state.operands[self.field.name]):
                if position:
                    parser.expect(",")
                check_type(parser, value, mnemonic=self.field.constraint.mnemonic)
            return
        assert isinstance(self.field, ResultField)
        types = [parser.parse_type(self.field.constraint.mnemonic)]
        while self.field.variadic and parser.accept(","):
            types.append(parser.parse_type(self.field.constraint.mnemonic))
        state.result_types[self.field.name] = types

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(", ".join(printer.type(v.type) for v in group(op, self.field)))


def check_type(parser: Parser, value: Value, location: Location | None = None, *, mnemonic: str = "") -> None:
    """Reads the type that the text gives an operand and compares it with the value's."""
    start = parser.token.start
    declared = parser.parse_type(mnemonic)
    if declared is not value.type and declared != value.type:
        raise parser.error(f"operand '%{value.hint}' has type {value.type}, but {declared} is written here", start)


class _FunctionalType(Directive):
    def parse(self, parser: Parser, state: _State) -> None:
        start = parser.token.start
        inputs, results = parser.function_type()
        operands = [v for vs in state.operands.values() for v in vs]
        if [v.type for v in operands] != inputs:
            found = ", ".join(str(v.type) for v in operands)
            raise parser.error(f"operand types are ({found}), but others are written here", start)
        state.result_types["*"] = results

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(printer.function_type([v.type for v in op.operands], [v.type for v in op.results]))


class _AttributeDict(Directive):
    def __init__(self, op: type[Operation], former: bool) -> None:
        self.op = op
        self.former = former
        """Where texts had it that lanewise wrote before it wrote upstream's spelling: read, not printed."""

    def parse(self, parser: Parser, state: _State) -> None:
        if parser.token.text != "{":
            return
        location = parser.location()
        given = parser.stored(self.op, parser.optional_attribute_dict(state.attributes), location)
        for name, value in given.items():
            state.give(parser, name, value, location.offset)

    def print(self, printer: Printer, op: Operation) -> None:
        if not self.former:
            printer.attribute_dict(op, hidden=format_of(type(op)).printed_attributes)


class _PropertyDict(Directive):
    """`<name = value, ...>`: the properties that the rest of the format does not show. `<{..}>` is read, too, where a
    name alone is a unit."""

    def __init__(self, slots: list[AttributeField[Any]]) -> None:
        self.slots = slots

    def parse(self, parser: Parser, state: _State) -> None:
        if not parser.accept("<"):
            return
        if parser.accept("{"):
            parser.comma_separated("}", lambda: self._entry(parser, state, may_be_unit=True))
            parser.expect(">")
        else:
            parser.comma_separated(">", lambda: self._entry(parser, state))

    def _entry(self, parser: Parser, state: _State, *, may_be_unit: bool = False) -> None:
        name = next_name(parser, [slot.name for slot in self.slots], state.attributes)
        if may_be_unit and parser.token.text != "=":
            state.attributes[name] = UnitAttr()
            return
        parser.expect("=")
        state.attributes[name] = parser.parse_attribute()

    def print(self, printer: Printer, op: Operation) -> None:
        given = {slot.name: op.attributes.get(slot.name) for slot in self.slots}
        shown = [f"{name} = {printer.attribute(value)}" for name, value in given.items() if value is not None]
        if shown:
            printer.word(f"<{', '.join(shown)}>")


class _Group(Directive):
    def __init__(self, elements: list[Directive], anchor: Field[Any]) -> None:
        self.elements = elements
        self.anchor = anchor
        self.first = next(e for e in elements if not (isinstance(e, _Literal) and not e.text))

    def parse(self, parser: Parser, state: _State) -> None:
        if not self.first.starts(parser):
            if isinstance(self.anchor, OperandField):
                state.operands.setdefault(self.anchor.name, [])
            return
        for element in self.elements:
            element.parse(parser, state)
        if isinstance(self.anchor, AttributeField) and self.anchor.name not in state.attributes:
            state.attributes[self.anchor.name] = UnitAttr()

    def print(self, printer: Printer, op: Operation) -> None:
        if self._present(op):
            for element in self.elements:
                element.print(printer, op)

    def _present(self, op: Operation) -> bool:
        if isinstance(self.anchor, AttributeField):
            value = op.attributes.get(self.anchor.name)
            return value is not None and value != self.anchor.default
        return bool(group(op, self.anchor))


def group(op: Operation, field: Field[Any]) -> list[Value]:
    """The values of an operand or result field, as a list."""
    value = field.read(op)
    if value is None:
        return []
    return [value] if isinstance(value, Value) else list(value)


class Format:
    """The compiled assembly string of one operation class."""

    def __init__(self, elements: list[Directive], printed_attributes: frozenset[str]) -> None:
        self.elements = elements
        self.printed_attributes = printed_attributes

    @classmethod
    def compile(cls, op: type[Operation]) -> Format:
        return _Compiler(op).compile()

    def parse(self, parser: Parser, cls: type[Operation], location: Location) -> Operation:
        state = _State()
        for element in self.elements:
            element.parse(parser, state)
        return finish(parser, cls, location, state)

    def print(self, printer: Printer, op: Operation) -> None:
        for element in self.elements:
            element.print(printer, op)


def format_of(cls: type[Operation]) -> Format:
    """What `cls.assembly` declares."""
    if cls.format is None:
        cls.format = Format.compile(cls)
    found: Format = cls.format
    return found


def finish(parser: Parser, cls: type[Operation], location: Location, state: _State) -> Operation:
    """Builds the operation from what was read, inferring the result types that the text leaves out."""
    groups = [state.operands.get(f.name, []) for f in cls.operand_groups]
    operands = [v for g in groups for v in g]
    if "*" in state.result_types:
        types = state.result_types["*"]
    elif state.result_types or not cls.result_groups:
        types = [t for f in cls.result_groups for t in state.result_types.get(f.name, [])]
    else:
        inferred = cls.infer(operands, state.attributes)
        assert inferred is not None, f"{cls.opname}: its assembly leaves result types open"
        types = inferred
    segments = tuple(map(len, groups)) if cls.needs_segments() else None
    return cls.from_generic(operands, types, state.attributes, (), location, segments, ())


class _Compiler:
    def __init__(self, op: type[Operation]) -> None:
        self.op = op
        self.tokens = list(_TOKEN.finditer(op.assembly))
        self.position = 0
        self.attributes: set[str] = set()

    def compile(self) -> Format:
        elements, _ = self._elements()
        return Format(elements, frozenset(self.attributes))

    def _elements(self) -> tuple[list[Directive], Field[Any] | None]:
        elements: list[Directive] = []
        anchor: Field[Any] | None = None
        last: Field[Any] | None = None
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token["mark"] == ")?":
                return elements, anchor
            if token["mark"] == "^":
                anchor = last
            elif token["mark"] == "(":
                inner, found = self._elements()
                assert found is not None, f"{self.op.opname}: optional group without an anchor"
                elements.append(_Group(inner, found))
            else:
                element, last = self._element(token)
                elements.append(element)
        return elements, anchor

    def _element(self, token: re.Match[str]) -> tuple[Directive, Field[Any] | None]:
        if token["literal"] is not None:
            return _Literal(token["literal"]), None
        if token["word"] == "prop-dict":
            slots = [s for s in self.op.attribute_slots if not s.carried and s.name not in self.attributes]
            self.attributes.update(slot.name for slot in slots)
            return _PropertyDict(slots), None
        if token["word"] in ("attr-dict", "former-attr-dict"):
            return _AttributeDict(self.op, former=token["word"] != "attr-dict"), None
        if "functional-type" in (token["word"], token["call"]):
            return _FunctionalType(), None
        name = token["field"] or token["argument"].strip().lstrip("$")
        field = self.op.fields[name]
        if token["call"] == "type":
            return _TypeOf(field), field
        if isinstance(field, AttributeField):
            self.attributes.add(name)
            return (_Keyword(field) if token["call"] == "keyword" else _AttributeValue(field)), field
        assert isinstance(field, OperandField), f"{self.op.opname}: ${name} cannot be printed"
        return _Operands(field), field
