"""asin, acos, atan and atan2: odd polynomials near 0, multiples of pi / 2 less those of another argument beyond."""

from collections.abc import Mapping
from typing import Final

from .arithmetic import Arithmetic, V
from .coefficients import ASIN, ATAN
from .pieces import FORMATS, fast_two_sum, polynomial, sign_of, with_sign_of

_PI: Final[Mapping[int, tuple[float, float]]] = {
    32: (3.1415927, -8.742278e-08),
    64: (3.141592653589793, 1.2246467991473532e-16),
}


def _angle(a: Arithmetic[V], half_turns: V, u: V, w: V) -> V:
    """half_turns pi + u + u w for 0, 1/2 or 1 half turn: the large sum is made with its error."""
    pi, pi_low = (a.constant(part) for part in _PI[a.float_bits])
    total, error = fast_two_sum(a, a.mul(half_turns, pi), u)
    return a.add(total, a.fma(u, w, a.fma(half_turns, pi_low, error)))


def _arctangent(a: Arithmetic[V], half_turns: V, u: V) -> V:
    """half_turns pi + atan(u) for |u| <= 1."""
    z = a.mul(u, u)
    return _angle(a, half_turns, u, a.mul(z, polynomial(a, ATAN[a.float_bits], z)))


def atan(a: Arithmetic[V], x: V) -> V:
    """pi / 2 less atan(1 / x) beyond 1."""
    one, magnitude = a.constant(1.0), a.absolute(x)
    inverted = a.less(one, magnitude)
    u = a.select(inverted, a.div(a.constant(-1.0), magnitude), magnitude)
    half_turns = a.select(inverted, a.constant(0.5), a.constant(0.0))
    return with_sign_of(a, _arctangent(a, half_turns, u), x)


def _quotient(a: Arithmetic[V], x: V, y: V) -> V:
    """x / y for 0 <= x <= y. No division gives a subnormal number that counts: how AMD's division rounds these is not
    published."""
    small = a.less(x, a.constant(4.0))  # as where the quotient is subnormal
    up, down = (a.select(small, a.constant(2.0**n), a.constant(1.0)) for n in (a.float_bits, -a.float_bits))
    return a.mul(a.div(a.mul(x, up), y), down)


def atan2(a: Arithmetic[V], y: V, x: V) -> V:
    """The angle of the point (x, y): the quotient of the smaller and the larger, and the octant it is in.

    Of two infinities and of two zeros it is that of (+-1, +-1) and of (+-1, +-0).
    """
    zero, one = a.constant(0.0), a.constant(1.0)
    across, up = a.absolute(x), a.absolute(y)
    steep = a.less(across, up)
    lesser, larger = a.select(steep, across, up), a.select(steep, up, across)
    divisor = a.select(a.equal(larger, zero), one, larger)
    u = a.select(a.equal(lesser, divisor), one, _quotient(a, lesser, divisor))
    left = a.iless(a.bits(x), a.integer(0))
    half, sign = a.constant(0.5), a.integer(FORMATS[a.float_bits].sign)
    half_turns = a.select(steep, half, a.select(left, one, zero))
    # The quotient counts down from pi / 2 on the right and from pi on the left.
    down = a.ixor(a.iselect(steep, sign, a.integer(0)), sign_of(a, x))
    return with_sign_of(a, _arctangent(a, half_turns, a.from_bits(a.ixor(a.bits(u), down))), y)


def _arcsine(a: Arithmetic[V], x: V) -> tuple[V, V, V]:
    """(outer, s, w): asin(|x|) = s + s w up to 1/2; `outer`, beyond, pi / 2 - 2 (s + s w) with s s = (1 - |x|) / 2."""
    half, magnitude = a.constant(0.5), a.absolute(x)
    outer = a.less(half, magnitude)
    rest = a.fma(magnitude, a.constant(-0.5), half)
    z = a.select(outer, rest, a.mul(x, x))
    s = a.select(outer, a.sqrt(rest), magnitude)
    return outer, s, a.mul(z, polynomial(a, ASIN[a.float_bits], z))


def asin(a: Arithmetic[V], x: V) -> V:
    outer, s, w = _arcsine(a, x)
    half_turns = a.select(outer, a.constant(0.5), a.constant(0.0))
    return with_sign_of(a, _angle(a, half_turns, a.select(outer, a.mul(s, a.constant(-2.0)), s), w), x)


def acos(a: Arithmetic[V], x: V) -> V:
    """pi / 2 - asin(x), twice the arcsine of s on the right, pi less that on the left."""
    outer, s, w = _arcsine(a, x)
    left, twice = a.less(x, a.constant(0.0)), a.add(s, s)
    u = a.select(outer, a.select(left, a.neg(twice), twice), a.neg(x))
    turned = a.select(left, a.constant(1.0), a.constant(0.0))
    return _angle(a, a.select(outer, turned, a.constant(0.5)), u, w)
