"""How matrix units add, after published models of them that were compared with hardware (arXiv 2511.10909).

NVIDIA's units align all addends to the largest exponent, cut what lies below some fraction bits, add exactly, and cut
to f32 or round to f16. CDNA 3 aligns and cuts the products alone, then joins sum and accumulator with 31 and 24 bits
rounded down, and rounds to nearest. CDNA 1 and 2 add four products (two of CDNA 1's bf16) in pairs, CDNA 2 without
subnormals. Of the others, WMMA among them, there is no model: a chain of fused multiply-adds stands for them.

Matrices are [.., m, k], [.., k, n] and [.., m, n] in float64, which holds their elements and products exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..targets.chip import compute_capability

F64 = NDArray[np.float64]
UnitSum = Callable[[F64, F64, F64], F64]
"""A, B and C to A B + C, of finite numbers."""
_NO_EXPONENT = -10000
_EIGHT = ("fp8", "bf8")
_LEAST: Mapping[str, int] = {"f16": -14, "fp8": -6, "bf8": -14, "e4m3": -6, "e5m2": -14}
"""The exponent of the least normal number; of others it is that of f32."""
_LEAST_F32 = -126
_BOTH_F16 = (-14, -14)


def whole(add: UnitSum, a: F64, b: F64, c: F64, result: str) -> F64:
    """Where a sum is no finite number of the type `result`, it is what IEEE's arithmetic has."""
    with np.errstate(all="ignore"):
        plain = np.matmul(a, b) + c
        finite = np.isfinite(plain.astype(np.float16 if result == "f16" else np.float32))
        clean = [np.where(np.isfinite(x), x, 0.0) for x in (a, b, c)]
        return np.asarray(np.where(finite, add(clean[0], clean[1], clean[2]), plain))


def of_tensor_core(chip: str, a: str, b: str, accumulator: str, k: int) -> UnitSum | None:
    """How the unit sums, that of mma.sync and wgmma; None where sums are exact, or those of float64."""
    if accumulator not in ("f32", "f16"):
        return None
    capability = compute_capability(chip)
    short = capability == 89 and a in ("e4m3", "e5m2")
    fraction = 13 if short else 25 if capability >= 90 else 24
    halves = 80 <= capability < 90 and k > (4 if a == "tf32" else 8)
    result = "f32 of 13 bits" if short and accumulator == "f32" else accumulator
    return tensor_core(k // 2 if halves else k, fraction, result, (_least(a), _least(b)))


def of_matrix_core(chip: str, a: str, b: str, accumulator: str, k: int, held: int) -> UnitSum | None:
    """How the unit sums, that of mfma and wmma; `held`: elements of A in a lane. None where sums are exact, or not
    those of float32."""
    if accumulator != "f32" or a in ("fp4", "fp6", "bf6"):
        return None
    if not chip.startswith("gfx9") or a == "f32":
        return chain(np.float32)
    if chip in ("gfx908", "gfx90a"):
        return cdna2(flushes=chip == "gfx90a", group=held, least=_least(a))
    group = 4 if a == "xf32" else 16 if a in _EIGHT else 8
    short = chip == "gfx942"  # its 8-bit floats have no negative zero, and exponents that reach one further down
    least = _least(a) - (short and a in _EIGHT), _least(b) - (short and b in _EIGHT)
    return cdna3(min(group, k), least)


def _least(element: str) -> int:
    return _LEAST.get(element, _LEAST_F32)


def _exponents(x: F64, least: int) -> NDArray[np.int64]:
    """The exponent of the leading bit; those of subnormal numbers are the least, zeros have none to speak of."""
    _, found = np.frexp(x)
    return np.where(x == 0, _NO_EXPONENT, np.maximum(found - 1, least))


def _products(a: F64, b: F64, least: tuple[int, int]) -> tuple[F64, NDArray[np.int64]]:
    """[.., m, k, n]: products and their exponents, which are sums of the factors'."""
    sums = _exponents(a, least[0])[..., None] + _exponents(b, least[1])[..., None, :, :]
    return a[..., None] * b[..., None, :, :], np.maximum(sums, _NO_EXPONENT)


def _cut(x: F64, bits: int) -> F64:
    """f32 numbers with so many fraction bits."""
    exponent = _exponents(x, _LEAST_F32)
    return np.asarray(np.ldexp(np.trunc(np.ldexp(x, bits - exponent)), exponent - bits))


_FINISH: Mapping[str, Callable[[F64], F64]] = {
    "f32": lambda x: _cut(x, 23),
    "f32 of 13 bits": lambda x: _cut(x, 13),
    "f16": lambda x: x.astype(np.float16).astype(np.float64),
}


def tensor_core(group: int, fraction: int, result: str, least: tuple[int, int] = _BOTH_F16) -> UnitSum:
    """`least`: the exponents of A's and B's least normal numbers."""
    finish = _FINISH[result]

    def add(a: F64, b: F64, c: F64) -> F64:
        total = c
        for k in range(0, a.shape[-1], group):
            products, exponent = _products(a[..., k : k + group], b[..., k : k + group, :], least)
            top = np.maximum(exponent.max(axis=-2), _exponents(total, _LEAST_F32))
            cut = np.trunc(np.ldexp(products, (fraction - top)[..., None, :])).sum(axis=-2)
            cut += np.trunc(np.ldexp(total, fraction - top))
            total = finish(np.ldexp(cut, top - fraction))
        return total

    return add


def cdna3(group: int, least: tuple[int, int] = _BOTH_F16) -> UnitSum:
    def add(a: F64, b: F64, c: F64) -> F64:
        total = c
        for k in range(0, a.shape[-1], group):
            products, exponent = _products(a[..., k : k + group], b[..., k : k + group, :], least)
            top = exponent.max(axis=-2)
            cut = np.ldexp(np.trunc(np.ldexp(products, (24 - top)[..., None, :])).sum(axis=-2), top - 24)
            both = np.maximum(top, _exponents(total, _LEAST_F32))
            down = np.ldexp(np.floor(np.ldexp(cut, 31 - both)), both - 31)
            down += np.ldexp(np.floor(np.ldexp(total, 24 - both)), both - 24)
            total = down.astype(np.float32).astype(np.float64)
        return total

    return add


def cdna2(*, flushes: bool, group: int = 4, least: int = -14) -> UnitSum:
    def flush(x: NDArray[Any], least: int = _LEAST_F32) -> NDArray[Any]:
        return np.asarray(np.where(np.abs(x) < 2.0**least, 0 * x, x)) if flushes else x

    def add(a: F64, b: F64, c: F64) -> F64:
        a, b, total = flush(a, least), flush(b, least), c.astype(np.float32)
        for k in range(0, a.shape[-1], group):
            four = a[..., k : k + group, None] * b[..., None, k : k + group, :]
            terms = flush(four.astype(np.float32))
            while terms.shape[-2] > 1:
                terms = flush(terms[..., ::2, :] + terms[..., 1::2, :])
            total = flush(total + terms[..., 0, :])
        return np.asarray(total.astype(np.float64))

    return add


def chain(result: type[np.floating[Any]]) -> UnitSum:
    """Fused multiply-adds one after another."""

    def add(a: F64, b: F64, c: F64) -> F64:
        total = c.astype(result)
        for k in range(a.shape[-1]):
            total = (total.astype(np.float64) + a[..., k, None] * b[..., None, k, :]).astype(result)
        return np.asarray(total.astype(np.float64))

    return add
