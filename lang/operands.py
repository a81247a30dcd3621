"""What functions on values take and give: an SSA value with its element type, or a Python number that becomes one."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..ir.core import Value
from ..ir.dialects.constants import constant_attribute
from ..ir.types import FLOAT_WIDTHS, INDEX, FloatType, IntegerType, ScalarType, Type, VectorType, scalar_type
from ..support.named_tuples import NamedTuple
from .dtypes import BY_LIBRARY_NAME, BY_MLIR, DType, f32, i1, index
from .trace import Note, building, fail

Number: TypeAlias = "int | float | bool | np.integer[Any] | np.floating[Any] | np.bool_"
NUMBERS = (int, float, np.integer, np.floating, np.bool_)


class Operand(NamedTuple):
    """A number or vector of the program, and how its elements are read."""

    ssa: Value
    dtype: DType

    @property
    def shape(self) -> tuple[int, ...]:
        type = self.ssa.type
        return type.shape if isinstance(type, VectorType) else ()

    @property
    def text(self) -> str:
        """What messages call it: its name, where the user gave one, and its type."""
        name = self.ssa.hint
        return f"'{name}' of {self.type_text}" if name else self.type_text

    @property
    def type_text(self) -> str:
        return vector_text(self.dtype, self.shape)

    @property
    def made(self) -> Note:
        """A note that says where it was made."""
        op = self.ssa.operation
        name = self.ssa.hint or "this side"
        return f"{name} is made here: {self.type_text}", None if op is None else op.location


def vector_text(dtype: DType, shape: tuple[int, ...]) -> str:
    """What messages call a type."""
    extents = "".join(f"{n}x" for n in shape)
    return f"vector<{extents}{dtype}>" if extents else str(dtype)


def number_text(known: Any) -> str:
    """What representations say of what is known in a debug run, shortened as numpy does it; empty for None."""
    if known is None:
        return ""
    text = str(known)
    return f" =\n{text}" if "\n" in text else f" = {text}"


Given: TypeAlias = "Operand | Number"


def element_of(dtype: DType) -> ScalarType:
    """MLIR's type of one element."""
    return _element(dtype.mlir)


@functools.cache
def _element(mlir: str) -> ScalarType:
    """Types are made once: what is one object is compared at once."""
    if mlir == index.mlir:
        return INDEX
    return FloatType(mlir) if mlir in FLOAT_WIDTHS else IntegerType(int(mlir[1:]))


def whole(value: object, what: str) -> int:
    """A number of Python without a fraction. Fails where it is none, and names `what` it is to be."""
    try:
        return operator.index(value)  # type: ignore[arg-type]  # what has no index says so
    except TypeError:
        return fail(f"{what} is a whole number, found {type(value).__name__} {value!r}")


def vector_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    """The extents of a vector; () of a number. Fails where one is none."""
    given: Sequence[object] = shape if isinstance(shape, (tuple, list)) else (shape,)
    sizes = tuple(whole(n, "an extent of a vector") for n in given)
    if any(n < 1 for n in sizes):
        fail(f"a vector has constant extents above 0, found {sizes}")
    return sizes


def checked_dtype(dtype: object) -> DType:
    """Fails where it is no element type of ours, such as one of numpy."""
    if not isinstance(dtype, DType):
        name = getattr(dtype, "__name__", str(dtype))
        hint = f"lw.{BY_LIBRARY_NAME[name]}" if name in BY_LIBRARY_NAME else "such as lw.f32, or x.dtype of an array"
        fail(f"an element type is expected, found {type(dtype).__name__} {dtype!r}", hint=hint)
    return dtype


def type_of(dtype: DType, shape: tuple[int, ...]) -> Type:
    """MLIR's type of a vector, or of a number where the shape is ()."""
    return _vector(dtype.mlir, shape) if shape else _element(dtype.mlir)


@functools.lru_cache(maxsize=1024)
def _vector(mlir: str, shape: tuple[int, ...]) -> VectorType:
    return VectorType(tuple(map(int, shape)), _element(mlir))


def dtype_of(type: Type) -> DType:
    """The element type that a value of a type of MLIR is read as; integers are signed."""
    text = str(scalar_type(type))
    return BY_MLIR.get(text) or DType(text, text, "integer")


def bits_of(dtype: DType) -> int:
    """Bits of one element; of an index, 64."""
    return 64 if dtype.kind == "index" else FLOAT_WIDTHS.get(dtype.mlir) or int(dtype.mlir[1:])


def is_float(dtype: DType) -> bool:
    return dtype.kind == "float"


def natural(number: Number) -> DType:
    """The type of a number that no other side decides."""
    if isinstance(number, (bool, np.bool_)):
        return i1
    return index if isinstance(number, (int, np.integer)) else f32


def constant(number: Number, dtype: DType, shape: tuple[int, ...] = ()) -> Operand:
    """A number, or a vector of equal numbers. Fails where the type does not have it."""
    value = _checked(number, checked_dtype(dtype))
    return Operand(building().constant(value, type_of(dtype, shape)), dtype)


def _checked(number: Number, dtype: DType) -> int | float | bool:
    if is_float(dtype):
        try:
            return float(number)
        except OverflowError:
            fail(f"the number {number} is none of {dtype}")
    if isinstance(number, (float, np.floating)):
        if not (math.isfinite(number) and float(number).is_integer()):
            fail(f"the number {number} is none of {dtype}", hint="convert the other side: x.to(lw.f32)")
        number = int(number)
    if dtype.kind == "bool":
        if number not in (0, 1):
            fail(f"the number {number} is none of i1")
        return bool(number)
    bits = bits_of(dtype)
    signed = not dtype.unsigned or dtype.kind == "index"
    least, beyond = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
    if not least <= number < beyond:
        fail(f"the number {number} is none of {dtype}, which has {least} to {beyond - 1}")
    value = int(number)
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def lifted(given: Given, like: DType | None = None) -> Operand:
    """A Python number as a constant of the other side's type."""
    if isinstance(given, Operand):
        return given
    return constant(given, natural(given) if like is None else like)


def is_constant(operand: Operand) -> bool:
    return constant_attribute(operand.ssa) is not None


def axes_of(operand: Operand, axis: int | tuple[int, ...] | None) -> list[int]:
    """Axes counted from 0, in order; None is all. Fails where one is none."""
    rank = len(operand.shape)
    named: Sequence[object] = axis if isinstance(axis, (tuple, list)) else (axis,)
    given = tuple(range(rank)) if axis is None else tuple(whole(a, "an axis") for a in named)
    odd = next((a for a in given if not -rank <= a < rank), None)
    if odd is not None:
        fail(f"axis {odd} is none of {operand.text}, which has {rank}", operand.made)
    found = sorted(a % rank for a in given)
    if len(set(found)) != len(found):
        fail(f"axes {given} name one twice", operand.made)
    return found
