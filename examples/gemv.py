"""y = A x, f16 matrix and vector, f32 accumulators and result, any M and N: 16 rows a workgroup, 512 columns a step."""
# lanewise.args M = 50, N = 1000 : a = normal(M, N), x = normal(N), y = empty(M) ; grid = (ceildiv(M, 16), 1, 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def gemv(
    a: Annotated[lw.Array, lw.f16["M", "N"]],
    x: Annotated[lw.Array, lw.f16["N"]],
    y: Annotated[lw.Array, lw.f32["M"]],
    *,
    tm: int = 16,
    tn: int = 512,
) -> None:
    m = lw.block(tm)
    sums = lw.zeros((tm, tn))
    for n in lw.tiles(a.shape[1], tn):
        sums = lw.fma(a[m, n].to(lw.f32), x[n].to(lw.f32), sums)
    y[m] = sums.sum(axis=1)
