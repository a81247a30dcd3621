"""What kinds of arguments a launch function reads by itself, and the Python expressions that read them.

A kind is a row: what of an argument says that it is one, and expressions over `{a}`, the argument. They only look; an
array for which a condition does not hold goes the careful way (`arguments.py`), which says what is wrong with it, or
takes it after all. Kinds that are not here (host arrays, DLPack, `__cuda_array_interface__`) always go there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..support.named_tuples import NamedTuple
from .arrays import DeviceArray, torch_dtype
from .signature import BufferParameter, ScalarParameter, SignatureParameter, kind_of


class ArrayKind(NamedTuple):
    """How arrays of one library are read.

    Attributes:
        name: What stands in comments.
        fits: Whether an argument is such an array. Asked once for each type, element type and device.
        element: The element type as numpy has it, of an array that fits.
        same: What is one object for all arrays of an element type.
        conditions: What has to hold of one on the launch's device (number `ordinal`).
        address: Its first element's address.
        shape: A tuple.
        contiguous: Whether rows have no gaps; "True" where all are so.
        strides: A tuple, counted in `stride_unit`; "" where they follow from the shape, row by row.
        in_bytes: Whether strides count bytes.
        pending: Whether it keeps the stream that it is used in.
        library: In which library's current stream it is used, "" where in none.
        told: Whether the library has to be told of another stream, which then waits for it.
        own_memory: Whether each array has memory that no other one has, at an address that is 0 where it has no
            elements, and None once it is freed; and `same` says its number of dimensions and its device, too.
    """

    name: str
    fits: Callable[[Any], bool]
    element: Callable[[Any], np.dtype[Any] | None]
    same: str
    conditions: tuple[str, ...]
    address: str
    shape: str
    contiguous: str
    strides: str
    in_bytes: bool
    pending: bool
    library: str
    told: bool
    own_memory: bool


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda argument: all(hasattr(argument, name) for name in names)


_has_torchs = _has("data_ptr", "stride", "is_contiguous", "is_neg", "get_device")
_has_cupys = _has("data", "strides", "flags", "dtype")


def _is_own(argument: Any) -> bool:
    return type(argument) is DeviceArray


def _is_torchs(argument: Any) -> bool:
    return getattr(argument, "is_cuda", False) and _has_torchs(argument)


def _is_cupys(argument: Any) -> bool:
    return type(argument).__module__.partition(".")[0] == "cupy" and _has_cupys(argument)


def _numpys(argument: Any) -> np.dtype[Any]:
    dtype: np.dtype[Any] = argument.dtype
    return dtype


def _torchs(argument: Any) -> np.dtype[Any] | None:
    return torch_dtype(argument.dtype)


ARRAY_KINDS = (
    ArrayKind(
        "one of our own",
        fits=_is_own,
        element=_numpys,
        same="form",
        conditions=(),
        address="{a}.place",
        shape="{a}.shape",
        contiguous="True",
        strides="",
        in_bytes=False,
        pending=True,
        library="",
        told=False,
        own_memory=True,
    ),
    ArrayKind(
        "a tensor of torch",
        fits=_is_torchs,
        element=_torchs,
        same="dtype",
        conditions=("{a}.is_cuda", "{a}.get_device() == ordinal", "not {a}.is_neg()"),
        address="{a}.data_ptr()",
        shape="{a}.shape",
        contiguous="{a}.is_contiguous()",
        strides="{a}.stride()",
        in_bytes=False,
        pending=False,
        library="torch",
        told=False,
        own_memory=False,
    ),
    ArrayKind(
        "an array of CuPy",
        fits=_is_cupys,
        element=_numpys,
        same="dtype",
        conditions=("{a}.data.device_id == ordinal",),
        address="{a}.data.ptr",
        shape="{a}.shape",
        contiguous="{a}.flags.c_contiguous",
        strides="{a}.strides",
        in_bytes=True,
        pending=False,
        library="cupy",
        told=True,
        own_memory=False,
    ),
)


class NumberKind(NamedTuple):
    """How numbers of one type are read for one kind of parameter.

    Attributes:
        type: Of the argument, exactly.
        kinds: Numpy's letters for the parameters: booleans, integers, floats.
        condition: What has to hold, over `{a}` and the parameter's limits `{low}` and `{high}`; "" where nothing has.
    """

    type: type
    kinds: str
    condition: str


NUMBER_KINDS = (
    NumberKind(int, "iu", "{low} <= {a} <= {high}"),
    NumberKind(float, "f", "{low} < {a} < {high}"),
    NumberKind(int, "f", "{low} < {a} < {high}"),
    NumberKind(bool, "b", ""),
)


def array_kind(argument: object) -> ArrayKind | None:
    """The kind of an array that a launch function reads; None where it reads none such."""
    return next((kind for kind in ARRAY_KINDS if kind.fits(argument)), None)


def number_kind(argument: object, parameter: ScalarParameter) -> NumberKind | None:
    """How a number is read; None where `scalars.converter` has to look at it."""
    letter = kind_of(parameter.dtype) if parameter.dtype.isbuiltin == 1 else ""
    return next((row for row in NUMBER_KINDS if row.type is type(argument) and letter and letter in row.kinds), None)


class Read(NamedTuple):
    """One argument as a launch function reads it.

    Attributes:
        type: The argument's, exactly.
        kind: Of an array; None of a number.
        same: Of an array, see `ArrayKind`.
        each: How many of the parameter's elements one of the array's is: more than one where bytes hold several.
        number: How a number is read; None where a converter does it.
    """

    type: type
    kind: ArrayKind | None = None
    same: object = None
    each: int = 1
    number: NumberKind | None = None


def read_of(argument: Any, parameter: SignatureParameter) -> Read | None:
    """How a launch function reads an argument that fits its parameter; None where it does not read such ones."""
    if not isinstance(parameter, BufferParameter):
        return Read(type(argument), number=number_kind(argument, parameter))
    kind = array_kind(argument)
    if kind is None:
        return None
    element = kind.element(argument)
    if element is None:
        return None
    return Read(type(argument), kind, getattr(argument, kind.same), parameter.elements_in(element))
