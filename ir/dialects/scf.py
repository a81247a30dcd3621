"""scf: structured control flow. Bounds and conditions are uniform within the program's scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..attributes import UnitAttr
from ..core import Block, Operation, Position, Region, Value
from ..define import (
    Constraint,
    anything,
    is_i1,
    operand,
    operands,
    optional_attribute,
    optional_region,
    region,
    results,
)
from ..lexer import Token
from ..traits import HANDS_ON
from ..types import INDEX, Attribute, IndexType, IntegerType, Type, bit_width
from .scf_execute import ExecuteRegionOp
from .scf_forall import ForallOp, InParallelOp
from .scf_parallel import ParallelOp, ReduceOp, ReduceReturnOp
from .scf_regions import Structured, YieldOp, check_yield, end_with_yield, out_of, type_list, yielded
from .scf_switch import IndexSwitchOp
from .scf_while import ConditionOp, WhileOp

__all__ = [
    "ConditionOp",
    "ExecuteRegionOp",
    "ForOp",
    "ForallOp",
    "IfOp",
    "InParallelOp",
    "IndexSwitchOp",
    "ParallelOp",
    "ReduceOp",
    "ReduceReturnOp",
    "WhileOp",
    "YieldOp",
]

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

is_counter: Constraint[IndexType | IntegerType] = Constraint(
    "index or a signless integer", lambda t: t == INDEX or isinstance(t, IntegerType)
)


class ForOp(Structured, opname="scf.for"):
    """Counts from `lower_bound` up to, not including, `upper_bound` by `step` > 0.

    All three are signed numbers, with `unsigned` (the property `unsignedCmp`) unsigned ones.

    The body's arguments are the induction variable and one value per result, which starts as the `init_args` entry
    and is then what the previous iteration yields. Without iterations the results are the `init_args`.
    """

    pure = False
    recursive_effects = True
    repeats = True
    lower_bound = operand(is_counter)
    upper_bound = operand(is_counter)
    step = operand(is_counter)
    init_args = operands(anything, HANDS_ON)
    unsignedCmp = optional_attribute(UnitAttr)
    body_region = region()
    results_ = results(anything)
    same_type = ("lower_bound", "upper_bound", "step")

    @property
    def is_unsigned(self) -> bool:
        return self.unsignedCmp is not None

    def reading(self, number: int) -> int:
        """A bound or step, given as the signed number of its bits, as the loop reads it."""
        return number & ((1 << bit_width(self.lower_bound.type)) - 1) if self.is_unsigned else number

    @property
    def induction_variable(self) -> Value:
        return self.body.arguments[0]

    @property
    def iter_args(self) -> list[Value]:
        """The body's arguments that carry values from one iteration to the next."""
        return self.body.arguments[1:]

    def carries(self) -> Iterator[Position]:
        last = self.body.terminator
        assert last is not None
        for i, targets in enumerate(zip(self.iter_args, self.results, strict=True)):
            yield Position(((self, 3 + i), (last, i)), targets)

    @property
    def yielded(self) -> Sequence[Value]:
        """What one iteration hands to the next."""
        return yielded(self.body)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [v.type for v in operands[3:]]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        unsigned = {"unsignedCmp": UnitAttr()} if parser.accept("unsigned") else {}
        counter = parser.expect_kind("value", "the name of the induction variable")
        parser.expect("=")
        bounds = [parser.operand()]
        for word in ("to", "step"):
            parser.expect(word)
            bounds.append(parser.operand())
        carried = parse_carried(parser)
        type = parser.parse_type() if parser.accept(":") else INDEX
        for value, words in zip(bounds, ("lower bound", "upper bound", "step"), strict=True):
            if value.type != type:
                hint = f"write ': {value.type}' before the body" if is_counter.holds(value.type) else ""
                raise parser.error(f"the {words} has type {value.type}, the loop counts in {type}", hint=hint)
        arguments = [(counter, type), *((token, value.type) for token, value in carried)]
        body = parser.parse_region(arguments)
        end_with_yield(parser, body, bool(carried), location)
        inits = [value for _, value in carried]
        attributes = {**unsigned, **parser.optional_attribute_dict(unsigned)}
        return cls([*bounds, *inits], [v.type for v in inits], attributes, [body], location)

    def print(self, printer: Printer) -> None:
        counter, *carried = (printer.assign([a]) for a in self.body.arguments)
        lower, upper, step = (printer.name(v) for v in (self.lower_bound, self.upper_bound, self.step))
        printer.word(f"{'unsigned ' if self.is_unsigned else ''}{counter} = {lower} to {upper} step {step}")
        if carried:
            inits = ", ".join(f"{a} = {printer.name(v)}" for a, v in zip(carried, self.init_args, strict=True))
            types = ", ".join(str(r.type) for r in self.results)
            printer.word(f"iter_args({inits}) -> ({types})")
        if self.lower_bound.type != INDEX:
            printer.word(f": {self.lower_bound.type}")
        printer.region(self.body_region, hide_empty_terminator=True)
        printer.attribute_dict(self, hidden=("unsignedCmp",))

    def verify(self, report: Report) -> None:
        inits = [v.type for v in self.init_args]
        arguments = [a.type for a in self.body.arguments]
        if arguments != [self.lower_bound.type, *inits]:
            expected = type_list([self.lower_bound.type, *inits])
            self.error(report, f"body takes {type_list(arguments)}, expected {expected} (counter, then iter_args)")
        elif [r.type for r in self.results] != inits:
            found = type_list([r.type for r in self.results])
            self.error(report, f"results are {found}, the initial values are {type_list(inits)}")
        else:
            check_yield(self, self.body, report)


