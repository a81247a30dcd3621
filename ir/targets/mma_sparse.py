"""NVIDIA's products of a sparse A: operations choose them, the compiler does not."""

from __future__ import annotations

FEATURE = "mma.sp"
FORMS = frozenset(
    ((16, 8, k), element, accumulator)
    for k in (16, 32)
    for element, accumulator in (("f16", "f16"), ("f16", "f32"), ("bf16", "f32"))
)
"""(m, n, k), element types of A and B and of the accumulator. Chips have more: those whose places of metadata are known
from more than a figure."""


def words() -> str:
    listed = sorted({(f"m{m}n{n}k{k}", a, c) for (m, n, k), a, c in FORMS})
    return ", ".join(f"{shape} {a} x {a} + {c}" for shape, a, c in listed)
