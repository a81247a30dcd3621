"""Matrix instructions as operations on what one lane holds: one of nvgpu or amdgpu for each family."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..targets import Fragment, MatrixInstruction
from .attributes import IntegerAttr, UnitAttr, i64_array
from .core import Builder, Operation, Value
from .dialects import amdgpu, nvgpu
from .types import F32, I32, Attribute, element_type


def multiplies(operation: Operation) -> bool:
    """Whether it has one inside."""
    return any(op.multiplies_fragments for op in operation.walk())


_Multiply = Callable[[Builder, MatrixInstruction, Value, Value, Value], Value]


def multiply_tiles(build: Builder, instruction: MatrixInstruction, a: Value, b: Value, c: Value) -> Value:
    """The accumulator after one instruction; all of them packs of `pack_shape`, in the instruction's register order."""
    return MULTIPLY[instruction.family](build, instruction, a, b, c)


def pack_shape(instruction: MatrixInstruction, fragment: Fragment) -> tuple[int, ...]:
    """nvgpu spells fragments as `vector<pieces x neighbours in a piece>`, amdgpu as flat vectors or a scalar."""
    if instruction.family == "mma.sync":
        return math.prod(fragment.outer), math.prod(fragment.element)
    return (fragment.elements,) if fragment.elements > 1 else ()


def _mma_sync(build: Builder, instruction: MatrixInstruction, a: Value, b: Value, c: Value) -> Value:
    short = {"tf32Enabled": UnitAttr()} if element_type(a.type) == F32 else {}
    shape = i64_array(instruction.shape)
    return build.value(nvgpu.MmaSyncOp, a, b, c, types=[c.type], mmaShape=shape, **short, **_signs(instruction))


def _signs(instruction: MatrixInstruction) -> dict[str, Attribute]:
    types = {"unsignedA": instruction.a_type, "unsignedB": instruction.b_type}
    return {name: UnitAttr() for name, type in types.items() if type.startswith("ui")}


def _amd(cls: type[amdgpu.MatrixOp]) -> _Multiply:
    def multiply(build: Builder, instruction: MatrixInstruction, a: Value, b: Value, c: Value) -> Value:
        m, n, k = (IntegerAttr(extent, I32) for extent in instruction.shape)
        return build.value(cls, a, b, c, types=[c.type], m=m, n=n, k=k, **_signs(instruction))

    return multiply


MULTIPLY: dict[str, _Multiply] = {"mma.sync": _mma_sync, "mfma": _amd(amdgpu.MfmaOp), "wmma": _amd(amdgpu.WmmaOp)}
"""By family of instructions; `multiply_tiles` takes one."""
