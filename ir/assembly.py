"""Declarative assembly: one string per operation gives both its parser and its printer.

The format is MLIR's:

    `word`               a literal; an empty one suppresses the space before the next element; `new|old` reads both
    $field               operands; an attribute; a region, whose arguments elements in front of it may have named;
                         separated($regions) have commas between them
    keyword($attribute)  an enum case without its angle brackets
    type($field), type($operands, $operands), type(operands), type(results), functional-type
    type-list($results)  their types in brackets; arrow-types($results): in brackets, if it is not a single one
    attr-dict, attr-dict-with-keyword, prop-dict
    ( ... $anchor^ ... )?   elements that are printed where the anchor is there, and read where the first one is
    oilist( .. | .. )    such groups in any order; the anchor of each is the field that it names first
    former( .. )         what older texts have: read, not printed
    defaulted( .. )      what is printed, and may be left out
    custom<Name>(..)     a directive of `assembly_directives.py`, or of the class's `directives`, of these fields and
                         words
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..support.diagnostics import Location
from ..support.patterns import regex
from .assembly_directives import GENERAL
from .assembly_elements import (
    AllResultTypes,
    AnyOrder,
    ArrowTypes,
    AttributeDict,
    AttributeValue,
    Body,
    Directive,
    FunctionalType,
    Group,
    Keyword,
    Literal,
    Operands,
    OperandTypes,
    PropertyDict,
    ResultTypes,
    SeparatedBodies,
    State,
    TypeList,
)
from .core import Operation, Region
from .fields import Field

if TYPE_CHECKING:
    from .operation_parser import Parser
    from .operation_printer import Printer

_TOKEN = regex(
    r"`(?P<literal>[^`]*)`|(?P<open>\(|(?:oilist|former|defaulted)\()|custom<(?P<custom>\w+)>\((?P<arguments>[^)]*)\)"
    r"|(?P<call>[\w-]+)\((?P<argument>[^)]*)\)|\$(?P<field>\w+)|(?P<word>[\w-]+)|(?P<mark>\)\?|[)^|])"
)


class Format:
    """The compiled assembly string of one operation class."""

    def __init__(self, elements: list[Directive]) -> None:
        self.elements = elements

    @classmethod
    def compile(cls, op: type[Operation]) -> Format:
        compiler = _Compiler(op)
        elements = compiler.elements()[0]
        assert compiler.position == len(compiler.tokens), f"{op.opname}: a bracket of its assembly is closed twice"
        return cls(elements)

    def parse(self, parser: Parser, cls: type[Operation], location: Location) -> Operation:
        state = State(location)
        for element in self.elements:
            element.parse(parser, state)
        return _finish(cls, state)

    def print(self, printer: Printer, op: Operation) -> None:
        for element in self.elements:
            element.print(printer, op)


def format_of(cls: type[Operation]) -> Format:
    """What `cls.assembly` declares."""
    if cls.format is None:
        cls.format = Format.compile(cls)
    found: Format = cls.format
    return found


def _finish(cls: type[Operation], state: State) -> Operation:
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
    given = state.regions
    regions = [r for f in cls.region_fields for r in given.get(f.name, () if f.variadic else (Region(),))]
    return cls.from_generic(operands, types, state.attributes, regions, state.location, segments, state.successors)


_BY_KIND: Mapping[tuple[str, str], Callable[[Any], Directive]] = {
    ("operand", ""): Operands,
    ("result", "type"): ResultTypes,
    ("result", "type-list"): TypeList,
    ("result", "arrow-types"): ArrowTypes,
    ("attribute", ""): AttributeValue,
    ("attribute", "keyword"): Keyword,
}
"""The element of a field, by its kind and the word in front of its name."""


class _Compiler:
    def __init__(self, op: type[Operation]) -> None:
        self.op = op
        self.tokens = list(_TOKEN.finditer(op.assembly))
        self.position = 0
        self.printed: set[str] = set()
        """The attributes that the format shows."""

    def elements(self) -> tuple[list[Directive], Field[Any] | None, Field[Any] | None, str]:
        """Elements up to a mark, their anchor, the field that they name first, and the mark."""
        elements: list[Directive] = []
        first: Field[Any] | None = None
        anchor: Field[Any] | None = None
        last: Field[Any] | None = None
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token["mark"] == "^":
                anchor = last
            elif token["mark"] is not None:
                return elements, anchor, first, token["mark"]
            elif token["open"] is not None:
                elements.append(self._bracket(token["open"]))
            else:
                element, last = self._element(token)
                elements.append(element)
                first = first or last
        return elements, anchor, first, ""

    def _bracket(self, opening: str) -> Directive:
        elements, anchor, first, mark = self.elements()
        if opening == "oilist(":
            groups = [Group(elements, anchor or first)]
            while mark == "|":
                elements, anchor, first, mark = self.elements()
                groups.append(Group(elements, anchor or first))
            return AnyOrder(groups)
        assert mark == (")?" if opening == "(" else ")"), f"{self.op.opname}: '{opening}' is closed by '{mark}'"
        if opening == "(":
            assert anchor is not None, f"{self.op.opname}: optional group without an anchor"
            return Group(elements, anchor)
        return Group(elements, None, always=opening == "defaulted(")

    def _element(self, token: re.Match[str]) -> tuple[Directive, Field[Any] | None]:
        if token["literal"] is not None:
            return Literal(token["literal"]), None
        if token["custom"] is not None:
            return self._custom(token["custom"], re.findall(r"[$\w.]+", token["arguments"]))
        if token["word"] == "prop-dict":
            slots = [s for s in self.op.attribute_slots if not s.carried and s.name not in self.printed]
            self.printed.update(slot.name for slot in slots)
            return PropertyDict(slots), None
        if token["word"] in ("attr-dict", "attr-dict-with-keyword"):
            keyword = "" if token["word"] == "attr-dict" else "attributes"
            return AttributeDict(self.op, self.printed, keyword), None
        if "functional-type" in (token["word"], token["call"]):
            return FunctionalType(self.op), None
        if token["call"] == "type" and token["argument"] == "operands":
            return OperandTypes(self.op.operand_groups), None
        if token["call"] == "type" and token["argument"] == "results":
            return AllResultTypes(), None
        if token["call"] == "type" and "," in token["argument"]:
            fields: list[Any] = list(map(self._field, re.findall(r"\w+", token["argument"])))
            return OperandTypes(fields), fields[0]
        return self._of_field(token["call"] or "", self._field(token["field"] or token["argument"]))

    def _field(self, name: str) -> Field[Any]:
        """A field that the format shows."""
        field = self.op.fields[name.lstrip("$")]
        if field.kind == "attribute":
            self.printed.add(field.name)
        return field

    def _of_field(self, call: str, field: Any) -> tuple[Directive, Field[Any]]:
        if field.kind == "region":
            return (SeparatedBodies if call else Body)(field, self.op.isolated), field
        if (field.kind, call) == ("operand", "type"):
            return OperandTypes([field]), field
        return _BY_KIND[field.kind, call](field), field

    def _custom(self, name: str, arguments: list[str]) -> tuple[Directive, Field[Any] | None]:
        given = [self._field(a) if a.startswith("$") else a for a in arguments]
        directive: Directive = {**GENERAL, **self.op.directives}[name](*given)
        first = next((name for name in arguments if name.startswith("$")), "")
        return directive, self.op.fields.get(first[1:])
