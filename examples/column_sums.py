"""The sum of every column of an MxN matrix, and of all its elements."""
# lanewise.args M = 100, N = 300 : x = normal(M, N), columns = empty(N), total = zeros(1) ; grid = (ceildiv(N, 128),
#   1, 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


@lanewise.kernel(workgroup=256)
def column_sums(
    x: lw.Array, columns: lw.Array, total: Annotated[lw.Array, lw.f32[1]], *, tm: int = 32, tn: int = 128
) -> None:
    n = lw.block(tn)
    sums = lw.zeros((tm, tn))
    for m in lw.tiles(x.shape[0], tm):
        sums += x[m, n]
    own = sums.sum(axis=0)
    columns[n] = own
    total.at[0].add(own.sum())
