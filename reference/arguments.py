"""What a function is called with: arrays and numbers become values, arrays in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ..ir.core import Value
from ..ir.dialects.func import FunctionLike
from ..ir.numerics import Array, dtype_of
from ..ir.types import MemRefType, scalar_type, shape_of
from ..support.diagnostics import Diagnostic
from .access_places import Box
from .buffers import Buffer, Coverage, Errors
from .errors import UnfitArgumentError
from .layout import dtype_and_shape
from .memory import BASE_ALIGNMENT, MemRef, row_major


class Arguments:
    """The values of a call. Arrays that begin and end at the same addresses are one buffer.

    `alignment` gives what is known of a memref argument's address, in bytes. `followed`: buffers keep their errors and
    what was touched. Raises `UnfitArgumentError` for what does
    not fit its type.
    """

    def __init__(
        self,
        function: FunctionLike,
        given: Sequence[Any],
        alignment: Callable[[int], int | None],
        *,
        followed: bool = False,
    ) -> None:
        self._function = function
        self.buffers: dict[Value, Buffer] = {}
        """By memref argument."""
        self._made: dict[tuple[int, int], Buffer] = {}
        parameters = function.arguments
        if len(given) != len(parameters):
            raise self._wrong(f"takes {len(parameters)} arguments, found {len(given)}")
        self.values = [
            self._memref(i, p, a, alignment(i) or BASE_ALIGNMENT, followed)
            if p.type.is_memref
            else self._plain(i, p, a)
            for i, (p, a) in enumerate(zip(parameters, given, strict=True))
        ]

    def _wrong(self, message: str) -> UnfitArgumentError:
        return UnfitArgumentError(Diagnostic(f"'@{self._function.name}' {message}", self._function.location))

    def _unfit(self, index: int, expected: Any, found: str) -> UnfitArgumentError:
        message = f"argument {index} of '@{self._function.name}': expected {expected}, found {found}"
        return UnfitArgumentError(Diagnostic(message, self._function.location))

    def _plain(self, index: int, parameter: Value, given: Any) -> Array:
        value, shape = np.asarray(given), shape_of(parameter.type)
        if value.shape != shape:
            raise self._unfit(index, parameter.type, f"an array of shape {list(value.shape)}")
        return value.astype(dtype_of(scalar_type(parameter.type)))

    def _memref(self, index: int, parameter: Value, given: Any, base: int, followed: bool) -> MemRef:
        type = parameter.type
        assert isinstance(type, MemRefType)
        if not isinstance(given, np.ndarray):
            raise self._unfit(index, type, f"{given.__class__.__name__} where a numpy array is taken")
        array = cast("Array", given)
        dtype, inner = dtype_and_shape(type)
        expected = (*type.shape, *inner)
        if array.dtype != dtype:
            raise self._unfit(index, type, f"an array of elements of {array.dtype}")
        if array.ndim != len(expected) or any(n not in (None, m) for n, m in zip(expected, array.shape, strict=True)):
            raise self._unfit(index, type, f"an array of shape {list(array.shape)}")
        strides = tuple(s // array.itemsize for s in array.strides)
        if not _has_strides(type, array, strides, inner):
            raise self._unfit(index, type, f"an array of strides {list(strides)}")
        buffer = self._buffer(index, parameter, array, strides, base, followed)
        self.buffers[parameter] = buffer
        start = sum((1 - n) * s for n, s in zip(array.shape, strides, strict=True) if s < 0) if array.size else 0
        return MemRef(buffer, dtype, start, array.shape[: type.rank], strides[: type.rank], inner, start)

    def _buffer(
        self, index: int, parameter: Value, array: Array, strides: tuple[int, ...], base: int, followed: bool
    ) -> Buffer:
        flat = _flat(array, strides)
        key = flat.ctypes.data, flat.nbytes
        if key not in self._made:
            name = f"%{parameter.hint}" if parameter.hint else f"argument {index}"
            errors = Errors(flat.nbytes) if followed else None
            data = flat.view(np.uint8)
            made = Buffer(name, "global", data, flat.nbytes, None, errors, base, flat.flags.writeable)
            if followed:
                made.read, made.written = Coverage(flat.nbytes), Coverage(flat.nbytes)
            self._made[key] = made
        return self._made[key]


def _flat(array: Array, strides: tuple[int, ...]) -> Array:
    """The memory from the lowest to the highest element."""
    span = 1 + sum((n - 1) * abs(s) for n, s in zip(array.shape, strides, strict=True)) if array.size else 0
    descending = tuple(axis for axis, stride in enumerate(strides) if stride < 0)
    ascending = np.flip(array, descending) if descending else array
    bits = ascending.view(f"u{array.itemsize}")  # numpy rebuilds the dtype, which fails for one of ml_dtypes
    return np.lib.stride_tricks.as_strided(bits, (span,), (array.itemsize,)).view(array.dtype)


def _has_strides(type: MemRefType, array: Array, strides: tuple[int, ...], inner: tuple[int, ...]) -> bool:
    """Strides along extents of 1 do not matter; elements that are vectors are dense."""
    if type.layout is None and not inner:
        return array.flags.c_contiguous
    unit = math.prod(inner)
    stated = [*(None if s is None else s * unit for s in type.strides_and_offset()[0]), *row_major(inner)]
    fit = all(s is None or s == t or n < 2 for s, t, n in zip(stated, strides, array.shape, strict=True))
    return array.size == 0 or (fit and all(s % array.itemsize == 0 for s in array.strides))


def box_of(value: MemRef) -> Box:
    """The elements of a memref that all owners share."""
    sizes, strides = (tuple(int(n) for n in numbers) for numbers in (value.sizes, value.strides))
    inner = tuple(int(n) for n in row_major(value.inner))
    return Box(int(value.offset), sizes + value.inner, strides + inner)
