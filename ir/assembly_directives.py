"""Directives that formats of several dialects name: `custom<DynamicIndexList>($sizes, $static_sizes)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .assembly_elements import Directive, State
from .core import Operation, Value
from .dynamic_index_list import merge, static_attr
from .fields import AttributeField, OperandField, RegionField, ResultField
from .types import INDEX

if TYPE_CHECKING:
    from .lexer import Token
    from .operation_parser import Parser
    from .operation_printer import Printer

_BRACKETS = {"square": ("[", "]"), "round": ("(", ")")}


class DynamicIndexList(Directive):
    """`[%i, 4]`: numbers in an attribute, with `DYNAMIC` where there is a value instead; `round` ones are in `()`."""

    def __init__(self, values: OperandField[Any], numbers: AttributeField[Any], brackets: str = "square") -> None:
        self.values, self.numbers = values, numbers
        self.open, self.close = _BRACKETS[brackets]

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        parser.expect(self.open)
        state.operands[self.values.name], numbers = parser.dynamic_index_list(self.close)
        state.give(parser, self.numbers.name, static_attr(numbers), place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(self.open + mixed_text(printer, self.numbers.read(op), self.values.group(op)) + self.close)


def mixed_text(printer: Printer, numbers: Sequence[int | None], values: Sequence[Value]) -> str:
    """`%i, 4`."""
    return ", ".join(printer.name(e) if isinstance(e, Value) else str(e) for e in merge(numbers, values))


class Counters(Directive):
    """`(%i, %j)`: the first arguments of a region, all but as many as there are `others`."""

    def __init__(self, body: RegionField[Any], others: OperandField[Any] | None = None) -> None:
        self.body, self.others = body, others

    def parse(self, parser: Parser, state: State) -> None:
        parser.expect("(")
        state.arguments += parser.comma_separated(")", lambda: (_counter(parser), INDEX))

    def print(self, printer: Printer, op: Operation) -> None:
        arguments = op.regions[self.body.index].block.arguments
        count = len(arguments) - len(self.others.group(op) if self.others is not None else ())
        printer.word(f"({', '.join(printer.assign([a]) for a in arguments[:count])})")


class Counter(Directive):
    """`%i`: the first argument of a region."""

    def __init__(self, body: RegionField[Any]) -> None:
        self.body = body

    def parse(self, parser: Parser, state: State) -> None:
        state.arguments.append((_counter(parser), INDEX))

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(printer.assign(op.regions[self.body.index].block.arguments[:1]))


def _counter(parser: Parser) -> Token:
    return parser.expect_kind("value", "the name of a loop's counter")


class Inits(Directive):
    """`(%a = %x, ..)`, or nothing: the last arguments of a region, with what they are at first."""

    word = ""

    def __init__(self, inits: OperandField[Any], body: RegionField[Any]) -> None:
        self.inits, self.body = inits, body

    def parse(self, parser: Parser, state: State) -> None:
        values = state.operands[self.inits.name] = list[Value]()

        def one() -> None:
            name = parser.expect_kind("value", "the name of a loop-carried value")
            parser.expect("=")
            values.append(parser.operand())
            state.arguments.append((name, values[-1].type))

        if parser.token.text == (self.word or "("):
            if self.word:
                parser.advance()
            parser.expect("(")
            parser.comma_separated(")", one)

    def print(self, printer: Printer, op: Operation) -> None:
        if inits := self.inits.group(op):
            arguments = op.regions[self.body.index].block.arguments[-len(inits) :]
            pairs = (f"{printer.assign([a])} = {printer.name(v)}" for a, v in zip(arguments, inits, strict=True))
            printer.word(f"{self.word}({', '.join(pairs)})")


class IterArgs(Inits):
    """`iter_args(%a = %x, ..) -> (T, ..)`, or another word for it, or nothing; with the results."""

    def __init__(
        self, inits: OperandField[Any], body: RegionField[Any], results: ResultField[Any], word: str = "iter_args"
    ) -> None:
        super().__init__(inits, body)
        self.results, self.word = results, word

    def parse(self, parser: Parser, state: State) -> None:
        super().parse(parser, state)
        types = state.result_types[self.results.name] = [v.type for v in state.operands[self.inits.name]]
        if types:
            parser.expect("->")
            start, declared = parser.token.start, parser.type_list()
            if declared != types:
                words = (", ".join(map(str, each)) for each in (types, declared))
                raise parser.error("{} start as ({}), results are ({})".format(self.word, *words), start)

    def print(self, printer: Printer, op: Operation) -> None:
        super().print(printer, op)
        if results := self.results.group(op):
            printer.word(f"-> ({', '.join(printer.type(r.type) for r in results)})")


GENERAL: Mapping[str, Callable[..., Directive]] = {
    each.__name__: each for each in (Counter, Counters, DynamicIndexList, Inits, IterArgs)
}
