"""C = A * B as in matmul_f16.py, with its own shared memory, whose rows are padded."""
# lanewise.args M = 200, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ;
#   grid = (ceildiv(N, 128), ceildiv(M, 128), 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def matmul_f16_shared(
    a: Annotated[lw.Array, lw.f16["M", "K"]],
    b: Annotated[lw.Array, lw.f16["K", "N"]],
    c: Annotated[lw.Array, lw.f32["M", "N"]],
    *,
    tm: int = 128,
    tn: int = 128,
    tk: int = 32,
) -> None:
    n, m = lw.block(tn, "x"), lw.block(tm, "y")
    tile_a, tile_b = lw.shared((tm, tk + 8), lw.f16), lw.shared((tk, tn + 8), lw.f16)
    first = lw.span(0, tk)
    acc, held_a, held_b = lw.zeros((tm, tn)), a[m, first], b[first, n]
    for k in lw.tiles(a.shape[1], tk):
        lw.barrier()
        tile_a[:, :tk] = held_a
        tile_b[:, :tn] = held_b
        lw.barrier()
        held_a, held_b = a[m, k + tk], b[k + tk, n]
        acc += tile_a[:, :tk] @ tile_b[:, :tn]
    c[m, n] = acc
