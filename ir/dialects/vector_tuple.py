"""vector: tuples of vectors, which older texts have. A tuple is a name for several values: nothing is left of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import Constraint, int_attribute, is_vector, operand, operands, result
from ..numerics import Array
from ..types import Attribute, TupleType, Type

is_tuple: Constraint[TupleType] = Constraint(
    "a tuple of vectors",
    lambda t: isinstance(t, TupleType) and all(e.is_vector for e in t.elements),
)


class TupleOp(Operation, opname="vector.tuple"):
    """A tuple of the operands."""

    pure = True
    vectors = operands(is_vector)
    tuple_ = result(is_tuple)
    assembly = "$vectors attr-dict `:` type($vectors)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [TupleType(tuple(v.type for v in operands))]

    def verify(self, report: Report) -> None:
        expected = TupleType(tuple(v.type for v in self.vectors))
        if self.tuple_.type != expected:
            self.error(report, f"result must be {expected}, found {self.tuple_.type}")

    def reference(self, *vectors: Array) -> tuple[Array, ...]:
        return vectors


class TupleGetOp(Operation, opname="vector.tuple_get"):
    """Vector number `index` of a tuple."""

    pure = True
    vectors = operand(is_tuple)
    index = int_attribute()
    result_ = result(is_vector)
    assembly = "$vectors `,` $index attr-dict `:` type($vectors)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        type, index = operands[0].type, attributes["index"]
        parts: tuple[Type, ...] = getattr(type, "elements", ())
        number: int = getattr(index, "value", -1)
        return [parts[number] if 0 <= number < len(parts) else next(iter(parts), type)]

    def verify(self, report: Report) -> None:
        parts = self.vectors.type.elements
        if not 0 <= self.index < len(parts):
            self.error(report, f"index {self.index} is outside {self.vectors.type}, which has {len(parts)} vectors")
        elif self.result_.type != parts[self.index]:
            self.error(report, f"result must be {parts[self.index]}, found {self.result_.type}")

    def reference(self, vectors: tuple[Array, ...]) -> Array:
        return vectors[self.index]
