"""y = transpose(x), 64x64 tiles, any size, through shared memory without bank conflicts."""
# lanewise.args M = 200, N = 130 : x = normal(M, N), y = empty(N, M) ; grid = (ceildiv(N, 64), ceildiv(M, 64), 1)

import lanewise
import lanewise.lang as lw

ROWS = lanewise.NestedLayout((1, 1), (2, 2), (1, 1), (32, 8), (1, 4), (0, 0), (8, 1))


@lanewise.kernel(workgroup=256)
def transpose(x: lw.Array, y: lw.Array) -> None:
    n, m = lw.block(64, "x"), lw.block(64, "y")
    y[n, m] = x[m, n].with_layout(ROWS).T.with_layout(ROWS, shared=True)
