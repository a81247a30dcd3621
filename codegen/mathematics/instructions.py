"""float32 functions by way of the machine's own approximations, at the cost that people know from other libraries."""

from math import inf, nan
from typing import Final

from .arithmetic import Arithmetic, V
from .coefficients import LOG_DIRECT, TANH_MIDDLE
from .pieces import FORMATS, polynomial, with_sign_of

_PER_LN2: Final = (1.44269502162933349609375, 1.92596299112661746887e-8)
_BINARY_OF_E: Final = 1.4426950408889634
_LN2, _LOG10_2, _LOG10_E = 0.6931471805599453, 0.3010299956639812, 0.4342944819032518
_FORM: Final = FORMATS[32]
_LEAST: Final = -126
_STEPS: Final = 253
"""From the least exponent of a normal number, `_LEAST`, to the greatest."""
_ROUNDER: Final = _FORM.round_to_integer + _FORM.bias + _LEAST
"""Plus a whole number of steps, it has the biased exponent of 2**(_LEAST + steps) in its low bits."""
TANH_SEAM: Final = 0.6
_SQRT_HALF: Final = 0x3F3504F3
_INFINITE_EXPONENT: Final = 0xFF800000
_TO_NORMAL: Final = 23


def exp(a: Arithmetic[V], x: V) -> V:
    """2**n 2**r with n = x / ln 2 rounded and kept within the exponents of normal numbers, so that r takes what is
    beyond: there the last product overflows or underflows, rounding once."""
    step = a.saturate(a.fma(x, a.constant(_BINARY_OF_E / _STEPS), a.constant(-_LEAST / _STEPS)))
    rounded = a.fma(step, a.constant(_STEPS), a.constant(_ROUNDER))
    minus_n = a.sub(a.constant(_ROUNDER - _LEAST), rounded)
    high, low = (a.constant(part) for part in _PER_LN2)
    r = a.fma(x, low, a.fma(x, high, minus_n))
    return a.mul(a.exp2_flushing(r), a.from_bits(a.shl(a.bits(rounded), _FORM.stored)))


def exp2(a: Arithmetic[V], x: V) -> V:
    return a.exp2(x)


def rsqrt(a: Arithmetic[V], x: V) -> V:
    return a.rsqrt(x)


def tanh(a: Arithmetic[V], x: V) -> V:
    """1 - 2 / (exp(2 |x|) + 1), and a polynomial where that would cancel."""
    magnitude, one = a.absolute(x), a.constant(1.0)
    power = a.exp2_flushing(a.mul(magnitude, a.constant(2.0 * _BINARY_OF_E)))
    far = a.fma(a.reciprocal_flushing(a.add(power, one)), a.constant(-2.0), one)
    z = a.mul(x, x)
    near = a.fma(a.mul(z, polynomial(a, TANH_MIDDLE, z)), magnitude, magnitude)
    return with_sign_of(a, a.select(a.less(magnitude, a.constant(TANH_SEAM)), near, far), x)


def _reduce(a: Arithmetic[V], x: V) -> tuple[V, V]:
    """(k, log(1 + f)) with x = 2**k (1 + f), for finite x > 0."""
    subnormal = a.less(x, a.constant(_FORM.least_normal))
    normal = a.bits(a.select(subnormal, a.mul(x, a.constant(2.0**_TO_NORMAL)), x))
    doublings = a.iand(a.isub(normal, a.integer(_SQRT_HALF)), a.integer(_INFINITE_EXPONENT))
    f = a.sub(a.from_bits(a.isub(normal, doublings)), a.constant(1.0))
    start = a.select(subnormal, a.constant(-float(_TO_NORMAL)), a.constant(0.0))
    k = a.fma(a.to_float(doublings), a.constant(2.0**-_FORM.stored), start)
    return k, a.fma(a.mul(f, f), polynomial(a, LOG_DIRECT, f), f)


def _outside(a: Arithmetic[V], x: V, y: V) -> V:
    """`y` for finite x > 0, else the logarithm of infinity, zero, a negative number or NaN."""
    zero = a.constant(0.0)
    of_none = a.select(a.equal(x, zero), a.constant(-inf), a.constant(nan))
    y = a.select(a.less(x, a.constant(inf)), y, x)
    return a.select(a.less(zero, x), y, of_none)


def log(a: Arithmetic[V], x: V) -> V:
    k, y = _reduce(a, x)
    return _outside(a, x, a.fma(k, a.constant(_LN2), y))


def log2(a: Arithmetic[V], x: V) -> V:
    k, y = _reduce(a, x)
    return _outside(a, x, a.fma(y, a.constant(_BINARY_OF_E), k))


def log10(a: Arithmetic[V], x: V) -> V:
    k, y = _reduce(a, x)
    return _outside(a, x, a.fma(k, a.constant(_LOG10_2), a.mul(y, a.constant(_LOG10_E))))
