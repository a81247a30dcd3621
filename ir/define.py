"""The vocabulary in which dialects define operations: operand, result, attribute and region fields.

A class body is the whole definition:

    class LoadOp(Operation, opname="memref.load"):
        pure = False
        memref = operand(is_memref, READS)
        indices = operands(is_index)
        value = result(scalar_like)
        nontemporal = optional_attribute(BoolAttr)

Reading a field of an instance gives the part it names, typed by its constraint: `op.memref` is a `Value[MemRefType]`,
which the verifier has seen to. Constraints carry the words that messages use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeGuard, TypeVar

from ..support.dataclasses import dataclass
from .attributes import DYNAMIC, ArrayAttr, DenseArrayAttr, IntegerAttr, UnitAttr, int_array
from .core import Operation, Region, Value
from .fields import AttributeField as AttributeField
from .fields import OperandField as OperandField
from .fields import RegionField, ResultField, TypeSet, operand_range
from .traits import Effect
from .types import (
    F32,
    I1,
    I16,
    I32,
    I64,
    INDEX,
    Attribute,
    FloatType,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    Type,
    VectorType,
    scalar_type,
)

T_co = TypeVar("T_co", covariant=True)
TypeT_co = TypeVar("TypeT_co", bound=Type, covariant=True)
OtherT = TypeVar("OtherT", bound=Type)
A = TypeVar("A", bound=Attribute)


@dataclass(frozen=True, eq=False)
class Constraint(TypeSet, Generic[TypeT_co]):
    """A set of types and the words for it; what it admits is a `TypeT_co`."""

    def admits(self, value: Value) -> TypeGuard[Value[TypeT_co]]:
        """Whether the value is of one of these types."""
        return self.holds(value.type)

    def __or__(self, other: Constraint[OtherT]) -> Constraint[TypeT_co | OtherT]:
        return Constraint(f"{self.words} or {other.words}", lambda t: self.holds(t) or other.holds(t))


def instances_of(words: str, *classes: type[OtherT]) -> Constraint[OtherT]:
    mnemonic = getattr(classes[0], "mnemonic", "") if len(classes) == 1 else ""
    return Constraint(words, lambda t: isinstance(t, classes), mnemonic)


def vectors(words: str, holds: Callable[[VectorType], bool]) -> Constraint[VectorType]:
    """The vectors of which `holds` is true."""
    return Constraint(words, lambda t: isinstance(t, VectorType) and holds(t))


def exactly(type: OtherT) -> Constraint[OtherT]:
    """One type; operations whose results have it need not be told."""
    return Constraint(str(type), lambda t: t == type, getattr(type, "mnemonic", ""), type)


ScalarType = IntegerType | IndexType | FloatType

anything: Constraint[Type] = Constraint("any type", lambda t: True)
is_index, is_f32 = exactly(INDEX), exactly(F32)
is_i1, is_i16, is_i32, is_i64 = (exactly(type) for type in (I1, I16, I32, I64))
is_integer = instances_of("an integer", IntegerType)
is_float = instances_of("a float", FloatType)
is_memref = instances_of("a memref", MemRefType)
is_vector = instances_of("a vector", VectorType)
is_row = vectors("a vector of one dimension", lambda t: t.rank == 1)
is_tensor = instances_of("a tensor", TensorType)
is_scalar: Constraint[ScalarType] = instances_of("a scalar", IntegerType, IndexType, FloatType)
is_mask = vectors("a vector of i1", lambda t: t.element == I1)
scalar_like = Constraint[ScalarType | VectorType]("a scalar or a vector", lambda t: is_scalar.holds(scalar_type(t)))
float_like: Constraint[FloatType | VectorType] = Constraint(
    "a float or a vector of floats", lambda t: scalar_type(t).is_float
)
integer_like: Constraint[IntegerType | IndexType | VectorType] = Constraint(
    "an integer, index, or a vector of these", lambda t: scalar_type(t).is_whole
)
is_index_vector = vectors("a vector of integers or index", lambda t: t.element.is_whole)
i1_like: Constraint[IntegerType | VectorType] = Constraint("i1 or a vector of i1", lambda t: scalar_type(t) == I1)


class _One(OperandField[Value[OtherT]]):
    def read(self, op: Operation) -> Value[OtherT]:
        index, variable = self.index, op.variable_group
        if variable is not None and index > variable:
            index, _ = operand_range(op, index)
        return op.operands[index]  # type: ignore[return-value]


class _Optional(OperandField["Value[OtherT] | None"]):
    def read(self, op: Operation) -> Value[OtherT] | None:
        start, end = operand_range(op, self.index)
        return op.operands[start] if end > start else None  # type: ignore[return-value]


class _Variadic(OperandField["tuple[Value[OtherT], ...]"]):
    def read(self, op: Operation) -> tuple[Value[OtherT], ...]:
        return self.group(op)


class _Result(ResultField[Value[OtherT]]):
    def read(self, op: Operation) -> Value[OtherT]:
        return op.results[self.index]  # type: ignore[return-value]


class _Results(ResultField["list[Value[OtherT]]"]):
    def read(self, op: Operation) -> list[Value[OtherT]]:
        return op.results[self.index :]  # type: ignore[return-value]


class _Attribute(AttributeField[A]):
    def read(self, op: Operation) -> A:
        value = op.attributes.get(self.name, self.default)
        assert value is not None, f"{op.opname} has no {self.name}"
        return value  # type: ignore[return-value]


class _OptionalAttribute(AttributeField["A | None"]):
    def read(self, op: Operation) -> A | None:
        return op.attributes.get(self.name, self.default)  # type: ignore[return-value]


class _IntArray(AttributeField["tuple[int, ...]"]):
    def read(self, op: Operation) -> tuple[int, ...]:
        return int_array(op.attributes[self.name])


class _StaticNumbers(AttributeField["tuple[int | None, ...]"]):
    def read(self, op: Operation) -> tuple[int | None, ...]:
        return tuple(None if v == DYNAMIC else v for v in int_array(op.attributes[self.name]))


class _OptionalInt(AttributeField["int | None"]):
    def read(self, op: Operation) -> int | None:
        value = op.attributes.get(self.name)
        assert value is None or isinstance(value, IntegerAttr)
        return None if value is None else value.value


class _Int(AttributeField[int]):
    def read(self, op: Operation) -> int:
        value = op.attributes.get(self.name, self.default)
        assert isinstance(value, IntegerAttr)
        return value.value


class _Region(RegionField[Region]):
    def read(self, op: Operation) -> Region:
        return op.regions[self.index]


class _Regions(RegionField[list[Region]]):
    def read(self, op: Operation) -> list[Region]:
        return op.regions[self.index :]


def operand(constraint: Constraint[OtherT], effect: Effect | None = None) -> _One[OtherT]:
    """One that can be a memref says its `effect` on the memory."""
    return _One(constraint, "one", effect)


def optional_operand(constraint: Constraint[OtherT], effect: Effect | None = None) -> _Optional[OtherT]:
    return _Optional(constraint, "optional", effect)


def operands(constraint: Constraint[OtherT], effect: Effect | None = None) -> _Variadic[OtherT]:
    return _Variadic(constraint, "variadic", effect)


def result(constraint: Constraint[OtherT], view_of: str = "", like: str = "") -> _Result[OtherT]:
    """`view_of`: the operand whose memory it shares; `like`: the operand whose type it has, which `verify` compares."""
    return _Result(constraint, False, view_of, like)


def results(constraint: Constraint[OtherT]) -> _Results[OtherT]:
    return _Results(constraint, True)


def attribute(cls: type[A], default: A | None = None, number: Type | None = None) -> _Attribute[A]:
    """A required attribute; with a default it may be left out of the text. `number`: the type of a number whose text
    does not say it, that of the default if there is one."""
    field: _Attribute[A] = _Attribute((cls,), default is not None, default)
    field.number = number or getattr(default, "type", None)
    return field


def optional_attribute(cls: type[A], number: Type | None = None) -> _OptionalAttribute[A]:
    field: _OptionalAttribute[A] = _OptionalAttribute((cls,), True, None)
    field.number = number
    return field


def optional_flag_or_attribute() -> _OptionalAttribute[Attribute]:
    """One that is there, `unit`, or says how."""
    return _OptionalAttribute((UnitAttr, Attribute), True, None)


def carried_attribute(cls: type[A]) -> _OptionalAttribute[A]:
    """One that lanewise obeys and that is no property of upstream's operation."""
    field: _OptionalAttribute[A] = _OptionalAttribute((cls,), True, None)
    field.carried = True
    return field


