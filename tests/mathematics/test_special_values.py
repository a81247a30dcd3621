"""What IEEE 754 and C's annex F fix: infinities, NaN, zeros and their signs, exact cases, symmetry and range."""

from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.mathematics import FUNCTIONS, evaluate
from numpy.typing import NDArray

REALS = [np.float32, np.float64]
Real = type[np.floating[Any]]

# name: the values at -inf, -0, +0, +inf
LIMITS = {
    "exp": (0.0, 1.0, 1.0, inf),
    "exp2": (0.0, 1.0, 1.0, inf),
    "expm1": (-1.0, -0.0, 0.0, inf),
    "tanh": (-1.0, -0.0, 0.0, 1.0),
    "log": (nan, -inf, -inf, inf),
    "log2": (nan, -inf, -inf, inf),
    "log10": (nan, -inf, -inf, inf),
    "log1p": (nan, -0.0, 0.0, inf),
    "erf": (-1.0, -0.0, 0.0, 1.0),
    "sin": (nan, -0.0, 0.0, nan),
    "cos": (nan, 1.0, 1.0, nan),
    "tan": (nan, -0.0, 0.0, nan),
    "atan": (-pi / 2, -0.0, 0.0, pi / 2),
    "sinh": (-inf, -0.0, 0.0, inf),
    "cosh": (inf, 1.0, 1.0, inf),
    "asinh": (-inf, -0.0, 0.0, inf),
    "acosh": (nan, nan, nan, inf),
    "atanh": (nan, -0.0, 0.0, nan),
    "cbrt": (-inf, -0.0, 0.0, inf),
    "erfc": (2.0, 1.0, 1.0, 0.0),
    "asin": (nan, -0.0, 0.0, nan),
    "acos": (nan, pi / 2, pi / 2, nan),
    "rsqrt": (nan, -inf, inf, 0.0),
}


def values(name: str, x: Any, real: Real) -> NDArray[Any]:
    return evaluate(FUNCTIONS[name], np.array(x, real))


