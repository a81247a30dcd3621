"""Types of values: frozen, hashable, printed as MLIR text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal

from ..support.dataclasses import dataclass


class Attribute:
    """Base of compile-time values; `attributes.py` has the builtin ones, dialects add their own."""

    __slots__ = ()
    alias: ClassVar[str] = ""
    """Long kinds are printed once, at the top, under a name that begins so."""


class Type:
    """Base of types."""

    __slots__ = ()
    is_vector: ClassVar[bool] = False
    is_memref: ClassVar[bool] = False
    is_float: ClassVar[bool] = False
    """Whether it is a scalar that has a fraction."""
    is_whole: ClassVar[bool] = False
    """Whether it is a scalar that counts: index, or integers of any width."""


@dataclass(frozen=True, slots=True)
class IntegerType(Type):
    is_whole = True
    width: int
    signedness: Literal["", "s", "u"] = ""

    def __str__(self) -> str:
        return f"{self.signedness}i{self.width}"


@dataclass(frozen=True, slots=True)
class IndexType(Type):
    is_whole = True

    def __str__(self) -> str:
        return "index"


@dataclass(frozen=True, slots=True)
class NoneType(Type):
    def __str__(self) -> str:
        return "none"


FLOAT_WIDTHS = {
    "f64": 64,
    "f32": 32,
    "tf32": 19,
    "f16": 16,
    "bf16": 16,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E4M3FNUZ": 8,
    "f8E5M2FNUZ": 8,
    "f8E8M0FNU": 8,
    "f8E4M3": 8,
    "f8E3M4": 8,
    "f8E4M3B11FNUZ": 8,
    "f6E2M3FN": 6,
    "f6E3M2FN": 6,
    "f4E2M1FN": 4,
}


@dataclass(frozen=True, slots=True)
class FloatType(Type):
    is_float = True
    name: str

    @property
    def width(self) -> int:
        return FLOAT_WIDTHS[self.name]

    def __str__(self) -> str:
        return self.name


ScalarType = IntegerType | IndexType | FloatType


@dataclass(frozen=True, slots=True)
class BitsType(Type):
    """A dialect's type whose values are so many bits, which lie in memory as they are."""

    width: ClassVar[int]


@dataclass(frozen=True, slots=True)
class VectorType(Type):
    """An n-dimensional value of static shape; rank 0 is allowed."""

    is_vector = True
    shape: tuple[int, ...]
    element: Type

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def __str__(self) -> str:
        return f"vector<{''.join(f'{n}x' for n in self.shape)}{self.element}>"


@dataclass(frozen=True, slots=True)
class StridedLayout(Attribute):
    """`strided<[s0, ..], offset: o>`: element strides and offset, None where only known at run time."""

    strides: tuple[int | None, ...]
    offset: int | None = 0

    def __str__(self) -> str:
        strides = ", ".join(_extent(s) for s in self.strides)
        offset = "" if self.offset == 0 else f", offset: {_extent(self.offset)}"
        return f"strided<[{strides}]{offset}>"


@dataclass(frozen=True, slots=True)
class MemRefType(Type):
    """A buffer: extents (None where only known at run time), layout (None: row-major, contiguous) and memory space."""

    is_memref = True
    shape: tuple[int | None, ...]
    element: Type
    layout: Attribute | None = None
    memory_space: Attribute | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def dynamic_dims(self) -> tuple[int, ...]:
        return tuple(i for i, n in enumerate(self.shape) if n is None)

    def strides_and_offset(self) -> tuple[tuple[int | None, ...], int | None]:
        """Element strides and offset, None where only known at run time."""
        if isinstance(self.layout, StridedLayout):
            return self.layout.strides, self.layout.offset
        strides: list[int | None] = []
        step: int | None = 1
        for extent in reversed(self.shape):
            strides.append(step)
            step = None if extent is None or step is None else step * extent
        return tuple(reversed(strides)), 0

    def __str__(self) -> str:
        shape = "".join(f"{_extent(n)}x" for n in self.shape)
        rest = "".join(f", {a}" for a in (self.layout, self.memory_space) if a is not None)
        return f"memref<{shape}{self.element}{rest}>"


def _extent(n: int | None) -> str:
    return "?" if n is None else str(n)


@dataclass(frozen=True, slots=True)
class TensorType(Type):
    shape: tuple[int | None, ...]
    element: Type

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{_extent(n)}x' for n in self.shape)}{self.element}>"


@dataclass(frozen=True, slots=True)
class TupleType(Type):
    elements: tuple[Type, ...]

    def __str__(self) -> str:
        return f"tuple<{', '.join(map(str, self.elements))}>"


@dataclass(frozen=True, slots=True)
class ComplexType(Type):
    element: IntegerType | FloatType

    def __str__(self) -> str:
        return f"complex<{self.element}>"


@dataclass(frozen=True, slots=True)
class FunctionType(Type):
    inputs: tuple[Type, ...]
    results: tuple[Type, ...]

    def __str__(self) -> str:
        results = ", ".join(map(str, self.results))
        if len(self.results) != 1 or isinstance(self.results[0], FunctionType):
            results = f"({results})"
        return f"({', '.join(map(str, self.inputs))}) -> {results}"


I1, I8, I16, I32, I64 = (IntegerType(w) for w in (1, 8, 16, 32, 64))
F16, BF16, TF32, F32, F64 = (FloatType(n) for n in ("f16", "bf16", "tf32", "f32", "f64"))
INDEX = IndexType()


def element_type(type: Type) -> Type:
    """The element type of a shaped type, the type itself otherwise."""
    return type.element if isinstance(type, (VectorType, MemRefType, TensorType)) else type


def float_type(type: Type) -> FloatType:
    """The element type, which the verifier has found to be a float."""
    element = element_type(type)
    assert isinstance(element, FloatType)
    return element


def floats_among(types: Iterable[Type]) -> list[FloatType]:
    return [type for type in types if isinstance(type, FloatType)]


def scalar_type(type: Type) -> Type:
    """The element type of a vector, the type itself otherwise."""
    return type.element if isinstance(type, VectorType) else type


def shape_of(type: Type) -> tuple[int, ...]:
    """The shape of a vector, () for scalars."""
    return type.shape if isinstance(type, VectorType) else ()


def element_count(type: Type) -> int:
    """The elements of a vector, 1 for scalars."""
    return math.prod(shape_of(type))


def with_shape(element: Type, shape: tuple[int, ...] | None) -> Type:
    """A vector of `shape`, or the scalar itself for None."""
    return element if shape is None else VectorType(shape, element)


def with_element(type: Type, element: Type) -> Type:
    """A vector of the same shape, or a scalar, of other elements."""
    return VectorType(type.shape, element) if isinstance(type, VectorType) else element


def bit_width(type: Type) -> int:
    """Bits of one scalar; `index` counts 64."""
    if isinstance(type, (IntegerType, FloatType, BitsType)):
        return type.width
    assert type == INDEX, f"{type} has no bit width"
    return 64


_PACKED = frozenset({2, 4})


def memory_bits(type: Type) -> int:
    """Bits that one element takes in memory: 2 or 4 for types of so many, else 8, 16, 32 or 64 (i1 a byte, f6 a byte,
    tf32 and i24 four bytes). Elements of less than a byte lie in their buffer's order, the first in the lowest bits."""
    width = bit_width(type)
    return width if width in _PACKED else max(8, 1 << (width - 1).bit_length())


DIALECT_TYPES: dict[str, Callable[[Any], Type]] = {}
"""Readers of `!dialect.name...` by `dialect.name`, called after the name; filled while dialects are imported."""
