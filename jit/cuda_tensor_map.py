"""Tensor maps as the CUDA driver makes them.

The driver's own function is called, by its address: cuda-python's wrapper lets it write into an object that Python has
allocated, which is not aligned as a CUtensorMap is.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..codegen.emit.tensor_map import MAP_BYTES
from .device import Tensor, check_tensor
from .parameter_buffer import aligned_buffer

_TYPES: Mapping[str, str] = {
    "f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT32", "f64": "FLOAT64", "i8": "UINT8", "i16": "UINT16",
    "i32": "INT32", "i64": "INT64", "f8E4M3FN": "UINT8", "f8E5M2": "UINT8",
}  # fmt: skip
_FIRST_VERSION = 12000  # of CUDA, that has the function
_HOST_ALIGNMENT = 128  # the driver asks for 64

_Prototype = ctypes.CFUNCTYPE(
    ctypes.c_int,
    *(ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p),  # map, type, rank, address
    *(ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint64)),  # extents, strides
    *(ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_uint32)),  # box, strides within it
    *(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int),  # interleave, swizzle, promotion, fill
)
"""cuTensorMapEncodeTiled (CUDA driver API)."""


class MapEncoder:
    """`api` stands for the module `cuda.bindings.driver`, `check` gives the value in a driver's answer."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self._function: Callable[..., int] | None = None

    def encoded(self, tensor: Tensor, check: Callable[[tuple[Any, ...]], Any]) -> bytes:
        """The 128 bytes of a map. Raises DeviceError for a tensor that has none."""
        check_tensor(tensor)
        api, map = self._api, aligned_buffer(MAP_BYTES, _HOST_ALIGNMENT)
        swizzle = f"{tensor.swizzle}B" if tensor.swizzle else "NONE"
        promotion = f"L2_{tensor.promotion}B" if tensor.promotion else "NONE"
        code = self._entry(check)(
            ctypes.addressof(map),
            int(getattr(api.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{_TYPES[tensor.element]}")),
            len(tensor.shape),
            tensor.address,
            _innermost_first(ctypes.c_uint64, tensor.shape),
            _innermost_first(ctypes.c_uint64, tensor.strides),
            _innermost_first(ctypes.c_uint32, tensor.box),
            _innermost_first(ctypes.c_uint32, [1] * len(tensor.shape)),
            int(api.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE),
            int(getattr(api.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{swizzle}")),
            int(getattr(api.CUtensorMapL2promotion, f"CU_TENSOR_MAP_L2_PROMOTION_{promotion}")),
            int(api.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        )
        check((api.CUresult(code),))
        return bytes(map)

    def _entry(self, check: Callable[[tuple[Any, ...]], Any]) -> Callable[..., int]:
        if self._function is None:
            address = check(self._api.cuGetProcAddress(b"cuTensorMapEncodeTiled", _FIRST_VERSION, 0))
            self._function = _Prototype(int(address))
        return self._function


def _innermost_first(kind: type[ctypes.c_uint64] | type[ctypes.c_uint32], numbers: Sequence[int]) -> object:
    return (kind * len(numbers))(*reversed(numbers))
