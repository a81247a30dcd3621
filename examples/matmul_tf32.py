"""C = A * B^T, f32 in and out, multiplied as tf32 where the chip does that, any M, N, K."""
# lanewise.args M = 70, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), c = empty(M, N) ; grid
#   = (ceildiv(N, 128), ceildiv(M, 128), 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def matmul_tf32(
    a: Annotated[lw.Array, lw.f32["M", "K"]],
    b: Annotated[lw.Array, lw.f32["N", "K"]],
    c: Annotated[lw.Array, lw.f32["M", "N"]],
    *,
    tm: int = 128,
    tn: int = 128,
    tk: int = 32,
) -> None:
    n, m = lw.block(tn, "x"), lw.block(tm, "y")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(a.shape[1], tk):
        acc = lw.dot(a[m, k], b[n, k].T, acc, tf32=True)
    c[m, n] = acc
