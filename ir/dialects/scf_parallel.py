"""scf.parallel: loops whose iterations have no order, and how what they give is joined."""

from __future__ import annotations

from collections.abc import Iterator

from ...support.diagnostics import Report
from ..core import Block, Operation, Position, Value
from ..define import anything, is_index, operand, operands, region, regions, results
from ..traits import HANDS_ON
from ..types import INDEX
from .constants import constant_int
from .scf_regions import type_list


class ReduceReturnOp(Operation, opname="scf.reduce.return"):
    """Ends a region of `scf.reduce` with what two values are joined to."""

    pure = False
    terminator = True
    joined = operand(anything, HANDS_ON)
    assembly = "$joined attr-dict `:` type($joined)"
    parents = ("scf.reduce",)
    parent_words = "must end a region of scf.reduce"


class ReduceOp(Operation, opname="scf.reduce"):
    """Ends the body of `scf.parallel`: each value is joined into one result, by a region of two arguments."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    joins = regions()
    assembly = "(`` `(` $values^ `:` type($values) `)` separated($joins))? attr-dict"
    parents = ("scf.parallel",)
    parent_words = "must end the body of scf.parallel"

    def verify(self, report: Report) -> None:
        if len(self.joins) != len(self.values):
            self.error(report, f"has {len(self.joins)} regions for {len(self.values)} values")
            return
        for value, join in zip(self.values, self.joins, strict=True):
            found = [a.type for a in join.block.arguments]
            last = join.block.terminator
            if found != [value.type] * 2:
                self.error(report, f"region takes {type_list(found)}, expected {type_list([value.type] * 2)}")
            elif not isinstance(last, ReduceReturnOp):
                self.error(report, "region must end in scf.reduce.return")
            elif last.joined.type != value.type:
                last.error(report, f"gives {last.joined.type}, the value that is joined is {value.type}")


class ParallelOp(Operation, opname="scf.parallel"):
    """Runs its body for all points between `lowerBound` and `upperBound`, `step` apart, in any order.

    The body's arguments are the counters. Each result is one of `initVals` joined with what the iterations give to the
    `scf.reduce` at the body's end, in any order. Iterations that meet in memory are a race.
    """

    pure = False
    repeats = True
    lowerBound = operands(is_index)
    upperBound = operands(is_index)
    step = operands(is_index)
    initVals = operands(anything, HANDS_ON)
    body_region = region(ends_in=ReduceOp, shows_end=True)
    results_ = results(anything)
    assembly = (
        "custom<Counters>($body_region) `=` `(` $lowerBound `)` `to` `(` $upperBound `)` `step` `(` $step `)`"
        " (`init` `(` $initVals^ `)`)? (`->` arrow-types($results)^)? $body_region attr-dict"
    )

    @property
    def reduce(self) -> ReduceOp:
        last = self.body.terminator
        assert isinstance(last, ReduceOp)
        return last

    def carries(self) -> Iterator[Position]:
        first = len(self.operands) - len(self.initVals)
        for i, (result, join) in enumerate(zip(self.results, self.reduce.joins, strict=True)):
            last = join.block.terminator
            assert last is not None
            yield Position(((self, first + i), (self.reduce, i), (last, 0)), (result, *join.block.arguments))

    def verify(self, report: Report) -> None:
        counts = [len(self.lowerBound), len(self.upperBound), len(self.step)]
        given = [v.type for v in self.initVals]
        if not counts[0]:
            self.error(report, "needs a counter at least")
        elif len(set(counts)) > 1:
            self.error(report, f"has {counts[0]} lower bounds, {counts[1]} upper bounds and {counts[2]} steps")
        elif not _check_counters(self, self.body, counts[0], report):
            pass
        elif [r.type for r in self.results] != given:
            found = type_list([r.type for r in self.results])
            self.error(report, f"results are {found}, the initial values are {type_list(given)}")
        elif not isinstance(self.body.terminator, ReduceOp):
            self.error(report, "body must end in scf.reduce")
        elif (joined := [v.type for v in self.reduce.values]) != given:
            self.error(report, f"joins {type_list(joined)}, the initial values are {type_list(given)}")
        if any(map(_is_not_positive, self.step)):
            self.error(report, "steps must be positive")


def _check_counters(op: Operation, body: Block, count: int, report: Report) -> bool:
    found = [a.type for a in body.arguments]
    if found != [INDEX] * count:
        op.error(report, f"body takes {type_list(found)}, expected {type_list([INDEX] * count)}")
        return False
    return True


def _is_not_positive(value: Value) -> bool:
    """Whether a value is a constant that is not positive."""
    number = constant_int(value)
    return number is not None and number <= 0
