"""What tests of products of a sparse A share: their programs, which elements are held, and the dense matrix."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]
TYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "f32": np.float32, "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "tf32": np.float32, "i4": ml_dtypes.int4,
}  # fmt: skip


def program(text: Any, lanes: int, buffers: dict[str, str], multiply: str, result: str) -> str:
    """Loads a row of each buffer (`rows x columns x element`), multiplies, and stores the result."""
    arguments = [f"%m{name}: memref<{lanes}x{shape}>" for name, shape in buffers.items()]
    lines = ["  %t = gpu.thread_id x", "  %c0 = arith.constant 0 : index"]
    for name, shape in buffers.items():
        part = "" if shape == "1xi32" else f", vector<{shape}>"
        load = "vector.load" if part else "memref.load"
        lines.append(f"  %{name} = {load} %m{name}[%t, %c0] : memref<{lanes}x{shape}>{part}")
    lines += [multiply, f"  vector.store %d, %out[%t, %c0] : memref<{lanes}x{result}>, vector<{result}>"]
    whole = str(text(", ".join([*arguments, f"%out: memref<{lanes}x{result}>"]), "\n".join(lines), (lanes, 1, 1)))
    return whole.replace("attributes {gpu", f"attributes {{lanewise.subgroup_size = {lanes} : i64, gpu")


def chosen(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """For every four, the places of the two elements that are held, in their order."""
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    return pairs[rng.integers(0, 6, shape)]


def whole(held: Array, places: Array) -> Array:
    """[row, four, 2] to [row, 4 * four]."""
    out = np.zeros((*held.shape[:2], 4))
    for row, four, which in np.ndindex(*held.shape):
        out[row, four, places[row, four, which]] = held[row, four, which]
    return out.reshape(len(held), -1)
