"""What code for a chip may compute differently from the reference: functions, liberties of fastmath, matrix units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ..codegen.mathematics import BINARY_FUNCTIONS, FUNCTIONS
from ..ir.core import Operation
from ..ir.dialects import amdgpu, arith, math, nvgpu, vector
from ..ir.dialects.elementwise import FastMathAttr, RoundingBinary
from ..ir.dialects.lanewise_warpgroup import WarpgroupProduct
from ..ir.kernels import Kernel as KernelView
from ..ir.types import Type, element_type
from ..pipeline.compilation import Compilation
from ..reference.propagation import Accuracy, Machine
from ..support.named_tuples import NamedTuple
from ..targets import Chip, MatrixInstruction, matrix_instructions
from ..targets.accumulation import Accumulation, accumulation, chain

EXACT = Accuracy(0.0)
_LIBERTIES = frozenset({"fast", "reassoc", "arcp", "contract", "afn"})
_FUSED = Accuracy(3.0, skips_overflow=True)
"""The error of arithmetic whose rounding a liberty lets the compiler leave out."""
_BY_RECIPROCAL = Accuracy(3.0, flushes=True, skips_overflow=True)


class _Approximation(NamedTuple):
    """The hardware's instructions and our scaling of their operands: relative error in ulps, and an absolute one."""

    ulps: float = 128.0
    absolute: float = 0.0


_APPROXIMATIONS: Mapping[str, _Approximation] = {
    "log": _Approximation(absolute=2.0**-20),
    "log2": _Approximation(absolute=2.0**-20),
    "log10": _Approximation(absolute=2.0**-20),
    "tanh": _Approximation(absolute=2.0**-21),
}
"""By function; PTX ISA, sections of ex2, lg2, tanh and rcp `.approx`. The others have the default."""


def machine_of(chip: Chip, compilation: Callable[[], Compilation]) -> Machine:
    """What the reference has to know of the machine that a kernel is compiled for. `compilation`: that of the variant
    whose sums are compared, asked for where there are contractions."""
    return Machine(accuracy_of, _Units(chip, compilation).of)


def accuracy_of(op: Operation) -> Accuracy:
    """The error of one operation's own, before its result is rounded to a shorter type."""
    liberties = _liberties(op)
    name = op.opname.partition(".")[2]
    if not op.opname.startswith("math."):
        if not liberties or not isinstance(op, RoundingBinary):
            return EXACT
        return _BY_RECIPROCAL if isinstance(op, arith.DivFOp) else _FUSED
    if liberties & {"fast", "afn"} and not isinstance(op, math.FmaOp):
        return Accuracy(*_APPROXIMATIONS.get(name, _Approximation()), flushes=True)
    width = 64 if str(element_type(op.results[0].type)) == "f64" else 32
    return Accuracy(max((_ULPS[part][width] for part in _PARTS.get(name, (name,)) if part in _ULPS), default=0.0))


_PARTS: Mapping[str, tuple[str, ...]] = {"sincos": ("sin", "cos")}
_ULPS: Mapping[str, Mapping[int, float]] = {
    **{name: expansion.ulps for name, expansion in FUNCTIONS.items()},
    **{name: expansion.ulps for name, expansion in BINARY_FUNCTIONS.items()},
}


def _liberties(op: Operation) -> frozenset[str]:
    attribute = op.attributes.get("fastmath")
    return attribute.flags & _LIBERTIES if isinstance(attribute, FastMathAttr) else frozenset()


class _Units:
    """Who adds up a kernel's contractions: the matrix instructions of its thread's program, or multiply-adds there."""

    def __init__(self, chip: Chip, compilation: Callable[[], Compilation]) -> None:
        self._chip, self._compilation = chip, compilation

    def of(self, accumulator: Type) -> Sequence[Accumulation]:
        used, multiplies = self._thread_program
        chip, acc = self._chip, str(accumulator)
        units = [unit for i in used if i.c_type in (acc, "f32") and (unit := accumulation(i, chip)) is not None]
        return units if units and not multiplies else [*units, chain(acc)]

    @cached_property
    def _thread_program(self) -> tuple[Sequence[MatrixInstruction], bool]:
        """The chip's matrix instructions that may be in it, and whether it has multiply-adds besides."""
        operations = list(self._compilation().thread_kernel.op.walk())
        products = {_product(op) for op in operations if isinstance(op, (nvgpu.MmaSyncOp, amdgpu.MatrixOp))}
        used = [i for i in matrix_instructions(self._chip) if (i.shape, _spelled(i.a_type), i.c_type) in products]
        used += dict.fromkeys(op.instruction for op in operations if isinstance(op, WarpgroupProduct))
        return used, any(isinstance(op, (math.FmaOp, vector.FMAOp)) for op in operations)


def _spelled(type: str) -> str:
    """An instruction's element type as operations have it."""
    return "f32" if type == "tf32" else type.removeprefix("u")


def _product(op: nvgpu.MmaSyncOp | amdgpu.MatrixOp) -> tuple[tuple[int, int, int], str, str]:
    """Shape, element types of A and of the accumulator."""
    a, _, c = (str(element_type(v.type)) for v in op.operands[:3])
    return op.shape if isinstance(op, nvgpu.MmaSyncOp) else (op.m, op.n, op.k), a, c


def is_bitwise(kernel: KernelView) -> bool:
    """Whether all executors of one thread's program must give the same bits: no matrix unit, no approximation."""
    return not any(accuracy_of(op) != EXACT or op.joins_in_any_order for op in kernel.op.walk())
