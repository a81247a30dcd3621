"""affine: index arithmetic. `affine_loops.py` and `affine_memory.py` have the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...support.diagnostics import Report
from ..affine import AffineMap, AffineMapAttr, IntegerSet
from ..assembly_elements import Directive, State
from ..attributes import DIALECT_ATTRIBUTES, UnitAttr
from ..core import Operation, Value
from ..define import (
    AttributeField,
    OperandField,
    attribute,
    is_index,
    operand,
    operands,
    optional_attribute,
    result,
    results,
    static_numbers_attribute,
)
from ..fields import Field
from ..numerics import Array
from ..types import INDEX, Attribute, IndexType, Type

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class Applied(Directive):
    """`#map(%i, %j)[%n]`: a map, or a set, and its operands, first its dims, then its symbols."""

    def __init__(self, attribute: AttributeField[Any], operands: Field[Any], word: str) -> None:
        self.attribute, self.operands, self.word = attribute, operands, word

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        value, cls = parser.parse_attribute(), self.attribute.classes[0]
        if not isinstance(value, cls):
            raise parser.error(f"expected an affine {self.word}, found {value}", start)
        state.give(parser, self.attribute.name, value, start)
        state.operands[self.operands.name] = parse_applied(parser, getattr(value, self.word), self.word, start)

    def print(self, printer: Printer, op: Operation) -> None:
        value = self.attribute.read(op)
        text = applied_text(printer, getattr(value, self.word).dims, self.operands.read(op))
        printer.word(printer.attribute(value) + text)


def parse_applied(parser: Parser, of: AffineMap | IntegerSet, word: str, start: int) -> list[Value]:
    """`(%i, %j)[%n]`: as many dims and symbols as `of`, the `word` that begins at `start`, takes."""
    parser.expect("(")
    dims = parser.operand_list(")")
    symbols = parser.operand_list("]") if parser.accept("[") else []
    if (len(dims), len(symbols)) != (of.dims, of.symbols):
        expected = f"{of.dims} dims and {of.symbols} symbols"
        raise parser.error(f"the {word} takes {expected}, found {len(dims)} and {len(symbols)}", start)
    return [*dims, *symbols]


def applied_text(printer: Printer, dims: int, values: Sequence[Value]) -> str:
    first, rest = (", ".join(map(printer.name, vs)) for vs in (values[:dims], values[dims:]))
    return f"({first})" + (f"[{rest}]" if len(values) > dims else "")


class MapOp(Operation):
    """An affine map applied to `operands_`: first its dims, then its symbols."""

    pure = True
    batched = True
    operands_ = operands(is_index)
    map = attribute(AffineMapAttr)
    result_ = result(is_index)
    directives = {"Applied": Applied}
    assembly = "custom<Applied>($map, $operands, map) attr-dict"

    @property
    def speculatable(self) -> bool:
        """Where every divisor is a positive constant."""
        return all(e.is_total for e in self.map.map.results)

    def verify(self, report: Report) -> None:
        map = self.map.map
        if len(self.operands) != map.dims + map.symbols:
            self.error(
                report, f"has {len(self.operands)} operands, the map takes {map.dims} dims, {map.symbols} symbols"
            )
        elif not map.results:
            self.error(report, "needs a map with a result")

    def values(self, operands: Sequence[Array]) -> list[Array]:
        """The map's results on integer arrays."""
        dims = self.map.map.dims
        return [np.asarray(v, np.int64) for v in self.map.map.evaluate(operands[:dims], operands[dims:])]


class ApplyOp(MapOp, opname="affine.apply"):
    """The only result of the map."""

    def verify(self, report: Report) -> None:
        super().verify(report)
        if len(self.map.map.results) > 1:
            self.error(report, f"needs a map with one result, found {len(self.map.map.results)}")

    def reference(self, *operands: Array) -> Array:
        return self.values(operands)[0]


class MinOp(MapOp, opname="affine.min"):
    """The least of the map's results, as signed numbers."""

    def reference(self, *operands: Array) -> Array:
        return _fold(np.minimum, self.values(operands))


class MaxOp(MapOp, opname="affine.max"):
    """The greatest of the map's results, as signed numbers."""

    def reference(self, *operands: Array) -> Array:
        return _fold(np.maximum, self.values(operands))


