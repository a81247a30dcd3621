"""scf.index_switch: one of several regions, by a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State, parse_body
from ..attributes import dense_i64
from ..core import Block, Operation, Position, Region
from ..define import AttributeField, anything, int_array_attribute, is_index, operand, region, regions, results
from ..fields import RegionField
from .scf_regions import Structured, YieldOp, check_yield, out_of

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class Cases(Directive):
    """`case 2 {..}`, as many as there are, and `default {..}`."""

    def __init__(self, cases: AttributeField[Any], of_cases: RegionField[Any], default: RegionField[Any]) -> None:
        self.cases, self.of_cases, self.default = cases, of_cases, default

    def parse(self, parser: Parser, state: State) -> None:
        numbers, place = list[int](), parser.token.start
        bodies = state.regions[self.of_cases.name] = list[Region]()
        while parser.accept("case"):
            numbers.append(parser.integer())
            bodies.append(parse_body(parser, state, self.of_cases))
        state.give(parser, self.cases.name, dense_i64(numbers), place)
        parser.expect("default")
        state.regions[self.default.name] = [parse_body(parser, state, self.default)]

    def print(self, printer: Printer, op: Operation) -> None:
        for number, body in zip(self.cases.read(op), self.of_cases.group(op), strict=True):
            printer.line(f"case {number}")
            printer.region(body)
        printer.line("default")
        printer.region(*self.default.group(op))


class IndexSwitchOp(Structured, opname="scf.index_switch"):
    """Runs the region whose number in `cases` is `arg`, the default region where none is."""

    pure = False
    recursive_effects = True
    arg = operand(is_index)
    cases = int_array_attribute()
    default_region = region(ends_in=YieldOp, shows_end=True)
    case_regions = regions(ends_in=YieldOp, shows_end=True)
    results_ = results(anything)
    directives = {"Cases": Cases}
    assembly = "$arg attr-dict (`->` type($results)^)? custom<Cases>($cases, $case_regions, $default_region)"

    @property
    def default_block(self) -> Block:
        return self.default_region.block

    @property
    def case_blocks(self) -> list[Block]:
        """In the order of `cases`."""
        return [region.block for region in self.case_regions]

    def carries(self) -> Iterator[Position]:
        return out_of(self)

    def verify(self, report: Report) -> None:
        if len(self.cases) != len(self.case_regions):
            self.error(report, f"has {len(self.case_regions)} case regions and {len(self.cases)} case values")
            return
        twice = next((number for i, number in enumerate(self.cases) if number in self.cases[:i]), None)
        if twice is not None:
            self.error(report, f"has the case {twice} twice")
        for each in self.regions:
            if each.block.arguments:
                self.error(report, "regions take no arguments")
            check_yield(self, each.block, report)
