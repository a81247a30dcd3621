"""What several expansions share: the float formats, exact sums and products, Horner's rule, powers of two, signs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...support.dataclasses import dataclass
from .arithmetic import Arithmetic, V


@dataclass(frozen=True)
class Format:
    """A binary interchange format of IEEE 754.

    `stored` is the number of stored fraction bits, `bias` the exponent's bias.
    """

    bits: int
    stored: int
    bias: int

    @property
    def one(self) -> int:
        """The bits of 1.0; those of 2.0**n are `one + (n << stored)`."""
        return self.bias << self.stored

    @property
    def sign(self) -> int:
        """The sign bit alone."""
        return 1 << (self.bits - 1)

    @property
    def round_to_integer(self) -> float:
        """Added to |x| < 2**(stored - 1) it rounds x to an integer, which its low bits then hold."""
        return 1.5 * 2.0**self.stored

    @property
    def least_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def negligible(self) -> float:
        """A quarter unit in the last place of 1: below it x and x + x*x/2 round alike, within a quarter ulp."""
        return 2.0 ** -(self.stored + 2)


FORMATS: Final[Mapping[int, Format]] = {32: Format(32, 23, 127), 64: Format(64, 52, 1023)}


def fast_two_sum(a: Arithmetic[V], x: V, y: V) -> tuple[V, V]:
    """The rounded sum and its exact error, for |x| >= |y| or x = 0."""
    total = a.add(x, y)
    return total, a.add(a.sub(x, total), y)


def two_sum(a: Arithmetic[V], x: V, y: V) -> tuple[V, V]:
    """The rounded sum and its exact error, in whichever order the sizes stand."""
    total = a.add(x, y)
    other = a.sub(total, x)
    return total, a.add(a.sub(x, a.sub(total, other)), a.sub(y, other))


def two_product(a: Arithmetic[V], x: V, y: V) -> tuple[V, V]:
    """The rounded product and its error, exact unless that underflows."""
    product = a.mul(x, y)
    return product, a.fma(x, y, a.neg(product))


def polynomial(a: Arithmetic[V], coefficients: Sequence[float], x: V) -> V:
    """Horner's rule with one rounding a step; lowest power first."""
    *lower, highest = coefficients
    value = a.constant(highest)
    for coefficient in reversed(lower):
        value = a.fma(value, x, a.constant(coefficient))
    return value


def power_of_two(a: Arithmetic[V], n: V) -> V:
    """2.0**n, of which only the low bits of the integer `n` count: n - 2**(bits of the exponent) is as good as n.

    Exact for exponents of normal numbers.
    """
    form = FORMATS[a.float_bits]
    return a.from_bits(a.iadd(a.shl(n, form.stored), a.integer(form.one)))


def scale(a: Arithmetic[V], x: V, n: V) -> V:
    """x * 2**n with one rounding, for x near 1 and |n| up to twice the exponent range: overflows and underflows right.

    In two steps, of which the first is exact because half of n keeps x normal.
    """
    half = a.ashr(n, 1)
    return a.mul(a.mul(x, power_of_two(a, half)), power_of_two(a, a.isub(n, half)))


def sign_of(a: Arithmetic[V], x: V) -> V:
    """The sign bit of `x` alone, an integer."""
    return a.iand(a.bits(x), a.integer(FORMATS[a.float_bits].sign))


def with_sign_of(a: Arithmetic[V], magnitude: V, x: V) -> V:
    """`magnitude`, whose sign bit is clear, with the sign bit of `x`."""
    return a.from_bits(a.ior(a.bits(magnitude), sign_of(a, x)))


def keep_tiny(a: Arithmetic[V], x: V, y: V) -> V:
    """`y`, the value of an f(x) = x + O(x*x), but `x` itself where that is as good: keeps -0 and subnormals."""
    tiny = a.less(a.absolute(x), a.constant(FORMATS[a.float_bits].negligible))
    return a.select(tiny, x, y)
