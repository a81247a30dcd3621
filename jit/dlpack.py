"""Reading DLPack capsules: where a foreign array lives, its type and shape, without copying or consuming it.

The layout of the structures and the codes are those of dlpack.h, versions 0.8 to 1.1. A capsule that nobody consumes
gives its tensor back when it goes; whoever uses the address keeps the capsule.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from ..support.late import LateTable
from ..support.named_tuples import NamedTuple

HOST, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
HOST_KINDS = frozenset({HOST, CUDA_HOST, ROCM_HOST})
DEVICE_NAMES: Mapping[int, str] = MappingProxyType(
    {
        HOST: "cpu",
        CUDA: "cuda",
        CUDA_HOST: "cuda_host",
        ROCM: "rocm",
        ROCM_HOST: "rocm_host",
        CUDA_MANAGED: "cuda_managed",
    }
)

_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6


def _dtypes() -> Mapping[tuple[int, int], np.dtype[Any]]:
    import ml_dtypes  # loading it takes longer than everything else here

    return {
        **{(_INT, bits): np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
        **{(_UINT, bits): np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)},
        **{(_FLOAT, bits): np.dtype(f"f{bits // 8}") for bits in (16, 32, 64)},
        (_BFLOAT, 16): np.dtype(ml_dtypes.bfloat16),
        (_BOOL, 8): np.dtype(np.bool_),
        (7, 8): np.dtype(ml_dtypes.float8_e3m4),
        (8, 8): np.dtype(ml_dtypes.float8_e4m3),
        (9, 8): np.dtype(ml_dtypes.float8_e4m3b11fnuz),
        (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
        (11, 8): np.dtype(ml_dtypes.float8_e4m3fnuz),
        (12, 8): np.dtype(ml_dtypes.float8_e5m2),
        (13, 8): np.dtype(ml_dtypes.float8_e5m2fnuz),
        (14, 8): np.dtype(ml_dtypes.float8_e8m0fnu),
        (17, 4): np.dtype(ml_dtypes.float4_e2m1fn),
        **{(_INT, bits): np.dtype(getattr(ml_dtypes, f"int{bits}")) for bits in (2, 4)},
        **{(_UINT, bits): np.dtype(getattr(ml_dtypes, f"uint{bits}")) for bits in (2, 4)},
    }


_DTYPES: Mapping[tuple[int, int], np.dtype[Any]] = LateTable(_dtypes)

# struct DLTensor: data, device type and id, ndim, type code, bits and lanes, shape, strides, byte_offset
_TENSOR = struct.Struct("@QiiiBBHQQQ")
# struct DLManagedTensorVersioned before its tensor: major, minor, manager_ctx, deleter, flags
_VERSIONED = struct.Struct("@IIQQQ")
_READ_ONLY, _PADDED = 1 << 0, 1 << 2
"""Flags; elements of less than a byte are packed, the first in the lowest bits, unless they are padded."""

_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


_IMMUTABLE = frozenset({"jax", "jaxlib"})
"""Libraries whose arrays do not change, and which say so in no capsule of a version before 1."""


class Exporter(Protocol):
    """What the array API standard asks of an array that others can read."""

    def __dlpack__(self, **keywords: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


class Tensor(NamedTuple):
    """One exported array. Strides count elements, None means row-major; ``capsule`` keeps the memory alive."""

    address: int
    device: tuple[int, int]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    read_only: bool
    capsule: object


def device_name(device: tuple[int, int]) -> str:
    """``cuda:0`` for (2, 0)."""
    kind, ordinal = device
    return f"{DEVICE_NAMES.get(kind, f'DLPack device type {kind}')}:{ordinal}"


def export(array: Exporter, stream: int | None) -> Tensor:
    """Exports an array; ``stream`` is the consumer's, as DLPack counts them, and None for memory on the host.

    Raises BufferError (from the exporter, or here) when the array cannot be expressed.
    """
    keywords = {} if stream is None else {"stream": stream}
    try:
        capsule = array.__dlpack__(**keywords, max_version=(1, 0))
    except TypeError:  # an exporter from before version 1
        capsule = array.__dlpack__(**keywords)
    tensor = _read(capsule)
    return tensor._replace(read_only=True) if type(array).__module__.partition(".")[0] in _IMMUTABLE else tensor


def _read(capsule: object) -> Tensor:
    if _is_valid(capsule, b"dltensor_versioned"):
        start = _get_pointer(capsule, b"dltensor_versioned")
        major, _, _, _, flags = _VERSIONED.unpack(ctypes.string_at(start, _VERSIONED.size))
        if major != 1:
            raise BufferError(f"DLPack version 1 expected, found version {major}")
        tensor = _read_tensor(start + _VERSIONED.size, bool(flags & _READ_ONLY), capsule)
        if flags & _PADDED:
            raise BufferError(f"elements {tensor.dtype} in bytes of their own: a kernel takes them packed")
        return tensor
    if not _is_valid(capsule, b"dltensor"):
        raise BufferError("__dlpack__ answered no DLPack capsule")
    return _read_tensor(_get_pointer(capsule, b"dltensor"), False, capsule)


def _read_tensor(start: int, read_only: bool, capsule: object) -> Tensor:
    data, kind, ordinal, rank, code, bits, lanes, shape, strides, offset = _TENSOR.unpack(
        ctypes.string_at(start, _TENSOR.size)
    )
    dtype = _DTYPES.get((code, bits)) if lanes == 1 else None
    if dtype is None:
        raise BufferError(f"no element type for DLPack's type code {code} with {bits} bits and {lanes} lanes")
    return Tensor(
        address=data + offset,
        device=(kind, ordinal),
        dtype=dtype,
        shape=_read_integers(shape, rank),
        strides=_read_integers(strides, rank) if strides else None,
        read_only=read_only,
        capsule=capsule,
    )


def _read_integers(start: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"@{count}q", ctypes.string_at(start, 8 * count)) if count else ()
