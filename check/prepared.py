"""A user's arguments as executors get them: copies, of which the kernel is to write what it is to write.

Copies are apart, so what a launch would refuse for overlapping is refused here, of the arrays themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit.arguments import check_overlaps
from ..jit.arrays import ArrayView, host_view
from ..jit.launchable import Launchable
from ..jit.signature import ArgumentCountError, ArgumentTypeError, BufferParameter, describe, unsigned_of
from ..support.packed_elements import element_bits, unpack
from .executor import copy_of
from .inputs import fill, is_array

Array = NDArray[Any]


def prepared(kernel: Launchable, arguments: Sequence[object]) -> list[object]:
    """Copies, filled where the kernel only writes; one copy for an array that is passed more than once.

    Raises:
        ArgumentError: There are too many or too few, one is no array, or some overlap that may not.
    """
    if len(arguments) != len(kernel.signature):
        raise ArgumentCountError([p.name for p in kernel.signature], len(arguments))
    copies: dict[int, object] = {}
    result: list[object] = []
    buffers: list[tuple[BufferParameter, ArrayView]] = []
    for parameter, argument in zip(kernel.signature, arguments, strict=True):
        if isinstance(parameter, BufferParameter):
            array = _as_array(parameter, argument)
            buffers.append((parameter, host_view(array, None)))
            if id(argument) not in copies:
                copies[id(argument)] = copy_of(array)
            argument = copies[id(argument)]
        result.append(argument)
    check_overlaps(buffers)
    read = {id(a) for p, a in zip(kernel.signature, result, strict=True) if p.read}
    for parameter, argument in zip(kernel.signature, result, strict=True):
        if is_array(argument) and parameter.is_buffer and id(argument) not in read:
            fill(argument)
    return result


def _as_array(parameter: BufferParameter, argument: object) -> Array:
    if isinstance(argument, (int, float, str)) or argument is None:
        raise ArgumentTypeError(parameter.name, f"an array {parameter}", describe(argument))
    array: Array = np.asarray(argument)
    if array.dtype.kind == "O":
        raise ArgumentTypeError(parameter.name, f"an array {parameter}", describe(argument))
    unsigned = unsigned_of(parameter.dtype)
    if unsigned is not None and array.dtype == unsigned:
        return array.view(parameter.dtype)
    each = 8 // min(8, element_bits(parameter.dtype))
    return _unpacked(array, parameter.dtype, each) if each > 1 and array.dtype == np.uint8 and array.ndim else array


def _unpacked(array: Array, dtype: np.dtype[Any], each: int) -> Array:
    """Bytes that hold several elements each as these elements, as a launch takes them: the last extent counts them."""
    memory = np.ascontiguousarray(array).reshape(-1)
    return unpack(memory, dtype, each * memory.size).reshape(*array.shape[:-1], each * array.shape[-1])
