"""Functions of two arguments: C's annex F for pow and atan2, and integer powers against exact rationals."""

from fractions import Fraction
from itertools import product
from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.mathematics import BINARY_FUNCTIONS, evaluate_binary
from numpy.typing import NDArray

REALS = [np.float32, np.float64]
Real = type[np.floating[Any]]


def values(name: str, x: Any, y: Any, real: Real) -> NDArray[Any]:
    return evaluate_binary(BINARY_FUNCTIONS[name], *np.broadcast_arrays(np.array(x, real), np.array(y, real)))


def powers(x: Any, n: Any, real: Real) -> NDArray[Any]:
    integer = np.dtype(f"i{np.dtype(real).itemsize}")
    return evaluate_binary(BINARY_FUNCTIONS["fpowi"], *np.broadcast_arrays(np.array(x, real), np.array(n, integer)))


def assert_same(found: NDArray[Any], expected: Any) -> None:
    """Equal, with the sign of zero."""
    wanted = np.broadcast_to(np.array(expected, found.dtype), found.shape)
    np.testing.assert_array_equal(found, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


ODD, EVEN, BROKEN = [1.0, 3.0, 77.0], [2.0, 4.0, 1e6], [0.5, 1.5, 2.75]
# x, y, x**y
POWERS: list[tuple[Any, Any, Any]] = [
    (0.0, [-y for y in ODD], inf),
    (-0.0, [-y for y in ODD], -inf),
    ([[0.0], [-0.0]], [-y for y in (*EVEN, *BROKEN)], inf),
    ([0.0, -0.0], -inf, inf),
    (0.0, ODD, 0.0),
    (-0.0, ODD, -0.0),
    ([[0.0], [-0.0]], [*EVEN, *BROKEN, inf], 0.0),
    (-1.0, [inf, -inf], 1.0),
    (1.0, [nan, inf, -inf, 0.0, -3.5, 1e30], 1.0),
    ([nan, inf, -inf, 0.0, -0.0, -2.0, 1e30], [[0.0], [-0.0]], 1.0),
    ([-2.0, -0.5, -1.0, -1e-30, -1e30], [[y] for y in (*BROKEN, -0.5)], nan),
    ([0.5, -0.5, 0.0, 1e-30, -0.99], -inf, inf),
    ([2.0, -2.0, inf, -inf, 1.01], -inf, 0.0),
    ([0.5, -0.5, 0.0, 1e-30, -0.99], inf, 0.0),
    ([2.0, -2.0, inf, -inf, 1.01], inf, inf),
    (-inf, [-y for y in ODD], -0.0),
    (-inf, [-y for y in (*EVEN, *BROKEN)], 0.0),
    (-inf, ODD, -inf),
    (-inf, [*EVEN, *BROKEN], inf),
    (inf, [-1.0, -0.5, -1e30], 0.0),
    (inf, [1.0, 0.5, 1e30], inf),
    (nan, [1.0, -0.5, inf, nan], nan),
    ([2.0, 0.0, inf, -1.0, -inf], nan, nan),
]


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize(("x", "y", "expected"), POWERS)
def test_special_powers(x: Any, y: Any, expected: float, real: Real) -> None:
    assert_same(values("powf", x, y, real), expected)


@pytest.mark.parametrize("real", REALS)
def test_the_sign_of_a_power_is_that_of_an_odd_exponent(real: Real) -> None:
    """The largest odd number is 2**digits - 1: from there on all floats are even."""
    limit = 2.0 ** (np.finfo(real).nmant + 1)
    odd, even, broken = [limit - 1, limit / 2 + 1, limit / 2 - 1], [limit, limit + 2, limit - 2, 1e38], limit / 4 + 0.5
    assert_same(values("powf", -1.0, [*odd, *even], real), [-1.0] * 3 + [1.0] * 4)
    assert_same(values("powf", -1.0, [*(-y for y in odd), *(-y for y in even)], real), [-1.0] * 3 + [1.0] * 4)
    assert_same(values("powf", -2.0, [odd[0], -odd[0], even[0], -even[0]], real), [-inf, -0.0, inf, 0.0])
    assert np.isnan(values("powf", -1.0, [broken, -broken, limit / 2 - 0.5], real)).all()


@pytest.mark.parametrize("real", REALS)
def test_powers_that_are_floats_are_exact(real: Real) -> None:
    info = np.finfo(real)
    digits = info.nmant + 1
    exponents = np.arange(info.minexp - info.nmant, info.maxexp)
    assert_same(values("powf", 2.0, exponents, real), np.ldexp(np.ones(exponents.size, real), exponents))
    assert_same(values("powf", [2.0, 2.0, 4.0], [info.maxexp, -1100, 600], real), [inf, 0.0, inf])
    exact = [(b, e) for b in range(3, 40) for e in range(1, 40) if b**e < 1 << digits]
    for sign in (1, -1):
        x, y = [sign * b for b, _ in exact], [e for _, e in exact]
        assert_same(values("powf", x, y, real), [float((sign * b) ** e) for b, e in exact])
    squares = np.arange(1, 1000, dtype=real)
    assert_same(values("powf", squares * squares, 0.5, real), squares)


@pytest.mark.parametrize("real", REALS)
def test_quadrants(real: Real) -> None:
    signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
    for sy, sx in signs:
        about = {1.0: 0.0, -1.0: pi}[sx]
        assert_same(values("atan2", sy * 0.0, [sx * v for v in (0.0, 1.0, 1e-40, inf)], real), sy * about)
        assert_same(values("atan2", [sy * v for v in (1.0, 1e-40, 1e30, inf)], sx * 0.0, real), sy * pi / 2)
        assert_same(values("atan2", [sy * 2.0, sy * 1e-40], sx * inf, real), sy * about)
        assert_same(values("atan2", sy * inf, [sx * 2.0, sx * 1e-40], real), sy * pi / 2)
        diagonal = {1.0: pi / 4, -1.0: 3 * pi / 4}[sx]
        assert_same(
            values("atan2", [sy * v for v in (inf, 1.0, 3e-39)], [sx * v for v in (inf, 1.0, 3e-39)], real),
            sy * diagonal,
        )
    assert np.isnan(values("atan2", [nan, nan, nan, 1.0, 0.0, inf], [1.0, 0.0, inf, nan, nan, nan], real)).all()
    info = np.finfo(real)
    assert_same(
        values("atan2", [info.smallest_subnormal, info.tiny], [1.0, 4.0], real),
        [info.smallest_subnormal, info.tiny / 4],
    )
    assert_same(values("atan2", [info.tiny, -info.tiny], info.max, real), [0.0, -0.0])


@pytest.mark.parametrize("real", REALS)
def test_atan2_of_positive_x_is_atan_of_the_quotient(real: Real) -> None:
    generator = np.random.default_rng(2)
    y, x = generator.uniform(-1, 1, 1000).astype(real), np.exp2(generator.integers(-20, 20, 1000)).astype(real)
    exact = np.arctan(y.astype(np.longdouble) / x)
    assert (np.abs(values("atan2", y, x, real) - exact) <= 2 * np.spacing(np.abs(exact).astype(real))).all()


@pytest.mark.parametrize("real", REALS)
def test_integer_powers_of_integers(real: Real) -> None:
    digits = np.finfo(real).nmant + 1
    exact = [(b, n) for b, n in product(range(-12, 13), range(20)) if abs(b) ** n < 1 << digits]
    assert_same(powers([b for b, _ in exact], [n for _, n in exact], real), [float(b**n) for b, n in exact])


@pytest.mark.parametrize("real", REALS)
def test_integer_powers_are_close_to_exact_ones(real: Real) -> None:
    generator = np.random.default_rng(5)
    x = (generator.uniform(0.3, 3, 3000) * generator.choice([-1, 1], 3000)).astype(real)
    n = generator.integers(-30, 31, 3000)
    bound = Fraction(BINARY_FUNCTIONS["fpowi"].ulps[np.finfo(real).bits])
    for base, exponent, found in zip(x.tolist(), n.tolist(), powers(x, n, real), strict=True):
        exact = Fraction(base) ** exponent
        assert abs(Fraction(float(found)) - exact) <= bound * Fraction(float(np.spacing(np.abs(real(exact))))), base


@pytest.mark.parametrize("real", REALS)
def test_special_integer_powers(real: Real) -> None:
    least, largest = (
        int(v) for v in (np.iinfo(f"i{np.dtype(real).itemsize}").min, np.iinfo(f"i{np.dtype(real).itemsize}").max)
    )
    assert_same(powers([nan, inf, -inf, 0.0, -0.0, -7.5], 0, real), 1.0)
    assert_same(powers([0.0, -0.0, 0.0, -0.0], [-3, -3, -4, -4], real), [inf, -inf, inf, inf])
    assert_same(powers([0.0, -0.0, -0.0, inf, -inf, -inf], [5, 5, 6, 5, 5, 6], real), [0.0, -0.0, 0.0, inf, -inf, inf])
    assert_same(powers([inf, -inf, -inf], [-5, -5, -6], real), [0.0, -0.0, 0.0])
    assert np.isnan(powers(nan, [1, 2, 3, 4, 5, -1, least, largest], real)).all()
    assert_same(powers([1.0, -1.0, 1.0, -1.0], [least, least, largest, largest], real), [1.0, 1.0, 1.0, -1.0])
    assert_same(powers([2.0, -2.0, 2.0, -2.0], [least, least, largest, largest], real), [0.0, 0.0, inf, -inf])
    info = np.finfo(real)
    lowest = info.minexp - info.nmant
    assert_same(
        powers([2.0, 2.0, 0.5], [lowest, lowest - 1, -lowest], real),
        [info.smallest_subnormal, 0.0, info.smallest_subnormal],
    )
