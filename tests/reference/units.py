"""Matrix units as published models of them compute, in numpy: independent of how the reference bounds their errors.

After arXiv 2511.10909: NVIDIA's units align all addends to the largest exponent, cut what lies below
`fraction` bits, add exactly, and cut to f32 or round to f16. CDNA 3 aligns and cuts the products alone, then joins sum
and accumulator with 31 and 24 bits rounded down, and rounds to nearest. CDNA 1 and 2 add four products in pairs, CDNA 2
without subnormals. Everything else is a chain of fused multiply-adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Unit = Callable[[F64, F64, F64], F64]
_NO_EXPONENT = -10000


def exponents(x: F64, least: int) -> NDArray[np.int64]:
    """Of the leading bit; those of subnormal numbers are the least, zeros have none to speak of."""
    _, found = np.frexp(x)
    return np.where(x == 0, _NO_EXPONENT, np.maximum(found - 1, least))


def _products(a: F64, b: F64, least: int) -> tuple[F64, NDArray[np.int64]]:
    """[m, k, n]: products and their exponents, which are sums of the factors'."""
    sums = exponents(a, least)[:, :, None] + exponents(b, least)[None]
    return a[:, :, None] * b[None], np.maximum(sums, _NO_EXPONENT)


def _cut(x: F64, bits: int) -> F64:
    """f32 numbers with so many fraction bits."""
    exponent = exponents(x, -126)
    return np.ldexp(np.trunc(np.ldexp(x, bits - exponent)), exponent - bits)


def tensor_core(group: int, fraction: int, result: str, least: int = -14) -> Unit:
    finish: dict[str, Callable[[F64], F64]] = {
        "f32": lambda x: _cut(x, 23),
        "f32 of 13 bits": lambda x: _cut(x, 13),
        "f16": lambda x: x.astype(np.float16).astype(np.float64),
    }

    def multiply(a: F64, b: F64, c: F64) -> F64:
        total = c
        for k in range(0, a.shape[1], group):
            products, exponent = _products(a[:, k : k + group], b[k : k + group], least)
            top = np.maximum(exponent.max(axis=1), exponents(total, -126))
            cut = np.trunc(np.ldexp(products, (fraction - top)[:, None, :])).sum(axis=1)
            cut += np.trunc(np.ldexp(total, fraction - top))
            total = finish[result](np.ldexp(cut, top - fraction))
        return total

    return multiply


def cdna3(group: int, least: int = -14) -> Unit:
    def multiply(a: F64, b: F64, c: F64) -> F64:
        total = c
        for k in range(0, a.shape[1], group):
            products, exponent = _products(a[:, k : k + group], b[k : k + group], least)
            top = exponent.max(axis=1)
            cut = np.ldexp(np.trunc(np.ldexp(products, (24 - top)[:, None, :])).sum(axis=1), top - 24)
            both = np.maximum(top, exponents(total, -126))
            down = np.ldexp(np.floor(np.ldexp(cut, 31 - both)), both - 31)
            down += np.ldexp(np.floor(np.ldexp(total, 24 - both)), both - 24)
            total = down.astype(np.float32).astype(np.float64)
        return total

    return multiply


def cdna2(*, flushes: bool) -> Unit:
    def flush(x: Any, least: float) -> Any:
        return np.where(np.abs(x) < least, 0 * x, x) if flushes else x

    def multiply(a: F64, b: F64, c: F64) -> F64:
        a, b, total = flush(a, 2.0**-14), flush(b, 2.0**-14), c.astype(np.float32)
        for k in range(0, a.shape[1], 4):
            p = flush((a[:, k : k + 4, None] * b[None, k : k + 4]).astype(np.float32), 2.0**-126)
            pairs = flush(p[:, 0] + p[:, 1], 2.0**-126), flush(p[:, 2] + p[:, 3], 2.0**-126)
            total = flush(total + flush(pairs[0] + pairs[1], 2.0**-126), 2.0**-126)
        return total.astype(np.float64)

    return multiply


def fused_multiply_adds(a: F64, b: F64, c: F64) -> F64:
    """f32, of operands whose products f64 holds exactly."""
    total = c.astype(np.float32)
    for k in range(a.shape[1]):
        total = (total.astype(np.float64) + a[:, k, None] * b[None, k]).astype(np.float32)
    return total.astype(np.float64)
