"""Expansions computed on numpy arrays, bit for bit as compiled code computes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...support.dataclasses import dataclass
from .arithmetic import EXP2_ULPS, FULL_EXP2_ULPS, RECIPROCAL_ULPS, RSQRT_ULPS

Array = NDArray[Any]

_FLOATS: Final[Mapping[int, np.dtype[Any]]] = {32: np.dtype(np.float32), 64: np.dtype(np.float64)}
_INTEGERS: Final[Mapping[int, np.dtype[Any]]] = {32: np.dtype(np.int32), 64: np.dtype(np.int64)}
_UNSIGNED: Final[Mapping[int, np.dtype[Any]]] = {32: np.dtype(np.uint32), 64: np.dtype(np.uint64)}


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """The rounded sum and its exact error."""
    total = x + y
    rest = total - x
    return total, (x - (total - rest)) + (y - rest)


def _sum_to_odd(x: Array, y: Array) -> Array:
    """x + y in float64, rounded to odd: a later rounding to two bits fewer or less is then as from the exact sum."""
    total, error = _two_sum(x, y)
    bits = total.view(np.int64)
    inexact_even = (error != 0) & np.isfinite(error) & (bits & 1 == 0)
    return np.where(inexact_even, np.nextafter(total, np.copysign(inf, error)), total)


def fma32(x: Array, y: Array, z: Array) -> Array:
    """x * y + z in float32, rounded once: the product is exact in float64."""
    total = _sum_to_odd(np.asarray(x.astype(np.float64) * y), np.asarray(z, np.float64))
    return np.asarray(total.astype(np.float32))


def _halves(x: Array) -> tuple[Array, Array]:
    """Veltkamp's split into 26 + 27 bits, for |x| < 2**990."""
    shifted = 134217729.0 * x
    high = shifted - (shifted - x)
    return high, x - high


def _product_error(x: Array, y: Array, product: Array) -> Array:
    """x * y - product, exact where nothing over- or underflows (Dekker)."""
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    return np.asarray(x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low))


def _fma_exact(x: float, y: float, z: float) -> float:
    """x * y + z of finite numbers through rationals, whose conversion to float rounds to nearest even."""
    from fractions import Fraction  # only tests and the reference compute with it

    value = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(value) if value else x * y + z
    except OverflowError:
        return inf if value > 0 else -inf


def fma64(x: Array, y: Array, z: Array) -> Array:
    """x * y + z in float64, rounded once.

    Where the plain sum is right it is taken: a zero or special operand, or a product too small to matter. Where
    products and sums stay within range, the product's error is added to odd (Boldo and Melquiond). What is left is
    rare, and computed one by one.
    """
    x, y, z = np.broadcast_arrays(x, y, z)
    product = x * y
    plain = product + z
    simple = (x == 0) | (y == 0) | ~np.isfinite(x) | ~np.isfinite(y) | ~np.isfinite(z)
    simple |= (np.abs(product) < np.abs(z) * 2.0**-70) | (np.abs(x * 2.0**-100 * y) > 2.0**930)
    low = _product_error(x, y, product)
    upper, error = _two_sum(z, low)
    head, tail = _two_sum(product, upper)
    result = np.where(simple, plain, head + _sum_to_odd(np.asarray(tail), np.asarray(error)))
    size = np.abs(product)
    within = (size > 2.0**-900) & (size < 2.0**1000) & (np.abs(z) < 2.0**1000)
    within &= (np.abs(x) < 2.0**990) & (np.abs(y) < 2.0**990)
    hard = np.nonzero(~(simple | within))
    result[hard] = [_fma_exact(*t) for t in zip(x[hard].tolist(), y[hard].tolist(), z[hard].tolist(), strict=True)]
    return result


