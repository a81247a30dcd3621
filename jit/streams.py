"""Which stream a launch goes into that names none: the one in which the library works whose arrays it gets.

No library is imported: whoever has an array of one has imported it. Libraries whose arrays speak DLPack alone (JAX)
have no streams of their users'; they are told ours when they hand over an array, and see to the order themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from .arrays import LEGACY_DEFAULT_STREAM, DeviceArray
from .device import StreamError

_WITHOUT = frozenset({DeviceArray, np.ndarray, int, float, bool})


Current: TypeAlias = Callable[[int], int]
"""The handle of a library's current stream on the device with a number; 0 is the default stream."""


def _torch_current() -> Current | None:
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return None
    # What torch's own generated code calls; the public way makes an object of the stream, which takes twenty times as
    # long.
    raw: Current | None = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    return raw or (lambda ordinal: int(torch.cuda.current_stream(ordinal).cuda_stream))


def _cupy_current() -> Current | None:
    cupy: Any = sys.modules.get("cupy")
    return None if cupy is None else (lambda ordinal: int(cupy.cuda.get_current_stream(ordinal).ptr))


CURRENT: Mapping[str, Callable[[], Current | None]] = MappingProxyType({"torch": _torch_current, "cupy": _cupy_current})
"""How the current stream of a library is asked for; None where nobody has imported it."""


def current_stream(arguments: Sequence[object]) -> int | None:
    """The handle, None for the default stream. Raises StreamError where libraries work in different ones."""
    found: dict[int, str] = {}
    for argument in arguments:
        named = None if type(argument) in _WITHOUT else _current(argument)
        if named is not None:
            handle, library = named
            found.setdefault(0 if handle == LEGACY_DEFAULT_STREAM else handle, library)
    if len(found) > 1:
        words = " and ".join(f"{handle:#x} of {library}" for handle, library in found.items())
        raise StreamError(f"the arrays are used in streams {words}: say which one the launch is for, stream=")
    return next(iter(found), 0) or None


def _current(argument: Any) -> tuple[int, str] | None:
    """The current stream of the library of an array, and its name; the order is that of `arrays.view_of`."""
    if getattr(argument, "is_cuda", False) and hasattr(argument, "data_ptr"):
        current = _torch_current()
        return None if current is None else (current(argument.device.index), "torch")
    if type(argument).__module__.partition(".")[0] == "cupy":
        current = _cupy_current()
        return None if current is None else (current(argument.device.id), "cupy")
    if hasattr(argument, "__dlpack__") and hasattr(argument, "__dlpack_device__"):
        return None
    interface = getattr(argument, "__cuda_array_interface__", None)
    handle = None if interface is None else interface.get("stream")
    return None if handle is None else (int(handle), type(argument).__name__)
