"""AMD's instructions for functions of f32. They take subnormal numbers as zero, unless operands are scaled."""

from __future__ import annotations

from collections.abc import Mapping

from ...support.named_tuples import NamedTuple
from ..emit import floats, integers
from ..emit.emission import Emission, FloatInstruction
from ..emit.text import Ssa, float_constant

_NAMES: Mapping[FloatInstruction, str] = {"exp2": "exp2", "log2": "log", "rcp": "rcp", "rsqrt": "rsq"}


class _Scaling(NamedTuple):
    """How operands of a function below `limit` are scaled: what is done to them, with which number, and
    what the result is multiplied by."""

    limit: float
    opcode: str
    neutral: float
    number: float
    after: float


_SCALED: Mapping[FloatInstruction, _Scaling] = {
    "exp2": _Scaling(-126.0, "fadd", 0.0, 64.0, 2.0**-64),
    "rsqrt": _Scaling(2.0**-126, "fmul", 1.0, 2.0**24, 2.0**12),
}


def normal(emission: Emission, instruction: FloatInstruction, x: Ssa) -> Ssa:
    w = emission.w
    if instruction == "saturate":
        floor = floats.call(w, "maxnum", x, float_constant(0.0, "float"))
        return floats.call(w, "minnum", floor, float_constant(1.0, "float"))
    return w.call("float", f"llvm.amdgcn.{_NAMES[instruction]}.f32", x)


def subnormal(emission: Emission, instruction: FloatInstruction, x: Ssa) -> Ssa:
    """How operands are scaled where they or results may be subnormal."""
    w, scaling = emission.w, _SCALED[instruction]
    small = floats.compare(w, "olt", x, float_constant(scaling.limit, "float"))
    number, neutral, after, one = (
        float_constant(c, "float") for c in (scaling.number, scaling.neutral, scaling.after, 1.0)
    )
    y = normal(emission, instruction, floats.binary(w, scaling.opcode, x, integers.select(w, small, number, neutral)))
    return floats.binary(w, "fmul", y, integers.select(w, small, after, one))
