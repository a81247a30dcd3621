"""C = scale * A * B^T, fp8 operands (OCP's e4m3), f32 accumulators, bf16 results, any M, N, K."""
# lanewise.args M = 70, N = 136, K = 72 : a = integers(-3, 3, M, K), b = integers(-3, 3, N, K), scale = 0.25, c =
#   empty(M, N) ; grid = (ceildiv(N, 128), ceildiv(M, 128), 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def matmul_fp8(
    a: Annotated[lw.Array, lw.f8e4m3fn["M", "K"]],
    b: Annotated[lw.Array, lw.f8e4m3fn["N", "K"]],
    scale: Annotated[lw.Value, lw.f32],
    c: Annotated[lw.Array, lw.bf16["M", "N"]],
    *,
    tm: int = 128,
    tn: int = 128,
    tk: int = 64,
) -> None:
    n, m = lw.block(tn, "x"), lw.block(tm, "y")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(a.shape[1], tk):
        acc += a[m, k] @ b[n, k].T
    c[m, n] = (acc * scale).to(lw.bf16)
