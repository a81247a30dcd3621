"""Transcendental functions from basic arithmetic, with stated accuracy, the same on every device.

An expansion is written once over `Arithmetic`: the code generator's implementation writes instructions, and
`NumpyArithmetic` computes the same bits on arrays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from . import error_function, exponential, logarithm, trigonometric
from .arithmetic import Arithmetic, V
from .numpy_arithmetic import NumpyArithmetic

__all__ = ["FUNCTIONS", "Arithmetic", "Expansion", "NumpyArithmetic", "evaluate"]


class Build(Protocol):
    """Writes one function of one argument over an arithmetic, whatever its values are."""

    def __call__(self, a: Arithmetic[V], x: V, /) -> V: ...


@dataclass(frozen=True)
class Expansion:
    """One function.

    `ulps` bounds the error by float width, in units in the last place of the exact result (the least subnormal, where
    that is larger), over all arguments. Special arguments give what IEEE 754 and C's annex F demand.
    """

    name: str
    build: Build
    ulps: Mapping[int, float]


_EXPANSIONS: Final = (
    Expansion("exp", exponential.exp, {32: 1.0, 64: 1.0}),
    Expansion("exp2", exponential.exp2, {32: 1.0, 64: 1.0}),
    Expansion("expm1", exponential.expm1, {32: 1.75, 64: 1.75}),
    Expansion("tanh", exponential.tanh, {32: 1.75, 64: 1.75}),
    Expansion("log", logarithm.log, {32: 1.0, 64: 1.0}),
    Expansion("log2", logarithm.log2, {32: 1.25, 64: 1.0}),
    Expansion("log10", logarithm.log10, {32: 1.1, 64: 1.0}),
    Expansion("log1p", logarithm.log1p, {32: 1.0, 64: 1.0}),
    Expansion("erf", error_function.erf, {32: 1.0, 64: 1.0}),
    Expansion("sin", trigonometric.sin, {32: 1.0, 64: 1.0}),
    Expansion("cos", trigonometric.cos, {32: 1.0, 64: 1.0}),
    Expansion("tan", trigonometric.tan, {32: 2.75, 64: 2.75}),
    Expansion("atan", trigonometric.atan, {32: 1.75, 64: 1.75}),
)

FUNCTIONS: Final[Mapping[str, Expansion]] = {expansion.name: expansion for expansion in _EXPANSIONS}


def evaluate(expansion: Expansion, x: NDArray[Any]) -> NDArray[Any]:
    """The function of each element of a float32 or float64 array, with the bits that compiled code computes."""
    with np.errstate(all="ignore"):
        return expansion.build(NumpyArithmetic(x.dtype.itemsize * 8), x)
