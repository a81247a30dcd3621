"""The examples as one would write them in Triton, which `make bench-gpu` and
`against_triton.py` compare with. Sizes are those that the first measures:
a row fits into one workgroup's registers, and a buffer has fewer than 2^31 elements."""

from collections.abc import Callable, Mapping
from typing import Any

import triton
import triton.language as tl


@triton.jit
def vector_add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def vector_add(x: Any, y: Any, z: Any) -> None:
    n = z.numel()
    vector_add_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024, num_warps=4)


@triton.jit
def softmax_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    i = tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + row + i, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row + i, powers / tl.sum(powers, axis=0), mask=inside)


def softmax(x: Any, y: Any) -> None:
    m, n = x.shape
    block = triton.next_power_of_2(n)
    softmax_kernel[(m,)](x, y, n, BLOCK=block, num_warps=_warps(block))


@triton.jit
def layer_norm_kernel(x, scale, shift, y, n, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    i = tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + row + i, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / n
    distances = tl.where(inside, values - mean, 0.0)
    factor = tl.rsqrt(tl.sum(distances * distances, axis=0) / n + epsilon)
    weights, offsets = tl.load(scale + i, mask=inside), tl.load(shift + i, mask=inside)
    tl.store(y + row + i, distances * factor * weights + offsets, mask=inside)


def layer_norm(x: Any, scale: Any, shift: Any, y: Any) -> None:
    m, n = x.shape
    block = triton.next_power_of_2(n)
    layer_norm_kernel[(m,)](x, scale, shift, y, n, 1e-5, BLOCK=block, num_warps=_warps(block))


@triton.jit
def rms_norm_kernel(x, scale, y, n, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    i = tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + row + i, mask=inside, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(values * values, axis=0) / n + epsilon)
    weights = tl.load(scale + i, mask=inside).to(tl.float32)
    tl.store(y + row + i, (values * factor * weights).to(tl.bfloat16), mask=inside)


def _warps(block: int) -> int:
    """Of a row that one workgroup holds in registers: 4 for short ones, up to 16."""
    return min(max(block // 512, 4), 16)


@triton.jit
def transpose_kernel(x, y, m, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x + rows[:, None] * n + columns[None, :], mask=(rows < m)[:, None] & (columns < n)[None, :])
    inside = (columns < n)[:, None] & (rows < m)[None, :]
    tl.store(y + columns[:, None] * m + rows[None, :], tl.trans(tile), mask=inside)


def transpose(x: Any, y: Any) -> None:
    m, n = x.shape
    transpose_kernel[(triton.cdiv(m, 64), triton.cdiv(n, 64))](x, y, m, n, BLOCK=64, num_warps=4)


def _tiles(bm: int, bn: int, bk: int, stages: int, warps: int) -> Any:
    return triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}, num_stages=stages, num_warps=warps)


@triton.autotune(
    configs=[
        _tiles(128, 256, 64, 3, 8),
        _tiles(128, 256, 64, 4, 8),
        _tiles(256, 128, 64, 3, 8),
        _tiles(128, 128, 64, 4, 4),
        _tiles(128, 128, 32, 4, 4),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def matmul_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    tile, in_group = tl.program_id(0), GROUP * tiles_n  # GROUP rows of tiles together, for what they share in L2
    first = tile // in_group * GROUP
    height = min(tiles_m - first, GROUP)
    rows = (first + tile % in_group % height) * BM + tl.arange(0, BM)
    columns = tile % in_group // height * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    at_a = a + (rows % m)[:, None] * k + depth[None, :]
    at_b = b + depth[:, None] * n + (columns % n)[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        one = tl.load(at_a, mask=depth[None, :] < k - start, other=0.0)
        other = tl.load(at_b, mask=depth[:, None] < k - start, other=0.0)
        sums = tl.dot(one, other, sums)
        at_a += BK
        at_b += BK * n
    tl.store(c + rows[:, None] * n + columns[None, :], sums, mask=(rows < m)[:, None] & (columns < n)[None, :])


def matmul_f16(a: Any, b: Any, c: Any) -> None:
    m, k = a.shape
    n = b.shape[1]
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](a, b, c, m, n, k)


LAUNCHERS: Mapping[str, Callable[..., None]] = {
    "vector_add": vector_add,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "transpose": transpose,
    "matmul_f16": matmul_f16,
}


@triton.jit
def product_kernel(
    a, b, bias, c, m, n, k, lda, ldb, ldc, batch_a, batch_b, batch_c,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TURN_A: tl.constexpr, TURN_B: tl.constexpr,
    BATCHED: tl.constexpr, EPILOGUE: tl.constexpr, SUM: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Any product of bench/sweep_programs.py."""
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    if BATCHED:
        batch = tl.program_id(2).to(tl.int64)
        a += batch * batch_a
        b += batch * batch_b
        c += batch * batch_c
    in_m, in_n = rows % m, columns % n
    if TURN_A:
        at_a, step_a = a + depth[None, :] * lda + in_m[:, None], BK * lda
    else:
        at_a, step_a = a + in_m[:, None] * lda + depth[None, :], BK
    if TURN_B:
        at_b, step_b = b + in_n[None, :] * ldb + depth[:, None], BK
    else:
        at_b, step_b = b + depth[:, None] * ldb + in_n[None, :], BK * ldb
    sums = tl.zeros((BM, BN), dtype=SUM)
    for start in range(0, k, BK):
        one = tl.load(at_a, mask=depth[None, :] < k - start, other=0.0)
        other = tl.load(at_b, mask=depth[:, None] < k - start, other=0.0)
        sums = tl.dot(one, other, sums, input_precision=PRECISION, out_dtype=SUM)
        at_a += step_a
        at_b += step_b
    if EPILOGUE:
        sums += tl.load(bias + columns, mask=columns < n, other=0.0).to(tl.float32)[None, :]
        sums = 0.5 * sums * (1.0 + tl.math.erf(sums * 0.70710678))
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(c + rows[:, None] * ldc + columns[None, :], sums.to(c.dtype.element_ty), mask=inside)
