"""Attention, forward, 64 numbers a head, any number of queries and keys; query r sees the keys before r + reach."""
# lanewise.args H = 2, G = 1, M = 130, N = 130, reach = 1 :
#   q = normal(H, M, 64), k = normal(G, N, 64), v = normal(G, N, 64), o = empty(H, M, 64), reach ;
#   grid = (ceildiv(M, 128), H, 1)

import math
from typing import Annotated

import lanewise
import lanewise.lang as lw

Heads = Annotated[lw.Array, lw.f16[None, None, 64]]
State = tuple[lw.Value, lw.Value, lw.Value]
SCALE = 0.18033688  # log2(e) / 8


def step(s: lw.Value, v: lw.Value, o: lw.Value, top: lw.Value, total: lw.Value) -> State:
    """S's exponentials times V join the accumulators, which are scaled to the new maxima first."""
    higher = s.max(axis=1, init=top)
    minus = -(higher * SCALE)
    p = lw.exp2(lw.fma(s, SCALE, minus[:, None]))
    factor = lw.exp2(lw.fma(top, SCALE, minus))
    sums = p.sum(axis=1, init=total * factor)
    return o * factor[:, None] + p.to(lw.f16) @ v, higher, sums


@lanewise.kernel(workgroup=256)
def attention(q: Heads, k: Heads, v: Heads, o: Heads, reach: int, *, tm: int = 128, tn: int = 64) -> None:
    m, head = lw.block(tm, "x"), lw.block_id("y")
    group = head // (q.shape[0] // k.shape[0])
    keys = k.shape[1]
    seen = m.start + reach  # by the first query, and by the last
    last = seen + (tm - 1)
    by_all, end = lw.minimum(seen, keys), lw.minimum(last, keys)
    whole = by_all // tn * tn
    queries = q[head, m, :]
    out, top, total = lw.zeros((tm, 64)), lw.full(tm, -math.inf), lw.zeros(tm)
    for n in lw.tiles(0, whole, tn, inside=True):
        out, top, total = step(queries @ k[group, n, :].T, v[group, n, :], out, top, total)
    bound = lw.minimum(lw.arange(tm) + by_all, keys)
    for n in lw.tiles(whole, end, tn):
        tile_k, tile_v = k[group, n, :], v[group, n, :]
        s = lw.where(n < bound[:, None], queries @ tile_k.T, -math.inf)
        out, top, total = step(s, tile_v, out, top, total)
    o[head, m, :] = (out / total[:, None]).to(lw.f16)
