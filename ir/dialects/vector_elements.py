"""vector: taking vectors apart and putting them together: extract, insert, from_elements, to_elements.

A position known only at run time that is out of range is poison: the reference functions clamp it, and nobody compares
what they give. A static position of -1 is poison, too: of what is taken out, and of all that something is put into.
They accept further leading axes on every operand (one entry a thread, for instance) and keep them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State, check_type
from ..core import Operation, Value
from ..define import (
    OperandField,
    is_index,
    is_scalar,
    is_vector,
    operand,
    operands,
    optional_operand,
    result,
    results,
    scalar_like,
    static_numbers_attribute,
)
from ..fields import ResultField
from ..numerics import Array
from ..types import Attribute, Type, VectorType, scalar_type, shape_of, with_shape
from .elementwise import MaybeUndefined
from .scf import is_counter
from .vector_shape import leading, vector_type
from .vector_slices import POISON

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


def part_type(vector: VectorType, depth: int) -> Type:
    """The type of what stands at a position of `depth` numbers; a scalar where all dims are given."""
    return with_shape(vector.element, vector.shape[depth:] if depth < vector.rank else None)


def _check_position(op: ExtractOp | InsertOp, vector: VectorType, report: Report) -> bool:
    static, dynamic = op.static_position, len(op.dynamic_position)
    if static.count(None) != dynamic:
        op.error(report, f"static_position leaves {static.count(None)} numbers open, {dynamic} operands give them")
        return False
    if len(static) > vector.rank:
        op.error(report, f"position has {len(static)} numbers, {vector} has {vector.rank} dims")
        return False
    for i, (position, extent) in enumerate(zip(static, vector.shape, strict=False)):
        if position is not None and not POISON <= position < extent:
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


def _outside(op: Operation, static: Sequence[int | None], shape: Sequence[int], dynamic: Sequence[Array]) -> Array:
    """Where numbers that are known at run time only are beyond the ends, with axes for the elements of the result."""
    values, flags = iter(dynamic), np.zeros((), np.bool_)
    for known, extent in zip(static, shape, strict=False):
        if known is None:
            number = next(values)
            flags = np.asarray(flags | (number < 0) | (number >= extent))
    return flags.reshape((*flags.shape, *[1] * len(shape_of(op.results[0].type))))


class PartType(Directive):
    """`f32 from vector<4x8xf32>`; in older texts the vector's type alone."""

    def __init__(self, source: OperandField[Any], part: ResultField[Any]) -> None:
        self.source, self.part = source, part

    def parse(self, parser: Parser, state: State) -> None:
        start, first = parser.token.start, parser.parse_type()
        (source,) = state.operands[self.source.name]
        if not source.type.is_vector:
            raise parser.error(f"extract takes a vector, found {source.type}", start)
        if parser.accept("from"):
            check_type(parser, source)
            state.result_types[self.part.name] = [first]
        elif first != source.type:
            message = f"operand '%{source.hint}' has type {source.type}, but {first} is written here"
            raise parser.error(message, start)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(f"{self.part.read(op).type} from {self.source.read(op).type}")


class ExtractOp(MaybeUndefined, opname="vector.extract"):
    """The sub-vector or scalar at a position."""

    pure = True
    batched = True
    moves = slice(1)
    source = operand(is_vector)
    dynamic_position = operands(is_index)
    static_position = static_numbers_attribute()
    result_ = result(scalar_like)
    directives = {"PartType": PartType}
    assembly = (
        "$source `` custom<DynamicIndexList>($dynamic_position, $static_position) attr-dict `:`"
        " custom<PartType>($source, $result)"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        position = attributes["static_position"]
        return [part_type(vector_type(operands[0]), len(position.values))]  # type: ignore[attr-defined]

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
        part = np.asarray(source[_indices(self.static_position, dynamic, self.source.type.shape, lead)])
        return np.zeros_like(part) if POISON in self.static_position else part

    @property
    def may_be_undefined(self) -> bool:
        return bool(self.dynamic_position)

    def undefined(self, *operands: Array) -> Array:
        return _outside(self, self.static_position, self.source.type.shape, operands[1:])


class InsertOp(MaybeUndefined, opname="vector.insert"):
    """The destination with the value at a position."""

    pure = True
    batched = True
    moves = slice(2)
    value = operand(scalar_like)
    dest = operand(is_vector)
    dynamic_position = operands(is_index)
    static_position = static_numbers_attribute()
    result_ = result(is_vector)
    assembly = (
        "$value `,` $dest `` custom<DynamicIndexList>($dynamic_position, $static_position) attr-dict `:`"
        " type($value) `into` type($dest)"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[1].type]

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
        return np.zeros_like(changed) if POISON in self.static_position else changed

    @property
    def may_be_undefined(self) -> bool:
        return bool(self.dynamic_position)

    def undefined(self, *operands: Array) -> Array:
        return _outside(self, self.static_position, self.dest.type.shape, operands[2:])


class ExtractElementOp(Operation, opname="vector.extractelement"):
    """The element at a position of a vector with one dim, or none: `vector.extract` of older texts."""

    pure = True
    moves = slice(1)
    vector = operand(is_vector)
    position = optional_operand(is_counter)
    result_ = result(is_scalar)
    assembly = "$vector `` `[` ($position^ `:` type($position))? `]` attr-dict `:` type($vector)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [scalar_type(operands[0].type)]

    def verify(self, report: Report) -> None:
        _check_one_dim(self, self.vector.type, self.position, report)
        if self.result_.type != self.vector.type.element:
            self.error(report, f"result must be {self.vector.type.element}, found {self.result_.type}")

    def reference(self, vector: Array, *position: Array) -> Array:
        lead = leading(vector, self.vector.type)
        return np.asarray(vector[_indices((None,) * len(position), position, self.vector.type.shape, lead)])


class InsertElementOp(Operation, opname="vector.insertelement"):
    """The destination with the element at a position: `vector.insert` of older texts."""

    pure = True
    moves = slice(2)
    source = operand(is_scalar)
    dest = operand(is_vector)
    position = optional_operand(is_counter)
    result_ = result(is_vector)
    same_type = ("dest", "result")
    assembly = "$source `,` $dest `` `[` ($position^ `:` type($position))? `]` attr-dict `:` type($result)"

    def verify(self, report: Report) -> None:
        _check_one_dim(self, self.dest.type, self.position, report)
        if self.source.type != self.dest.type.element:
            self.error(report, f"source must be {self.dest.type.element}, found {self.source.type}")

    def reference(self, source: Array, dest: Array, *position: Array) -> Array:
        type = self.dest.type
        lead = np.broadcast_shapes(np.shape(source), leading(dest, type), *(np.shape(p) for p in position))
        changed = np.array(np.broadcast_to(dest, lead + type.shape))
        changed[_indices((None,) * len(position), position, type.shape, lead)] = source
        return changed


def _check_one_dim(op: Operation, vector: VectorType, position: Value | None, report: Report) -> None:
    if vector.rank > 1:
        op.error(report, f"takes vectors of one dim or none, found {vector}")
    elif vector.rank and position is None:
        op.error(report, f"{vector} needs a position")
    elif not vector.rank and position is not None:
        op.error(report, f"{vector} has one element, which needs no position")


class FromElementsOp(Operation, opname="vector.from_elements"):
    """A vector of the given scalars, in row-major order."""

    pure = True
    packs = True
    batched = True
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
    packs = True
    batched = True
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