def int_array_attribute(dense: bool = True) -> _IntArray:
    """`array<i64: 1, 2>`, or `[1, 2]` where it is not `dense`; read as a tuple of ints."""
    return _IntArray((DenseArrayAttr, ArrayAttr) if dense else (ArrayAttr, DenseArrayAttr), False, None)


def static_numbers_attribute() -> _StaticNumbers:
    """The static part of `[1, %i]` (MLIR's DynamicIndexList), read with None where a value stands."""
    return _StaticNumbers((DenseArrayAttr, ArrayAttr), False, None)


def optional_int_attribute(number: Type | None = None) -> _OptionalInt:
    """A number, of the type `number` where the text does not say it."""
    field = _OptionalInt((IntegerAttr,), True, None)
    field.number = number
    return field


def int_attribute(default: IntegerAttr | None = None, number: Type | None = None) -> _Int:
    """A number, of the type `number` where the text does not say it."""
    field = _Int((IntegerAttr,), default is not None, default)
    field.number = number or (None if default is None else default.type)
    return field


End = Callable[..., Operation]


def region(*, branches: bool = False, ends_in: End | None = None, shows_end: bool = False) -> _Region:
    """One block; with `branches` several, which branch to one another. The text may leave out a terminator that
    `ends_in` makes of a location, and one that says nothing is printed where the region `shows_end`."""
    return _ending(_Region(optional=False, branches=branches), ends_in, shows_end)


def optional_region(*, branches: bool = False, ends_in: End | None = None) -> _Region:
    """A region that has no block when the text leaves it out; else like `region`."""
    return _ending(_Region(optional=True, branches=branches), ends_in, False)


def regions(*, ends_in: End | None = None, shows_end: bool = False) -> _Regions:
    """Any number of regions like `region`, after all others."""
    return _ending(_Regions(optional=False, variadic=True), ends_in, shows_end)


RegionT = TypeVar("RegionT", bound=RegionField[Any])


def _ending(field: RegionT, ends_in: End | None, shows_end: bool) -> RegionT:
    field.ends_in, field.shows_end = ends_in, shows_end
    return field
