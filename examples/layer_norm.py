"""Layer normalisation of every row of an MxN matrix with scale and shift, one workgroup a row, any N."""
# lanewise.args M = 32, N = 1000 : x = normal(M, N), scale = normal(N), shift = normal(N), y = empty(M, N) ; grid =
#   (M, 1, 1)

import lanewise
import lanewise.lang as lw

LAYOUT = lanewise.NestedLayout((1,), (1,), (1,), (128,), (4,), (0,), (1,))


@lanewise.kernel(workgroup=128)
def layer_norm(x: lw.Array, scale: lw.Array, shift: lw.Array, y: lw.Array, *, tile: int = 512) -> None:
    row, columns = lw.block_id("x"), lw.number(x.shape[1])
    count = columns.to(lw.f32)
    sums = lw.zeros(tile)
    for j in lw.tiles(columns, tile):
        sums += x[row, j].with_layout(LAYOUT)
    mean = sums.sum() / count
    squares = lw.zeros(tile)
    for j in lw.tiles(columns, tile):
        distance = lw.where(j < columns, x[row, j].with_layout(LAYOUT) - mean, 0.0)
        squares += distance * distance
    deviation = lw.sqrt(squares.sum() / count + 1e-5)
    for j in lw.tiles(columns, tile):
        y[row, j] = (x[row, j].with_layout(LAYOUT) - mean) / deviation * scale[j] + shift[j]
