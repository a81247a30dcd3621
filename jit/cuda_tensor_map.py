"""Tensor maps as the CUDA driver makes them, and where it wants a kernel's parameters that are such maps."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from ..codegen.emit.tensor_map import MAP_ALIGNMENT, MAP_BYTES
from .device import Tensor, check_tensor

_TYPES: Mapping[str, str] = {
    "f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT32", "f64": "FLOAT64", "i8": "UINT8", "i16": "UINT16",
    "i32": "INT32", "i64": "INT64", "f8E4M3FN": "UINT8", "f8E5M2": "UINT8",
}  # fmt: skip
Place = tuple[int, int, int]
"""Of a parameter: its offset in the arguments as they are packed, its bytes, its offset in the driver's buffer."""


def encoded(api: Any, tensor: Tensor, check: Callable[[tuple[Any, ...]], Any]) -> bytes:
    """The 128 bytes of a map. `api` stands for the module `cuda.bindings.driver`, `check` gives the value in an answer.

    Raises DeviceError for a tensor that has none."""
    check_tensor(tensor)
    swizzle = f"{tensor.swizzle}B" if tensor.swizzle else "NONE"
    promotion = f"L2_{tensor.promotion}B" if tensor.promotion else "NONE"
    made = check(
        api.cuTensorMapEncodeTiled(
            getattr(api.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{_TYPES[tensor.element]}"),
            len(tensor.shape),
            tensor.address,
            [api.cuuint64_t(n) for n in reversed(tensor.shape)],
            [api.cuuint64_t(n) for n in reversed(tensor.strides)],
            [api.cuuint32_t(n) for n in reversed(tensor.box)],
            [api.cuuint32_t(1)] * len(tensor.shape),
            api.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            getattr(api.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{swizzle}"),
            getattr(api.CUtensorMapL2promotion, f"CU_TENSOR_MAP_L2_PROMOTION_{promotion}"),
            api.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    )
    return ctypes.string_at(int(made.getPtr()), MAP_BYTES)


def places(api: Any, function: Any) -> tuple[Place, ...]:
    """Of all parameters of a kernel: a map is aligned in the constant bank, not in the buffer of a launch."""
    found: list[Place] = []
    end = 0
    while True:
        error, *answer = api.cuFuncGetParamInfo(function, len(found))
        if error:
            return tuple(found)
        there, size = (int(n) for n in answer)
        multiple = MAP_ALIGNMENT if size == MAP_BYTES else size
        start = -(-end // multiple) * multiple
        found.append((start, size, there))
        end = start + size


def moved(arguments: bytes, to: tuple[Place, ...]) -> bytes:
    """Packed arguments where the driver wants them."""
    out = bytearray(max((there + size for _, size, there in to), default=0))
    for here, size, there in to:
        out[there : there + size] = arguments[here : here + size]
    return bytes(out)
