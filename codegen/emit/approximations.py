"""Functions and quotients of f32 as a program may have them where `fastmath` allows approximations (`afn`, `arcp`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from . import floats
from .emission import FloatInstruction
from .expansion import LlvmArithmetic
from .text import Ssa

Build = Callable[[LlvmArithmetic, Ssa], Ssa]


def _instruction(name: FloatInstruction, *, before: float = 1.0, after: float = 1.0) -> Build:
    """The instruction of a multiple of its operand, its result multiplied."""

    def build(a: LlvmArithmetic, x: Ssa) -> Ssa:
        y = a.instruction(name, x if before == 1.0 else a.mul(x, a.constant(before)))
        return y if after == 1.0 else a.mul(y, a.constant(after))

    return build


def _tanh(a: LlvmArithmetic, x: Ssa) -> Ssa:
    """1 - 2 / (exp(2 x) + 1): off by little beside 1, by much beside a small x."""
    power = a.exp2_flushing(a.mul(x, a.constant(2.0 * math.log2(math.e))))
    one = a.constant(1.0)
    return a.fma(a.reciprocal_flushing(a.add(power, one)), a.constant(-2.0), one)


APPROXIMATE: Mapping[str, Build] = {
    "exp2": _instruction("exp2"),
    "exp": _instruction("exp2", before=math.log2(math.e)),
    "log2": _instruction("log2"),
    "log": _instruction("log2", after=math.log(2.0)),
    "log10": _instruction("log2", after=math.log10(2.0)),
    "rsqrt": _instruction("rsqrt"),
    "tanh": _tanh,
}
"""Where another function is approximated, its expansion is taken; so with sines and cosines, whose instructions are off
by more the further a number is from 0."""


def quotient(a: LlvmArithmetic, x: Ssa, y: Ssa, *, by_instruction: bool) -> Ssa:
    """x / y by way of the reciprocal, which divisions by the same number share."""
    if by_instruction:
        return a.mul(x, a.reciprocal_flushing(y))
    reciprocal = floats.binary(a.w, "fdiv", a.constant(1.0), y, ahead=True)
    return a.mul(x, reciprocal)
