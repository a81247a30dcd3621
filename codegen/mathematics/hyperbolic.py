"""The hyperbolic functions and their inverses: through exp(|x|), and through the logarithm of a sum."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from typing import Final

from ...support.dataclasses import dataclass
from .arithmetic import Arithmetic, V
from .coefficients import SINH, TANH
from .exponential import expand_in_parts, reduce_and_expand
from .logarithm import log_of_sum
from .pieces import fast_two_sum, keep_tiny, polynomial, power_of_two, two_product, two_sum, with_sign_of

TANH_NEAR: Final = 0.35
SINH_NEAR: Final = 1.0


@dataclass(frozen=True)
class _Limits:
    """Beyond these |x|: tanh is 1; sinh and cosh overflow; x * x + 1 rounds to x * x, which is still finite."""

    tanh_is_one: float
    overflow: float
    square_alone: float


_LIMITS: Final[Mapping[int, _Limits]] = {
    32: _Limits(10.0, 89.5, 2.0**30),
    64: _Limits(20.0, 710.5, 2.0**60),
}


def tanh(a: Arithmetic[V], x: V) -> V:
    """e / (e + 2) with e = expm1(2 |x|), which is the less sensitive to e the larger it is; a polynomial near 0."""
    magnitude = a.absolute(x)
    p, n = reduce_and_expand(a, a.add(magnitude, magnitude))
    power = power_of_two(a, n)
    e = a.fma(p, power, a.sub(power, a.constant(1.0)))
    y = a.div(e, a.add(e, a.constant(2.0)))
    y = a.select(a.less(a.constant(_LIMITS[a.float_bits].tanh_is_one), magnitude), a.constant(1.0), y)
    z = a.mul(x, x)
    near = a.fma(a.mul(z, polynomial(a, TANH[a.float_bits], z)), magnitude, magnitude)
    return with_sign_of(a, a.select(a.less(magnitude, a.constant(TANH_NEAR)), near, y), x)


def _quarters(a: Arithmetic[V], magnitude: V) -> tuple[V, V, V]:
    """exp(|x|) / 4 as a float and its correction, and exp(-|x|) / 4: a quarter, since exp may overflow before sinh."""
    high, low, n = expand_in_parts(a, magnitude)
    quarter = power_of_two(a, a.isub(n, a.integer(2)))
    high, low = a.mul(high, quarter), a.mul(low, quarter)
    return high, low, a.div(a.constant(0.0625), high)


def _doubled(a: Arithmetic[V], magnitude: V, half: V) -> V:
    overflows = a.less(a.constant(_LIMITS[a.float_bits].overflow), magnitude)
    return a.select(overflows, a.constant(inf), a.add(half, half))


def sinh(a: Arithmetic[V], x: V) -> V:
    magnitude = a.absolute(x)
    high, low, inverse = _quarters(a, magnitude)
    far = _doubled(a, magnitude, a.add(high, a.sub(low, inverse)))
    z = a.mul(x, x)
    near = a.fma(a.mul(z, polynomial(a, SINH[a.float_bits], z)), magnitude, magnitude)
    return with_sign_of(a, a.select(a.less(magnitude, a.constant(SINH_NEAR)), near, far), x)


def cosh(a: Arithmetic[V], x: V) -> V:
    magnitude = a.absolute(x)
    high, low, inverse = _quarters(a, magnitude)
    return _doubled(a, magnitude, a.add(high, a.add(low, inverse)))


def _root(a: Arithmetic[V], square: V, low: V) -> tuple[V, V]:
    """The square root of a positive sum as a float and its correction: one Newton step, by the exact remainder."""
    root = a.sqrt(square)
    remainder = a.add(a.fma(a.neg(root), root, square), low)
    return root, a.div(a.mul(remainder, a.constant(0.5)), root)


def _inverse(a: Arithmetic[V], magnitude: V, less_one: V, low: V) -> V:
    """log(1 + less_one + low), or log(2 |x|) where x * x + 1 is no more than x * x."""
    large = a.less(a.constant(_LIMITS[a.float_bits].square_alone), magnitude)
    less_one, low = a.select(large, magnitude, less_one), a.select(large, a.constant(0.0), low)
    y = log_of_sum(a, less_one, low, a.iselect(large, a.integer(1), a.integer(0)))
    return a.select(a.less(magnitude, a.constant(inf)), y, magnitude)


def asinh(a: Arithmetic[V], x: V) -> V:
    """log(|x| + root) with root = sqrt(1 + x x); root - 1 is exact, and what it lost is in the root's correction."""
    one, magnitude = a.constant(1.0), a.absolute(x)
    square, square_low = two_product(a, x, x)
    total, lost = two_sum(a, square, one)
    root, low = _root(a, total, a.add(lost, square_low))
    less_one, error = fast_two_sum(a, magnitude, a.sub(root, one))
    y = _inverse(a, magnitude, *fast_two_sum(a, less_one, a.add(error, low)))
    return keep_tiny(a, x, with_sign_of(a, y, x))


def acosh(a: Arithmetic[V], x: V) -> V:
    """log(1 + d + root) with d = x - 1, which is exact, and root = sqrt(d (x + 1))."""
    one = a.constant(1.0)
    d = a.sub(x, one)
    more, more_low = fast_two_sum(a, x, one)
    square = a.mul(d, more)
    square_low = a.fma(d, more_low, a.fma(d, more, a.neg(square)))
    root, low = _root(a, square, square_low)
    less_one, error = fast_two_sum(a, root, d)
    y = _inverse(a, x, less_one, a.add(error, low))
    y = a.select(a.equal(x, one), a.constant(0.0), y)  # where the correction of the root is 0 / 0
    return a.select(a.less(x, one), a.constant(nan), y)


def atanh(a: Arithmetic[V], x: V) -> V:
    """log(1 + q) / 2 with q = 2 |x| / (1 - |x|) and what its rounding lost."""
    one, magnitude = a.constant(1.0), a.absolute(x)
    twice = a.add(magnitude, magnitude)
    below, below_low = fast_two_sum(a, one, a.neg(magnitude))
    inverse = a.div(one, below)
    q = a.mul(twice, inverse)
    low = a.mul(a.fma(a.neg(q), below_low, a.fma(a.neg(q), below, twice)), inverse)
    y = a.mul(log_of_sum(a, q, low), a.constant(0.5))
    y = a.select(a.equal(magnitude, one), a.constant(inf), y)
    y = a.select(a.less(one, magnitude), a.constant(nan), y)
    return keep_tiny(a, x, with_sign_of(a, y, x))