def _upper_product64(i: Array, j: Array) -> Array:
    """The upper 64 bits of the product of uint64 arrays, from halves."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    i_low, i_high, j_low, j_high = i & low, i >> half, j & low, j >> half
    first = i_high * j_low + ((i_low * j_low) >> half)
    second = i_low * j_high + (first & low)
    return np.asarray(i_high * j_high + (first >> half) + (second >> half))


@dataclass(frozen=True)
class NumpyArithmetic:
    """`Arithmetic` over arrays of float32 or float64, integers of the same width, and booleans.

    Overflow and invalid operations are results, not errors: use it inside `np.errstate(all="ignore")`, as `evaluate`
    of the package does.
    """

    float_bits: int
    error: float = 0.0
    """The error of instructions that approximate, in parts of the greatest that they may have."""

    def _approximated(self, exact: Array, ulps: float) -> Array:
        """`exact`, in float64, as an instruction that errs by so much gives it, subnormal results flushed."""
        unit = np.where(exact == 0, 0.0, np.ldexp(1.0, np.maximum(np.frexp(exact)[1], -125) - 24))
        wanted = exact + self.error * ulps * unit
        found = wanted.astype(np.float32)
        beyond = np.abs(found - exact) > np.abs(wanted - exact)
        if self.error:
            found = np.where(beyond, np.nextafter(found, exact.astype(np.float32)), found)
        return found

    def _flushed(self, x: Array) -> Array:
        return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)

    @property
    def _unsigned(self) -> np.dtype[Any]:
        return _UNSIGNED[self.float_bits]

    def _signed(self, i: Array) -> Array:
        return np.asarray(i).view(_INTEGERS[self.float_bits])

    def constant(self, x: float, /) -> Array:
        return np.array(x, _FLOATS[self.float_bits])

    def integer(self, x: int, /) -> Array:
        return self._signed(np.array(x % (1 << self.float_bits), self._unsigned))

    def add(self, x: Array, y: Array, /) -> Array:
        return np.asarray(x + y)

    def sub(self, x: Array, y: Array, /) -> Array:
        return np.asarray(x - y)

    def mul(self, x: Array, y: Array, /) -> Array:
        return np.asarray(x * y)

    def div(self, x: Array, y: Array, /) -> Array:
        return np.asarray(x / y)

    def fma(self, x: Array, y: Array, z: Array, /) -> Array:
        return fma32(x, y, z) if self.float_bits == 32 else fma64(x, y, z)

    def sqrt(self, x: Array, /) -> Array:
        return np.asarray(np.sqrt(x))

    def saturate(self, x: Array, /) -> Array:
        return np.fmin(np.fmax(x, self.constant(0.0)), self.constant(1.0))

    def exp2_flushing(self, x: Array, /) -> Array:
        return self._flushed(self._approximated(np.exp2(self._flushed(x), dtype=np.float64), EXP2_ULPS))

    def exp2(self, x: Array, /) -> Array:
        return self._approximated(np.exp2(x, dtype=np.float64), FULL_EXP2_ULPS)

    def reciprocal_flushing(self, x: Array, /) -> Array:
        flushed = self._flushed(x).astype(np.float64)
        return self._flushed(self._approximated(1.0 / flushed, RECIPROCAL_ULPS))

    def rsqrt(self, x: Array, /) -> Array:
        return self._approximated(1.0 / np.sqrt(x.astype(np.float64)), RSQRT_ULPS)

    def neg(self, x: Array, /) -> Array:
        return np.asarray(-x)

    def absolute(self, x: Array, /) -> Array:
        return np.asarray(np.abs(x))

    def to_integer(self, x: Array, /) -> Array:
        return x.astype(_INTEGERS[self.float_bits])

    def to_float(self, i: Array, /) -> Array:
        return i.astype(_FLOATS[self.float_bits])

    def bits(self, x: Array, /) -> Array:
        return self._signed(x)

    def from_bits(self, i: Array, /) -> Array:
        return np.asarray(i).view(_FLOATS[self.float_bits])

    def iadd(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i + j)

    def isub(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i - j)

    def imul(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i * j)

    def umulh(self, i: Array, j: Array, /) -> Array:
        i, j = i.view(self._unsigned), j.view(self._unsigned)
        if self.float_bits == 64:
            return self._signed(_upper_product64(i, j))
        return self._signed(np.asarray((i.astype(np.uint64) * j >> np.uint64(32)).astype(np.uint32)))

    def iand(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i & j)

    def ior(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i | j)

    def ixor(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i ^ j)

    def shl(self, i: Array, amount: int, /) -> Array:
        return self.shl_by(i, self.integer(amount))

    def lshr(self, i: Array, amount: int, /) -> Array:
        return self.lshr_by(i, self.integer(amount))

    def ashr(self, i: Array, amount: int, /) -> Array:
        return np.asarray(i >> self.integer(amount))

    def shl_by(self, i: Array, amount: Array, /) -> Array:
        return np.asarray(i << amount)

    def lshr_by(self, i: Array, amount: Array, /) -> Array:
        return self._signed(np.asarray(i.view(self._unsigned) >> amount.view(self._unsigned)))

    def less(self, x: Array, y: Array, /) -> Array:
        return np.asarray(x < y)

    def equal(self, x: Array, y: Array, /) -> Array:
        return np.asarray(x == y)

    def iless(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i < j)

    def iequal(self, i: Array, j: Array, /) -> Array:
        return np.asarray(i == j)

    def select(self, c: Array, x: Array, y: Array, /) -> Array:
        return np.where(c, x, y)

    def iselect(self, c: Array, i: Array, j: Array, /) -> Array:
        return np.where(c, i, j)

    def rarely(self, c: Array, slow: Callable[[], tuple[Array, ...]], usual: tuple[Array, ...], /) -> tuple[Array, ...]:
        if not c.any():
            return usual
        return tuple(np.where(c, s, u) for s, u in zip(slow(), usual, strict=True))
