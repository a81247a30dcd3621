"""affine: loops between affine bounds, and branches on integer sets."""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.affine import AffineMapAttr, IntegerSetAttr
from ...ir.attributes import IntegerAttr
from ...ir.core import Block, Operation, Position
from ...ir.define import anything, attribute, is_index, operands, optional_region, region, results
from ...ir.dialects.affine import Applied
from ...ir.dialects.scf_regions import out_of, type_list
from ...ir.traits import HANDS_ON
from ...ir.types import INDEX
from ...support.diagnostics import Report
from .affine_operands import Bound, Counting, check_operands


class AffineRegions(Operation):
    """An operation whose regions end in `affine.yield`."""


class AffineYieldOp(Operation, opname="affine.yield"):
    """Ends a region of an affine loop or branch."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"
    parents = ("affine.for", "affine.if", "affine.parallel")
    parent_words = "must end a region of affine.for, affine.if or affine.parallel"


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
    step = attribute(IntegerAttr, IntegerAttr(1, INDEX))
    body_region = region(ends_in=AffineYieldOp)
    results_ = results(anything)
    directives = {"Bound": Bound}
    assembly = (
        "custom<Counter>($body_region) `=` custom<Bound>($lowerBoundOperands, $lowerBoundMap, max) `to`"
        " custom<Bound>($upperBoundOperands, $upperBoundMap, min) (`step` $step^)? custom<IterArgs>($inits,"
        " $body_region, $results) $body_region attr-dict"
    )

    def carries(self) -> Iterator[Position]:
        last, first = self.body.terminator, len(self.operands) - len(self.inits)
        assert last is not None
        for i, targets in enumerate(zip(self.body.arguments[1:], self.results, strict=True)):
            yield Position(((self, first + i), (last, i)), targets)

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
    then_region = region(ends_in=AffineYieldOp)
    else_region = optional_region(ends_in=AffineYieldOp)
    results_ = results(anything)
    directives = {"Applied": Applied}
    assembly = (
        "custom<Applied>($condition, $operands, set) (`->` arrow-types($results)^)? $then_region (`else`"
        " $else_region^)? attr-dict"
    )

    @property
    def else_block(self) -> Block | None:
        blocks = self.else_region.blocks
        return blocks[0] if blocks and blocks[0].operations else None

    def carries(self) -> Iterator[Position]:
        return out_of(self)

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


def check_affine_yield(op: Operation, block: Block, report: Report) -> None:
    expected, last = [r.type for r in op.results], block.terminator
    if not isinstance(last, AffineYieldOp):
        op.error(report, "region must end in affine.yield")
        return
    found = [v.type for v in last.values]
    if found != expected:
        last.error(report, f"yields {type_list(found)}, '{op.opname}' has results {type_list(expected)}")
