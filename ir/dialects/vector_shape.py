"""vector: operations that place elements anew without looking at them, and the elementwise `fma` and `step`.

The reference functions accept further leading axes on every operand (one entry a thread, for instance) and keep them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..assembly_elements import Directive, State
from ..attributes import int_array
from ..core import Operation, Value
from ..define import OperandField, int_array_attribute, is_vector, operand, result, scalar_like, vectors
from ..fields import ResultField
from ..numerics import Array
from ..types import INDEX, Attribute, IntegerType, TupleType, Type, VectorType, element_type, shape_of
from .vector_tuple import is_tuple

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

float_vector = vectors("a vector of floats", lambda t: t.element.is_float)
counted_vector = vectors(
    "a 1-D vector of index or integers of at least 8 bits",
    lambda t: t.rank == 1 and (t.element == INDEX or _is_byte_or_longer(t.element)),
)


def _is_byte_or_longer(type: Type) -> bool:
    return isinstance(type, IntegerType) and type.width >= 8


def vector_type(value: Value) -> VectorType:
    """The type of a value that the verifier knows to be a vector."""
    assert isinstance(value.type, VectorType)
    return value.type


def leading(array: Array, type: Type) -> tuple[int, ...]:
    """The axes of `array` before those of its type."""
    return array.shape[: array.ndim - len(shape_of(type))]


class BroadcastTypes(Directive):
    """`f32 to vector<4xf32>`; in older texts the vector's type alone."""

    def __init__(self, source: OperandField[Any], vector: ResultField[Any]) -> None:
        self.source, self.vector = source, vector

    def parse(self, parser: Parser, state: State) -> None:
        start, first = parser.token.start, parser.parse_type()
        (source,) = state.operands[self.source.name]
        if first.is_vector and not source.type.is_vector:
            state.result_types[self.vector.name] = [first]
            return
        if first != source.type:
            message = f"operand '%{source.hint}' has type {source.type}, but {first} is written here"
            raise parser.error(message, start)
        parser.expect("to")
        state.result_types[self.vector.name] = [parser.parse_type()]

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(f"{self.source.read(op).type} to {self.vector.read(op).type}")


class BroadcastOp(Operation, opname="vector.broadcast"):
    """Repeats the source along new leading dims and stretches its dims of extent 1."""

    pure = True
    batched = True
    moves = slice(None)
    source = operand(scalar_like)
    vector = result(is_vector)
    directives = {"BroadcastTypes": BroadcastTypes}
    assembly = "$source attr-dict `:` custom<BroadcastTypes>($source, $vector)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.vector.type
        if element_type(source) != target.element:
            self.error(report, f"element types differ: {source} to {target}")
        elif len(shape_of(source)) > target.rank:
            self.error(report, f"source rank {len(shape_of(source))} exceeds result rank {target.rank}")
        else:
            self._check_extents(shape_of(source), target, report)

    def _check_extents(self, source: tuple[int, ...], target: VectorType, report: Report) -> None:
        added = target.rank - len(source)
        for i, extent in enumerate(source):
            wanted = target.shape[added + i]
            if extent not in (1, wanted):
                message = f"source dimension {i} has extent {extent}, result dimension {added + i} has {wanted}"
                self.error(report, message, "an extent must be equal or 1")

    def reference(self, source: Array) -> Array:
        shape, target = shape_of(self.source.type), self.vector.type.shape
        lead = leading(source, self.source.type)
        aligned = source.reshape(lead + (1,) * (len(target) - len(shape)) + shape)
        return np.broadcast_to(aligned, lead + target)


def _transposed(source: VectorType, permutation: Sequence[int]) -> VectorType:
    return VectorType(tuple(source.shape[p] for p in permutation), source.element)


class TransposeOp(Operation, opname="vector.transpose"):
    """Dim `i` of the result is dim `permutation[i]` of the source."""

    pure = True
    batched = True
    moves = slice(None)
    vector = operand(is_vector)
    permutation = int_array_attribute()
    result_ = result(is_vector)
    assembly = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [_transposed(vector_type(operands[0]), int_array(attributes["permutation"]))]

    def verify(self, report: Report) -> None:
        source, target = self.vector.type, self.result_.type
        if sorted(self.permutation) != list(range(source.rank)):
            self.error(report, f"{list(self.permutation)} is not a permutation of the {source.rank} dims of {source}")
            return
        expected = _transposed(source, self.permutation)
        if target != expected:
            self.error(report, f"result must be {expected}, found {target}")

    def reference(self, vector: Array) -> Array:
        lead = len(leading(vector, self.vector.type))
        return vector.transpose(*range(lead), *(lead + p for p in self.permutation))


class ShapeCastOp(Operation, opname="vector.shape_cast"):
    """The same elements in row-major order under another shape; tuples are cast part by part."""

    pure = True
    batched = True
    moves = slice(None)
    source = operand(is_vector | is_tuple)
    result_ = result(is_vector | is_tuple)
    assembly = "$source attr-dict `:` type($source) `to` type($result)"

    def verify(self, report: Report) -> None:
        sources, targets = _parts(self.source.type), _parts(self.result_.type)
        if len(sources) != len(targets) or isinstance(self.source.type, TupleType) != isinstance(
            self.result_.type, TupleType
        ):
            self.error(report, f"casts part by part, found {self.source.type} to {self.result_.type}")
            return
        for source, target in zip(sources, targets, strict=True):
            if source.element != target.element:
                self.error(report, f"element types differ: {source} to {target}")
            elif source.elements != target.elements:
                self.error(report, f"{source} has {source.elements} elements, {target} has {target.elements}")

    def reference(self, source: Array | tuple[Array, ...]) -> Array | tuple[Array, ...]:
        if isinstance(source, tuple):
            targets = _parts(self.result_.type)
            return tuple(a.reshape(t.shape) for a, t in zip(source, targets, strict=True))
        return source.reshape(leading(source, self.source.type) + shape_of(self.result_.type))


def _parts(type: Type) -> list[VectorType]:
    parts = type.elements if isinstance(type, TupleType) else (type,)
    return [p for p in parts if isinstance(p, VectorType)]


class FMAOp(Operation, opname="vector.fma"):
    """`lhs * rhs + acc`, rounded once."""

    pure = True
    elementwise = True
    lhs = operand(float_vector)
    rhs = operand(float_vector)
    acc = operand(float_vector)
    result_ = result(float_vector)
    same_type = ("lhs", "rhs", "acc", "result")
    assembly = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs)"

    def reference(self, lhs: Array, rhs: Array, acc: Array) -> Array:
        return numerics.fma_as(self.result_.type.element, lhs, rhs, acc)


class StepOp(Operation, opname="vector.step"):
    """`[0, 1, .., n-1]`; in integers that are too short for them, it wraps."""

    pure = True
    result_ = result(counted_vector)
    assembly = "attr-dict `:` type($result)"

    def reference(self) -> Array:
        return numerics.to_type(np.arange(self.result_.type.elements, dtype=np.int64), self.result_.type.element)