def _fold(function: np.ufunc, values: Sequence[Array]) -> Array:
    total = values[0]
    for value in values[1:]:
        total = np.asarray(function(total, value))
    return total


class BasisOp(Operation):
    """Goes between coordinates in a box and the row-major number of what is there. `basis`: the box's extents, None
    among the numbers where a value stands."""

    pure = True
    batched = True
    dynamic_basis: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    static_basis: ClassVar[AttributeField[tuple[int | None, ...]]]


class LinearizeIndexOp(BasisOp, opname="affine.linearize_index"):
    """The row-major number of `multi_index` in a box of extents `basis`, outermost first.

    The first extent is only a bound and may be left out. `disjoint` states that every index is within its extent.
    """

    multi_index = operands(is_index)
    dynamic_basis = operands(is_index)
    static_basis = static_numbers_attribute()
    disjoint = optional_attribute(UnitAttr)
    linear_index = result(is_index)
    assembly = (
        "(`disjoint` $disjoint^)? `[` $multi_index `]` `by` custom<DynamicIndexList>($dynamic_basis,"
        " $static_basis, round) attr-dict defaulted(`:` `index`)"
    )

    def verify(self, report: Report) -> None:
        _check_basis(self, self.static_basis, self.dynamic_basis, len(self.multi_index), "indices", report)

    def reference(self, *operands: Array) -> Array:
        count = len(self.multi_index)
        basis = _basis(self.static_basis, operands[count:])
        total = np.zeros((), np.int64)
        extents = basis if len(basis) == count else [0, *basis]
        for index, extent in zip(operands[:count], extents, strict=True):
            total = np.asarray(total * extent + index)
        return total


class DelinearizeIndexOp(BasisOp, opname="affine.delinearize_index"):
    """The coordinates of `linear_index` in a box of extents `basis`, outermost first: quotients and remainders.

    With one result more than the basis has extents, the first result is the quotient by all of them.
    """

    linear_index = operand(is_index)
    dynamic_basis = operands(is_index)
    static_basis = static_numbers_attribute()
    multi_index = results(is_index)
    assembly = (
        "$linear_index `into|to` custom<DynamicIndexList>($dynamic_basis, $static_basis, round) attr-dict"
        " defaulted(`:` type($multi_index))"
    )

    @property
    def speculatable(self) -> bool:
        """Where the extents are constants, and there are some in each."""
        return not self.dynamic_basis and 0 not in self.static_basis

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [INDEX] * len(cls(operands, (), attributes).static_basis)

    def verify(self, report: Report) -> None:
        _check_basis(self, self.static_basis, self.dynamic_basis, len(self.results), "results", report)

    def reference(self, *operands: Array) -> tuple[Array, ...]:
        basis = _basis(self.static_basis, operands[1:])
        inner = basis if len(basis) < len(self.results) else basis[1:]
        rest, coordinates = operands[0], list[Array]()
        for extent in reversed(inner):
            coordinates.append(np.asarray(rest % extent))
            rest = np.asarray(rest // extent)
        return (rest, *reversed(coordinates))


def _basis(numbers: Sequence[int | None], values: Sequence[Array]) -> list[int | Array]:
    remaining = iter(values)
    return [next(remaining) if n is None else n for n in numbers]


def _check_basis(
    op: Operation,
    numbers: Sequence[int | None],
    values: Sequence[Value],
    coordinates: int,
    words: str,
    report: Report,
) -> None:
    if numbers.count(None) != len(values):
        op.error(report, f"has {len(values)} basis values, {numbers.count(None)} in the list")
    elif not coordinates or len(numbers) not in (coordinates, coordinates - 1):
        op.error(report, f"has {coordinates} {words} and a basis of {len(numbers)}: as many, or one less")
    elif any(n is not None and n <= 0 for n in numbers):
        op.error(report, f"basis must be positive, found {min(n for n in numbers if n is not None)}")


def _hash_affine_map(parser: AttributeParser) -> Attribute:
    """`#affine_map<...>`, as some documents write the builtin attribute."""
    parser.expect("<")
    map = parser.affine_map()
    parser.expect(">")
    return AffineMapAttr(map)


DIALECT_ATTRIBUTES["affine_map"] = _hash_affine_map
