"""scf.execute_region: a region in the middle of a block, whose blocks may branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..attributes import UnitAttr
from ..core import Operation, Position
from ..define import anything, optional_attribute, region, results
from ..types import Type
from .scf_regions import Structured, YieldOp, check_yield, end_with_yield, type_list

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class ExecuteRegionOp(Structured, opname="scf.execute_region"):
    """Runs its region once; the results are what it yields. `no_inline` keeps it together upstream, which changes
    nothing of what it means."""

    pure = False
    recursive_effects = True
    no_inline = optional_attribute(UnitAttr)
    body_region = region(branches=True)
    results_ = results(anything)

    def carries(self) -> Iterator[Position]:
        ends = [b.terminator for b in self.body_region.blocks if isinstance(b.terminator, YieldOp)]
        for i, result in enumerate(self.results):
            yield Position(tuple((end, i) for end in ends), (result,))

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        types: list[Type] = parser.type_list() if parser.accept("->") else []
        attributes = {"no_inline": UnitAttr()} if parser.accept("no_inline") else {}
        body = parser.parse_region()
        end_with_yield(parser, body, bool(types), location)
        return cls((), types, {**attributes, **parser.optional_attribute_dict(attributes)}, [body], location)

    def print(self, printer: Printer) -> None:
        if self.results:
            types = [r.type for r in self.results]
            printer.word(f"-> {types[0] if len(types) == 1 else type_list(types)}")
        if self.no_inline is not None:
            printer.word("no_inline")
        printer.region(self.body_region)
        printer.attribute_dict(self, hidden=("no_inline",))

    def verify(self, report: Report) -> None:
        if self.body_region.blocks[0].arguments:
            self.error(report, "regions take no arguments")
        ends = [block for block in self.body_region.blocks if block.terminator is not None]
        for block in ends or self.body_region.blocks:
            if not (block.terminator is not None and block.terminator.successors):
                check_yield(self, block, report)
