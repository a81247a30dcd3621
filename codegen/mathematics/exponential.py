"""exp, exp2 and expm1: x = n ln 2 + r, a polynomial in r, and 2**n by its bits."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Final

from ...support.dataclasses import dataclass
from .arithmetic import Arithmetic, V
from .coefficients import EXP2, EXPM1
from .pieces import FORMATS, fast_two_sum, keep_tiny, polynomial, power_of_two, scale

PER_LN2: Final = 1.4426950408889634


@dataclass(frozen=True)
class _Limits:
    """Where n leaves the integers that `scale` takes: beyond, the result is known. Each is a little outside the
    last argument that matters, since the arithmetic itself overflows and underflows where it should."""

    ln2: tuple[float, float]  # the first part has so few bits that n times it is exact
    exp: tuple[float, float]
    exp2: tuple[float, float]
    expm1_is_minus_one: float


_LIMITS: Final[Mapping[int, _Limits]] = {
    32: _Limits((0.693145751953125, 1.4286068e-06), (-105.0, 89.0), (-151.0, 129.0), -20.0),
    64: _Limits((0.6931471805592082, 7.371002565167799e-13), (-746.0, 710.0), (-1076.0, 1025.0), -40.0),
}


def _reduce(a: Arithmetic[V], x: V, low: V | None = None) -> tuple[V, V, V]:
    """(r_high, rest, n) with x + low = n ln 2 + r, |r| <= ln(2) / 2 and exp(r) - 1 = r_high + rest, where `low` is no
    more than the rounding error of `x`. Only the low bits of the integer n count."""
    limits, form = _LIMITS[a.float_bits], FORMATS[a.float_bits]
    rounder = a.constant(form.round_to_integer)
    shifted = a.fma(x, a.constant(PER_LN2), rounder)
    n = a.sub(shifted, rounder)
    ln2_high, ln2_low = limits.ln2
    r_high, minus_low = a.fma(n, a.constant(-ln2_high), x), a.constant(-ln2_low)
    r_low = a.mul(n, minus_low) if low is None else a.fma(n, minus_low, low)
    r = a.add(r_high, r_low)
    rest = a.fma(a.mul(r, r), polynomial(a, EXPM1[a.float_bits], r), r_low)
    return r_high, rest, a.bits(shifted)


def reduce_and_expand(a: Arithmetic[V], x: V) -> tuple[V, V]:
    """(exp(r) - 1, n) with x = n ln 2 + r and |r| <= ln(2) / 2; only the low bits of the integer n count."""
    r, rest, n = _reduce(a, x)
    return a.add(r, rest), n


def expand_in_parts(a: Arithmetic[V], x: V, low: V | None = None) -> tuple[V, V, V]:
    """(y, error, n) with exp(x + low) = 2**n (y + error), y being near 1 and `error` what its rounding lost."""
    r, rest, n = _reduce(a, x, low)
    high, lost = fast_two_sum(a, a.constant(1.0), r)
    return *fast_two_sum(a, high, a.add(lost, rest)), n


def _clip(a: Arithmetic[V], x: V, y: V, limits: tuple[float, float], below: float) -> V:
    """`y`, but `below` and infinity where x is outside the limits."""
    low, high = limits
    y = a.select(a.less(x, a.constant(low)), a.constant(below), y)
    return a.select(a.less(a.constant(high), x), a.constant(inf), y)


def exp(a: Arithmetic[V], x: V) -> V:
    p, n = reduce_and_expand(a, x)
    y = scale(a, a.add(p, a.constant(1.0)), n)
    return _clip(a, x, y, _LIMITS[a.float_bits].exp, 0.0)


def exp_of_sum(a: Arithmetic[V], x: V, low: V) -> V:
    """exp(x + low), where `low` is no more than the rounding error of `x` and counts only while that is finite."""
    y, _, n = expand_in_parts(a, x, low)
    return _clip(a, x, scale(a, y, n), _LIMITS[a.float_bits].exp, 0.0)


def exp2(a: Arithmetic[V], x: V) -> V:
    rounder = a.constant(FORMATS[a.float_bits].round_to_integer)
    shifted = a.add(x, rounder)
    r = a.sub(x, a.sub(shifted, rounder))
    p = a.fma(polynomial(a, EXP2[a.float_bits], r), r, a.constant(1.0))
    return _clip(a, x, scale(a, p, a.bits(shifted)), _LIMITS[a.float_bits].exp2, 0.0)


def expm1(a: Arithmetic[V], x: V) -> V:
    """2**n (p + 1) - 1 as 2 (2**(n - 1) p + (2**(n - 1) - 1/2)), since 2**n may not be representable."""
    p, n = reduce_and_expand(a, x)
    half = power_of_two(a, a.isub(n, a.integer(1)))
    y = a.fma(p, half, a.sub(half, a.constant(0.5)))
    limits = _LIMITS[a.float_bits]
    y = _clip(a, x, a.add(y, y), (limits.expm1_is_minus_one, limits.exp[1]), -1.0)
    return keep_tiny(a, x, y)
