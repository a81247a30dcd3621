"""Sizes at which the examples are proved right (odd ones, smaller than a subgroup, several workgroups) and measured."""

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
    "attention": (
        {"H": 1, "G": 1, "M": 5, "N": 9, "reach": 9},
        {"H": 2, "G": 1, "M": 130, "N": 70, "reach": 1},
        {"H": 1, "G": 1, "M": 64, "N": 192, "reach": 129},
    ),
    "rms_norm": ({"M": 1, "N": 1}, {"M": 3, "N": 77}, {"M": 2, "N": 2048}),
    "column_sums": ({"M": 1, "N": 1}, {"M": 5, "N": 33}, {"M": 64, "N": 256}),
    "gemv": ({"M": 1, "N": 1}, {"M": 17, "N": 77}, {"M": 16, "N": 1024}),
    "linear_gelu": ({"M": 5, "N": 33, "K": 17}, {"M": 130, "N": 72, "K": 64}),
    "matmul_tn_split_k": ({"B": 1, "M": 5, "N": 33, "K": 17, "S": 1}, {"B": 2, "M": 72, "N": 40, "K": 128, "S": 3}),
    "matmul_i8": ({"M": 5, "N": 33, "K": 17}, {"M": 72, "N": 130, "K": 128}),
    "matmul_fp8": ({"M": 5, "N": 33, "K": 17}, {"M": 72, "N": 130, "K": 128}),
    "matmul_tf32": ({"M": 5, "N": 33, "K": 17}, {"M": 72, "N": 130, "K": 128}),
    "matmul_f16_shared": ({"M": 31, "N": 17, "K": 5}, {"M": 200, "N": 136, "K": 72}),
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

MEASURED: Mapping[str, tuple[Sizes, ...]] = {
    "vector_add": ({"N": 1 << 26},),
    "softmax": ({"M": 16384, "N": 8192}, {"M": 65536, "N": 1000}),
    "layer_norm": ({"M": 16384, "N": 8192}, {"M": 65536, "N": 1000}),
    "transpose": ({"M": 8192, "N": 8192},),
    "matmul_f16": ({"M": 4096, "N": 4096, "K": 4096}, {"M": 8192, "N": 8192, "K": 8192}),
}
"""Sizes that `make bench-gpu` measures: they fill the chip."""

REHEARSED: Mapping[str, tuple[Sizes, ...]] = {
    "vector_add": ({"N": 1 << 12},),
    "softmax": ({"M": 16, "N": 256},),
    "layer_norm": ({"M": 16, "N": 256},),
    "transpose": ({"M": 64, "N": 64},),
    "matmul_f16": ({"M": 128, "N": 128, "K": 64},),
}
"""Sizes of a rehearsal, whose rates say nothing."""

DATA = ("written", "exact", "special")
