"""affine: loops between affine bounds, and branches on integer sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...ir.affine import AffineMapAttr, IntegerSetAttr
from ...ir.attributes import IntegerAttr
from ...ir.core import Block, Operation, Position, Region
from ...ir.define import anything, attribute, is_index, operands, optional_region, region, results
from ...ir.dialects.scf import parse_carried
from ...ir.dialects.scf_regions import out_of, type_list
from ...ir.traits import HANDS_ON
from ...ir.types import INDEX, Attribute, Type
from ...support.diagnostics import Location, Report
from .affine_operands import (
    Counting,
    bound_text,
    check_operands,
    dims_and_symbols_text,
    parse_bound,
    parse_dims_and_symbols,
)

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


class AffineRegions(Operation):
    """An operation whose regions end in `affine.yield`."""


class AffineYieldOp(Operation, opname="affine.yield"):
    """Ends a region of an affine loop or branch."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        if not isinstance(self.enclosing(), AffineRegions):
            self.error(report, "must end a region of affine.for, affine.if or affine.parallel")


class AffineForOp(AffineRegions, Counting, opname="affine.for"):
    """Counts from the greatest result of `lowerBoundMap` up to, not including, the least of `upperBoundMap`.

    The body's arguments are the counter and one value per result, as in `scf.for`. `step` is a positive constant.
    """

    pure = False
    repeats = True
    lowerBoundOperands = operands(is_index)
    upperBoundOperands = operands(is_index)
    inits = operands(anything, HANDS_ON)
    lowerBoundMap = attribute(AffineMapAttr)
    upperBoundMap = attribute(AffineMapAttr)
    step = attribute(IntegerAttr)
    body_region = region()
    results_ = results(anything)

    def carries(self) -> Iterator[Position]:
        last, first = self.body.terminator, len(self.operands) - len(self.inits)
        assert last is not None
        for i, targets in enumerate(zip(self.body.arguments[1:], self.results, strict=True)):
            yield Position(((self, first + i), (last, i)), targets)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        counter = parser.expect_kind("value", "the name of the loop's counter")
        parser.expect("=")
        lower, below = parse_bound(parser, "max")
        parser.expect("to")
        upper, above = parse_bound(parser, "min")
        step = parser.integer() if parser.accept("step") else 1
        carried = parse_carried(parser)
        body = parser.parse_region([(counter, INDEX), *((token, value.type) for token, value in carried)])
        end_with_affine_yield(parser, body, bool(carried), location)
        inits = [value for _, value in carried]
        bounds = {"lowerBoundMap": lower, "upperBoundMap": upper, "step": IntegerAttr(step, INDEX)}
        attributes = {**parser.optional_attribute_dict(bounds), **bounds}
        segments = (len(below), len(above), len(inits))
        return cls([*below, *above, *inits], [v.type for v in inits], attributes, [body], location, segments)

    def print(self, printer: Printer) -> None:
        counter, *carried = (printer.assign([a]) for a in self.body.arguments)
        lower = bound_text(printer, self.lowerBoundMap, self.lowerBoundOperands, "max")
        upper = bound_text(printer, self.upperBoundMap, self.upperBoundOperands, "min")
        printer.word(f"{counter} = {lower} to {upper}" + (f" step {self.step.value}" if self.step.value != 1 else ""))
        if carried:
            inits = ", ".join(f"{a} = {printer.name(v)}" for a, v in zip(carried, self.inits, strict=True))
            printer.word(f"iter_args({inits}) -> {type_list([r.type for r in self.results])}")
        printer.region(self.body_region, hide_empty_terminator=True)
        printer.attribute_dict(self, hidden=("lowerBoundMap", "upperBoundMap", "step"))

    def verify(self, report: Report) -> None:
        inits, arguments = [v.type for v in self.inits], [a.type for a in self.body.arguments]
        if self.step.value < 1:
            self.error(report, f"step must be positive, found {self.step.value}")
        for name, map, values in (
            ("lower", self.lowerBoundMap.map, self.lowerBoundOperands),
            ("upper", self.upperBoundMap.map, self.upperBoundOperands),
        ):
            if len(values) != map.dims + map.symbols:
                self.error(report, f"{name} bound has {len(values)} operands, its map takes {map.dims + map.symbols}")
            elif not map.results:
                self.error(report, f"{name} bound needs a map with a result")
            check_operands(self, map.dims, values, report)
        if arguments != [INDEX, *inits]:
            self.error(report, f"body takes {type_list(arguments)}, expected {type_list([INDEX, *inits])}")
        elif [r.type for r in self.results] != inits:
            found = type_list([r.type for r in self.results])
            self.error(report, f"results are {found}, the initial values are {type_list(inits)}")
        check_affine_yield(self, self.body, report)


