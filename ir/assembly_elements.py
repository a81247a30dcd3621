"""What formats of operations are made of: each element reads its part of the text and prints it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..support.diagnostics import Location
from .attributes import (
    ArrayAttr,
    DenseArrayAttr,
    EnumAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
    i64_array,
)
from .core import Block, Operation, Region, Value
from .fields import AttributeField, Field, OperandField, RegionField, ResultField
from .keyed import next_name
from .lexer import Token
from .types import I64, Attribute, Type

if TYPE_CHECKING:
    from .operation_parser import Parser
    from .operation_printer import Printer


class State:
    """What has been read of one operation so far."""

    __slots__ = ("arguments", "attributes", "location", "operands", "regions", "result_types", "successors")

    def __init__(self, location: Location) -> None:
        self.location = location
        self.operands: dict[str, list[Value]] = {}
        self.result_types: dict[str, list[Type]] = {}
        self.attributes: dict[str, Attribute] = {}
        self.regions: dict[str, list[Region]] = {}
        self.arguments: list[tuple[Token, Type]] = []
        """Those of the next region that have been named in front of it."""
        self.successors: list[Block] = []

    def give(self, parser: Parser, name: str, value: Attribute, place: int) -> None:
        """An attribute that the text has at `place`. Raises ParseError where it had it already."""
        if name in self.attributes:
            raise parser.error(f"attribute '{name}' is given twice", place)
        self.attributes[name] = value


class Directive:
    """One element of a format."""

    is_empty: bool = False
    """Whether it stands for no text."""

    def parse(self, parser: Parser, state: State) -> None:
        raise AssertionError

    def print(self, printer: Printer, op: Operation) -> None:
        raise AssertionError

    def starts(self, parser: Parser) -> bool:
        """Whether the text continues with this element (asked of the first element of an optional group)."""
        raise AssertionError(f"{type(self).__name__} cannot start an optional group")


class Literal(Directive):
    """A word; of `into|to`, the one that is printed and another that older texts have."""

    def __init__(self, text: str) -> None:
        self.text, *self.older = text.split("|")
        self.is_empty = not self.text

    def parse(self, parser: Parser, state: State) -> None:
        if self.text and not any(map(parser.accept, self.older)):
            parser.expect(self.text)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.literal(self.text)

    def starts(self, parser: Parser) -> bool:
        return parser.token.text == self.text


class Operands(Directive):
    def __init__(self, field: OperandField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        values: list[Value] = []
        if self.field.multiplicity == "one" or self.starts(parser):
            values.append(parser.operand())
        while self.field.multiplicity == "variadic" and values and parser.accept(","):
            values.append(parser.operand())
        state.operands[self.field.name] = values

    def print(self, printer: Printer, op: Operation) -> None:
        printer.values(self.field.group(op))

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


class AttributeValue(Directive):
    def __init__(self, field: AttributeField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        cls, place = self.field.classes[0], parser.token.start
        if cls is UnitAttr:  # the literal before it says it all
            value: Attribute = UnitAttr()
        elif issubclass(cls, EnumAttr) and parser.token.kind != "hash":
            value = cls.parse(parser)
        elif cls is DenseArrayAttr and parser.token.text == "[":
            value = DenseArrayAttr(self.field.number or I64, tuple(parser.integer_list()))
        elif DenseArrayAttr in self.field.classes and parser.token.text == "[":
            value = i64_array(parser.integer_list())
        elif cls is SymbolRefAttr:
            value = SymbolRefAttr((parser.symbol(),))
        elif self.field.name == "sym_name":
            value = StringAttr(parser.symbol())
        elif cls is TypeAttr:
            value = TypeAttr(parser.parse_type())
        elif cls is IntegerAttr:
            value = parser.bare_number(self.field.number or I64)
        else:
            value = parser.parse_attribute(self.field.number)
        state.give(parser, self.field.name, value, place)

    def print(self, printer: Printer, op: Operation) -> None:
        value: Any = op.attributes.get(self.field.name, self.field.default)
        cls = self.field.classes[0]
        assert value is not None
        if cls is UnitAttr:
            return
        if self.field.name == "sym_name":
            printer.symbol(value.value)
        elif cls is Attribute:
            printer.word(printer.attribute(value))
        elif issubclass(cls, EnumAttr):
            printer.word(f"<{value.value}>")
        else:
            printer.word(printer.bare_attribute(value, self.field.number or I64))

    def starts(self, parser: Parser) -> bool:
        if self.field.name == "sym_name":
            return parser.token.kind == "symbol"
        cls = self.field.classes[0]
        return parser.token.kind == "string" if cls is StringAttr else cls is ArrayAttr and parser.token.text == "["


class Keyword(Directive):
    """`keyword($attribute)`: an enum case without its angle brackets."""

    def __init__(self, field: AttributeField[Any]) -> None:
        self.field = field
        self.cls: type[EnumAttr] = field.classes[0]  # type: ignore[assignment]
        assert issubclass(self.cls, EnumAttr)

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        state.give(parser, self.field.name, self.cls.parse_case(parser), place)

    def print(self, printer: Printer, op: Operation) -> None:
        value: Any = op.attributes.get(self.field.name, self.field.default)
        printer.word(value.value)

    def starts(self, parser: Parser) -> bool:
        return parser.token.text.strip('"') in self.cls.cases


class OperandTypes(Directive):
    """`type($operands)`, `type(operands)`: the types that the text gives are those of the values."""

    def __init__(self, fields: Sequence[OperandField[Any]]) -> None:
        self.fields = fields

    def parse(self, parser: Parser, state: State) -> None:
        given = [(value, f.constraint.mnemonic) for f in self.fields for value in state.operands.get(f.name, ())]
        for position, (value, mnemonic) in enumerate(given):
            if position:
                parser.expect(",")
            check_type(parser, value, mnemonic=mnemonic)

    def print(self, printer: Printer, op: Operation) -> None:
        if types := [printer.type(v.type) for field in self.fields for v in field.group(op)]:
            printer.word(", ".join(types))


class ResultTypes(Directive):
    """`type($results)`. Those of several stand in brackets or not, where they are read."""

    def __init__(self, field: ResultField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        if not self.field.variadic:
            state.result_types[self.field.name] = [parser.parse_type(self.field.constraint.mnemonic)]
            return
        types = state.result_types[self.field.name] = parser.type_list()
        while parser.accept(","):
            types.append(parser.parse_type())

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(", ".join(printer.type(v.type) for v in self.field.group(op)))


class TypeList(ResultTypes):
    """`type-list($results)`: their types in brackets."""

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(f"({', '.join(printer.type(v.type) for v in self.field.group(op))})")


class ArrowTypes(TypeList):
    """`arrow-types($results)`: in brackets, if it is not a single one."""

    def print(self, printer: Printer, op: Operation) -> None:
        (ResultTypes if len(self.field.group(op)) == 1 else TypeList).print(self, printer, op)


def check_type(parser: Parser, value: Value, *, mnemonic: str = "") -> None:
    """Reads the type that the text gives an operand and compares it with the value's."""
    start = parser.token.start
    declared = parser.parse_type(mnemonic)
    if declared is not value.type and declared != value.type:
        raise parser.error(f"operand '%{value.hint}' has type {value.type}, but {declared} is written here", start)


