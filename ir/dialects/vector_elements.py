"""vector: taking vectors apart and putting them together: extract, insert, from_elements, to_elements.

A position known only at run time that is out of range is poison; the reference functions clamp it. They accept further
leading axes on every operand (one entry a thread, for instance) and keep them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..assembly import check_type
from ..attributes import dense_i64
from ..core import Operation, Value
from ..define import (
    is_index,
    is_scalar,
    is_vector,
    operand,
    operands,
    result,
    results,
    scalar_like,
    static_numbers_attribute,
)
from ..diagnostics import Location, Report
from ..numerics import Array
from ..types import Attribute, Type, VectorType, with_shape
from .vector_shape import leading, vector_type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


def part_type(vector: VectorType, depth: int) -> Type:
    """The type of what stands at a position of `depth` numbers; a scalar where all dims are given."""
    return with_shape(vector.element, vector.shape[depth:] if depth < vector.rank else None)


def _read_position(parser: Parser) -> tuple[list[Value], Attribute]:
    parser.expect("[")
    values, static = parser.dynamic_index_list("]")
    return values, dense_i64(static)


def position_text(printer: Printer, static: Sequence[int | None], dynamic: Sequence[Value]) -> str:
    """`[0, %i]`."""
    names: Iterator[str] = (printer.name(v) for v in dynamic)
    return "[" + ", ".join(next(names) if n is None else str(n) for n in static) + "]"


def _check_position(op: ExtractOp | InsertOp, vector: VectorType, report: Report) -> bool:
    static, dynamic = op.static_position, len(op.dynamic_position)
    if static.count(None) != dynamic:
        op.error(report, f"static_position leaves {static.count(None)} numbers open, {dynamic} operands give them")
        return False
    if len(static) > vector.rank:
        op.error(report, f"position has {len(static)} numbers, {vector} has {vector.rank} dims")
        return False
    for i, (position, extent) in enumerate(zip(static, vector.shape, strict=False)):
        if position is not None and not 0 <= position < extent:
            op.error(report, f"position {position} is outside dimension {i} of {vector}, which is 0 to {extent - 1}")
            return False
    return True


def _indices(
    static: Sequence[int | None], dynamic: Sequence[Array], shape: Sequence[int], lead: tuple[int, ...]
) -> tuple[Array | int, ...]:
    """A numpy index of the position in an array of shape `lead + shape`."""
    values = iter(dynamic)
    place = [np.clip(next(values), 0, n - 1) if p is None else p for p, n in zip(static, shape, strict=False)]
    return (*np.indices(lead, sparse=True), *place)


class ExtractOp(Operation, opname="vector.extract"):
    """The sub-vector or scalar at a position."""

    pure = True
    moves = slice(1)
    source = operand(is_vector)
    dynamic_position = operands(is_index)
    static_position = static_numbers_attribute()
    result_ = result(scalar_like)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        position = attributes["static_position"]
        return [part_type(vector_type(operands[0]), len(position.values))]  # type: ignore[attr-defined]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%v[0, %i] : f32 from vector<4x8xf32>`; older, `%v[3] : vector<4x8xf32>`."""
        start = parser.token.start
        source = parser.operand()
        if not isinstance(source.type, VectorType):
            raise parser.error(f"extract takes a vector, found {source.type}", start)
        values, static = _read_position(parser)
        attributes = {**parser.optional_attribute_dict(), "static_position": static}
        parser.expect(":")
        start = parser.token.start
        first = parser.parse_type()
        if parser.accept("from"):
            check_type(parser, source, location)
            return cls([source, *values], [first], attributes, location=location)
        if first != source.type:
            raise parser.error(f"operand '%{source.hint}' has type {source.type}, but {first} is written here", start)
        return cls([source, *values], cls.infer([source], attributes), attributes, location=location)

    def print(self, printer: Printer) -> None:
        printer.word(printer.name(self.source) + position_text(printer, self.static_position, self.dynamic_position))
        printer.attribute_dict(self, hidden=("static_position",))
        printer.word(f": {self.result_.type} from {self.source.type}")

    def verify(self, report: Report) -> None:
        vector = self.source.type
        if not _check_position(self, vector, report):
            return
        expected = part_type(vector, len(self.static_position))
        if self.result_.type != expected:
            position = f"a position of {len(self.static_position)} numbers in {vector}"
            self.error(report, f"{position} gives {expected}, the result is {self.result_.type}")

    def reference(self, source: Array, *dynamic: Array) -> Array:
        lead = leading(source, self.source.type)
        return np.asarray(source[_indices(self.static_position, dynamic, self.source.type.shape, lead)])


