"""Memory for the packed arguments of launches, as the launch calls of CUDA and HIP take them.

The driver copies the arguments before the launch call returns, so one buffer serves every launch of a thread.
"""

from __future__ import annotations

import ctypes
import threading

from .device import LaunchError

_PARAMETER_ALIGNMENT = 64  # the most that a parameter asks for, a tensor map
_MAX_PARAMETER_BYTES = 32764  # CUDA 12.1 and later on sm_70 and later; drivers themselves refuse more than they take


def aligned_buffer(nbytes: int, alignment: int) -> ctypes.Array[ctypes.c_char]:
    """Host memory for what a driver wants aligned better than Python's allocations are."""
    memory = ctypes.create_string_buffer(nbytes + alignment)
    return (ctypes.c_char * nbytes).from_buffer(memory, -ctypes.addressof(memory) % alignment)


class Packed:
    """A buffer of some size, and the arrays of the launch call that point to it: `extra`, to the whole, or one pointer
    to each parameter, whose size the driver knows.

    Attributes:
        parts: The memory; for the launch call the address of the array of pointers, and that of `extra`; one of the
            two is 0.

    Raises LaunchError for more bytes than any kernel takes.
    """

    __slots__ = ("_arrays", "parts")

    def __init__(self, size: int, offsets: tuple[int, ...], end: int) -> None:
        if size > _MAX_PARAMETER_BYTES:
            raise LaunchError(f"a kernel takes at most {_MAX_PARAMETER_BYTES} bytes of arguments, found {size}")
        memory = aligned_buffer(max(size, 1), _PARAMETER_ALIGNMENT)
        start, length = ctypes.addressof(memory), ctypes.c_size_t(size)
        buffer_pointer, buffer_size = 1, 2  # *_LAUNCH_PARAM_*, part of both drivers' binary interfaces; `end` differs
        addresses = (buffer_pointer, start, buffer_size, ctypes.addressof(length), end)
        extra = (ctypes.c_void_p * len(addresses))(*addresses)
        pointers = (ctypes.c_void_p * len(offsets))(*[start + offset for offset in offsets])
        self._arrays = length, extra, pointers  # kept for as long as somebody has their addresses
        one_by_one, at_once = (ctypes.addressof(pointers), 0) if offsets else (0, ctypes.addressof(extra))
        self.parts: tuple[memoryview, int, int] = (memoryview(memory).cast("B"), one_by_one, at_once)


class PackedByThread(threading.local):
    """One `Packed` a thread, of the same size for all."""

    def __init__(self, size: int, offsets: tuple[int, ...], end: int) -> None:
        self._packed = Packed(size, offsets, end)
        self.parts = self._packed.parts
