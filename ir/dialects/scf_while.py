"""scf.while: a loop that its own first region decides to go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..core import Block, Operation, Position, Value
from ..define import anything, is_i1, operand, operands, region, results
from ..lexer import Token
from ..traits import HANDS_ON
from .scf_regions import Structured, check_yield, type_list

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class ConditionOp(Operation, opname="scf.condition"):
    """Ends the first region of `scf.while`: where `condition` holds the second goes on with `args`, else these are the
    loop's results."""

    pure = False
    terminator = True
    condition = operand(is_i1)
    args = operands(anything, HANDS_ON)
    assembly = "`` `(` $condition `)` attr-dict ($args^ `:` type($args))?"

    def verify(self, report: Report) -> None:
        loop = self.enclosing()
        if not isinstance(loop, WhileOp) or loop.before_region.blocks[-1:] != [self.parent]:
            self.error(report, "must end the first region of scf.while")


class WhileOp(Structured, opname="scf.while"):
    """Runs `before`, and `after` and `before` again for as long as `before` says so; at least once `before`.

    `before` takes the `inits`, later what `after` yields; `after` takes what `scf.condition` hands on, and so do the
    results, which need be neither as many nor of the same types as the `inits`.
    """

    pure = False
    repeats = True
    inits = operands(anything, HANDS_ON)
    before_region = region()
    after_region = region()
    results_ = results(anything)

    @property
    def before(self) -> Block:
        return self.before_region.block

    @property
    def after(self) -> Block:
        return self.after_region.block

    @property
    def condition(self) -> ConditionOp:
        last = self.before.terminator
        assert isinstance(last, ConditionOp)
        return last

    @property
    def yielded(self) -> Sequence[Value]:
        """What one iteration hands to the next."""
        assert self.after.terminator is not None
        return self.after.terminator.operands

    def carries(self) -> Iterator[Position]:
        last = self.after.terminator
        assert last is not None
        for i, argument in enumerate(self.before.arguments):
            yield Position(((self, i), (last, i)), (argument,))
        for i, targets in enumerate(zip(self.after.arguments, self.results, strict=True)):
            yield Position(((self.condition, 1 + i),), targets)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        names = _parse_inits(parser)
        parser.expect(":")
        inputs, types = parser.function_type()
        uses = parser.zip_types([use for _, use in names], inputs, location)
        inits = [parser.resolve(use, type) for use, type in uses]
        before = parser.parse_region([(name, type) for (name, _), type in zip(names, inputs, strict=True)])
        parser.expect("do")
        after = parser.parse_region()
        attributes = parser.optional_attributes_keyword()
        return cls(inits, types, attributes, [before, after], location)

    def print(self, printer: Printer) -> None:
        if self.inits:
            arguments = [printer.assign([a]) for a in self.before.arguments]
            pairs = zip(arguments, map(printer.name, self.inits), strict=True)
            printer.word("(" + ", ".join(f"{a} = {v}" for a, v in pairs) + ")")
        types = [v.type for v in self.inits], [r.type for r in self.results]
        printer.word(f": {printer.function_type(*types)}")
        printer.region(self.before_region)
        printer.word("do")
        printer.region(self.after_region, show_arguments=True)
        printer.attribute_dict(self, keyword="attributes")

    def verify(self, report: Report) -> None:
        inits, given = [v.type for v in self.inits], [a.type for a in self.before.arguments]
        results, taken = [r.type for r in self.results], [a.type for a in self.after.arguments]
        last = self.before.terminator
        if given != inits:
            self.error(report, f"first region takes {type_list(given)}, the initial values are {type_list(inits)}")
        elif not isinstance(last, ConditionOp):
            self.error(report, "first region must end in scf.condition")
        elif (handed := [v.type for v in last.args]) != results:
            last.error(report, f"hands on {type_list(handed)}, 'scf.while' has results {type_list(results)}")
        elif taken != results:
            self.error(report, f"second region takes {type_list(taken)}, the results are {type_list(results)}")
        else:
            check_yield(self, self.after, report, inits)


def _parse_inits(parser: Parser) -> list[tuple[Token, Token]]:
    """`(%argument = %init, ...)`, or nothing."""

    def one() -> tuple[Token, Token]:
        name = parser.expect_kind("value", "the name of a loop-carried value")
        parser.expect("=")
        return name, parser.value_use()

    return parser.comma_separated(")", one) if parser.accept("(") else []
