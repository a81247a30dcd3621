"""affine.parallel: loops between affine bounds whose iterations have no order, joined by named kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from ...ir.affine import AffineExpr, AffineMap, AffineMapAttr
from ...ir.affine_parser import ValueNames
from ...ir.assembly_elements import Directive, State, TypeList
from ...ir.attributes import ArrayAttr, IntegersAttr, StringAttr, i64_array, int_array
from ...ir.core import Operation, Value
from ...ir.define import attribute, int_array_attribute, is_index, operands, region, results, scalar_like
from ...ir.dialects.atomic_kind import AtomicRMWKindAttr, kinds_for
from ...ir.dialects.scf_regions import type_list
from ...ir.dialects.vector_kind import CombiningKindAttr
from ...ir.fields import AttributeField, OperandField, ResultField
from ...ir.types import INDEX, Type, element_type
from ...support.diagnostics import Report
from .affine_loops import AffineRegions, AffineYieldOp, check_affine_yield
from .affine_operands import Counting, check_operands, expression_text, resolved

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer

KINDS = AtomicRMWKindAttr.cases
"""In the order of the numbers that the attribute has."""
AS_VECTOR_KINDS: Mapping[str, CombiningKindAttr] = {
    name: CombiningKindAttr(kind)
    for name, kind in (
        *((f"{kind}{letter}", kind) for kind in ("add", "mul") for letter in "fi"),
        *((f"{kind}i", kind) for kind in ("and", "or", "xor")),
        *((f"{end}{sign}", f"{end}{sign}i") for end in ("min", "max") for sign in "su"),
        *((kind, kind) for kind in ("minnumf", "maxnumf", "minimumf", "maximumf")),
    )
}
"""The kinds that join iterations: they have the same arithmetic, and begin with the same number."""


def begins(kind: str, element: Type) -> bool:
    """Whether there is a number of the type with which joining by this kind can begin."""
    return kind in AS_VECTOR_KINDS and AS_VECTOR_KINDS[kind].applies_to(element)


def grouped(results: Sequence[AffineExpr], groups: Sequence[int]) -> list[Sequence[AffineExpr]]:
    """The expressions of each counter."""
    return [results[a:b] for a, b in pairwise(accumulate(groups, initial=0))]


class ParallelBounds(Directive):
    """`(0, max(%i, 4))`, `max` being the `word`: the map of all, its operands, and the groups' sizes."""

    def __init__(
        self, values: OperandField[Any], map: AttributeField[Any], groups: AttributeField[Any], word: str
    ) -> None:
        self.values, self.map, self.groups, self.word = values, map, groups, word

    def parse(self, parser: Parser, state: State) -> None:
        names, place = ValueNames(), parser.token.start

        def one() -> list[AffineExpr]:
            if parser.accept(self.word):
                parser.expect("(")
                return parser.comma_separated(")", lambda: parser.expression_of_values(names))
            return [parser.expression_of_values(names)]

        parser.expect("(")
        groups = parser.comma_separated(")", one)
        dims, symbols = resolved(parser, names)
        map = AffineMap(len(dims), len(symbols), tuple(e for group in groups for e in group))
        state.give(parser, self.map.name, AffineMapAttr(map), place)
        state.give(parser, self.groups.name, IntegersAttr(tuple(len(group) for group in groups)), place)
        state.operands.setdefault(self.values.name, []).extend([*dims, *symbols])

    def print(self, printer: Printer, op: Operation) -> None:
        assert isinstance(op, AffineParallelOp)
        map, values, groups = op.sides[self.word == "min"]
        texts = list[str]()
        for group in grouped(map.results, groups):
            parts = ", ".join(expression_text(printer, e, values[: map.dims], values[map.dims :]) for e in group)
            texts.append(parts if len(group) == 1 else f"{self.word}({parts})")
        printer.word(f"({', '.join(texts)})")


class Steps(Directive):
    """`step (1, 2)`, or nothing where each of the counters goes by 1; there are as many as `groups`."""

    def __init__(self, steps: AttributeField[Any], groups: AttributeField[Any]) -> None:
        self.steps, self.groups = steps, groups

    def parse(self, parser: Parser, state: State) -> None:
        groups, place = state.attributes[self.groups.name], parser.token.start
        assert isinstance(groups, IntegersAttr)
        steps = [1] * len(groups.values)
        if parser.accept("step"):
            parser.expect("(")
            steps = parser.comma_separated(")", parser.integer)
        state.give(parser, self.steps.name, i64_array(steps), place)

    def print(self, printer: Printer, op: Operation) -> None:
        steps: Sequence[int] = self.steps.read(op)
        if set(steps) != {1}:
            printer.word(f"step ({', '.join(map(str, steps))})")


