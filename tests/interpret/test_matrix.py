"""mma.sync and ldmatrix, from matrices in memory placed by the vendor's formulas."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ..targets.nvidia_formulas import MMA, Formula
from .conftest import SHARED, Run

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
CASES = [
    # (m, n, k), operands, accumulator, per-lane vectors of A, B and C
    ((16, 8, 16), "f16", "f32", "4x2", "2x2", "2x2"),
    ((16, 8, 16), "bf16", "f32", "4x2", "2x2", "2x2"),
    ((16, 8, 16), "f16", "f16", "4x2", "2x2", "2x2"),
    ((16, 8, 8), "f16", "f32", "2x2", "1x2", "2x2"),
    ((16, 8, 4), "f32", "f32", "2x1", "1x1", "2x2"),
    ((16, 8, 8), "f32", "f32", "4x1", "2x1", "2x2"),
    ((16, 8, 16), "i8", "i32", "2x4", "1x4", "2x2"),
    ((16, 8, 32), "i8", "i32", "4x4", "2x4", "2x2"),
    ((16, 8, 32), "f8E4M3FN", "f32", "4x4", "2x4", "2x2"),
    ((8, 8, 4), "f64", "f64", "1x1", "1x1", "1x2"),
    ((16, 8, 8), "f64", "f64", "4x1", "2x1", "2x2"),
]


def lanes(matrix: np.ndarray, formula: Formula) -> np.ndarray:
    """[lane, element] of a matrix."""
    return matrix[formula(np.arange(32)[:, None], np.arange(matrix.size // 32)[None, :])]


@pytest.mark.parametrize(("shape", "element", "acc", "a", "b", "c"), CASES)
def test_mma_sync_multiplies(
    run: Run, shape: tuple[int, int, int], element: str, acc: str, a: str, b: str, c: str
) -> None:
    m, n, k = shape
    draw = np.random.default_rng(k)
    x, y, z = (draw.integers(-3, 4, s) for s in ((m, k), (k, n), (m, n)))
    bits = 32 if element == "f32" else np.dtype(DTYPES[element]).itemsize * 8
    of_a, of_b, of_c = MMA[f"m{m}n{n}k{k}", bits]
    registers = [
        lanes(x, of_a).astype(DTYPES[element]),
        lanes(y, of_b).astype(DTYPES[element]),
        lanes(z, of_c).astype(DTYPES[acc]),
    ]
    types = [f"vector<{a}x{element}>", f"vector<{b}x{element}>", f"vector<{c}x{acc}>"]
    loads = ""
    for name, type, flat in zip("abc", types, (v.shape[1] for v in registers), strict=True):
        e = acc if name == "c" else element
        loads += f"""
  %{name}_flat = vector.load %{name}[%l, %c0] : memref<32x{flat}x{e}>, vector<{flat}x{e}>
  %{name}_pack = vector.shape_cast %{name}_flat : vector<{flat}x{e}> to {type}"""
    signature = f"({', '.join(types)}) -> {types[2]}"
    tf32 = ", tf32Enabled" if element == "f32" else ""
    count = registers[2].shape[1]
    body = f"""
  %l = gpu.lane_id
  %w = gpu.subgroup_id : index{loads}
  %d = nvgpu.mma.sync(%a_pack, %b_pack, %c_pack) {{mmaShape = [{m}, {n}, {k}]{tf32}}} : {signature}
  %flat = vector.shape_cast %d : {types[2]} to vector<{count}x{acc}>
  vector.store %flat, %out[%w, %l, %c0] : memref<2x32x{count}x{acc}>, vector<{count}x{acc}>
"""
    arguments = [
        f"%{v}: memref<32x{r.shape[1]}x{acc if v == 'c' else element}>" for v, r in zip("abc", registers, strict=True)
    ]
    out = np.zeros((2, 32, count), DTYPES[acc])
    run(body, ", ".join([*arguments, f"%out: memref<2x32x{count}x{acc}>"]), *registers, out)
    expected = lanes(x @ y + z, of_c)
    np.testing.assert_array_equal(out.astype(np.int64), [expected, expected])


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("tiles", [1, 2, 4])
def test_ldmatrix(run: Run, tiles: int, transpose: bool) -> None:
    """Every lane of 8j + r points at row r of matrix j; lanes without a row to name point anywhere."""
    attributes = f"transpose = {str(transpose).lower()}, numTiles = {tiles} : i32"
    body = f"""
  %shared = memref.alloc() {{alignment = 16}} : memref<32x24xf16, {SHARED}>
  %active = arith.cmpi ult, %t, %c32 : index
  scf.if %active {{
    %row = vector.load %a[%t, %c0] : memref<32x24xf16>, vector<24xf16>
    vector.store %row, %shared[%t, %c0] : memref<32x24xf16, {SHARED}>, vector<24xf16>
  }}
  gpu.barrier
  %l = gpu.lane_id
  %w = gpu.subgroup_id : index
  %rows = arith.constant {8 * tiles} : index
  %names = arith.cmpi ult, %l, %rows : index
  %outside = arith.constant 1000 : index
  %row_ = arith.select %names, %l, %outside : index
  %column = arith.muli %w, %c8 : index
  %x = nvgpu.ldmatrix %shared[%row_, %column] {{{attributes}}}
      : memref<32x24xf16, {SHARED}> -> vector<{tiles}x2xf16>
  %flat = vector.shape_cast %x : vector<{tiles}x2xf16> to vector<{2 * tiles}xf16>
  vector.store %flat, %out[%w, %l, %c0] : memref<2x32x{2 * tiles}xf16>, vector<{2 * tiles}xf16>
"""
    a = np.arange(32 * 24, dtype=np.float16).reshape(32, 24)
    out = np.zeros((2, 32, 2 * tiles), np.float16)
    constants = "  %c32 = arith.constant 32 : index"
    run(constants + body, f"%a: memref<32x24xf16>, %out: memref<2x32x{2 * tiles}xf16>", a, out)
    for w, lane, j, e in np.ndindex(2, 32, tiles, 2):
        matrix = a[8 * j : 8 * j + 8, 8 * w : 8 * w + 8]
        row, column = lane // 4, 2 * (lane % 4) + e
        assert out[w, lane, 2 * j + e] == (matrix[column, row] if transpose else matrix[row, column])
