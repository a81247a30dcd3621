"""log, log2, log10 and log1p: x = 2**k (1 + f), log(1 + f) as f + low, and the pieces added with their errors.

`log_in_parts` has twice the digits, for powers; `log_of_sum` takes a sum that is not rounded, for inverse functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from typing import Final

from ...support.dataclasses import dataclass
from .arithmetic import Arithmetic, V
from .coefficients import LOG_ATANH, LOG_DIRECT, LOG_LONG
from .pieces import FORMATS, fast_two_sum, keep_tiny, polynomial, two_product

# The bits of the square root of 1/2: 1 + f lies between this and twice this, so that f cancels at most half of log(2).
_LEAST: Final[Mapping[int, int]] = {32: 0x3F3504F3, 64: 0x3FE6A09E667F3BCD}
_TO_NORMAL: Final[Mapping[int, int]] = {32: 24, 64: 54}
_THIRD: Final[Mapping[int, tuple[float, float]]] = {
    32: (0.33333334, -9.934108e-09),
    64: (0.3333333333333333, 1.850371707708594e-17),
}


@dataclass(frozen=True)
class _Base:
    """A base b: log_b(2) in two parts, of which k times the first is exact, and 1 / log(b) in two parts."""

    of_two: tuple[float, float]
    factor: tuple[float, float] | None


_NATURAL: Final[Mapping[int, _Base]] = {
    32: _Base((0.693145751953125, 1.4286068e-06), None),
    64: _Base((0.6931471805592082, 7.371002565167799e-13), None),
}
_BINARY: Final[Mapping[int, _Base]] = {
    32: _Base((1.0, 0.0), (1.442695, 1.925963e-08)),
    64: _Base((1.0, 0.0), (1.4426950408889634, 2.0355273740931033e-17)),
}
_DECIMAL: Final[Mapping[int, _Base]] = {
    32: _Base((0.301025390625, 4.605039e-06), (0.4342945, -1.010305e-08)),
    64: _Base((0.30102999566361177, 3.694239077158931e-13), (0.4342944819032518, 1.098319650216765e-17)),
}


def _split(a: Arithmetic[V], x: V) -> V:
    """The integer k of x = 2**k (1 + f), for normal x."""
    return a.ashr(a.isub(a.bits(x), a.integer(_LEAST[a.float_bits])), FORMATS[a.float_bits].stored)


def _reduce(a: Arithmetic[V], x: V) -> tuple[V, V]:
    """(k, f) as floats, f exact, for finite x > 0; subnormal x is first made normal."""
    form, up = FORMATS[a.float_bits], _TO_NORMAL[a.float_bits]
    subnormal = a.less(x, a.constant(form.least_normal))
    normal = a.select(subnormal, a.mul(x, a.constant(2.0**up)), x)
    k = _split(a, normal)
    fraction = a.from_bits(a.isub(a.bits(normal), a.shl(k, form.stored)))
    k = a.isub(k, a.iselect(subnormal, a.integer(up), a.integer(0)))
    return a.to_float(k), a.sub(fraction, a.constant(1.0))


def _low_direct(a: Arithmetic[V], f: V) -> V:
    return a.mul(a.mul(f, f), polynomial(a, LOG_DIRECT, f))


def _low_atanh(a: Arithmetic[V], f: V) -> V:
    """With s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - (h - s (h + r)), where h = f f / 2 and r = O(s s).

    The division costs less than the dozen more terms that a polynomial in f needs.
    """
    s = a.div(f, a.add(f, a.constant(2.0)))
    z = a.mul(s, s)
    h = a.mul(a.mul(f, f), a.constant(0.5))
    return a.fma(s, a.fma(z, polynomial(a, LOG_ATANH, z), h), a.neg(h))


def _low(a: Arithmetic[V], f: V) -> V:
    """log(1 + f) - f, small against f."""
    return _low_direct(a, f) if a.float_bits == 32 else _low_atanh(a, f)


def _combine(a: Arithmetic[V], base: _Base, k: V, f: V, low: V) -> V:
    """k log_b(2) + (f + low) / log(b). The larger sum is made with its error, since f may cancel most of k log_b(2)."""
    if base.factor is not None:
        high_factor, low_factor = a.constant(base.factor[0]), a.constant(base.factor[1])
        product = a.mul(f, high_factor)
        error = a.fma(f, low_factor, a.fma(f, high_factor, a.neg(product)))
        f, low = product, a.fma(low, high_factor, error)
    whole = a.mul(k, a.constant(base.of_two[0]))
    if base.of_two[1]:
        low = a.fma(k, a.constant(base.of_two[1]), low)
    total = a.add(whole, f)
    return a.add(total, a.add(low, a.add(a.sub(whole, total), f)))


def _outside(a: Arithmetic[V], x: V, y: V) -> V:
    """`y` for finite x > 0; the logarithm of zero, infinity, a negative number and NaN otherwise."""
    y = a.select(a.less(x, a.constant(inf)), y, x)
    y = a.select(a.equal(x, a.constant(0.0)), a.constant(-inf), y)
    return a.select(a.less(x, a.constant(0.0)), a.constant(nan), y)


def _logarithm(a: Arithmetic[V], base: _Base, x: V) -> V:
    k, f = _reduce(a, x)
    return _outside(a, x, _combine(a, base, k, f, _low(a, f)))


def log(a: Arithmetic[V], x: V) -> V:
    return _logarithm(a, _NATURAL[a.float_bits], x)


def log2(a: Arithmetic[V], x: V) -> V:
    return _logarithm(a, _BINARY[a.float_bits], x)


def log10(a: Arithmetic[V], x: V) -> V:
    return _logarithm(a, _DECIMAL[a.float_bits], x)


def log_in_parts(a: Arithmetic[V], x: V) -> tuple[V, V]:
    """log(x) for finite x > 0 as a float and its correction, within 2**-35 (float32) or 2**-64 (float64) of log(x).

    With s = f / (2 + f), z = s s: log(1 + f) = 2 s (1 + z (1/3 + z P(z))), all of it but z P(z) in two parts.
    """
    k, f = _reduce(a, x)
    below, below_low = fast_two_sum(a, a.constant(2.0), f)
    inverse = a.div(a.constant(1.0), below)
    s = a.mul(f, inverse)
    s_low = a.mul(a.fma(a.neg(s), below_low, a.fma(a.neg(s), below, f)), inverse)
    z, z_low = two_product(a, s, s)
    z_low = a.fma(a.add(s, s), s_low, z_low)
    third, third_low = (a.constant(part) for part in _THIRD[a.float_bits])
    p = polynomial(a, LOG_LONG[a.float_bits], z)
    t, t_low = fast_two_sum(a, third, a.mul(z, p))
    t_low = a.fma(z_low, p, a.add(t_low, third_low))
    c, c_low = two_product(a, z, t)
    c_low = a.add(c_low, a.fma(z, t_low, a.mul(z_low, t)))
    twice, twice_low = a.add(s, s), a.add(s_low, s_low)
    product, product_low = two_product(a, twice, c)
    head, error = fast_two_sum(a, twice, product)
    tail = a.add(product_low, a.fma(twice, c_low, a.fma(twice_low, c, twice_low)))
    ln2, ln2_low = (a.constant(part) for part in _NATURAL[a.float_bits].of_two)
    total, lost = fast_two_sum(a, a.mul(k, ln2), head)
    return fast_two_sum(a, total, a.add(lost, a.fma(k, ln2_low, a.add(error, tail))))


def log_of_sum(a: Arithmetic[V], x: V, low: V | None = None, doublings: V | None = None) -> V:
    """log(2**doublings (1 + x + low)) for finite 1 + x > 0, `low` being of the size of the rounding error of `x`.

    f = 2**-k x + (2**-k - 1), which does not lose what 1 + x rounds away; 2**-k may be subnormal, 2**(2 - k) is not.
    The rounding error of f counts too: to first order it adds error / (1 + f), of which error (1 - f) is enough.
    """
    form = FORMATS[a.float_bits]
    one_more = a.add(x, a.constant(1.0))
    k = _split(a, one_more)
    four_over = a.from_bits(a.isub(a.integer(form.one + (2 << form.stored)), a.shl(k, form.stored)))
    quarter_x = a.mul(x, a.constant(0.25))
    less_one = a.fma(four_over, a.constant(0.25), a.constant(-1.0))
    f = a.fma(quarter_x, four_over, less_one)
    error = a.fma(quarter_x, four_over, a.sub(less_one, f))
    if low is not None:
        error = a.fma(a.mul(low, a.constant(0.25)), four_over, error)
    if doublings is not None:
        k = a.iadd(k, doublings)
    correction = a.add(_low(a, f), a.fma(a.neg(f), error, error))
    return _combine(a, _NATURAL[a.float_bits], a.to_float(k), f, correction)


def log1p(a: Arithmetic[V], x: V) -> V:
    return keep_tiny(a, x, _outside(a, a.add(x, a.constant(1.0)), log_of_sum(a, x)))
