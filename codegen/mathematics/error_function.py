"""erf: an odd polynomial up to 1, and 1 - exp(-q) beyond, where q = -log(erfc) is a polynomial.

erfc: 1 less that odd polynomial up to 1/2, and exp(-x x) times a polynomial of 1 / (x + 2) beyond.
"""

from collections.abc import Mapping
from typing import Final

from .arithmetic import Arithmetic, V
from .coefficients import ERF_FAR, ERF_NEAR, ERFC
from .exponential import expand_in_parts, reduce_and_expand
from .pieces import fast_two_sum, polynomial, power_of_two, scale, two_product, two_sum, with_sign_of

_IS_ONE: Final[Mapping[int, float]] = {32: 4.0, 64: 6.0}
# A little beyond the argument whose erfc is half the least subnormal.
_IS_ZERO: Final[Mapping[int, float]] = {32: 10.06, 64: 27.23}


def erf(a: Arithmetic[V], x: V) -> V:
    one, magnitude = a.constant(1.0), a.absolute(x)
    near = a.fma(polynomial(a, ERF_NEAR[a.float_bits], a.mul(x, x)), x, x)
    q = polynomial(a, ERF_FAR[a.float_bits], a.sub(magnitude, one))
    p, n = reduce_and_expand(a, a.neg(q))
    power = power_of_two(a, n)
    far = a.fma(p, a.neg(power), a.sub(one, power))
    far = a.select(a.less(a.constant(_IS_ONE[a.float_bits]), magnitude), one, far)
    return a.select(a.less(magnitude, one), near, with_sign_of(a, far, x))


def _tail(a: Arithmetic[V], x: V) -> V:
    """erfc(x) for x >= 1/2: exp(-x x) v P(v - 5/32) with v = 1 / (x + 2), every factor and product with its error."""
    one = a.constant(1.0)
    below, below_low = two_sum(a, x, a.constant(2.0))
    v = a.div(one, below)
    v_error = a.fma(a.neg(v), below_low, a.fma(a.neg(v), below, one))  # relative
    t = a.fma(v, v_error, a.sub(v, a.constant(0.15625)))
    lowest, *higher = ERFC[a.float_bits]
    slope = polynomial(a, higher, t)
    p = a.fma(slope, t, a.constant(lowest))
    p_low = a.fma(slope, t, a.sub(a.constant(lowest), p))
    square, square_low = two_product(a, x, x)
    e, e_low, n = expand_in_parts(a, a.neg(square), a.neg(square_low))
    ev, ev_low = two_product(a, e, v)
    y, y_low = two_product(a, ev, p)
    rest = a.fma(ev, p_low, a.fma(a.fma(e_low, v, ev_low), p, y_low))
    y = scale(a, a.add(y, a.fma(y, v_error, rest)), n)
    return a.select(a.less(a.constant(_IS_ZERO[a.float_bits]), x), a.constant(0.0), y)


def erfc(a: Arithmetic[V], x: V) -> V:
    one, half, magnitude = a.constant(1.0), a.constant(0.5), a.absolute(x)
    tail = _tail(a, magnitude)
    far = a.select(a.less(x, a.constant(0.0)), a.sub(a.constant(2.0), tail), tail)
    head, error = fast_two_sum(a, one, a.neg(x))
    rest = a.mul(polynomial(a, ERF_NEAR[a.float_bits], a.mul(x, x)), x)
    return a.select(a.less(magnitude, half), a.add(head, a.sub(error, rest)), far)
