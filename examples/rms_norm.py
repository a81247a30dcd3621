"""Root-mean-square normalisation of every row of an MxN matrix with scale, bf16 in and out, one workgroup a row."""
# lanewise.args M = 32, N = 1000 : x = normal(M, N), scale = normal(N), y = empty(M, N) ; grid = (M, 1, 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw

Matrix = Annotated[lw.Array, lw.bf16["M", "N"]]


@lanewise.kernel(workgroup=128)
def rms_norm(x: Matrix, scale: Annotated[lw.Array, lw.bf16["N"]], y: Matrix, *, tile: int = 1024) -> None:
    row, columns = lw.block_id("x"), lw.number(x.shape[1])
    squares = lw.zeros(tile)
    for j in lw.tiles(columns, tile):
        wide = x[row, j].to(lw.f32)
        squares = lw.fma(wide, wide, squares)
    factor = lw.rsqrt(squares.sum() / columns.to(lw.f32) + 1e-5)
    for j in lw.tiles(columns, tile):
        y[row, j] = (x[row, j].to(lw.f32) * factor * scale[j].to(lw.f32)).to(lw.bf16)
