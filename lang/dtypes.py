"""Element types of kernels in Python, and what annotations say of arrays with them. Nothing of the compiler is loaded.

`lw.f16` is a type; `lw.f16["M", "K", 64]` describes an array: a name is an extent that is known when the kernel is
launched, the same wherever the same name stands, a number is a constant extent.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeVar, cast

from ..support.dataclasses import dataclass

Dim = int | str | None
"""An extent: constant, named, or of any number."""
T = TypeVar("T")
Kind = Literal["float", "integer", "index", "bool"]


def tupled(value: T | tuple[T, ...]) -> tuple[T, ...]:
    """`f[2]` and `f[2, 3]` alike."""
    return cast("tuple[T, ...]", value if isinstance(value, tuple) else (value,))


def extents(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape that may be a number."""
    return tuple(map(operator.index, tupled(shape) if isinstance(shape, int) else shape))


@dataclass(frozen=True, slots=True)
class DType:
    """One element type.

    Attributes:
        name: What kernels call it: `u32`.
        mlir: What MLIR calls it: `i32`, since its integers have no sign.
        kind: What arithmetic it has.
        unsigned: Whether its integers are not negative: it decides division, shifts to the right and comparisons.
    """

    name: str
    mlir: str
    kind: Kind
    unsigned: bool = False
    is_array: ClassVar[bool] = False
    dims: ClassVar[tuple[Dim, ...]] = ()
    strides: ClassVar[None] = None

    @property
    def dtype(self) -> DType:
        """Itself, as an array's description has the type of its elements."""
        return self

    def __getitem__(self, dims: Dim | tuple[Dim, ...]) -> ArrayType:
        for dim in tupled(dims):
            if dim is not None and not isinstance(dim, str) and (type(dim) is not int or dim < 0):
                raise TypeError(f"an extent of {self.name}[...] is a number from 0 on, a name or None, found {dim!r}")
        return ArrayType(self, tupled(dims))

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArrayType:
    """What an annotation says of an array. Without `strides` its rows follow each other without gaps."""

    dtype: DType
    dims: tuple[Dim, ...]
    strides: tuple[int | None, ...] | None = None
    is_array: ClassVar[bool] = True

    @property
    def constant_dims(self) -> tuple[int | None, ...]:
        """The extents that are constant, None for the others."""
        return tuple(d if isinstance(d, int) else None for d in self.dims)

    @property
    def names(self) -> tuple[str, ...]:
        """What the extents are called, nothing where they have no name."""
        return tuple(d if isinstance(d, str) else "" for d in self.dims)

    def __repr__(self) -> str:
        extents = ", ".join("?" if dim is None else str(dim) for dim in self.dims)
        strides = f".strided({', '.join(map(str, self.strides))})" if self.strides is not None else ""
        return f"{self.dtype!r}[{extents}]{strides}"

    def strided(self, *strides: int | None) -> ArrayType:
        """The same with a stride for each dimension, in elements; None is known when the kernel is launched."""
        if len(strides) != len(self.dims):
            raise TypeError(f"an array of {len(self.dims)} dimensions has as many strides, found {strides}")
        return ArrayType(self.dtype, self.dims, strides)


index = DType("index", "index", "index", unsigned=True)
i1 = DType("i1", "i1", "bool", unsigned=True)
i4, i8, i16, i32, i64 = (DType(f"i{n}", f"i{n}", "integer") for n in (4, 8, 16, 32, 64))
u4, u8, u16, u32, u64 = (DType(f"u{n}", f"i{n}", "integer", unsigned=True) for n in (4, 8, 16, 32, 64))
f16, bf16, f32, f64, tf32 = (DType(name, name, "float") for name in ("f16", "bf16", "f32", "f64", "tf32"))
_SMALL_FLOATS = (
    *("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f8E4M3", "f8E3M4", "f8E4M3B11FNUZ"),
    *("f6E2M3FN", "f6E3M2FN", "f4E2M1FN"),
)
f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f8e8m0fnu, f8e4m3, f8e3m4, f8e4m3b11fnuz, f6e2m3fn, f6e3m2fn, f4e2m1fn = (
    DType(name.lower(), name, "float") for name in _SMALL_FLOATS
)
ALL = (
    *(index, i1, i4, i8, i16, i32, i64, u4, u8, u16, u32, u64, f16, bf16, f32, f64, tf32),
    *(f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f8e8m0fnu, f8e4m3, f8e3m4, f8e4m3b11fnuz, f6e2m3fn, f6e3m2fn, f4e2m1fn),
)
BY_MLIR: Mapping[str, DType] = {dtype.mlir: dtype for dtype in reversed(ALL) if dtype.kind != "integer"} | {
    dtype.mlir: dtype for dtype in ALL if not dtype.unsigned
}
"""The type of kernels for each of MLIR, whose integers count as signed."""


def _names_in_libraries(dtype: DType) -> str:
    """What numpy, ml_dtypes, torch and jax call it: `float8_e4m3fn`."""
    name = dtype.name
    if name == "bf16":
        return "bfloat16"
    if dtype.kind == "bool":
        return "bool"
    if dtype.kind == "integer":
        return f"{'u' if dtype.unsigned else ''}int{name[1:]}"
    bits, _, rest = name[1:].partition("e")
    return f"float{bits}" + (f"_e{rest}" if rest else "")


BY_LIBRARY_NAME: Mapping[str, DType] = {_names_in_libraries(d): d for d in ALL if d not in (index, tf32)}
"""The type of an array's elements by the name that array libraries give it."""


def elements_in_byte(dtype: DType) -> int:
    """How many elements share a byte of a device's memory."""
    return 2 if dtype.mlir in ("i4", "f4E2M1FN") else 1


def extent_of(array: Any, dim: int, in_byte: int = 1) -> int:
    """The extent of an array that is given, in elements: where its dtype is of bytes that hold `in_byte` each, as the
    last axis of arrays of elements of 4 bits may, so many for each."""
    extent = int(array.shape[dim])
    return extent if in_byte == 1 or str(array.dtype).removeprefix("torch.") not in _BYTES else in_byte * extent


_BYTES = ("uint8", "float4_e2m1fn_x2")
