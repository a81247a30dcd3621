"""Transcendental functions from basic arithmetic, with stated accuracy, the same on every device.

An expansion is written once over `Arithmetic`: the code generator's implementation writes instructions, and
`NumpyArithmetic` computes the same bits on arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...support.dataclasses import dataclass
from . import (
    error_function,
    exponential,
    hyperbolic,
    instructions,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)
from .arithmetic import Arithmetic, V
from .numpy_arithmetic import NumpyArithmetic

__all__ = [
    "BINARY_FUNCTIONS",
    "FUNCTIONS",
    "Arithmetic",
    "Binary",
    "Expansion",
    "NumpyArithmetic",
    "Unary",
    "evaluate",
    "evaluate_binary",
]

B = TypeVar("B")


class Unary(Protocol):
    """Writes one function of one argument over an arithmetic, whatever its values are."""

    def __call__(self, a: Arithmetic[V], x: V, /) -> V: ...


class Binary(Protocol):
    """Writes one function of two arguments: floats, or a float and an integer of its width."""

    def __call__(self, a: Arithmetic[V], x: V, y: V, /) -> V: ...


@dataclass(frozen=True)
class Expansion(Generic[B]):
    """One function.

    `ulps` bounds the error by float width, in units in the last place of the exact result (the least subnormal, where
    that is larger), over all arguments. Special arguments give what IEEE 754 and C's annex F demand.
    """

    name: str
    build: B
    ulps: Mapping[int, float]


def _by_width(single: Unary, double: Unary) -> Unary:
    """Different ways in float32 and float64."""

    def build(a: Arithmetic[V], x: V, /) -> V:
        return (single if a.float_bits == 32 else double)(a, x)

    return build


_UNARY: Final[tuple[Expansion[Unary], ...]] = (
    Expansion("exp", _by_width(instructions.exp, exponential.exp), {32: 2.0, 64: 1.0}),
    Expansion("exp2", _by_width(instructions.exp2, exponential.exp2), {32: 2.0, 64: 1.0}),
    Expansion("expm1", exponential.expm1, {32: 1.75, 64: 1.75}),
    Expansion("sinh", hyperbolic.sinh, {32: 1.0, 64: 1.0}),
    Expansion("cosh", hyperbolic.cosh, {32: 1.0, 64: 1.0}),
    Expansion("tanh", _by_width(instructions.tanh, hyperbolic.tanh), {32: 2.0, 64: 1.75}),
    Expansion("asinh", hyperbolic.asinh, {32: 1.25, 64: 1.25}),
    Expansion("acosh", hyperbolic.acosh, {32: 1.25, 64: 1.25}),
    Expansion("atanh", hyperbolic.atanh, {32: 1.25, 64: 1.25}),
    Expansion("log", _by_width(instructions.log, logarithm.log), {32: 2.0, 64: 1.0}),
    Expansion("log2", _by_width(instructions.log2, logarithm.log2), {32: 2.0, 64: 1.0}),
    Expansion("log10", _by_width(instructions.log10, logarithm.log10), {32: 2.25, 64: 1.0}),
    Expansion("log1p", logarithm.log1p, {32: 1.0, 64: 1.0}),
    Expansion("rsqrt", _by_width(instructions.rsqrt, power.rsqrt), {32: 2.0, 64: 1.5}),
    Expansion("cbrt", power.cbrt, {32: 0.55, 64: 0.55}),
    Expansion("erf", error_function.erf, {32: 1.0, 64: 1.0}),
    Expansion("erfc", error_function.erfc, {32: 1.5, 64: 1.75}),
    Expansion("sin", trigonometric.sin, {32: 1.0, 64: 1.0}),
    Expansion("cos", trigonometric.cos, {32: 1.0, 64: 1.0}),
    Expansion("tan", trigonometric.tan, {32: 2.75, 64: 2.75}),
    Expansion("asin", inverse_trigonometric.asin, {32: 1.25, 64: 1.25}),
    Expansion("acos", inverse_trigonometric.acos, {32: 1.25, 64: 1.25}),
    Expansion("atan", inverse_trigonometric.atan, {32: 1.75, 64: 1.75}),
)

_BINARY: Final[tuple[Expansion[Binary], ...]] = (
    Expansion("powf", power.powf, {32: 1.0, 64: 1.0}),
    Expansion("fpowi", power.fpowi, {32: 2.0, 64: 2.0}),
    Expansion("atan2", inverse_trigonometric.atan2, {32: 1.75, 64: 1.75}),
)

FUNCTIONS: Final[Mapping[str, Expansion[Unary]]] = {expansion.name: expansion for expansion in _UNARY}
BINARY_FUNCTIONS: Final[Mapping[str, Expansion[Binary]]] = {expansion.name: expansion for expansion in _BINARY}


def evaluate(expansion: Expansion[Unary], x: NDArray[Any], error: float = 0.0) -> NDArray[Any]:
    """The function of each element of a float32 or float64 array, with the bits that compiled code computes.

    `error` is that of instructions that approximate, from -1 to 1 in parts of the greatest.
    """
    with np.errstate(all="ignore"):
        return expansion.build(NumpyArithmetic(x.dtype.itemsize * 8, error), x)


def evaluate_binary(expansion: Expansion[Binary], x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """The function of each pair of elements of two arrays of one shape; fpowi takes integers of the float's width as
    the second."""
    with np.errstate(all="ignore"):
        return expansion.build(NumpyArithmetic(x.dtype.itemsize * 8), x, y)