class AffineIfOp(AffineRegions, opname="affine.if"):
    """Runs the first region where all constraints of the set hold of the operands, else the second."""

    pure = False
    operands_ = operands(is_index)
    condition = attribute(IntegerSetAttr)
    then_region = region()
    else_region = optional_region()
    results_ = results(anything)

    @property
    def else_block(self) -> Block | None:
        blocks = self.else_region.blocks
        return blocks[0] if blocks and blocks[0].operations else None

    def carries(self) -> Iterator[Position]:
        return out_of(self)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        start = parser.token.start
        condition = parser.parse_attribute()
        if not isinstance(condition, IntegerSetAttr):
            raise parser.error(f"expected an affine set, found {condition}", start)
        dims, symbols = parse_dims_and_symbols(parser)
        types: list[Type] = parser.type_list() if parser.accept("->") else []
        regions = [parser.parse_region()]
        regions.append(parser.parse_region() if parser.accept("else") else Region())
        for each in regions:
            if each.blocks:
                end_with_affine_yield(parser, each, bool(types), location)
        attributes: dict[str, Attribute] = {**parser.optional_attribute_dict(["condition"]), "condition": condition}
        return cls([*dims, *symbols], types, attributes, regions, location)

    def print(self, printer: Printer) -> None:
        values = dims_and_symbols_text(printer, self.condition.set.dims, self.operands_)
        printer.word(printer.attribute(self.condition) + values)
        if self.results:
            types = [r.type for r in self.results]
            printer.word(f"-> {types[0] if len(types) == 1 else type_list(types)}")
        printer.region(self.then_region, hide_empty_terminator=True)
        if self.else_block is not None:
            printer.word("else")
            printer.region(self.else_region, hide_empty_terminator=True)
        printer.attribute_dict(self, hidden=("condition",))

    def verify(self, report: Report) -> None:
        set = self.condition.set
        if len(self.operands_) != set.dims + set.symbols:
            self.error(report, f"has {len(self.operands_)} operands, the set takes {set.dims + set.symbols}")
        check_operands(self, set.dims, self.operands_, report)
        if self.else_block is None and self.results:
            self.error(report, "has results and needs an else region that yields them")
        for block in (self.then_region.block, self.else_block):
            if block is not None:
                if block.arguments:
                    self.error(report, "regions take no arguments")
                check_affine_yield(self, block, report)


def end_with_affine_yield(parser: Parser, region: Region, has_results: bool, location: Location) -> None:
    """Appends the `affine.yield` that the text may leave out."""
    block = region.block
    if block.terminator is None and not has_results:
        block.append(AffineYieldOp(location=location))
    elif block.terminator is None:
        raise parser.error("the region must end in affine.yield with the results' values")


def check_affine_yield(op: Operation, block: Block, report: Report) -> None:
    expected, last = [r.type for r in op.results], block.terminator
    if not isinstance(last, AffineYieldOp):
        op.error(report, "region must end in affine.yield")
        return
    found = [v.type for v in last.values]
    if found != expected:
        last.error(report, f"yields {type_list(found)}, '{op.opname}' has results {type_list(expected)}")
