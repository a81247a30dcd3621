"""powf, fpowi, cbrt and rsqrt: exp(y log|x|) with the logarithm in two parts, and a root refined without division."""

from collections.abc import Mapping
from math import inf, nan
from typing import Final

from .arithmetic import Arithmetic, V
from .exponential import exp_of_sum
from .logarithm import log_in_parts
from .pieces import FORMATS, fast_two_sum, polynomial, sign_of, two_product, with_sign_of


def _power(a: Arithmetic[V], magnitude: V, y: V, y_low: V | None = None) -> V:
    """magnitude**(y + y_low) for y other than zero; 1 where `magnitude` is 1, whatever y is."""
    one = a.constant(1.0)
    log, log_low = log_in_parts(a, magnitude)
    log = a.select(a.less(magnitude, a.constant(inf)), log, magnitude)
    log = a.select(a.equal(magnitude, a.constant(0.0)), a.constant(-inf), log)
    exponent, low = two_product(a, y, log)
    low = a.fma(y, log_low, low if y_low is None else a.fma(y_low, log, low))
    return a.select(a.equal(magnitude, one), one, exp_of_sum(a, exponent, low))


def _with_parity(a: Arithmetic[V], x: V, odd: V, y: V) -> V:
    """`y` with the sign of x where the exponent is odd."""
    return a.from_bits(a.ior(a.bits(y), a.iselect(odd, sign_of(a, x), a.integer(0))))


def _parity(a: Arithmetic[V], y: V) -> tuple[V, V]:
    """(integral, odd) of any float, infinities being even: below 2**stored by rounding to an integer, from there it is
    one, and even from twice that on."""
    limit = 2.0 ** FORMATS[a.float_bits].stored
    magnitude, rounder = a.absolute(y), a.constant(limit)
    fractional = a.less(magnitude, rounder)
    shifted = a.add(magnitude, rounder)
    zero, one = a.integer(0), a.integer(1)
    rounded = a.select(fractional, a.sub(shifted, rounder), magnitude)
    last = a.iand(a.bits(a.select(fractional, shifted, magnitude)), one)
    integral = a.equal(rounded, magnitude)
    counts = a.iselect(a.less(magnitude, a.constant(2 * limit)), a.iselect(integral, last, zero), zero)
    return integral, a.iequal(counts, one)


def powf(a: Arithmetic[V], x: V, y: V) -> V:
    """C's pow, also at its special cases."""
    one, zero = a.constant(1.0), a.constant(0.0)
    integral, odd = _parity(a, y)
    result = _with_parity(a, x, odd, _power(a, a.absolute(x), y))
    fractional = a.select(a.equal(x, a.constant(-inf)), result, a.constant(nan))
    result = a.select(a.less(x, zero), a.select(integral, result, fractional), result)
    return a.select(a.equal(x, one), one, a.select(a.equal(y, zero), one, result))


def fpowi(a: Arithmetic[V], x: V, n: V) -> V:
    """x**n for an integer n of the float's width. Squaring would lose half of |n| units in the last place, and the
    inverse of a power that overflows; the first powers are products, as which a constant n costs no more."""
    half = a.float_bits // 2
    upper = a.mul(a.to_float(a.ashr(n, half)), a.constant(2.0**half))
    y, y_low = fast_two_sum(a, upper, a.to_float(a.iand(n, a.integer((1 << half) - 1))))
    odd = a.iequal(a.iand(n, a.integer(1)), a.integer(1))
    result = _with_parity(a, x, odd, _power(a, a.absolute(x), y, y_low))
    square = a.mul(x, x)
    small = (a.constant(1.0), x, square, a.mul(square, x), a.mul(square, square))
    for value, y in enumerate(small):
        result = a.select(a.iequal(n, a.integer(value)), y, result)
    return result


# The bits of 1 / cbrt(x) are nearly these less a third of those of x: within 3.4 %, as much above as below.
_INVERSE_ROOT: Final[Mapping[int, int]] = {32: 0x54A1F5BD, 64: 0x553EE96257C85000}
# (1 - h)**(-1/3), as far as it matters for that start
_THIRD_ROOT: Final = (1.0, 1 / 3, 2 / 9, 14 / 81, 35 / 243)
# Below the first, x is multiplied by 2**(3 n) of the second, so that remainders stay normal.
_SMALL: Final[Mapping[int, tuple[float, int]]] = {32: (2.0**-64, 22), 64: (2.0**-512, 200)}


def cbrt(a: Arithmetic[V], x: V) -> V:
    """x r r with r near 1 / cbrt(x), and one step of Newton's method by a remainder of twice the digits."""
    magnitude = a.absolute(x)
    least, thirds = _SMALL[a.float_bits]
    small = a.less(magnitude, a.constant(least))
    m = a.select(small, a.mul(magnitude, a.constant(2.0 ** (3 * thirds))), magnitude)
    third = a.umulh(a.bits(m), a.integer((1 << a.float_bits) // 3))
    r = a.from_bits(a.isub(a.integer(_INVERSE_ROOT[a.float_bits]), third))
    r = a.mul(r, polynomial(a, _THIRD_ROOT, _defect(a, m, r)))
    if a.float_bits == 64:
        r = a.mul(r, polynomial(a, _THIRD_ROOT[:2], _defect(a, m, r)))
    square = a.mul(r, r)
    y = a.mul(m, square)
    second, second_low = two_product(a, y, y)
    remainder = a.fma(a.neg(second_low), y, a.fma(a.neg(second), y, m))
    y = a.fma(a.mul(remainder, square), a.constant(1 / 3), y)
    y = a.mul(y, a.select(small, a.constant(2.0**-thirds), a.constant(1.0)))
    y = a.select(a.less(a.constant(0.0), magnitude), y, magnitude)
    return with_sign_of(a, a.select(a.less(magnitude, a.constant(inf)), y, magnitude), x)


def _defect(a: Arithmetic[V], m: V, r: V) -> V:
    """1 - m r**3, whose factors stay within range."""
    return a.fma(a.neg(a.mul(m, r)), a.mul(r, r), a.constant(1.0))


def rsqrt(a: Arithmetic[V], x: V) -> V:
    return a.div(a.constant(1.0), a.sqrt(x))
