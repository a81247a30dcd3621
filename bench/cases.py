"""Sizes at which the examples are proved right: odd ones, smaller than a subgroup, and several workgroups."""

from __future__ import annotations

from collections.abc import Mapping

Sizes = Mapping[str, int]

CASES: Mapping[str, tuple[Sizes, ...]] = {
    "vector_add": ({"N": 1}, {"N": 31}, {"N": 1024}, {"N": 5003}),
    "reduce_8x64": ({},),
    "softmax": ({"M": 1, "N": 1}, {"M": 3, "N": 77}, {"M": 7, "N": 1024}, {"M": 2, "N": 2500}),
    "layer_norm": ({"M": 1, "N": 5}, {"M": 3, "N": 77}, {"M": 7, "N": 1024}, {"M": 2, "N": 2500}),
    "transpose": ({"M": 1, "N": 1}, {"M": 31, "N": 3}, {"M": 64, "N": 64}, {"M": 130, "N": 77}),
    "matmul_f16": (
        {"M": 1, "N": 1, "K": 1},
        {"M": 31, "N": 17, "K": 5},
        {"M": 128, "N": 128, "K": 64},
        {"M": 200, "N": 136, "K": 72},
        {"M": 129, "N": 257, "K": 33},
    ),
}
"""By example; `{}` is what the file itself says."""

LARGE: Mapping[str, Sizes] = {
    "vector_add": {"N": 10_000_019},
    "softmax": {"M": 4096, "N": 1000},
    "layer_norm": {"M": 4096, "N": 1024},
    "transpose": {"M": 4001, "N": 2003},
    "matmul_f16": {"M": 1024, "N": 1024, "K": 1024},
}
"""Sizes for hardware only, where the reference still takes seconds."""

DATA = ("written", "exact", "special")
