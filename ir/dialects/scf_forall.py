"""scf.forall: a loop whose iterations have no order, and may be given to workgroups, subgroups or threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Location, Report
from ..assembly_directives import DynamicIndexList
from ..assembly_elements import Directive, State
from ..attributes import ArrayAttr, int_array
from ..core import Block, Operation, Region, Value
from ..define import is_index, is_tensor, operands, optional_attribute, region, results, static_numbers_attribute
from ..dynamic_index_list import merge, static_attr
from ..fields import Field
from ..types import INDEX
from .gpu_mapping import MappingAttr, clash
from .scf_regions import type_list

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class CombinesInParallel(Operation):
    """What an iteration of `scf.forall` gives to one of its tensors, in its `scf.forall.in_parallel`."""

    @property
    def ends_an_iteration(self) -> bool:
        return isinstance(self.enclosing(), InParallelOp)

    def loop_of(self, dest: Value, report: Report) -> ForallOp | None:
        """The loop whose tensor `dest` is; None, and an error where it ends an iteration of a loop of other tensors."""
        end = self.enclosing()
        loop = end.enclosing() if isinstance(end, InParallelOp) else None
        if not isinstance(loop, ForallOp):
            return None
        if dest not in loop.body.arguments:
            self.error(report, "must put something into a tensor of scf.forall")
            return None
        return loop


class ForallBounds(Directive):
    """`in (%n, 4)`, or of other bounds and steps `= (..) to (..) step (..)`."""

    def __init__(self, *fields: Field[Any]) -> None:
        pairs: Any = zip(fields[::2], fields[1::2], strict=True)
        self.lists = [DynamicIndexList(values, numbers, "round") for values, numbers in pairs]

    def parse(self, parser: Parser, state: State) -> None:
        lower, upper, step = self.lists
        if parser.token.text == "=":
            for word, each in zip(("=", "to", "step"), self.lists, strict=True):
                parser.expect(word)
                each.parse(parser, state)
            return
        parser.expect("in")
        upper.parse(parser, state)
        rank = len(int_array(state.attributes[upper.numbers.name]))
        for each, number in ((lower, 0), (step, 1)):
            state.attributes[each.numbers.name] = static_attr([number] * rank)

    def print(self, printer: Printer, op: Operation) -> None:
        assert isinstance(op, ForallOp)
        words = ("", "in", "") if op.is_normalised else ("=", "to", "step")
        for word, each in zip(words, self.lists, strict=True):
            if word:
                printer.word(word)
                each.print(printer, op)


class InParallelOp(Operation, opname="scf.forall.in_parallel"):
    """Ends the body of `scf.forall` with what the iteration puts into its tensors."""

    pure = False
    terminator = True
    body_region = region()
    assembly = "$body_region attr-dict"
    parents = ("scf.forall",)
    parent_words = "must end the body of scf.forall"

    def verify(self, report: Report) -> None:
        for op in self.body.operations:
            if not isinstance(op, CombinesInParallel):
                words = "scf.forall.in_parallel holds tensor.parallel_insert_slice and the like only"
                op.error(report, f"cannot stand here: {words}")


def _end(location: Location) -> InParallelOp:
    return InParallelOp(regions=[Region([Block()])], location=location)


class ForallOp(Operation, opname="scf.forall"):
    """Runs its body for all points between the bounds, in any order; the arguments are the counters, then the tensors
    `outputs`, into which the iterations put what makes the results.

    `mapping` names, for each counter, the ids that the iterations are spread over (`gpu_mapping.py`).
    """

    pure = False
    repeats = True
    dynamicLowerBound = operands(is_index)
    dynamicUpperBound = operands(is_index)
    dynamicStep = operands(is_index)
    outputs = operands(is_tensor)
    staticLowerBound = static_numbers_attribute()
    staticUpperBound = static_numbers_attribute()
    staticStep = static_numbers_attribute()
    mapping = optional_attribute(ArrayAttr)
    body_region = region(ends_in=_end)
    results_ = results(is_tensor)
    directives = {"ForallBounds": ForallBounds}
    assembly = (
        "custom<Counters>($body_region, $outputs) custom<ForallBounds>($dynamicLowerBound, $staticLowerBound,"
        " $dynamicUpperBound, $staticUpperBound, $dynamicStep, $staticStep) custom<IterArgs>($outputs,"
        " $body_region, $results, shared_outs) $body_region attr-dict"
    )

    @property
    def bounds(self) -> tuple[Sequence[int | Value], Sequence[int | Value], Sequence[int | Value]]:
        """Lower and upper bounds and steps, one a counter."""
        return (
            merge(self.staticLowerBound, self.dynamicLowerBound),
            merge(self.staticUpperBound, self.dynamicUpperBound),
            merge(self.staticStep, self.dynamicStep),
        )

    @property
    def is_normalised(self) -> bool:
        """Whether it counts from 0 by 1."""
        return set(self.staticLowerBound) == {0} and set(self.staticStep) == {1}

    def verify(self, report: Report) -> None:
        rank = len(self.staticUpperBound)
        found = [a.type for a in self.body.arguments]
        groups = (
            ("lower bound", self.staticLowerBound, self.dynamicLowerBound),
            ("upper bound", self.staticUpperBound, self.dynamicUpperBound),
            ("step", self.staticStep, self.dynamicStep),
        )
        shared, given = [v.type for v in self.outputs], [v.type for v in self.results]
        if shared != given:
            self.error(report, f"puts {type_list(shared)} together, its results are {type_list(given)}")
        for name, numbers, values in groups:
            if len(numbers) != rank:
                self.error(report, f"has {len(numbers)} numbers for its {name}, {rank} for its upper bound")
            elif numbers.count(None) != len(values):
                self.error(report, f"has {len(values)} values for its {name}, {numbers.count(None)} in the list")
        expected = [*[INDEX] * rank, *shared]
        if found != expected:
            self.error(report, f"body takes {type_list(found)}, expected {type_list(expected)}")
        elif not isinstance(self.body.terminator, InParallelOp):
            self.error(report, "body must end in scf.forall.in_parallel")
        if any(n is not None and n < 1 for n in self.staticStep):
            self.error(report, "steps must be positive")
        self._verify_mapping(rank, report)

    def without_outputs(self, body: Region) -> ForallOp:
        """The same loop around another body, which puts nothing together."""
        bounds = [*self.dynamicLowerBound, *self.dynamicUpperBound, *self.dynamicStep]
        counts = (len(self.dynamicLowerBound), len(self.dynamicUpperBound), len(self.dynamicStep), 0)
        return ForallOp(bounds, (), self.attributes, [body], self.location, counts)

    def _verify_mapping(self, rank: int, report: Report) -> None:
        if self.mapping is None:
            return
        entries = [entry for entry in self.mapping.values if isinstance(entry, MappingAttr)]
        if len(entries) != len(self.mapping.values):
            wrong = next(entry for entry in self.mapping.values if not isinstance(entry, MappingAttr))
            self.error(report, f"maps to {wrong}, expected such as #gpu.thread<x>")
        elif len(entries) not in (0, rank):
            self.error(report, f"has {len(entries)} mappings for {rank} counters")
        elif words := clash(entries):
            self.error(report, words)
        elif entries and not self.is_normalised:
            self.error(report, "counts from 0 by 1 where it is mapped to ids")
