"""C = A B^T, bytes with 32-bit accumulators, any M, N, K."""
# lanewise.args M = 70, N = 136, K = 72 : a = integers(-128, 127, M, K), b = integers(-128, 127, N, K), c = empty(M,
#   N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def matmul_i8(
    a: Annotated[lw.Array, lw.i8["M", "K"]],
    b: Annotated[lw.Array, lw.i8["N", "K"]],
    c: Annotated[lw.Array, lw.i32["M", "N"]],
    *,
    tm: int = 128,
    tn: int = 128,
    tk: int = 64,
) -> None:
    n, m = lw.block(tn, "x"), lw.block(tm, "y")
    acc = lw.zeros((tm, tn), lw.i32)
    for k in lw.tiles(a.shape[1], tk):
        acc += a[m, k] @ b[n, k].T
    c[m, n] = acc
