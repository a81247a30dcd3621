"""Numbers as kernel parameters: what fits, what does not, and rounding once to the parameter's type."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .signature import ML_FLOATS, ArgumentTypeError, ArgumentValueError, ScalarParameter, describe, kind_of, unsigned_of

Converter = Callable[[object], Any]


def converter(parameter: ScalarParameter) -> Converter:
    """A function from an argument to what struct packs: a bool, an int, a float, or the bits of an ml_dtypes float.

    It raises ArgumentTypeError for a number of the wrong kind (a float is no integer, a bool is no number) and
    ArgumentValueError for one out of range. Integers are accepted as floats and rounded.
    """
    return _CONVERTERS[kind_of(parameter.dtype)](parameter)


def _bool_converter(parameter: ScalarParameter) -> Callable[[object], bool]:
    def convert(argument: object) -> bool:
        if isinstance(argument, bool):
            return argument
        if _numpy_dtype(argument) == np.bool_:
            return bool(argument)
        raise ArgumentTypeError(parameter.name, "a bool", describe(argument))

    return convert


def _integer_converter(parameter: ScalarParameter) -> Callable[[object], int]:
    """Unsigned numpy integers of the same width are the same bits: integers have no sign of their own in MLIR."""
    low, high = limits_of(parameter.dtype)
    unsigned = unsigned_of(parameter.dtype)

    def convert(argument: object) -> int:
        # asking the abstract class takes longer than all the rest
        if type(argument) is not int and (isinstance(argument, bool) or not isinstance(argument, Integral)):
            raise ArgumentTypeError(parameter.name, f"an integer ({parameter.dtype})", describe(argument))
        value = int(argument)
        if value > high and unsigned is not None and _numpy_dtype(argument) == unsigned:
            value -= 1 << 8 * unsigned.itemsize
        if not low <= value <= high:
            raise ArgumentValueError(parameter.name, f"an integer from {low} to {high} ({parameter.dtype})", str(value))
        return value

    return convert


def _iinfo(dtype: np.dtype[Any]) -> Any:
    import ml_dtypes  # loading it takes longer than everything else here

    return cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.iinfo)(dtype)  # untyped in ml_dtypes


def limits_of(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the largest number of an integer type."""
    limits = _iinfo(dtype)
    return int(limits.min), int(limits.max)


def _float_converter(parameter: ScalarParameter) -> Callable[[object], float | int]:
    narrow = _narrow_bits if parameter.dtype in ML_FLOATS else _narrow_native
    dtype = parameter.dtype

    def convert(argument: object) -> float | int:
        if type(argument) is not float and not _is_real(argument):
            raise ArgumentTypeError(parameter.name, f"a number ({dtype})", describe(argument))
        try:
            return narrow(float(argument), dtype)  # type: ignore[arg-type]  # _is_real has seen to it
        except OverflowError:
            raise ArgumentValueError(parameter.name, f"a number that {dtype} can hold", repr(argument)) from None

    return convert


_CONVERTERS: Mapping[str, Callable[[ScalarParameter], Converter]] = MappingProxyType(
    {"b": _bool_converter, "i": _integer_converter, "u": _integer_converter, "f": _float_converter}
)
# A finite number rounds to infinity from the largest finite one plus half a unit in its last place on.
_OVERFLOWS_AT: Mapping[np.dtype[Any], float] = MappingProxyType(
    {np.dtype("f2"): 65520.0, np.dtype("f4"): 2.0**128 - 2.0**103, np.dtype("f8"): math.inf}
)


def limits_of_packing(dtype: np.dtype[Any]) -> tuple[int | float, int | float]:
    """Bounds for numbers of a builtin type that `struct` packs as `converter` gives them: integers up to these,
    floats between them."""
    if dtype.kind != "f":
        return limits_of(dtype)
    most = min(_OVERFLOWS_AT[dtype], sys.float_info.max)
    return -most, most


def _is_real(argument: object) -> bool:
    """Numbers of Python, numpy and ml_dtypes; a bool counts as none."""
    dtype = _numpy_dtype(argument)
    if dtype is not None:
        return dtype.kind in "iuf" or dtype in ML_FLOATS
    return not isinstance(argument, bool) and isinstance(argument, Real)


def _numpy_dtype(argument: object) -> np.dtype[Any] | None:
    """The type of a numpy scalar."""
    return cast("np.dtype[Any]", cast("Any", argument).dtype) if isinstance(argument, np.generic) else None


def _narrow_native(value: float, dtype: np.dtype[Any]) -> float:
    if _OVERFLOWS_AT[dtype] <= abs(value) < math.inf:
        raise OverflowError
    return value


def _narrow_bits(value: float, dtype: np.dtype[Any]) -> int:
    """The bits of a number in a type of ml_dtypes, rounded once.

    ml_dtypes itself goes through float32 and rounds twice, so the way there is rounded to odd: a float32 with its last
    bit set whenever something was cut off is on the right side of every midpoint of a narrower type.
    """
    if abs(value) > _FLOAT32_MAX and not math.isinf(value):
        raise OverflowError
    single: NDArray[Any] = np.array(value, np.float32)
    if math.isfinite(value) and float(single) != value:
        toward_zero = np.nextafter(single, np.float32(0)) if abs(float(single)) > abs(value) else single
        single = (np.asarray(toward_zero).view(np.uint32) | np.uint32(1)).view(np.float32)
    with np.errstate(all="ignore"):
        narrow = single.astype(dtype)
    result = float(narrow)
    if not math.isnan(value) and (math.isnan(result) or math.isinf(result) != math.isinf(value)):
        raise OverflowError
    return int.from_bytes(narrow.tobytes(), "little")


_FLOAT32_MAX = float(np.finfo(np.float32).max)