def assert_same(found: NDArray[Any], expected: Any) -> None:
    """Equal, with the sign of zero."""
    wanted = np.array(expected, found.dtype)
    np.testing.assert_array_equal(found, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


def test_every_function_has_a_row() -> None:
    assert LIMITS.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinities_zeros_and_nan(name: str, real: Real) -> None:
    assert_same(values(name, [-inf, -0.0, 0.0, inf, nan], real), [*LIMITS[name], nan])


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("name", ["expm1", "tanh", "log1p", "sin", "tan", "atan", "sinh", "asinh", "atanh", "asin"])
def test_subnormals_are_their_own_value(name: str, real: Real) -> None:
    """f(x) = x + O(x**2)."""
    tiny = np.finfo(real).smallest_subnormal * np.array([1, 2, 3, 1000, -1, -12345], real)
    assert_same(values(name, tiny, real), tiny)


@pytest.mark.parametrize("real", REALS)
def test_overflow_and_underflow_of_exp(real: Real) -> None:
    info = np.finfo(real)
    last = real(np.nextafter(real(np.log(np.longdouble(info.max))), real(0)))
    beyond = real(np.log(np.longdouble(2)) * info.maxexp * (1 + 4 * info.eps))
    assert_same(values("exp", [beyond, info.max], real), [inf, inf])
    assert np.isfinite(values("exp", [last], real)).all()
    lowest = info.minexp - info.nmant
    assert_same(values("exp", [(lowest - 1.01) * np.log(2), -info.max], real), [0.0, 0.0])
    assert_same(values("exp2", [lowest, lowest - 1, lowest - 2], real), [info.smallest_subnormal, 0.0, 0.0])
    assert_same(values("expm1", [-info.max, info.max], real), [-1.0, inf])


@pytest.mark.parametrize("real", REALS)
def test_powers_of_two_are_exact(real: Real) -> None:
    info = np.finfo(real)
    exponents = np.arange(info.minexp - info.nmant, info.maxexp)
    powers = np.ldexp(np.ones(exponents.size, real), exponents)
    assert_same(values("exp2", exponents, real), powers)
    assert_same(values("log2", powers, real), exponents)


@pytest.mark.parametrize("real", REALS)
def test_one(real: Real) -> None:
    for name in ("log", "log2", "log10"):
        assert_same(values(name, [1.0], real), [0.0])
    assert_same(values("log1p", [-1.0], real), [-inf])


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_negative_numbers_have_no_logarithm(name: str, real: Real) -> None:
    info = np.finfo(real)
    assert np.isnan(values(name, [-1.0, -info.smallest_subnormal, -info.max], real)).all()


@pytest.mark.parametrize("real", REALS)
def test_below_minus_one_has_no_log1p(real: Real) -> None:
    assert np.isnan(values("log1p", [np.nextafter(real(-1), real(-2)), -2.0, -np.finfo(real).max], real)).all()


@pytest.mark.parametrize("real", REALS)
def test_outside_their_domain_inverse_functions_are_not_numbers(real: Real) -> None:
    above = np.nextafter(real(1), real(2))
    for name in ("asin", "acos", "atanh"):
        assert np.isnan(values(name, [above, -above, 2.0, -3.0, np.finfo(real).max], real)).all()
    below = np.nextafter(real(1), real(0))
    assert np.isnan(values("acosh", [below, 0.5, -1.0, -3.0, -np.finfo(real).max], real)).all()


@pytest.mark.parametrize("real", REALS)
def test_the_ends_of_domains(real: Real) -> None:
    assert_same(values("asin", [-1.0, 1.0], real), [-pi / 2, pi / 2])
    assert_same(values("acos", [-1.0, 1.0], real), [pi, 0.0])
    assert_same(values("atanh", [-1.0, 1.0], real), [-inf, inf])
    assert_same(values("acosh", [1.0], real), [0.0])


@pytest.mark.parametrize("real", REALS)
def test_overflow_of_hyperbolic_functions(real: Real) -> None:
    """Where exp(x) / 2 rounds to infinity: half a unit in the last place beyond the largest number."""
    info = np.finfo(real)
    threshold = np.log(np.longdouble(info.max)) + np.log(np.longdouble(2))
    last = real(threshold * (1 - info.eps))
    beyond = real(threshold * (1 + 2 * info.eps))
    assert np.isfinite(values("sinh", [last, -last], real)).all()
    assert np.isfinite(values("cosh", [last, -last], real)).all()
    assert_same(values("sinh", [beyond, -beyond, info.max, -info.max], real), [inf, -inf, inf, -inf])
    assert_same(values("cosh", [beyond, -beyond, info.max, -info.max], real), [inf, inf, inf, inf])
    largest = np.log(np.longdouble(info.max)) + np.log(np.longdouble(2))
    for name in ("asinh", "acosh"):
        assert abs(values(name, [info.max], real)[0] - largest) <= np.spacing(real(largest))


@pytest.mark.parametrize("real", REALS)
def test_erfc_underflows_where_it_should(real: Real) -> None:
    """By the asymptotic series: erfc(x) is half the least subnormal near 10.0546 and 27.2263."""
    least = np.finfo(real).smallest_subnormal
    last, beyond = {np.float32: (10.05, 10.06), np.float64: (27.22, 27.23)}[real]
    assert_same(values("erfc", [last, beyond, -last, np.finfo(real).max], real), [least, 0.0, 2.0, 0.0])


@pytest.mark.parametrize("real", REALS)
def test_cubes_have_exact_roots(real: Real) -> None:
    info = np.finfo(real)
    whole = np.arange(-200, 201, dtype=real)
    assert_same(values("cbrt", whole**3, real), whole)
    thirds = np.arange(-((info.nmant - info.minexp) // 3), info.maxexp // 3)
    powers = np.ldexp(np.ones(thirds.size, real), 3 * thirds)
    assert_same(values("cbrt", powers, real), np.ldexp(np.ones(thirds.size, real), thirds))


def sample(real: Real) -> NDArray[Any]:
    generator = np.random.default_rng(3)
    return np.exp2(generator.uniform(-30, 30, 20000)).astype(real)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "tan", "atan", "sinh", "asinh", "atanh", "asin", "cbrt"])
def test_odd_functions_are_odd(name: str, real: Real) -> None:
    assert_same(values(name, -sample(real), real), -values(name, sample(real), real))


@pytest.mark.parametrize("real", REALS)
def test_even_functions_are_even(real: Real) -> None:
    for name in ("cos", "cosh"):
        assert_same(values(name, -sample(real), real), values(name, sample(real), real))


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "cos"])
def test_the_range_is_kept(name: str, real: Real) -> None:
    assert (np.abs(values(name, sample(real), real)) <= 1).all()


@pytest.mark.parametrize("real", REALS)
def test_the_input_is_left_alone_and_shapes_are_kept(real: Real) -> None:
    x = np.arange(24, dtype=real).reshape(2, 3, 4)
    before = x.copy()
    for name in FUNCTIONS:
        assert values(name, x, real).shape == (2, 3, 4)
        assert evaluate(FUNCTIONS[name], x[1, 2, 3:4]).shape == (1,)
    np.testing.assert_array_equal(x, before)
