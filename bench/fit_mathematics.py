"""Fits the polynomials of the transcendental functions and prints their module.

    python bench/fit_mathematics.py > codegen/mathematics/coefficients.py

Needs mpmath. Each polynomial has the least greatest weighted error over its interval (Remez exchange), and its
coefficients are then rounded to the float type. The weight turns the polynomial's error into the relative error of
the function.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from mpmath import asin, atanh, cos, erf, erfc, exp, expm1, log, mpf, pi, sin, sinh, sqrt

Real = Any  # mpmath is untyped
GRID = 600


@dataclass(frozen=True)
class Fit:
    name: str
    comment: str
    function: Callable[[Real], Real]
    weight: Callable[[Real], Real]
    interval: tuple[Real, Real]
    degrees: dict[int, int]  # by float width


def evaluate(coefficients: list[Real], x: Real) -> Real:
    return mpmath.polyval(coefficients[::-1], x)


def extrema(errors: list[Real], count: int) -> list[int]:
    """Indices of `count` alternating extrema; the smallest ones beyond that number are dropped."""
    found = [0]
    for i, error in enumerate(errors):
        if (error > 0) != (errors[found[-1]] > 0):
            found.append(i)
        elif abs(error) > abs(errors[found[-1]]):
            found[-1] = i
    while len(found) > count:
        found.pop(0 if abs(errors[found[0]]) < abs(errors[found[-1]]) else -1)
    return found


def remez(fit: Fit, degree: int) -> list[Real]:
    low, high = fit.interval
    grid = [(low + high) / 2 - (high - low) / 2 * cos(pi * (i + mpf(1) / 3) / GRID) for i in range(GRID)]
    values, weights = [fit.function(x) for x in grid], [abs(fit.weight(x)) for x in grid]
    points = [round((GRID - 1) * i / (degree + 1)) for i in range(degree + 2)]
    for _ in range(30):
        rows = [[grid[p] ** j for j in range(degree + 1)] + [(-1) ** i / weights[p]] for i, p in enumerate(points)]
        *coefficients, level = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([values[p] for p in points]))
        errors = [w * (v - evaluate(coefficients, x)) for x, v, w in zip(grid, values, weights, strict=True)]
        points = extrema(errors, degree + 2)
        if max(map(abs, errors)) < abs(level) * 1.001:
            return coefficients
    raise ArithmeticError(f"{fit.name}: the exchange did not settle for degree {degree}")


ROUND = {32: np.float32, 64: np.float64}


def rounded(coefficients: list[Real], bits: int) -> list[str]:
    return [str(ROUND[bits](float(c))) for c in coefficients]


def printed(values: list[str], indent: str) -> str:
    return "(\n" + "".join(f"{indent}    {value},\n" for value in values) + f"{indent})"


def module(fit: Fit) -> str:
    tables = {bits: rounded(remez(fit, degree), bits) for bits, degree in fit.degrees.items()}
    lines = [f"    {bits}: {printed(values, '    ')},\n" for bits, values in tables.items()]
    if len(tables) == 1:
        (values,) = tables.values()
        return f"# {fit.comment}\n{fit.name}: Final = {printed(values, '')}\n"
    return f"# {fit.comment}\n{fit.name}: Final[Mapping[int, tuple[float, ...]]] = {{\n{''.join(lines)}}}\n"


mpmath.mp.dps = 45
TINY = mpf(10) ** -12  # in place of 0, where the formulas below divide by zero
HALF_LN2 = log(2) / 2 * mpf("1.0002")
SQUARED_QUARTER_TURN = (pi / 4 * mpf("1.0002")) ** 2
ATANH_END = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.0002")
ERFC_CENTRE = mpf(5) / 32


def scaled_erfc(x: Real) -> Real:
    return exp(x**2) * erfc(x)


FITS = [
    Fit(
        "EXPM1",
        "exp(r) = 1 + r + r**2 P(r) for |r| <= log(2) / 2, relative to exp(r) - 1",
        lambda r: (exp(r) - 1 - r) / r**2,
        lambda r: r**2 / expm1(r),
        (-HALF_LN2, HALF_LN2),
        {32: 4, 64: 10},
    ),
    Fit(
        "EXP2",
        "2**r = 1 + r P(r) for |r| <= 1/2, relative to 2**r",
        lambda r: (mpf(2) ** r - 1) / r,
        lambda r: r / mpf(2) ** r,
        (-mpf(1) / 2, mpf(1) / 2),
        {32: 5, 64: 10},
    ),
    Fit(
        "TANH",
        "tanh(x) = x + x**3 P(x**2) for |x| <= 0.35, relative to tanh(x)",
        lambda z: (mpmath.tanh(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mpmath.tanh(sqrt(z)),
        (TINY, mpf("0.35") ** 2),
        {32: 3, 64: 8},
    ),
    Fit(
        "TANH_MIDDLE",
        "tanh(x) = x + x**3 P(x**2) for |x| <= 0.6, relative to tanh(x)",
        lambda z: (mpmath.tanh(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mpmath.tanh(sqrt(z)),
        (TINY, mpf("0.6") ** 2),
        {32: 4},
    ),
    Fit(
        "LOG_DIRECT",
        "log(1 + f) = f + f**2 P(f) for 1/2 <= (1 + f)**2 <= 2, relative to log(1 + f)",
        lambda f: (log(1 + f) - f) / f**2,
        lambda f: f**2 / log(1 + f),
        (sqrt(mpf(1) / 2) - 1, sqrt(2) - 1),
        {32: 8},
    ),
    Fit(
        "LOG_ATANH",
        "2 atanh(s) = 2 s + s**3 P(s**2) for s = f / (2 + f), 1/2 <= (1 + f)**2 <= 2, relative to 2 s",
        lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z,
        lambda z: z / 2,
        (TINY, ATANH_END),
        {64: 6},
    ),
    Fit(
        "LOG_LONG",
        "2 atanh(s) = 2 s (1 + z (1/3 + z P(z))) for z = s**2, s = f / (2 + f), 1/2 <= (1 + f)**2 <= 2, relative",
        lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) / z**2,
        lambda z: z**2,
        (TINY, ATANH_END),
        {32: 2, 64: 7},
    ),
    Fit(
        "SINH",
        "sinh(x) = x + x**3 P(x**2) for |x| <= 1, relative to sinh(x)",
        lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / sinh(sqrt(z)),
        (TINY, mpf(1)),
        {32: 3, 64: 6},
    ),
    Fit(
        "ERF_NEAR",
        "erf(x) = x + x P(x**2) for |x| <= 1, relative to erf(x)",
        lambda z: erf(sqrt(z)) / sqrt(z) - 1,
        lambda z: sqrt(z) / erf(sqrt(z)),
        (TINY, mpf(1)),
        {32: 6, 64: 12},
    ),
    Fit(
        "ERF_FAR",
        "erf(x) = 1 - exp(-P(x - 1)) for x >= 1, up to where it rounds to 1, absolute",
        lambda t: -log(erfc(1 + t)),
        lambda t: erfc(1 + t),
        (mpf(0), mpf(5)),
        {32: 7, 64: 19},
    ),
    Fit(
        "ERFC",
        "erfc(x) = exp(-x**2) v P(v - 5/32) for v = 1 / (x + 2), x >= 1/2, up to where it rounds to 0, relative",
        lambda t: scaled_erfc(1 / (t + ERFC_CENTRE) - 2) / (t + ERFC_CENTRE),
        lambda t: (t + ERFC_CENTRE) / scaled_erfc(1 / (t + ERFC_CENTRE) - 2),
        (1 / mpf("29.3") - ERFC_CENTRE, mpf("0.4") - ERFC_CENTRE),
        {32: 10, 64: 22},
    ),
    Fit(
        "SIN",
        "sin(r) = r + r**3 P(r**2) for |r| <= pi / 4, relative to sin(r)",
        lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / sin(sqrt(z)),
        (TINY, SQUARED_QUARTER_TURN),
        {32: 2, 64: 5},
    ),
    Fit(
        "COS",
        "cos(r) = 1 - r**2 / 2 + r**4 P(r**2) for |r| <= pi / 4, relative to cos(r)",
        lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / cos(sqrt(z)),
        (TINY, SQUARED_QUARTER_TURN),
        {32: 2, 64: 5},
    ),
    Fit(
        "ATAN",
        "atan(u) = u + u**3 P(u**2) for |u| <= 1, relative to atan(u)",
        lambda z: (mpmath.atan(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / mpmath.atan(sqrt(z)),
        (TINY, mpf(1)),
        {32: 8, 64: 19},
    ),
    Fit(
        "ASIN",
        "asin(u) = u + u**3 P(u**2) for |u| <= 1/2, relative to asin(u)",
        lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / asin(sqrt(z)),
        (TINY, mpf(1) / 4),
        {32: 5, 64: 12},
    ),
]

HEADER = '''"""Coefficients of the polynomials, by float width, lowest power first.

Written by bench/fit_mathematics.py: minimax over the interval, then rounded to the float type.
"""

from collections.abc import Mapping
from typing import Final
'''

if __name__ == "__main__":
    print(HEADER + "".join("\n" + module(fit) for fit in FITS), end="")
