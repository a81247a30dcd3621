"""affine: maps with their operands, as loops, conditions and accesses write them, and which values may be operands.

A symbol is fixed within a function: a constant, what is defined at the top of it, an extent of such a memref, or an
affine expression of symbols. A dim is a symbol, the counter of an affine loop, or an affine expression of dims.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...ir.affine import AffineExpr, AffineMap, AffineMapAttr, Constant, Symbol
from ...ir.affine_parser import ValueNames
from ...ir.assembly_elements import Directive, State
from ...ir.core import Operation, Value
from ...ir.define import AttributeField, OperandField
from ...ir.dialects import memref
from ...ir.dialects.affine import ApplyOp, applied_text, parse_applied
from ...ir.dialects.constants import constant_attribute
from ...ir.dialects.func import FunctionLike
from ...ir.types import INDEX
from ...support.diagnostics import Report

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


class Counting(Operation):
    """A loop whose counters, the first arguments of its body, are dims."""


def holder(value: Value) -> Operation | None:
    """The operation whose region defines a value."""
    block = value.block
    return None if block is None or block.parent is None else block.parent.parent


def is_symbol(value: Value) -> bool:
    if isinstance(holder(value), FunctionLike):
        return True
    op = value.operation
    if isinstance(op, ApplyOp):
        return all(map(is_symbol, op.operands))
    if isinstance(op, memref.DimOp):
        return is_symbol(op.memref) and constant_attribute(op.index) is not None
    return constant_attribute(value) is not None


def is_dim(value: Value) -> bool:
    op = value.operation
    if isinstance(op, ApplyOp):
        return all(map(is_dim, op.operands))
    return is_symbol(value) or (op is None and isinstance(holder(value), Counting) and value.type == INDEX)


def check_operands(op: Operation, dims: int, values: Sequence[Value], report: Report) -> None:
    """Reports values that may not be operands; the first `dims` are dims."""
    for number, value in enumerate(values):
        if number < dims and not is_dim(value):
            op.error(report, f"operand '%{value.hint or number}' cannot be a dimension: {_WHY}")
        elif number >= dims and not is_symbol(value):
            op.error(report, f"operand '%{value.hint or number}' cannot be a symbol: it is not fixed in the function")


_WHY = "it is no symbol, no counter of an affine loop and no affine expression of these"


# -- text -------------------------------------------------------------------------------------------------------------


def resolved(parser: Parser, names: ValueNames) -> tuple[list[Value], list[Value]]:
    """Dims and symbols."""
    return [parser.lookup(t) for t in names.dims], [parser.lookup(t) for t in names.symbols]


def parse_subscript(parser: Parser, close: str) -> tuple[AffineMapAttr, list[Value]]:
    """`%i + 3, 2 * symbol(%n)` up to `close`: the map and its operands."""
    names = ValueNames()
    results = parser.comma_separated(close, lambda: parser.expression_of_values(names))
    dims, symbols = resolved(parser, names)
    return AffineMapAttr(AffineMap(len(dims), len(symbols), tuple(results))), [*dims, *symbols]


def expression_text(printer: Printer, expr: AffineExpr, dims: Sequence[Value], symbols: Sequence[Value]) -> str:
    return expr.spelled(lambda i: printer.name(dims[i]), lambda i: f"symbol({printer.name(symbols[i])})")


def subscript_text(printer: Printer, map: AffineMap, values: Sequence[Value]) -> str:
    dims, symbols = values[: map.dims], values[map.dims :]
    return ", ".join(expression_text(printer, e, dims, symbols) for e in map.results)


def parse_bound(parser: Parser, word: str) -> tuple[AffineMapAttr, list[Value]]:
    """A bound of a loop: `4`, `%n`, `#map(%i)[%n]`, or `max #map(..)` (`word`) of several results."""
    start, several = parser.token.start, parser.accept(word)
    if parser.token.kind == "value":
        return AffineMapAttr(AffineMap(0, 1, (Symbol(0),))), [parser.operand()]
    if parser.token.kind == "integer" or parser.token.text == "-":
        sign = -1 if parser.accept("-") else 1
        return AffineMapAttr(AffineMap(0, 0, (Constant(sign * parser.integer()),))), []
    map: Any = parser.parse_attribute()
    if not isinstance(map, AffineMapAttr):
        raise parser.error(f"a bound is a number, a value or an affine map, found {map}", start)
    values = parse_applied(parser, map.map, "map", start)
    if len(map.map.results) > 1 and not several:
        raise parser.error(f"a bound of {len(map.map.results)} results is written '{word} {map}'", start)
    return map, values


def bound_text(printer: Printer, map: AffineMapAttr, values: Sequence[Value], word: str) -> str:
    expressions = map.map.results
    if len(expressions) == 1 and isinstance(expressions[0], Constant) and not values:
        return str(expressions[0])
    if expressions == (Symbol(0),) and len(values) == 1:
        return printer.name(values[0])
    text = printer.attribute(map) + applied_text(printer, map.map.dims, values)
    return f"{word} {text}" if len(expressions) > 1 else text


class Bound(Directive):
    """A bound of a loop: `4`, `%n`, `#map(%i)[%n]`, or `max #map(..)` (`word`) of several results."""

    def __init__(self, values: OperandField[Any], map: AttributeField[Any], word: str) -> None:
        self.values, self.map, self.word = values, map, word

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        map, state.operands[self.values.name] = parse_bound(parser, self.word)
        state.give(parser, self.map.name, map, place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(bound_text(printer, self.map.read(op), self.values.group(op), self.word))


class Subscript(Directive):
    """`[%i + 3, 2 * symbol(%n)]`: a map and its operands."""

    def __init__(self, values: OperandField[Any], map: AttributeField[Any]) -> None:
        self.values, self.map = values, map

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        parser.expect("[")
        map, state.operands[self.values.name] = parse_subscript(parser, "]")
        state.give(parser, self.map.name, map, place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.literal("")
        printer.word(f"[{subscript_text(printer, self.map.read(op).map, self.values.group(op))}]")
