"""The sum of every row of an 8x64 matrix, one workgroup of 64 threads."""
# lanewise.args : input = normal(8, 64), output = empty(8) ; grid = (1, 1, 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw

LAYOUT = lanewise.NestedLayout((1,), (1,), (1,), (64,), (1,), (0,), (1,))


@lanewise.kernel(workgroup=64)
def reduce_8x64(input: Annotated[lw.Array, lw.f32[8, 64]], output: Annotated[lw.Array, lw.f32[8]]) -> None:
    for row in lw.range(8):
        output[row] = input[row, :].with_layout(LAYOUT).sum()
