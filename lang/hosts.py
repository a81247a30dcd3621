"""The arguments of a debug run: numpy arrays on the host, that share the memory of what was given where they can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..ir.numerics import host_dtype
from ..jit.arrays import DeviceArray, UnusableArray, on_host
from ..jit.device import HostArray
from ..jit.signature import describe, ml_type
from ..support.diagnostics import LanewiseError
from ..support.packed_elements import element_bits, pack, unpack
from .dtypes import DType
from .operands import NUMBERS, element_of
from .signature import ParameterType


class DebugError(LanewiseError, ValueError):
    """A debug run cannot be had: of a workgroup that is not in the grid, or with arguments that are not on the host."""


class Hosts:
    """Arguments on the host.

    Attributes:
        values: Numbers and numpy arrays, one for what is given twice.
    """

    def __init__(self, names: Sequence[str], types: Sequence[ParameterType], arguments: Sequence[Any]) -> None:
        self._made: dict[int, HostArray] = {}
        self._back: list[Callable[[], None]] = []
        self.values = [
            self._value(name, getattr(type, "dtype", None), argument)
            for name, type, argument in zip(names, types, arguments, strict=True)
        ]

    def give_back(self) -> None:
        """Lets what was copied have what is in the copies now."""
        for give in self._back:
            give()

    def _value(self, name: str, dtype: DType | None, argument: Any) -> Any:
        number: object = argument
        if dtype is None or isinstance(number, NUMBERS):
            return argument
        found = self._made.get(id(argument))
        if found is None:
            array = self._array(name, argument)
            found = self._made[id(argument)] = self._unpacked(array, dtype)
        return _signed(found)

    def _array(self, name: str, argument: Any) -> HostArray:
        if isinstance(argument, DeviceArray):
            copy = argument.to_numpy()
            self._back.insert(0, partial(argument.copy_from, copy))
            return copy
        try:
            found = on_host(argument)
        except UnusableArray as error:
            raise DebugError(f"argument '{name}': {error}") from None
        if found is None:
            raise DebugError(f"argument '{name}': expected an array of the host, found {describe(argument)}")
        return found

    def _unpacked(self, array: HostArray, dtype: DType) -> HostArray:
        """Bytes that hold several elements each as these elements, which the last extent counts."""
        host = host_dtype(element_of(dtype))
        each = 8 // min(8, element_bits(host))
        if each == 1 or array.dtype != np.uint8 or not array.ndim:
            return array
        memory = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        elements = unpack(memory, host, each * memory.size).reshape(*array.shape[:-1], each * array.shape[-1])
        self._back.insert(0, partial(_pack_into, array, elements))
        return elements


def _pack_into(array: HostArray, elements: HostArray) -> None:
    if array.flags.writeable:
        array[...] = pack(elements.reshape(-1))[: array.size].reshape(array.shape)


def _signed(array: HostArray) -> HostArray:
    """Integers have no sign in the program."""
    name = str(array.dtype)
    if not name.startswith("uint"):
        return array
    return array.view(ml_type(name[1:]) if array.dtype.isbuiltin != 1 else np.dtype(name[1:]))
