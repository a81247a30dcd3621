"""How far a right result may be from the reference's: a rule by what a program computes.

| the program has                                  | relative       | absolute, times the largest magnitude expected |
|--------------------------------------------------|----------------|------------------------------------------------|
| nothing of what follows, or writes integers      | the same bits  | the same bits                                  |
| approximate functions (exp, log, tanh, ...)      | 16 eps         | -                                              |
| sums or products of float elements in any order  | 4 sqrt(K) eps  | 4 sqrt(K) eps                                  |

The rows add up. eps is the spacing of numbers at 1 in the coarsest type that the program computes in or writes. K is
the largest number of terms: the most elements that one operation reduces, or the longest extent of an argument, along
which a loop may add. The square root is the growth of independent rounding errors. Small integers in a program without
divisions, roots or approximate functions leave nothing to round, so the same bits are demanded of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np

from ..ir.core import Operation
from ..ir.dialects import amdgpu, arith, arith_casts, gpu, nvgpu, vector
from ..ir.dialects import math as functions
from ..ir.kernels import Kernel
from ..ir.numerics import dtype_of
from ..ir.types import FloatType, VectorType, element_type, shape_of
from .compare import EXACT, Tolerance
from .inputs import exact_integers, is_array, is_float

APPROXIMATE_EPS = 16
REDUCTION_EPS = 4

_ROUNDED_ONCE: tuple[type[Operation], ...] = (
    functions.AbsFOp,
    functions.CeilOp,
    functions.FloorOp,
    functions.RoundOp,
    functions.RoundEvenOp,
    functions.SqrtOp,
    functions.TruncOp,
    functions.CopySignOp,
    functions.FmaOp,
    functions.ClampFOp,
    functions.Classification,
    functions.IntegerUnary,
    functions.IPowIOp,
)
_INEXACT_ON_INTEGERS: tuple[type[Operation], ...] = (arith.DivFOp, functions.SqrtOp)
_REDUCTIONS: tuple[type[Operation], ...] = (
    vector.MultiReductionOp,
    vector.ContractionOp,
    gpu.SubgroupReduceOp,
    nvgpu.MmaSyncOp,
    amdgpu.MfmaOp,
    amdgpu.WmmaOp,
)
_MATRIX: tuple[type[Operation], ...] = (vector.ContractionOp, nvgpu.MmaSyncOp, amdgpu.MfmaOp, amdgpu.WmmaOp)
_WITHOUT_ROUNDING: tuple[type[Operation], ...] = (
    arith.ConstantOp,
    arith_casts.ExtFOp,
    arith.SelectOp,
    arith_casts.BitcastOp,
)
_ANY_ORDER = ("min", "max")


def is_bitwise(kernel: Kernel) -> bool:
    """Whether all executors of one thread's program must give the same bits: no matrix unit, no approximation."""
    return not any(_is_approximate(op) or isinstance(op, _MATRIX) for op in kernel.op.walk())


def tolerance_of(
    kernel: Kernel, arguments: Sequence[object], written: np.dtype[Any], *, small_integers: bool = False
) -> Tolerance:
    """The tolerance for a buffer with elements of type `written`. `small_integers`: all data are in [-3, 3]."""
    if not is_float(written):
        return EXACT
    operations = list(kernel.op.walk())
    approximate = any(map(_is_approximate, operations))
    reordered = any(map(_is_reordered, operations))
    terms = _terms(operations, arguments)
    spacing = _spacing(operations, written)
    inexact = approximate or any(isinstance(op, _INEXACT_ON_INTEGERS) for op in operations)
    if small_integers and not inexact and 9 * terms <= 2 / spacing and 9 * terms <= exact_integers(written):
        return EXACT
    growth = REDUCTION_EPS * math.sqrt(terms) * spacing if reordered else 0.0
    return Tolerance((APPROXIMATE_EPS * spacing if approximate else 0.0) + growth, growth)


def _is_approximate(op: Operation) -> bool:
    return op.opname.startswith("math.") and not isinstance(op, _ROUNDED_ONCE)


def _is_reordered(op: Operation) -> bool:
    if not isinstance(op, _REDUCTIONS) or not isinstance(element_type(op.results[0].type), FloatType):
        return False
    kind = op.attributes.get("kind") or op.attributes.get("op")
    return not any(word in str(kind) for word in _ANY_ORDER)


def _terms(operations: Sequence[Operation], arguments: Sequence[object]) -> int:
    terms = 1
    for argument in arguments:
        if is_array(argument):
            terms = max(terms, *argument.shape, 1)
    return max([terms, *(_joined(op) for op in operations if isinstance(op, _REDUCTIONS))])


def _joined(op: Operation) -> int:
    """How many elements one execution of a reduction joins into one."""
    if isinstance(op, vector.ContractionOp):
        return math.prod(op.iterator_extents[i] for i, kind in enumerate(op.iterators) if kind == "reduction")
    type = op.operands[0].type
    if isinstance(op, vector.MultiReductionOp):
        return math.prod(shape_of(type)[i] for i in op.reduction_dims)
    return type.elements if isinstance(type, VectorType) else 1


def _spacing(operations: Sequence[Operation], written: np.dtype[Any]) -> float:
    return max(_eps(dtype) for dtype in (written, *_computed(operations)))


def _computed(operations: Sequence[Operation]) -> Iterator[np.dtype[Any]]:
    """Float types in which something is rounded."""
    for op in operations:
        dialect = op.opname.partition(".")[0]
        rounds = dialect in ("arith", "math") or isinstance(op, (*_REDUCTIONS, vector.FMAOp))
        if rounds and not isinstance(op, _WITHOUT_ROUNDING):
            for result in op.results:
                type = element_type(result.type)
                if isinstance(type, FloatType):
                    yield dtype_of(type)


def _eps(dtype: np.dtype[Any]) -> float:
    info: Any = _finfo(dtype)
    return float(info.eps)


_finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)  # untyped in ml_dtypes
