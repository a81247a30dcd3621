"""Y = gelu(X W^T + bias), bf16, f32 accumulators, any M, N, K: a linear layer with its activation."""
# lanewise.args M = 70, N = 136, K = 72 : x = normal(M, K), w = normal(N, K), bias = normal(N), y = empty(M, N) ; grid
#   = (ceildiv(N, 128), ceildiv(M, 128), 1)

from typing import Annotated

import lanewise
import lanewise.lang as lw


def gelu(v: lw.Value) -> lw.Value:
    """The form with tanh: v / (1 + exp(-2 c)) with c = sqrt(2 / pi) (v + 0.044715 v^3)."""
    return v / (lw.exp(lw.fma(v * v, -0.07135482, -1.59576912) * v) + 1.0)


@lanewise.kernel(workgroup=256)
def linear_gelu(
    x: Annotated[lw.Array, lw.bf16["M", "K"]],
    w: Annotated[lw.Array, lw.bf16["N", "K"]],
    bias: Annotated[lw.Array, lw.bf16["N"]],
    y: Annotated[lw.Array, lw.bf16["M", "N"]],
    *,
    tm: int = 128,
    tn: int = 128,
    tk: int = 32,
) -> None:
    n, m = lw.block(tn, "x"), lw.block(tm, "y")
    biases = bias[n].to(lw.f32)
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(x.shape[1], tk):
        acc += x[m, k] @ w[n, k].T
    y[m, n] = gelu(acc + biases).to(lw.bf16)
