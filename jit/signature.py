"""A kernel's signature as plain data: its parameters, their machine code counterparts, and errors about arguments.

A kernel's parameters in machine order are, for each parameter of its signature: a scalar, as it is; a buffer, as one
pointer, then one int64 for each dynamic extent, each dynamic stride, and the offset where that is dynamic. Strides and
offsets count elements.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from ..analysis.near_buffers import NEAR_BYTES
from ..codegen.emit.tensor_map import MapParameter
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.late import LateTable
from ..support.named_tuples import NamedTuple
from ..support.packed_elements import element_bits
from .device import Parameter, parameter_offsets

_ML_NAMES = (
    *("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
)


def ml_type(name: str) -> np.dtype[Any]:
    """A type of ml_dtypes, which is loaded where there may be one."""
    import ml_dtypes

    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found


ML_FLOATS: Mapping[np.dtype[Any], str] = LateTable(lambda: {ml_type(name): "f" for name in _ML_NAMES})
"""The floats that numpy knows from ml_dtypes only."""
ML_INTEGERS: Mapping[np.dtype[Any], str] = LateTable(
    lambda: {ml_type(name): name[0] for name in ("int2", "int4", "uint2", "uint4")}
)
"""The integers that numpy knows from ml_dtypes only, and what kind they are in numpy's letters."""

NUMPYS: Mapping[np.dtype[Any], str] = MappingProxyType({np.dtype(code): code for code in "?bhiqBHIQefd"})
"""numpy's own element types that kernels take, and how the module struct writes them."""
_OTHERS: Mapping[np.dtype[Any], str] = LateTable(
    lambda: {
        **{dtype: "H" if dtype.itemsize == 2 else "B" for dtype in ML_FLOATS},
        **{dtype: "b" if kind == "i" else "B" for dtype, kind in ML_INTEGERS.items()},
    }
)
STRUCT_CODES: Mapping[np.dtype[Any], str] = ChainMap(dict(NUMPYS), cast("MutableMapping[np.dtype[Any], str]", _OTHERS))
"""How the module struct writes each element type that kernels take; those of ml_dtypes as their bits."""


class ArgumentError(LanewiseError):
    """An argument does not fit its parameter; the message names the parameter, what was expected and what was found."""

    def __init__(self, parameter: str, expected: str, found: str) -> None:
        super().__init__(f"argument {parameter!r}: expected {expected}, found {found}")
        self.parameter, self.expected, self.found = parameter, expected, found


class ArgumentTypeError(ArgumentError, TypeError):
    """The argument is of the wrong kind, element type or rank."""


class ArgumentValueError(ArgumentError, ValueError):
    """The argument is of the right kind, but its value, extents, strides or place are wrong."""


def counted(names: Sequence[str]) -> str:
    """How many arguments a kernel takes, and which."""
    return f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})"


class ArgumentCountError(ArgumentError, TypeError):
    """Too few or too many arguments."""

    def __init__(self, names: Sequence[str], found: int) -> None:
        Exception.__init__(self, f"expected {counted(names)}, found {found}")
        self.parameter, self.expected, self.found = "", str(len(names)), str(found)