class InsertOp(Operation, opname="vector.insert"):
    """The destination with the value at a position."""

    pure = True
    moves = slice(2)
    value = operand(scalar_like)
    dest = operand(is_vector)
    dynamic_position = operands(is_index)
    static_position = static_numbers_attribute()
    result_ = result(is_vector)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[1].type]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%x, %v[0, %i] : f32 into vector<4x8xf32>`."""
        value = parser.operand()
        parser.expect(",")
        dest = parser.operand()
        values, static = _read_position(parser)
        attributes = {**parser.optional_attribute_dict(), "static_position": static}
        parser.expect(":")
        check_type(parser, value, location)
        parser.expect("into")
        check_type(parser, dest, location)
        return cls([value, dest, *values], [dest.type], attributes, location=location)

    def print(self, printer: Printer) -> None:
        place = printer.name(self.dest) + position_text(printer, self.static_position, self.dynamic_position)
        printer.word(f"{printer.name(self.value)}, {place}")
        printer.attribute_dict(self, hidden=("static_position",))
        printer.word(f": {self.value.type} into {self.dest.type}")

    def verify(self, report: Report) -> None:
        dest = self.dest.type
        if not _check_position(self, dest, report):
            return
        expected = part_type(dest, len(self.static_position))
        if self.value.type != expected:
            position = f"a position of {len(self.static_position)} numbers in {dest}"
            self.error(report, f"{position} takes {expected}, the value is {self.value.type}")
        elif self.result_.type != dest:
            self.error(report, f"result must be {dest}, found {self.result_.type}")

    def reference(self, value: Array, dest: Array, *dynamic: Array) -> Array:
        type = self.dest.type
        positions = (np.shape(d) for d in dynamic)
        lead = np.broadcast_shapes(leading(value, self.value.type), leading(dest, type), *positions)
        changed = np.array(np.broadcast_to(dest, lead + type.shape))
        changed[_indices(self.static_position, dynamic, type.shape, lead)] = value
        return changed


class FromElementsOp(Operation, opname="vector.from_elements"):
    """A vector of the given scalars, in row-major order."""

    pure = True
    moves = slice(None)
    elements = operands(is_scalar)
    result_ = result(is_vector)
    assembly = "$elements attr-dict `:` type($result)"

    def verify(self, report: Report) -> None:
        type = self.result_.type
        if len(self.elements) != type.elements:
            self.error(report, f"{type} has {type.elements} elements, {len(self.elements)} are given")
            return
        for i, value in enumerate(self.elements):
            if value.type != type.element:
                self.error(report, f"element {i} must be {type.element}, found {value.type}")
                return

    def reference(self, *elements: Array) -> Array:
        stacked = np.stack(np.broadcast_arrays(*elements), axis=-1)
        return stacked.reshape(stacked.shape[:-1] + self.result_.type.shape)


class ToElementsOp(Operation, opname="vector.to_elements"):
    """All elements of a vector as scalars, in row-major order."""

    pure = True
    moves = slice(None)
    source = operand(is_vector)
    elements = results(is_scalar)
    assembly = "$source attr-dict `:` type($source)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        type = operands[0].type
        return [type.element] * type.elements if isinstance(type, VectorType) else []

    def verify(self, report: Report) -> None:
        type = self.source.type
        found = [v.type for v in self.elements]
        if found != [type.element] * type.elements:
            self.error(report, f"{type} gives {type.elements} results of {type.element}, found {len(found)} results")

    def reference(self, source: Array) -> tuple[Array, ...]:
        flat = source.reshape((*leading(source, self.source.type), -1))
        return tuple(flat[..., i] for i in range(flat.shape[-1]))