class AllResultTypes(Directive):
    """`type(results)`."""

    def parse(self, parser: Parser, state: State) -> None:
        types = state.result_types["*"] = [parser.parse_type()]
        while parser.accept(","):
            types.append(parser.parse_type())

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(", ".join(printer.type(v.type) for v in op.results))


class FunctionalType(Directive):
    def __init__(self, op: type[Operation]) -> None:
        self.op = op

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        inputs, results = parser.function_type()
        types = [v.type for field in self.op.operand_groups for v in state.operands.get(field.name, ())]
        if types != inputs:
            found, written = (", ".join(map(str, each)) for each in (types, inputs))
            raise parser.error(f"operand types are ({found}), but ({written}) is written here", start)
        state.result_types["*"] = results

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(printer.function_type([v.type for v in op.operands], [v.type for v in op.results]))


class AttributeDict(Directive):
    def __init__(self, op: type[Operation], printed: set[str], keyword: str = "") -> None:
        self.op = op
        self.printed = printed
        """What the rest of the format shows."""
        self.keyword = keyword
        """In front of it."""

    def parse(self, parser: Parser, state: State) -> None:
        if not self.starts(parser) or (self.keyword and not parser.accept(self.keyword)):
            return
        location = parser.location()
        given = parser.stored(self.op, parser.optional_attribute_dict(state.attributes), location)
        for name, value in given.items():
            state.give(parser, name, value, location.offset)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.attribute_dict(op, self.printed, self.keyword)

    def starts(self, parser: Parser) -> bool:
        return parser.token.text == (self.keyword or "{")


