"""scf.while: a loop that its own first region decides to go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...support.diagnostics import Report
from ..core import Block, Operation, Position, Value
from ..define import anything, is_i1, operand, operands, region, results
from ..traits import HANDS_ON
from .scf_regions import Structured, check_yield, type_list


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
    assembly = (
        "custom<Inits>($inits, $before_region) `:` functional-type $before_region `do` $after_region"
        " attr-dict-with-keyword"
    )

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
