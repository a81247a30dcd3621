"""scf.index_switch: one of several regions, by a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..attributes import DenseArrayAttr
from ..core import Block, Operation, Position, Region
from ..define import anything, int_array_attribute, is_index, operand, region, regions, results
from ..types import I64, Type
from .scf_regions import Structured, check_yield, end_with_yield, out_of

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class IndexSwitchOp(Structured, opname="scf.index_switch"):
    """Runs the region whose number in `cases` is `arg`, the default region where none is."""

    pure = False
    recursive_effects = True
    arg = operand(is_index)
    cases = int_array_attribute()
    default_region = region()
    case_regions = regions()
    results_ = results(anything)

    @property
    def default_block(self) -> Block:
        return self.default_region.block

    @property
    def case_blocks(self) -> list[Block]:
        """In the order of `cases`."""
        return [region.block for region in self.case_regions]

    def carries(self) -> Iterator[Position]:
        return out_of(self)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        arg = parser.operand()
        attributes = parser.optional_attribute_dict(["cases"])
        types = _types(parser) if parser.accept("->") else []
        cases, parsed = list[int](), list[Region]()
        while parser.accept("case"):
            cases.append(parser.integer())
            parsed.append(parser.parse_region())
        parser.expect("default")
        parsed.insert(0, parser.parse_region())
        for each in parsed:
            end_with_yield(parser, each, bool(types), location)
        return cls([arg], types, {**attributes, "cases": DenseArrayAttr(I64, tuple(cases))}, parsed, location)

    def print(self, printer: Printer) -> None:
        printer.values([self.arg])
        printer.attribute_dict(self, hidden=("cases",))
        if self.results:
            types = [r.type for r in self.results]
            printer.word(f"-> {', '.join(map(str, types))}")
        for number, case in zip(self.cases, self.case_regions, strict=True):
            printer.line(f"case {number}")
            printer.region(case)
        printer.line("default")
        printer.region(self.default_region)

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


def _types(parser: Parser) -> list[Type]:
    """`T, U`, or `(T, U)` as other operations have it."""
    types = parser.type_list()
    while parser.accept(","):
        types.append(parser.parse_type())
    return types