class PropertyDict(Directive):
    """`<name = value, ...>`: the properties that the rest of the format does not show. `<{..}>` is read, too, where a
    name alone is a unit."""

    def __init__(self, slots: list[AttributeField[Any]]) -> None:
        self.slots = slots

    def parse(self, parser: Parser, state: State) -> None:
        if not parser.accept("<"):
            return
        if parser.accept("{"):
            parser.comma_separated("}", lambda: self._entry(parser, state, may_be_unit=True))
            parser.expect(">")
        else:
            parser.comma_separated(">", lambda: self._entry(parser, state))

    def _entry(self, parser: Parser, state: State, *, may_be_unit: bool = False) -> None:
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


class Body(Directive):
    """`$region`, with the arguments that elements before it have named; as many as there are, of a field of several."""

    def __init__(self, field: RegionField[Any], isolated: bool = False) -> None:
        self.field = field
        self.isolated = isolated

    def parse(self, parser: Parser, state: State) -> None:
        found = state.regions.setdefault(self.field.name, [])
        while not found or (self.field.variadic and self.goes_on(parser)):
            found.append(parse_body(parser, state, self.field, self.isolated))

    def print(self, printer: Printer, op: Operation) -> None:
        for number, region in enumerate(self.field.group(op)):
            if number:
                printer.raw(self.separator)
            named = bool(region.blocks) and all(map(printer.has_name, region.blocks[0].arguments))
            hidden = self.field.ends_in is not None and not self.field.shows_end
            printer.region(region, show_arguments=not named, hide_empty_terminator=hidden)

    def starts(self, parser: Parser) -> bool:
        return parser.token.text == "{"

    separator = ""

    def goes_on(self, parser: Parser) -> bool:
        """Whether another region follows."""
        return self.starts(parser)


class SeparatedBodies(Body):
    """`separated($regions)`: with commas between them."""

    separator = ","

    def goes_on(self, parser: Parser) -> bool:
        return parser.accept(",")


def parse_body(parser: Parser, state: State, field: RegionField[Any], isolated: bool = False) -> Region:
    """A region, with the terminator that the text may leave out. Raises ParseError where it has to yield results."""
    region = parser.parse_region(state.arguments, isolated)
    state.arguments = []
    last = region.blocks[-1] if region.blocks else None
    if last is None or field.ends_in is None or last.terminator is not None:
        return region
    end = field.ends_in(location=state.location)
    if any(state.result_types.values()) and not end.regions:
        raise parser.error(f"the region must end in {end.opname} with the results' values")
    last.append(end)
    return region


class Group(Directive):
    """Elements that stand together where the first one does. They are printed where what the `anchor` names is there;
    without one never, or `always`."""

    def __init__(self, elements: list[Directive], anchor: Field[Any] | None, always: bool = False) -> None:
        self.elements = elements
        self.anchor = anchor
        self.always = always
        self.first = next(each for each in elements if not each.is_empty)

    def starts(self, parser: Parser) -> bool:
        return self.first.starts(parser)

    def parse(self, parser: Parser, state: State) -> None:
        if not self.first.starts(parser):
            if self.anchor is not None:
                self.anchor.leave_out(state)
            return
        for element in self.elements:
            element.parse(parser, state)
        if self.anchor is not None and self.anchor.kind == "attribute" and self.anchor.name not in state.attributes:
            state.attributes[self.anchor.name] = UnitAttr()

    def print(self, printer: Printer, op: Operation) -> None:
        if self.always or (self.anchor is not None and self.anchor.is_given(op)):
            for element in self.elements:
                element.print(printer, op)


class AnyOrder(Directive):
    """`oilist(a | b)`: groups that are read in any order, each once, and printed in this one."""

    def __init__(self, groups: list[Group]) -> None:
        self.groups = groups

    def starts(self, parser: Parser) -> bool:
        return any(group.starts(parser) for group in self.groups)

    def parse(self, parser: Parser, state: State) -> None:
        left = list(self.groups)
        while started := _started(parser, self.groups):
            if started not in left:
                raise parser.error(f"'{parser.token.text}' is given twice")
            left.remove(started)
            started.parse(parser, state)
        for group in left:
            group.parse(parser, state)

    def print(self, printer: Printer, op: Operation) -> None:
        for group in self.groups:
            group.print(printer, op)


def _started(parser: Parser, groups: Iterable[Group]) -> Group | None:
    return next((group for group in groups if group.starts(parser)), None)
