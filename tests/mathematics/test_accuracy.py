"""The stated bounds, against wider arithmetic. With `-s` pytest prints what is measured."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.mathematics import BINARY_FUNCTIONS, FUNCTIONS, evaluate, evaluate_binary
from numpy.typing import NDArray

from ..examples import examples

Array = NDArray[Any]

# Where a function changes its formula, overflows, underflows, saturates, or is nearly zero.
EVERYWHERE = (0.0, 2.0**-149, 2.0**-126, 2.0**-25, 2.0**-54, 2.0**-1022, 0.5, 1.0, 2.0, 65536.0, 3.4028234663852886e38)
EXPONENTIAL = (88.72283905206835, -87.33654475, -103.97207708, 709.782712893384, -708.3964185322641, -745.1332191019411)
QUARTER_TURNS = tuple(k * math.pi / 4 for k in range(-40, 41))
CLOSE_TO_A_TURN = (3045577981952.0, 16367173 * 2.0**72, 6381956970095103 * 2.0**797)
TURNING = (*QUARTER_TURNS, *CLOSE_TO_A_TURN, 1048576.0, 1e22, 2.0**127, 2.0**1023)
HYPERBOLIC = (*EXPONENTIAL, 0.34657359, 89.4159863, 89.5, 710.475860073944, 710.5)
SEAMS: dict[str, tuple[float, ...]] = {
    "exp": (*EXPONENTIAL, -87.68, 88.38),
    "exp2": (-126.0, -149.0, -150.0, 128.0, -1022.0, -1074.0, -1075.0, 1024.0, 0.5, -0.5),
    "expm1": (*EXPONENTIAL, -17.328679, -20.0, -37.42994775, -40.0, 0.34657359, -0.34657359),
    "tanh": (0.35, 0.6, 9.0109, 10.0, 19.06, 20.0, 0.17328680),
    "log": (0.70710678, 1.41421356, 0.5, 2.0),
    "log2": (0.70710678, 1.41421356, 0.5, 2.0),
    "log10": (0.70710678, 1.41421356, 0.5, 2.0),
    "log1p": (-1.0, -0.29289322, 0.41421356),
    "erf": (3.8325068, 4.0, 5.9215872, 6.0),
    "sin": TURNING,
    "cos": TURNING,
    "tan": TURNING,
    "atan": (1e7, 1e16),
    "sinh": HYPERBOLIC,
    "cosh": HYPERBOLIC,
    "asinh": (2.0**30, 2.0**60, 2.0**-12, 2.0**-27),
    "acosh": (2.0**30, 2.0**60, 1.41421356, 1.25),
    "atanh": (0.17157288, 0.33333333, 0.99),
    "cbrt": (2.0**-64, 2.0**-512, 3.0, 8.0, 27.0, 1e9),
    "erfc": (9.194549, 10.054571, 10.06, 26.543258, 27.226301, 27.23),
    "asin": (0.70710678, 0.86602540),
    "acos": (0.70710678, 0.86602540),
    "rsqrt": (3.0, 4.0, 2.0**-148, 2.0**126),
}


BY_INSTRUCTION = ("exp", "exp2", "tanh", "rsqrt")
"""Those whose float32 form takes instructions that approximate, which may be off by as much as their makers say."""
LARGEST = 1 - 2.0**-20
INVERSES = ("asinh", "acosh", "atanh", "asin", "acos", "atan")


def around(centres: tuple[float, ...], real: type[np.floating[Any]]) -> Array:
    """The floats within 64 steps of each centre, of both signs."""
    integer = {np.float32: np.int32, np.float64: np.int64}[real]
    with np.errstate(over="ignore"):
        bits = np.abs(np.array([*EVERYWHERE, *centres])).astype(real).view(integer)
    close = (bits[:, None] + np.arange(-64, 65, dtype=integer)).ravel()
    close = close[(close >= 0) & (close <= np.array(np.inf, real).view(integer))].view(real)
    return np.concatenate([close, -close])


def sampled(name: str, real: type[np.floating[Any]], one_of: int = 1) -> Array:
    """Bit patterns a prime apart over all of them and ordinary numbers, one of so many, and all of the seams."""
    generator = np.random.default_rng(7)
    if real is np.float32:
        patterns = np.arange(0, 1 << 32, 16381, dtype=np.uint64).astype(np.uint32).view(real)
    else:
        patterns = np.arange(0, 1 << 64, ((1 << 64) - 59) // 60013, dtype=np.uint64).view(real)
    ordinary = (
        generator.uniform(-4, 4, 60000),
        np.exp2(generator.uniform(-12, 10, 60000)),
        generator.uniform(-80, 80, 30000),
    )
    signed = np.concatenate(ordinary) * generator.choice([-1.0, 1.0], 150000)
    step = one_of * (5 if (name, real) in SERIES else 1)
    return np.concatenate([patterns[::step], signed.astype(real)[::step], around(SEAMS[name], real)])


def pairs(name: str, real: type[np.floating[Any]]) -> tuple[Array, Array]:
    """Pairs of bit patterns and of ordinary numbers, and those where the function is most sensitive."""
    generator = np.random.default_rng(11)
    info, count = np.finfo(real), examples(25000)
    patterns = generator.integers(0, 1 << info.bits, (2, count), np.uint64).astype(f"u{info.bits // 8}").view(real)
    ordinary = np.exp2(generator.uniform(-12, 12, (2, count))) * generator.choice([-1.0, 1.0], (2, count))
    if name == "atan2":
        close = ordinary[0] * [[1], [-1]] * (1 + generator.uniform(-1, 1, (2, count)) * [[2.0**-12], [1]])
        first, second = [ordinary[0], *close], [ordinary[1], ordinary[0], ordinary[0]]
    else:
        # Results over the whole range and a little beyond, of bases far from 1 and ever closer to it.
        binary_log = np.exp2(generator.uniform(-info.nmant, 6.9, count)) * generator.choice([-1.0, 1.0], count)
        base = np.exp2(binary_log).astype(real)
        limits = info.minexp - info.nmant - 3, info.maxexp + 2
        exponent = generator.uniform(*limits, count) / np.log2(base, dtype=np.float64, where=base != 1, out=binary_log)
        whole = generator.integers(-20, 21, count)
        first, second = [base, ordinary[0], ordinary[0]], [exponent, ordinary[1], whole]
    x, y = (np.concatenate([p, np.concatenate(o).astype(real)]) for p, o in zip(patterns, (first, second), strict=True))
    return x, y


def erf_wide(x: Array) -> Array:
    """2 / sqrt(pi) exp(-x*x) (x + x*(2 x*x)/3 + x*(2 x*x)**2/15 + ...), all terms of one sign, in long double."""
    near = np.clip(x, -7, 7)
    term, total = near.copy(), near.copy()
    for k in range(1, 200):
        term = term * (2 * near * near / (2 * k + 1))
        total = total + term
    return np.asarray(np.longdouble("1.12837916709551257389615890312154517") * np.exp(-near * near) * total)


def erf_double(x: Array) -> Array:
    return np.array([math.erf(v) for v in x.tolist()])


def erfc_wide(x: Array) -> Array:
    """1 - erf(x) up to 1, beyond exp(-x*x) / sqrt(pi) / (x + 1/2 / (x + 1 / (x + 3/2 / ...))), in long double. The
    square is of two parts, h and the rest, of which h * h is exact."""
    magnitude = np.abs(x)
    far = np.clip(magnitude, 1, 120)
    fraction = far
    for k in range(300, 0, -1):
        fraction = far + k / (2 * fraction)
    h = far.astype(np.float32).astype(x.dtype)
    tail = np.exp(-h * h) * np.exp((h - far) * (h + far)) / fraction
    tail *= np.longdouble("0.56418958354775628694807945156077259")
    return np.where(magnitude < 1, 1 - erf_wide(x), np.where(x < 0, 2 - tail, tail))


def erfc_double(x: Array) -> Array:
    return np.array([math.erfc(v) for v in x.tolist()])


SERIES = (("erf", np.float64), ("erfc", np.float64))
"""Those whose reference is hundreds of terms in long double."""
ERROR_FUNCTIONS = {
    ("erf", np.float32): erf_double,
    ("erf", np.float64): erf_wide,
    ("erfc", np.float32): erfc_double,
    ("erfc", np.float64): erfc_wide,
}


def rsqrt(x: Array) -> Array:
    return np.asarray(1 / np.sqrt(x))


def reference(name: str, real: type[np.floating[Any]]) -> Callable[[Array], Array]:
    if name == "rsqrt":
        return rsqrt
    if (name, real) in ERROR_FUNCTIONS:
        return ERROR_FUNCTIONS[name, real]
    function: Callable[[Array], Array] = getattr(np, name.replace("a", "arc", 1) if name in INVERSES else name)
    return function


def ulps(computed: Array, exact: Array) -> Array:
    """|computed - exact| in units in the last place of `exact` in the type of `computed`; 0 where both are NaN, equal,
    or overflow alike."""
    info = np.finfo(computed.dtype)
    exponent = np.maximum(np.frexp(np.abs(exact))[1] - 1, info.minexp) - info.nmant
    error = np.abs(computed.astype(exact.dtype) - exact) / np.ldexp(np.ones_like(exact), exponent)
    two = exact.dtype.type(2)
    overflows = np.abs(exact) >= (two - two ** (-info.nmant - 1)) * two ** (info.maxexp - 1)
    alike = np.isinf(computed) & overflows & (np.sign(computed) == np.sign(exact))
    alike |= (computed == exact) | (np.isnan(computed) & np.isnan(exact))
    return np.where(alike, 0, np.where(np.isnan(error), np.inf, error))


def wider(real: type[np.floating[Any]]) -> type[np.floating[Any]]:
    wide = np.float64 if real is np.float32 else np.longdouble
    if np.finfo(wide).nmant < np.finfo(real).nmant + 10:
        pytest.skip("long double is not wider than float64 on this platform")
    return wide


def check(name: str, bounds: Mapping[int, float], computed: Array, exact: Array, *operands: Array) -> None:
    with np.errstate(all="ignore"):
        errors = ulps(computed, exact)
    worst, real = errors.argmax(), computed.dtype
    at = ", ".join(repr(x[worst]) for x in operands)
    found = f"{name} {real}: {float(errors[worst]):.3f} ulp at {at}, which gives {computed[worst]!r}"
    print(found)
    assert errors[worst] <= bounds[real.itemsize * 8], found


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_the_error_is_within_its_bound(name: str, real: type[np.floating[Any]], pytestconfig: pytest.Config) -> None:
    """At an eighth of the samples, and all of the seams; at all with `--thorough`."""
    wide, x = wider(real), sampled(name, real, 1 if pytestconfig.getoption("thorough") else 8)
    with np.errstate(all="ignore"):
        exact = reference(name, real)(x.astype(wide))
    for error in (-LARGEST, 0.0, LARGEST) if name in BY_INSTRUCTION and real is np.float32 else (0.0,):
        y = evaluate(FUNCTIONS[name], x, error)
        assert y.dtype == real
        check(name, FUNCTIONS[name].ulps, y, exact, x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_instructions_that_approximate_are_where_they_are_expected(name: str) -> None:
    x = np.linspace(0.01, 5, 500, dtype=np.float32)
    exact, off = evaluate(FUNCTIONS[name], x), evaluate(FUNCTIONS[name], x, LARGEST)
    assert np.array_equal(exact.view("u4"), off.view("u4")) == (name not in BY_INSTRUCTION)


@pytest.mark.parametrize("name", BINARY_FUNCTIONS)
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_the_error_of_binary_functions_is_within_its_bound(name: str, real: type[np.floating[Any]]) -> None:
    wide, (x, y) = wider(real), pairs(name, real)
    if name == "fpowi":
        limit = 2.0 ** (np.finfo(real).bits - 1)
        whole = (y > -limit) & (y < limit)
        x, y = x[whole], np.rint(y[whole]).astype(f"i{y.itemsize}")
    with np.errstate(all="ignore"):
        z = evaluate_binary(BINARY_FUNCTIONS[name], x, y)
        exact = (np.arctan2 if name == "atan2" else np.power)(x.astype(wide), y.astype(wide))
    assert z.dtype == real
    check(name, BINARY_FUNCTIONS[name].ulps, z, exact, x, y)
