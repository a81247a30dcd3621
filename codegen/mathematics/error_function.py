"""erf: an odd polynomial up to 1, and 1 - exp(-q) beyond, where q = -log(erfc) is a polynomial."""

from collections.abc import Mapping
from typing import Final

from .arithmetic import Arithmetic, V
from .coefficients import ERF_FAR, ERF_NEAR
from .exponential import reduce_and_expand
from .pieces import polynomial, power_of_two, with_sign_of

_IS_ONE: Final[Mapping[int, float]] = {32: 4.0, 64: 6.0}


def erf(a: Arithmetic[V], x: V) -> V:
    one, magnitude = a.constant(1.0), a.absolute(x)
    near = a.fma(polynomial(a, ERF_NEAR[a.float_bits], a.mul(x, x)), x, x)
    q = polynomial(a, ERF_FAR[a.float_bits], a.sub(magnitude, one))
    p, n = reduce_and_expand(a, a.neg(q))
    power = power_of_two(a, n)
    far = a.fma(p, a.neg(power), a.sub(one, power))
    far = a.select(a.less(a.constant(_IS_ONE[a.float_bits]), magnitude), one, far)
    return a.select(a.less(magnitude, one), near, with_sign_of(a, far, x))
