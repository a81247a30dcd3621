"""C = A * B, f16 operands, f32 accumulators and result, any M, N, K."""
# lanewise.args M = 200, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, K, N), c = empty(M, N) ;
#   grid = (ceildiv(N, 128), ceildiv(M, 128), 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def matmul_f16(
    a: Annotated[lw.Array, lw.f16["M", "K"]],
    b: Annotated[lw.Array, lw.f16["K", "N"]],
    c: Annotated[lw.Array, lw.f32["M", "N"]],
    *,
    tm: int = 128,
    tn: int = 128,
    tk: int = 32,
) -> None:
    n, m = lw.block(tn, "x"), lw.block(tm, "y")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(a.shape[1], tk):
        acc += a[m, k] @ b[k, n]
    c[m, n] = acc
