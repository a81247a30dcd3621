"""C += A^T B for every matrix of a batch, f16 operands, f32 accumulators; the depth K is split along z of the grid."""
# lanewise.args B = 2, M = 70, N = 40, K = 100, S = 2 : a = integers(-3, 3, B, K, M), b = integers(-3, 3, B, K, N), c
#   = zeros(B * M * N) ; grid = (ceildiv(N, 64), ceildiv(M, 64) * B, S)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=128, split_k="z")
def matmul_tn_split_k(
    a: Annotated[lw.Array, lw.f16["B", "K", "M"]],
    b: Annotated[lw.Array, lw.f16["B", "K", "N"]],
    c: Annotated[lw.Array, lw.f32["elements"]],
    *,
    tm: int = 64,
    tn: int = 64,
    tk: int = 32,
) -> None:
    height, width = lw.number(a.shape[2]), lw.number(b.shape[2])
    x, y, tiles = lw.block_id("x"), lw.block_id("y"), lw.cdiv(height, tm)
    batch, tile = y // tiles, y % tiles
    n, m = lw.span(x * tn, tn), lw.span(tile * tm, tm)
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(a.shape[1], tk):
        acc += a[batch, k, m].T @ b[batch, k, n]
    places = (lw.arange(tm) * width)[:, None] + lw.arange(tn)
    first = (batch * height + m.start) * width + n.start
    inside = lw.create_mask((tm, tn), height - m.start, width - n.start)
    c.at[first + places].add(acc, mask=inside, inside=True)