class Kinds(Directive):
    """`reduce ("addf", ..) -> (T, ..)`, or nothing: how iterations are joined to results."""

    def __init__(self, kinds: AttributeField[Any], results: ResultField[Any]) -> None:
        self.kinds, self.types = kinds, TypeList(results)

    def parse(self, parser: Parser, state: State) -> None:
        place, kinds = parser.token.start, list[int]()
        state.result_types[self.types.field.name] = []
        if parser.accept("reduce"):
            parser.expect("(")
            kinds = parser.comma_separated(")", lambda: _kind(parser))
        if parser.accept("->"):
            self.types.parse(parser, state)
        state.give(parser, self.kinds.name, i64_array(kinds), place)

    def print(self, printer: Printer, op: Operation) -> None:
        if op.results:
            assert isinstance(op, AffineParallelOp)
            printer.word("reduce ({}) ->".format(", ".join(f'"{kind}"' for kind in op.kinds)))
            self.types.print(printer, op)


def _kind(parser: Parser) -> int:
    start = parser.token.start
    word = parser.parse_attribute()
    if not isinstance(word, StringAttr) or word.value not in KINDS:
        raise parser.error(f"expected one of {', '.join(KINDS)} in quotes, found {word}", start)
    return KINDS.index(word.value)


class AffineParallelOp(AffineRegions, Counting, opname="affine.parallel"):
    """Runs its body for all points between the bounds, `steps` apart, in any order.

    Each counter starts at the greatest of its group of results of `lowerBoundsMap` and ends below the least of its
    group of `upperBoundsMap`; the groups' sizes are the attributes. A result is what all iterations yield, joined by
    its kind.
    """

    pure = False
    repeats = True
    mapOperands = operands(is_index)
    reductions = attribute(ArrayAttr)
    lowerBoundsMap = attribute(AffineMapAttr)
    lowerBoundsGroups = attribute(IntegersAttr)
    upperBoundsMap = attribute(AffineMapAttr)
    upperBoundsGroups = attribute(IntegersAttr)
    steps = int_array_attribute(dense=False)
    body_region = region(ends_in=AffineYieldOp)
    results_ = results(scalar_like)
    directives = {"Kinds": Kinds, "ParallelBounds": ParallelBounds, "Steps": Steps}
    assembly = (
        "custom<Counters>($body_region) `=` custom<ParallelBounds>($mapOperands, $lowerBoundsMap,"
        " $lowerBoundsGroups, max) `to` custom<ParallelBounds>($mapOperands, $upperBoundsMap,"
        " $upperBoundsGroups, min) custom<Steps>($steps, $lowerBoundsGroups) custom<Kinds>($reductions,"
        " $results) $body_region attr-dict"
    )

    @property
    def kinds(self) -> list[str]:
        return [KINDS[n] if 0 <= n < len(KINDS) else "" for n in int_array(self.reductions)]

    @property
    def sides(self) -> tuple[tuple[AffineMap, Sequence[Value], Sequence[int]], ...]:
        """Map, operands and groups of the lower bounds, then of the upper ones."""
        lower, upper = self.lowerBoundsMap.map, self.upperBoundsMap.map
        first = lower.dims + lower.symbols
        return (
            (lower, self.mapOperands[:first], self.lowerBoundsGroups.values),
            (upper, self.mapOperands[first:], self.upperBoundsGroups.values),
        )

    def verify(self, report: Report) -> None:
        count = len(self.steps)
        found = [a.type for a in self.body.arguments]
        needed = sum(map.dims + map.symbols for map in (self.lowerBoundsMap.map, self.upperBoundsMap.map))
        if len(self.mapOperands) != needed:
            self.error(report, f"has {len(self.mapOperands)} operands, its maps take {needed}")
            return
        for name, (map, values, groups) in zip(("lower", "upper"), self.sides, strict=True):
            if len(groups) != count or min(groups, default=1) < 1 or sum(groups) != len(map.results):
                words = f"{len(map.results)} {name} bounds in groups of {list(groups)} for {count} counters"
                self.error(report, f"has {words}")
            check_operands(self, map.dims, values, report)
        if found != [INDEX] * count:
            self.error(report, f"body takes {type_list(found)}, expected {type_list([INDEX] * count)}")
        if any(step < 1 for step in self.steps):
            self.error(report, f"steps must be positive, found {list(self.steps)}")
        self._verify_kinds(report)
        check_affine_yield(self, self.body, report)

    def _verify_kinds(self, report: Report) -> None:
        if len(self.kinds) != len(self.results):
            self.error(report, f"has {len(self.kinds)} kinds for {len(self.results)} results")
            return
        for kind, result in zip(self.kinds, self.results, strict=True):
            allowed = [k for k in kinds_for(element_type(result.type)) if begins(k, element_type(result.type))]
            if kind not in allowed:
                self.error(
                    report, f"joins {result.type} by '{kind}', expected one of {', '.join(allowed) or 'nothing'}"
                )