def parse_carried(parser: Parser) -> list[tuple[Token, Value]]:
    """`iter_args(%a = %x, ...) -> (T, ...)`, or nothing."""
    if not parser.accept("iter_args"):
        return []

    def one() -> tuple[Token, Value]:
        token = parser.expect_kind("value", "the name of a loop-carried value")
        parser.expect("=")
        return token, parser.operand()

    parser.expect("(")
    carried = parser.comma_separated(")", one)
    parser.expect("->")
    start = parser.token.start
    declared = parser.type_list()
    found = [value.type for _, value in carried]
    if declared != found:
        raise parser.error(f"iter_args start as {type_list(found)}, results are {type_list(declared)}", start)
    return carried


class IfOp(Structured, opname="scf.if"):
    """Runs one of two regions; with results, both yield them."""

    pure = False
    recursive_effects = True
    condition = operand(is_i1)
    then_region = region()
    else_region = optional_region()
    results_ = results(anything)

    @property
    def then_block(self) -> Block:
        return self.then_region.block

    def carries(self) -> Iterator[Position]:
        return out_of(self)

    @property
    def else_block(self) -> Block | None:
        """None where there is nothing to do otherwise."""
        blocks = self.else_region.blocks
        return blocks[0] if blocks and blocks[0].operations else None

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return []

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        condition = parser.operand()
        types = parser.type_list() if parser.accept("->") else []
        then_region = parser.parse_region()
        end_with_yield(parser, then_region, bool(types), location)
        else_region = Region()
        if parser.accept("else"):
            else_region = parser.parse_region()
            end_with_yield(parser, else_region, bool(types), location)
        attributes = parser.optional_attribute_dict()
        return cls([condition], types, attributes, [then_region, else_region], location)

    def print(self, printer: Printer) -> None:
        printer.values([self.condition])
        if self.results:
            printer.word(f"-> {type_list([r.type for r in self.results])}")
        printer.region(self.then_region, hide_empty_terminator=True)
        if self.else_block is not None:
            printer.word("else")
            printer.region(self.else_region, hide_empty_terminator=True)
        printer.attribute_dict(self)

    def verify(self, report: Report) -> None:
        if self.else_block is None and self.results:
            self.error(report, "has results and needs an else region that yields them")
        for block in filter(None, (self.then_block, self.else_block)):
            if block.arguments:
                self.error(report, "regions take no arguments")
            check_yield(self, block, report)
