"""sin, cos and tan. Arguments are reduced by multiples of pi / 2: near ones with three fma, all others through
the bits of 2 / pi (Payne and Hanek), so that no argument is too large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf, nan
from typing import Final

from ...support.dataclasses import dataclass
from .arithmetic import Arithmetic, V
from .coefficients import COS, SIN
from .pieces import FORMATS, keep_tiny, polynomial, with_sign_of

TWO_OVER_PI: Final = 0.6366197723675814


@dataclass(frozen=True)
class _Reduction:
    """pi / 2 in three floats; the |x| up to which they serve: n pi / 2 keeps its error far below the least remainder;
    2 / pi in words of the float's width behind a zero word, as many as the largest exponent needs."""

    quarter_turn: tuple[float, float, float]
    near: float
    two_over_pi: tuple[int, ...]


_REDUCTION: Final[Mapping[int, _Reduction]] = {
    32: _Reduction(
        (1.5707964, -4.371139e-08, -1.7151245e-15),
        65536.0,
        (0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041),
    ),
    64: _Reduction(
        (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
        1048576.0,
        (
            0,
            0xA2F9836E4E441529,
            0xFC2757D1F534DDC0,
            0xDB6295993C439041,
            0xFE5163ABDEBBC561,
            0xB7246E3A424DD2E0,
            0x06492EEA09D1921C,
            0xFE1DEB1CB129A73E,
            0xE88235F52EBB4484,
            0xE99C7026B45F7E41,
            0x3991D639835339F4,
            0x9C845F8BBDF9283B,
            0x1FF897FFDE05980F,
            0xEF2F118B5A0A6D1F,
            0x6D367ECF27CB09B7,
            0x4F463F669E5FEA2D,
            0x7527BAC7EBE5F17B,
            0x3D0739F78A5292EA,
            0x6BFB5FB11F8D5D08,
        ),
    ),
}


def _window(a: Arithmetic[V], words: Sequence[int], index: V, count: int) -> list[V]:
    """words[index : index + count], by a barrel shifter of selects: len(words) - count is the largest index."""
    steps = (len(words) - count).bit_length()
    values = [a.integer(word) for word in words]
    for step in reversed(range(steps)):
        distance = 1 << step
        clear = a.iequal(a.iand(index, a.integer(distance)), a.integer(0))
        kept = len(values) - distance
        values = [a.iselect(clear, values[j], values[j + distance]) for j in range(kept)]
    return values[:count]


def _unsigned_less(a: Arithmetic[V], i: V, j: V) -> V:
    flip = a.integer(FORMATS[a.float_bits].sign)
    return a.iless(a.ixor(i, flip), a.ixor(j, flip))


def _turn(a: Arithmetic[V], x: V) -> tuple[V, V]:
    """The fraction of x / (2 pi) in two words, upper first, for finite x >= 2.

    With x = M 2**(e + 1 - width), M of full width, the fraction is that of M y / 2**width, where y = 2**(e - 1) 2 / pi:
    of y the last integer word and the first two fraction words matter.
    """
    form, width = FORMATS[a.float_bits], a.float_bits
    bits = a.bits(x)
    offset = a.isub(a.lshr(bits, form.stored), a.integer(form.bias + 1))
    aligned = a.ior(a.shl(bits, width - 1 - form.stored), a.integer(form.sign))
    log_width = width.bit_length() - 1
    words = _window(a, _REDUCTION[width].two_over_pi, a.lshr(offset, log_width), 4)
    left = a.iand(offset, a.integer(width - 1))
    right = a.isub(a.integer(width - 1), left)
    whole, first, second = (
        a.ior(a.shl_by(upper, left), a.lshr_by(a.lshr(lower, 1), right)) for upper, lower in pairwise(words)
    )
    carried = a.umulh(aligned, second)
    low = a.iadd(a.imul(aligned, first), carried)
    carry = a.iselect(_unsigned_less(a, low, carried), a.integer(1), a.integer(0))
    high = a.iadd(a.iadd(a.imul(aligned, whole), a.umulh(aligned, first)), carry)
    return high, low


def _reduce_far(a: Arithmetic[V], x: V) -> tuple[V, V, V]:
    """As `_reduce`, for any finite |x| >= 2: the fraction of a turn gives a quadrant and a signed rest, whose
    lower word is rounded to nearest and thus signed too."""
    form, width = FORMATS[a.float_bits], a.float_bits
    high, low = _turn(a, a.absolute(x))
    rounded = a.iadd(low, a.integer(1 << (width - 3)))
    high = a.iadd(high, a.iselect(_unsigned_less(a, rounded, low), a.integer(1), a.integer(0)))
    quadrant = a.lshr(a.iadd(a.lshr(high, width - 3), a.integer(1)), 1)
    rest = a.ior(a.shl(high, 2), a.lshr(rounded, width - 2))
    # The bits that would not fit into a float, none where the rest is small: they would cancel most of it.
    spare = width - 2 - form.stored
    small = a.iequal(a.ashr(rest, form.stored), a.ashr(rest, width - 1))
    below = a.iselect(small, a.integer(0), a.iand(rest, a.integer((1 << spare) - 1)))
    above = a.to_float(a.isub(rest, below))
    tail = a.mul(a.to_float(a.shl(low, 2)), a.constant(2.0**-width))
    tail = a.mul(a.add(a.to_float(below), tail), a.constant(2.0**-width))
    above = a.mul(above, a.constant(2.0**-width))
    first, second, _ = (a.constant(c) for c in _REDUCTION[width].quarter_turn)
    product = a.mul(above, first)
    error = a.fma(above, second, a.fma(above, first, a.neg(product)))
    error = a.fma(tail, first, a.fma(tail, second, error))
    r = a.add(product, error)
    low = a.add(a.sub(product, r), error)
    sign = with_sign_of(a, a.constant(1.0), x)
    return a.mul(r, sign), a.mul(low, sign), a.mul(a.to_float(quadrant), sign)


def _reduce(a: Arithmetic[V], x: V) -> tuple[V, V, V]:
    """(r, low, n) with x = n pi / 2 + r + low modulo 2 pi, |r| <= pi / 4, low its correction, n an integer.

    For near x, `exact` is exact: a multiple of the last place of x and of that of pi / 2. So it is one of the last
    place of the small product too, and the error of their sum is exact in whichever order their sizes stand.
    """
    reduction = _REDUCTION[a.float_bits]
    rounder = a.constant(FORMATS[a.float_bits].round_to_integer)
    n = a.sub(a.fma(x, a.constant(TWO_OVER_PI), rounder), rounder)
    first, second, third = (a.constant(-part) for part in reduction.quarter_turn)
    exact = a.fma(n, first, x)
    product = a.mul(n, second)
    r = a.add(exact, product)
    error = a.add(a.add(a.sub(exact, r), product), a.fma(n, second, a.neg(product)))
    low = a.fma(n, third, error)
    far = a.less(a.constant(reduction.near), a.absolute(x))
    r, low, n = a.rarely(far, lambda: _reduce_far(a, x), (r, low, n))
    return r, low, a.to_integer(n)


def _sin_near(a: Arithmetic[V], r: V, low: V, z: V) -> V:
    return a.add(r, a.fma(a.mul(z, polynomial(a, SIN[a.float_bits], z)), r, low))


def _cos_near(a: Arithmetic[V], r: V, low: V, z: V) -> V:
    """1 - z / 2 is rounded, and its error added to the rest, as is that of r."""
    one, half = a.constant(1.0), a.mul(z, a.constant(0.5))
    head = a.sub(one, half)
    error = a.fma(a.neg(r), low, a.sub(a.sub(one, head), half))
    return a.add(head, a.fma(a.mul(z, z), polynomial(a, COS[a.float_bits], z), error))


def _odd(a: Arithmetic[V], n: V) -> V:
    return a.iequal(a.iand(n, a.integer(1)), a.integer(1))


def _finite(a: Arithmetic[V], x: V, y: V) -> V:
    return a.select(a.less(a.absolute(x), a.constant(inf)), y, a.constant(nan))


def _quadrant(a: Arithmetic[V], r: V, low: V, n: V) -> V:
    """sin(r + low + n pi / 2)."""
    z = a.mul(r, r)
    y = a.select(_odd(a, n), _cos_near(a, r, low, z), _sin_near(a, r, low, z))
    sign = a.shl(a.iand(n, a.integer(2)), a.float_bits - 2)
    return a.from_bits(a.ixor(a.bits(y), sign))


def sin(a: Arithmetic[V], x: V) -> V:
    return keep_tiny(a, x, _finite(a, x, _quadrant(a, *_reduce(a, x))))


def cos(a: Arithmetic[V], x: V) -> V:
    r, low, n = _reduce(a, x)
    return _finite(a, x, _quadrant(a, r, low, a.iadd(n, a.integer(1))))


def tan(a: Arithmetic[V], x: V) -> V:
    """sin / cos, or -cos / sin in odd quadrants."""
    r, low, n = _reduce(a, x)
    z, odd = a.mul(r, r), _odd(a, n)
    s, c = _sin_near(a, r, low, z), _cos_near(a, r, low, z)
    y = a.div(a.select(odd, a.neg(c), s), a.select(odd, s, c))
    return keep_tiny(a, x, _finite(a, x, y))
