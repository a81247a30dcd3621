"""The softmax of every row of an MxN matrix, one workgroup a row, any N."""
# lanewise.args M = 64, N = 1000 : x = normal(M, N), y = empty(M, N) ; grid = (M, 1, 1)

import math

import lanewise
import lanewise.lang as lw

LAYOUT = lanewise.NestedLayout((1,), (2,), (1,), (128,), (4,), (0,), (1,))


@lanewise.kernel(workgroup=128)
def softmax(x: lw.Array, y: lw.Array, *, tile: int = 1024) -> None:
    row, columns = lw.block_id("x"), x.shape[1]
    maxima = lw.full(tile, -math.inf)
    for j in lw.tiles(columns, tile):
        maxima = lw.maximum(maxima, x.load(row, j, pad=-math.inf).with_layout(LAYOUT))
    top = maxima.max()
    sums = lw.zeros(tile)
    for j in lw.tiles(columns, tile):
        sums += lw.exp(x.load(row, j, pad=-math.inf).with_layout(LAYOUT) - top)
    total = sums.sum()
    for j in lw.tiles(columns, tile):
        y[row, j] = lw.exp(x.load(row, j, pad=-math.inf).with_layout(LAYOUT) - top) / total
