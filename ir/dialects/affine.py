"""affine: index arithmetic. `affine_loops.py` and `affine_memory.py` have the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...support.diagnostics import Location, Report
from ..affine import AffineMapAttr
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
)
from ..dynamic_index_list import mixed_attribute, mixed_text, parse_mixed
from ..numerics import Array
from ..types import INDEX, Attribute, IndexType, Type

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class MapOp(Operation):
    """An affine map applied to `operands_`: first its dims, then its symbols."""

    pure = True
    batched = True
    operands_ = operands(is_index)
    map = attribute(AffineMapAttr)
    result_ = result(is_index)

    @property
    def speculatable(self) -> bool:
        """Where every divisor is a positive constant."""
        return all(e.is_total for e in self.map.map.results)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [INDEX]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        start = parser.token.start
        map = parser.parse_attribute()
        if not isinstance(map, AffineMapAttr):
            raise parser.error(f"expected an affine map, found {map}", start)
        parser.expect("(")
        values = parser.operand_list(")")
        symbols = parser.operand_list("]") if parser.accept("[") else []
        if (len(values), len(symbols)) != (map.map.dims, map.map.symbols):
            expected = f"{map.map.dims} dims and {map.map.symbols} symbols"
            raise parser.error(f"the map takes {expected}, found {len(values)} and {len(symbols)}", start)
        attributes = {**parser.optional_attribute_dict(["map"]), "map": map}
        return cls([*values, *symbols], [INDEX], attributes, location=location)

    def print(self, printer: Printer) -> None:
        dims = self.map.map.dims
        values, symbols = ([printer.name(v) for v in vs] for vs in (self.operands[:dims], self.operands[dims:]))
        text = f"({', '.join(values)})" + (f"[{', '.join(symbols)}]" if symbols else "")
        printer.word(printer.attribute(self.map) + text)
        printer.attribute_dict(self, hidden=("map",))

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
    static_basis = mixed_attribute()
    disjoint = optional_attribute(UnitAttr)
    linear_index = result(is_index)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [INDEX]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        attributes: dict[str, Attribute] = {}
        parser.unit_keyword(attributes, "disjoint")
        parser.expect("[")
        indices = parser.operand_list("]")
        parser.expect("by")
        basis, attributes["static_basis"] = parse_mixed(parser, "(", ")")
        attributes.update(parser.optional_attribute_dict(attributes))
        _skip_index_type(parser)
        segments = (len(indices), len(basis))
        return cls([*indices, *basis], [INDEX], attributes, (), location, segments)

    def print(self, printer: Printer) -> None:
        if self.disjoint is not None:
            printer.word("disjoint")
        indices = ", ".join(printer.name(v) for v in self.multi_index)
        printer.word(f"[{indices}] by ({mixed_text(printer, self.static_basis, self.dynamic_basis)})")
        printer.attribute_dict(self, hidden=("disjoint", "static_basis"))
        printer.word(": index")

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
    static_basis = mixed_attribute()
    multi_index = results(is_index)

    @property
    def speculatable(self) -> bool:
        """Where the extents are constants, and there are some in each."""
        return not self.dynamic_basis and 0 not in self.static_basis

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [INDEX] * len(cls(operands, (), attributes).static_basis)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        linear = parser.operand()
        if not parser.accept("into"):
            parser.expect("to")
        basis, static = parse_mixed(parser, "(", ")")
        attributes = {**parser.optional_attribute_dict(["static_basis"]), "static_basis": static}
        types: list[Type] = [INDEX] * len(static.values)
        if parser.accept(":"):
            types = [parser.parse_type()]
            while parser.accept(","):
                types.append(parser.parse_type())
        return cls([linear, *basis], types, attributes, location=location)

    def print(self, printer: Printer) -> None:
        basis = mixed_text(printer, self.static_basis, self.dynamic_basis)
        printer.word(f"{printer.name(self.linear_index)} into ({basis})")
        printer.attribute_dict(self, hidden=("static_basis",))
        printer.word(": " + ", ".join(str(r.type) for r in self.results))

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


def _skip_index_type(parser: Parser) -> None:
    """`: index`, which documents sometimes leave out."""
    if parser.accept(":"):
        parser.expect("index")


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