class NamedArgumentError(ArgumentError, TypeError):
    """Arguments were given by names that do not fit."""

    def __init__(self, names: Sequence[str], found: str) -> None:
        expected = counted(names)
        Exception.__init__(self, f"expected {expected}, found {found}")
        self.parameter, self.expected, self.found = "", expected, found


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A number passed by value. Raises TypeError for an element type that no kernel takes."""

    is_buffer: ClassVar[bool] = False
    read: ClassVar[bool] = False
    written: ClassVar[bool] = False
    """Nothing in memory is."""
    name: str
    dtype: np.dtype[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", _checked_dtype(self.name, self.dtype))

    def __str__(self) -> str:
        return str(self.dtype)


@dataclass(frozen=True, slots=True)
class BufferParameter:
    """A buffer in device memory, a memref.

    Attributes:
        shape: Extents; None is known at launch only.
        strides: None is the identity layout: row-major without gaps. Else one stride for each dimension, None where
        known at launch. offset: Elements between the pointer that is passed and element (0, ..., 0); None passes it as
        a parameter. read: Whether the kernel reads it. written: Whether the kernel writes it. may_alias: Whether its
        memory may overlap that of another buffer that says so too, though one is written. near: Whether it has
        to lie in the NEAR_BYTES from the pointer on.
    """

    is_buffer: ClassVar[bool] = True
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...] | None = None
    offset: int | None = 0
    read: bool = True
    written: bool = False
    may_alias: bool = False
    near: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", _checked_dtype(self.name, self.dtype))
        if self.strides is not None and len(self.strides) != len(self.shape):
            raise ValueError(f"buffer {self.name!r} of shape {self.shape} needs as many strides, found {self.strides}")
        if (self.offset or 0) * element_bits(self.dtype) % 8:
            raise TypeError(
                f"buffer {self.name!r}: an offset of {self.offset} {self.dtype} is no whole number of bytes"
            )

    def __str__(self) -> str:
        return array_text(self.dtype, self.shape)

    @property
    def offset_bytes(self) -> int:
        """From the pointer that is passed to element (0, ..., 0)."""
        return (self.offset or 0) * element_bits(self.dtype) // 8

    def elements_in(self, dtype: np.dtype[Any]) -> int:
        """How many elements of this parameter an element of an array that fits it holds: bytes may hold several."""
        return 8 // element_bits(self.dtype) if dtype == np.uint8 and element_bits(self.dtype) < 8 else 1

    def is_near(self, reach: tuple[int, int], shape: tuple[int, ...] = ()) -> bool:
        """Whether an array lies in the NEAR_BYTES from the pointer on that is passed for it; `reach` is how many bytes
        it extends before and after its element (0, ..., 0). One without elements may not have larger extents either:
        32 bits count them."""
        before, after = reach
        skipped = self.offset_bytes
        counted = max(shape) * element_bits(self.dtype) // 8 if 0 in shape else 0
        return before <= skipped and max(skipped + after, counted) <= NEAR_BYTES


SignatureParameter: TypeAlias = ScalarParameter | BufferParameter


def buffers_of(signature: Iterable[SignatureParameter]) -> list[BufferParameter]:
    return [parameter for parameter in signature if isinstance(parameter, BufferParameter)]


def in_order(
    signature: Sequence[SignatureParameter], arguments: Sequence[object], named: Mapping[str, object]
) -> tuple[object, ...]:
    """All arguments by position, where some were given by name. Raises NamedArgumentError for names that are none,
    given twice or missing."""
    names = [p.name for p in signature]
    by_name = names[len(arguments) :]
    for name in named:
        if name not in names:
            raise NamedArgumentError(names, f"{name}=")
        if name not in by_name:
            raise NamedArgumentError(names, f"{name}= besides {len(arguments)} by position, which has it")
    missing = [name for name in by_name if name not in named]
    if missing:
        raise NamedArgumentError(names, f"{', '.join(missing)} missing")
    return (*arguments, *(named[name] for name in by_name))


def _checked_dtype(name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    dtype = np.dtype(dtype)
    if dtype not in NUMPYS and dtype not in STRUCT_CODES:
        raise TypeError(
            f"parameter {name!r}: kernels take no {dtype}; they take {', '.join(map(str, (*NUMPYS, *_OTHERS)))}"
        )
    return dtype


class Role(Enum):
    """What a machine parameter carries."""

    SCALAR = "scalar"
    POINTER = "pointer"
    SIZE = "size"
    STRIDE = "stride"
    OFFSET = "offset"


class MachineParameter(NamedTuple):
    """One parameter of the machine code, such as ``a.size0`` (the first extent of buffer ``a``)."""

    name: str
    role: Role
    dtype: np.dtype[Any]

    @property
    def parameter(self) -> Parameter:
        return Parameter(self.dtype.itemsize, self.dtype.itemsize)


def machine_parameters(signature: Sequence[SignatureParameter]) -> tuple[MachineParameter, ...]:
    """The machine code's parameters in order, as the head of this file says."""
    found: list[MachineParameter] = []
    for parameter in signature:
        if isinstance(parameter, ScalarParameter):
            found.append(MachineParameter(parameter.name, Role.SCALAR, parameter.dtype))
        else:
            found.extend(_buffer_parameters(parameter))
    return tuple(found)


def offsets_with_maps(signature: Sequence[SignatureParameter], maps: Sequence[MapParameter]) -> tuple[int, ...]:
    """Where the parameters of a kernel that takes tensor maps lie in its packed arguments: see `Code.offsets`."""
    offsets, _ = parameter_offsets(p.parameter for p in machine_parameters(signature))
    return (*offsets, *(map.offset for map in maps)) if maps else ()


def _buffer_parameters(buffer: BufferParameter) -> list[MachineParameter]:
    int64 = np.dtype(np.int64)
    found = [MachineParameter(buffer.name, Role.POINTER, np.dtype(np.uint64))]
    for role, values in ((Role.SIZE, buffer.shape), (Role.STRIDE, buffer.strides or ())):
        found += [
            MachineParameter(f"{buffer.name}.{role.value}{i}", role, int64)
            for i, value in enumerate(values)
            if value is None
        ]
    if buffer.offset is None:
        found.append(MachineParameter(f"{buffer.name}.{Role.OFFSET.value}", Role.OFFSET, int64))
    return found


def kind_of(dtype: np.dtype[Any]) -> str:
    """numpy's letter for booleans, integers and floats, also of ml_dtypes."""
    return dtype.kind if dtype in NUMPYS else ML_FLOATS.get(dtype) or ML_INTEGERS.get(dtype, dtype.kind)


def unsigned_of(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The unsigned integers of the same width as these signed ones; None for other types."""
    if dtype not in NUMPYS and dtype in ML_INTEGERS:
        return ml_type(f"u{dtype}") if ML_INTEGERS[dtype] == "i" else None
    return np.dtype(f"u{dtype.itemsize}") if dtype.kind == "i" else None


def describe(argument: object) -> str:
    """What an argument is, in a few words: type and value of a number, type and extents of an array."""
    shape, dtype = getattr(argument, "shape", None), getattr(argument, "dtype", None)
    name = type(argument).__name__
    if shape:
        return f"{name} {dtype}{list(shape)}"
    return f"{name} {argument}" if isinstance(argument, (bool, int, float)) or shape == () else name


def array_text(dtype: np.dtype[Any], shape: Sequence[int | None]) -> str:
    return f"{dtype}{extents_text(shape)}"


def extents_text(extents: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if extent is None else str(extent) for extent in extents)}]"
