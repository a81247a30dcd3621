"""z = x + y over N elements."""
# lanewise.args N = 1000 : x = normal(N), y = normal(N), z = empty(N) ; grid = (ceildiv(N, 1024), 1, 1)

import lanewise
import lanewise.lang as lw

LAYOUT = lanewise.NestedLayout((1,), (1,), (1,), (256,), (4,), (0,), (1,))


@lanewise.kernel(workgroup=256)
def vector_add(x: lw.Array, y: lw.Array, z: lw.Array, *, tile: int = 1024) -> None:
    i = lw.block(tile)
    z[i] = x[i].with_layout(LAYOUT) + y[i]
