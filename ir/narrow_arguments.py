"""Arguments of the evaluators whose integers numpy does not compute with: those of ml_dtypes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from ..support.dataclasses import dataclass
from .kernels import Kernel
from .numerics import dtype_of, host_dtype
from .types import IntegerType, MemRefType, Type

GridT = TypeVar("GridT")
ResultT = TypeVar("ResultT")
P = ParamSpec("P")


def on_numbers(
    run: Callable[Concatenate[Kernel, GridT, Sequence[Any], P], ResultT],
) -> Callable[Concatenate[Kernel, GridT, Sequence[Any], P], ResultT]:
    """Hands copies over in place of such arrays, an array that is passed twice as one, and takes back what changed."""

    def converted(
        kernel: Kernel, grid: GridT, arguments: Sequence[Any], /, *rest: P.args, **named: P.kwargs
    ) -> ResultT:
        pairs = zip(kernel.arguments, arguments, strict=False)
        found = [(given, _converted(a.type, given)) for a, given in pairs]
        copies = {id(given): _Copy.of(given, type) for given, type in found if type is not None}
        if not copies:
            return run(kernel, grid, arguments, *rest, **named)
        try:
            return run(kernel, grid, [copies[id(a)].now if id(a) in copies else a for a in arguments], *rest, **named)
        finally:
            for copy in copies.values():
                copy.take_back()

    return functools.update_wrapper(converted, run)


def _converted(type: Type, given: Any) -> IntegerType | None:
    """The element type of an argument that is."""
    if not isinstance(type, MemRefType) or not isinstance(type.element, IntegerType):
        return None
    element = type.element
    dtype = host_dtype(element)
    found: np.dtype[Any] | None = getattr(given, "dtype", None)
    return element if isinstance(given, np.ndarray) and found == dtype != dtype_of(element) else None


@dataclass(frozen=True, eq=False)
class _Copy:
    """The numbers of an array: `before` the run and `now`."""

    array: NDArray[Any]
    before: NDArray[Any]
    now: NDArray[Any]

    @classmethod
    def of(cls, array: NDArray[Any], type: Type) -> _Copy:
        before = array.astype(dtype_of(type))
        now = _with_strides(array, before.dtype)
        now[...] = before
        now.flags.writeable = array.flags.writeable
        return cls(array, before, now)

    def take_back(self) -> None:
        changed = self.now != self.before
        if changed.any():
            self.array[changed] = self.now[changed].astype(self.array.dtype)


def _with_strides(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of its own with the same strides."""
    if not array.size:
        return np.empty(array.shape, dtype)
    low, high = byte_bounds(array)
    start = array.__array_interface__["data"][0] - low
    return np.ndarray(array.shape, dtype, np.zeros(high - low, np.uint8), start, array.strides)
