"""scf.forall: a loop whose iterations have no order, and may be given to workgroups, subgroups or threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..attributes import ArrayAttr
from ..core import Block, Operation, Region, Value
from ..define import is_index, is_tensor, operands, optional_attribute, region, results
from ..dynamic_index_list import merge, mixed_attribute, mixed_text, parse_mixed, static_attr
from ..lexer import Token
from ..types import INDEX, Type
from .gpu_mapping import MappingAttr, clash
from .scf_parallel import parse_counters
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


class InParallelOp(Operation, opname="scf.forall.in_parallel"):
    """Ends the body of `scf.forall` with what the iteration puts into its tensors."""

    pure = False
    terminator = True
    body_region = region()

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        body = parser.parse_region()
        return cls((), (), parser.optional_attribute_dict(), [body], location)

    def print(self, printer: Printer) -> None:
        printer.region(self.body_region)
        printer.attribute_dict(self)

    def verify(self, report: Report) -> None:
        if not isinstance(self.enclosing(), ForallOp):
            self.error(report, "must end the body of scf.forall")
        for op in self.body.operations:
            if not isinstance(op, CombinesInParallel):
                words = "scf.forall.in_parallel holds tensor.parallel_insert_slice and the like only"
                op.error(report, f"cannot stand here: {words}")


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
    staticLowerBound = mixed_attribute()
    staticUpperBound = mixed_attribute()
    staticStep = mixed_attribute()
    mapping = optional_attribute(ArrayAttr)
    body_region = region()
    results_ = results(is_tensor)

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

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        counters = parse_counters(parser)
        if parser.accept("="):
            lower, low = parse_mixed(parser, "(", ")")
            parser.expect("to")
            upper, high = parse_mixed(parser, "(", ")")
            parser.expect("step")
            step, by = parse_mixed(parser, "(", ")")
        else:
            parser.expect("in")
            upper, high = parse_mixed(parser, "(", ")")
            lower, step = list[Value](), list[Value]()
            low, by = static_attr([0] * len(high.values)), static_attr([1] * len(high.values))
        shared, outputs, types = _parse_outputs(parser, location)
        arguments = [*((token, INDEX) for token in counters), *zip(shared, types, strict=True)]
        body = parser.parse_region(arguments)
        if body.block.terminator is None:
            body.block.append(InParallelOp(regions=[Region([Block()])], location=location))
        bounds = {"staticLowerBound": low, "staticUpperBound": high, "staticStep": by}
        attributes = {**parser.optional_attribute_dict(bounds), **bounds}
        segments = (len(lower), len(upper), len(step), len(outputs))
        return cls([*lower, *upper, *step, *outputs], types, attributes, [body], location, segments)

    def print(self, printer: Printer) -> None:
        rank = len(self.staticUpperBound)
        counters = ", ".join(printer.assign([a]) for a in self.body.arguments[:rank])
        lower, upper, step = (
            mixed_text(printer, numbers, values)
            for numbers, values in (
                (self.staticLowerBound, self.dynamicLowerBound),
                (self.staticUpperBound, self.dynamicUpperBound),
                (self.staticStep, self.dynamicStep),
            )
        )
        printer.word(f"({counters})")
        printer.word(f"in ({upper})" if self.is_normalised else f"= ({lower}) to ({upper}) step ({step})")
        if self.outputs:
            pairs = zip(self.body.arguments[rank:], self.outputs, strict=True)
            shared = ", ".join(f"{printer.assign([a])} = {printer.name(v)}" for a, v in pairs)
            printer.word(f"shared_outs({shared}) -> {type_list([v.type for v in self.outputs])}")
        printer.region(self.body_region, hide_empty_terminator=True)
        printer.attribute_dict(self, hidden=("staticLowerBound", "staticUpperBound", "staticStep"))

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


def _parse_outputs(parser: Parser, location: Location) -> tuple[list[Token], list[Value], list[Type]]:
    """`shared_outs(%o = %init, ..) -> (T, ..)`: the arguments, their first contents, and the types. A single type may
    stand without parentheses."""
    names, values = list[Token](), list[Value]()
    if not parser.accept("shared_outs"):
        return names, values, []
    parser.expect("(")
    while not names or parser.accept(","):
        names.append(parser.expect_kind("value", "the name of a tensor in the body"))
        parser.expect("=")
        values.append(parser.operand())
    parser.expect(")")
    parser.expect("->")
    types = parser.comma_separated(")", parser.parse_type) if parser.accept("(") else [parser.parse_type()]
    if [v.type for v in values] != types:
        found = type_list([v.type for v in values])
        raise parser.error(f"shared_outs are {found}, but {type_list(types)} is written here")
    return names, values, types
