"""affine.parallel: loops between affine bounds whose iterations have no order, joined by named kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ...ir.affine import AffineExpr, AffineMap, AffineMapAttr
from ...ir.affine_parser import ValueNames
from ...ir.attributes import ArrayAttr, IntegerAttr, IntegersAttr, StringAttr, int_array
from ...ir.core import Operation, Value
from ...ir.define import attribute, int_array_attribute, is_index, operands, region, results, scalar_like
from ...ir.dialects.atomic_kind import AtomicRMWKindAttr, kinds_for
from ...ir.dialects.scf_parallel import parse_counters
from ...ir.dialects.scf_regions import type_list
from ...ir.dialects.vector_kind import CombiningKindAttr
from ...ir.types import I64, INDEX, Attribute, Type, element_type
from ...support.diagnostics import Location, Report
from .affine_loops import AffineRegions, check_affine_yield, end_with_affine_yield
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
    body_region = region()
    results_ = results(scalar_like)

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

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        counters = parse_counters(parser)
        parser.expect("=")
        lower, below = _parse_bounds(parser, "max")
        parser.expect("to")
        upper, above = _parse_bounds(parser, "min")
        steps = [1] * len(counters)
        if parser.accept("step"):
            parser.expect("(")
            steps = parser.comma_separated(")", parser.integer)
        kinds = _parse_kinds(parser) if parser.accept("reduce") else []
        types: list[Type] = parser.type_list() if parser.accept("->") else []
        body = parser.parse_region([(token, INDEX) for token in counters])
        end_with_affine_yield(parser, body, bool(types), location)
        words: dict[str, Attribute] = {
            "reductions": ArrayAttr(tuple(IntegerAttr(k, I64) for k in kinds)),
            "lowerBoundsMap": lower[0],
            "lowerBoundsGroups": lower[1],
            "upperBoundsMap": upper[0],
            "upperBoundsGroups": upper[1],
            "steps": ArrayAttr(tuple(IntegerAttr(n, I64) for n in steps)),
        }
        attributes = {**parser.optional_attribute_dict(words), **words}
        return cls([*below, *above], types, attributes, [body], location)

    def print(self, printer: Printer) -> None:
        counters = ", ".join(printer.assign([a]) for a in self.body.arguments)
        words = ("max", "min")
        lower, upper = (_bounds_text(printer, side, word) for side, word in zip(self.sides, words, strict=True))
        printer.word(f"({counters}) = ({lower}) to ({upper})")
        if set(self.steps) != {1}:
            printer.word(f"step ({', '.join(map(str, self.steps))})")
        if self.results:
            kinds = ", ".join(f'"{kind}"' for kind in self.kinds)
            printer.word(f"reduce ({kinds}) -> {type_list([r.type for r in self.results])}")
        printer.region(self.body_region, hide_empty_terminator=True)
        hidden = ("lowerBoundsMap", "lowerBoundsGroups", "upperBoundsMap", "upperBoundsGroups", "steps", "reductions")
        printer.attribute_dict(self, hidden=hidden)

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


def _parse_kinds(parser: Parser) -> list[int]:
    def one() -> int:
        start = parser.token.start
        word = parser.parse_attribute()
        if not isinstance(word, StringAttr) or word.value not in KINDS:
            raise parser.error(f"expected one of {', '.join(KINDS)} in quotes, found {word}", start)
        return KINDS.index(word.value)

    parser.expect("(")
    return parser.comma_separated(")", one)


def _parse_bounds(parser: Parser, word: str) -> tuple[tuple[AffineMapAttr, IntegersAttr], list[Value]]:
    """`(0, max(%i, 4))`: the map of all, and the groups' sizes; then the operands."""
    names = ValueNames()

    def one() -> list[AffineExpr]:
        if parser.accept(word):
            parser.expect("(")
            return parser.comma_separated(")", lambda: parser.expression_of_values(names))
        return [parser.expression_of_values(names)]

    parser.expect("(")
    groups = parser.comma_separated(")", one)
    dims, symbols = resolved(parser, names)
    map = AffineMap(len(dims), len(symbols), tuple(e for group in groups for e in group))
    return (AffineMapAttr(map), IntegersAttr(tuple(len(group) for group in groups))), [*dims, *symbols]


def grouped(results: Sequence[AffineExpr], groups: Sequence[int]) -> list[Sequence[AffineExpr]]:
    """The expressions of each counter."""
    return [results[a:b] for a, b in pairwise(accumulate(groups, initial=0))]


def _bounds_text(printer: Printer, side: tuple[AffineMap, Sequence[Value], Sequence[int]], word: str) -> str:
    map, values, groups = side
    texts = list[str]()
    for group in grouped(map.results, groups):
        parts = ", ".join(expression_text(printer, e, values[: map.dims], values[map.dims :]) for e in group)
        texts.append(parts if len(group) == 1 else f"{word}({parts})")
    return ", ".join(texts)
