"""scf: structured control flow. Bounds and conditions are uniform within the program's scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import UnitAttr
from ..core import Block, Operation, Position, Value
from ..define import (
    Constraint,
    OperandField,
    anything,
    is_i1,
    operand,
    operands,
    optional_attribute,
    optional_region,
    region,
    results,
)
from ..traits import HANDS_ON
from ..types import INDEX, Attribute, IndexType, IntegerType, Type, bit_width
from .scf_execute import ExecuteRegionOp
from .scf_forall import ForallOp, InParallelOp
from .scf_parallel import ParallelOp, ReduceOp, ReduceReturnOp
from .scf_regions import Structured, YieldOp, check_yield, out_of, type_list, yielded
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

is_counter: Constraint[IndexType | IntegerType] = Constraint("index or a signless integer", lambda t: t.is_whole)


class CounterType(Directive):
    """`: i32`, or nothing where a loop counts in index: the type of its bounds."""

    def __init__(self, *bounds: OperandField[Any]) -> None:
        self.bounds = bounds

    def parse(self, parser: Parser, state: State) -> None:
        type = parser.parse_type() if parser.accept(":") else INDEX
        for field in self.bounds:
            if (found := state.operands[field.name][0].type) != type:
                hint = f"write ': {found}' before the body" if is_counter.holds(found) else ""
                words = field.name.replace("_", " ")
                raise parser.error(f"the {words} has type {found}, the loop counts in {type}", hint=hint)
        state.arguments[0] = state.arguments[0][0], type

    def print(self, printer: Printer, op: Operation) -> None:
        if (type := self.bounds[0].read(op).type) != INDEX:
            printer.word(f": {type}")


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
    body_region = region(ends_in=YieldOp)
    results_ = results(anything)
    same_type = ("lower_bound", "upper_bound", "step")
    directives = {"CounterType": CounterType}
    assembly = (
        "(`unsigned` $unsignedCmp^)? custom<Counter>($body_region) `=` $lower_bound `to` $upper_bound `step`"
        " $step custom<IterArgs>($init_args, $body_region, $results) custom<CounterType>($lower_bound,"
        " $upper_bound, $step) $body_region attr-dict"
    )

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


class IfOp(Structured, opname="scf.if"):
    """Runs one of two regions; with results, both yield them."""

    pure = False
    recursive_effects = True
    condition = operand(is_i1)
    then_region = region(ends_in=YieldOp)
    else_region = optional_region(ends_in=YieldOp)
    results_ = results(anything)
    assembly = "$condition (`->` type-list($results)^)? $then_region (`else` $else_region^)? attr-dict"

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

    def verify(self, report: Report) -> None:
        if self.else_block is None and self.results:
            self.error(report, "has results and needs an else region that yields them")
        for block in filter(None, (self.then_block, self.else_block)):
            if block.arguments:
                self.error(report, "regions take no arguments")
            check_yield(self, block, report)
