"""Reductions and scans along axes of a vector."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.attributes import IntegerAttr, dense_i64
from ..ir.core import Block, Region, Value
from ..ir.dialects import arith, vector
from ..ir.dialects.arg_compare import ArgCompareOp, YieldOp
from ..ir.dialects.elementwise import FloatPredicateAttr, IntegerPredicateAttr
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.dialects.vector_scan import ScanOp
from ..ir.types import I1, I64
from ..support.named_tuples import NamedTuple
from .dtypes import DType, index
from .operands import Given, Operand, axes_of, constant, element_of, is_float, lifted, type_of
from .shapes import broadcast, reshape
from .trace import building, fail


class Reduction(NamedTuple):
    """How two elements become one, by what they are; an empty word where they do not."""

    floats: str
    signed: str
    unsigned: str
    bools: str = ""

    def of(self, name: str, operand: Operand) -> CombiningKindAttr:
        dtype = operand.dtype
        word = self.signed
        if is_float(dtype):
            word = self.floats
        elif dtype.kind == "bool":
            word = self.bools
        elif dtype.unsigned:
            word = self.unsigned
        if not word:
            hint = "numbers of them: x.to(lw.i32)" if dtype.kind == "bool" else ""
            fail(f"'{name}' has no meaning for {operand.text}", operand.made, hint=hint)
        kind = CombiningKindAttr(word)
        if not kind.applies_to(element_of(dtype)):
            fail(f"'{name}' has no meaning for {operand.text}", operand.made, hint="convert it: x.to(lw.f32)")
        return kind


REDUCTIONS: Mapping[str, Reduction] = {
    "sum": Reduction("add", "add", "add"),
    "prod": Reduction("mul", "mul", "mul"),
    "max": Reduction("maximumf", "maxsi", "maxui", "or"),
    "min": Reduction("minimumf", "minsi", "minui", "and"),
    "fmax": Reduction("maxnumf", "", ""),
    "fmin": Reduction("minnumf", "", ""),
    "any": Reduction("", "or", "or", "or"),
    "all": Reduction("", "and", "and", "and"),
    "xor": Reduction("", "xor", "xor", "xor"),
}


def reduce(
    name: str, operand: Operand, axis: int | tuple[int, ...] | None, init: Given | None, keepdims: bool
) -> Operand:
    """The elements along axes joined into one, beginning with `init` where it is given."""
    axes = axes_of(operand, axis)
    kind = REDUCTIONS[name].of(name, operand)
    if not axes:
        return (
            operand if init is None else _joined(kind, operand, _start(name, kind, operand.dtype, operand.shape, init))
        )
    kept = tuple(n for a, n in enumerate(operand.shape) if a not in axes)
    start = _start(name, kind, operand.dtype, kept, init)
    build = building()
    dims = dense_i64(axes)
    types = [start.ssa.type]
    made = build.value(vector.MultiReductionOp, operand.ssa, start.ssa, types=types, kind=kind, reduction_dims=dims)
    result = Operand(made, operand.dtype)
    if keepdims:
        return reshape(result, [1 if a in axes else n for a, n in enumerate(operand.shape)])
    return result


def _start(name: str, kind: CombiningKindAttr, dtype: DType, shape: tuple[int, ...], init: Given | None) -> Operand:
    """What a reduction begins with: without `init`, what changes nothing; sums with 0.0."""
    if init is None:
        number = kind.identity(element_of(dtype))
        return Operand(
            building().constant(0.0 if number == 0 and is_float(dtype) else number, type_of(dtype, shape)), dtype
        )
    given = lifted(init, dtype)
    if given.dtype != dtype:
        fail(f"'{name}' of {dtype} begins with {given.text}", given.made, hint=f"convert it: .to(lw.{dtype})")
    if given.shape not in ((), shape):
        fail(f"'{name}' has results of shape {shape} and begins with {given.text}", given.made)
    return broadcast(given, shape)


def scan(name: str, operand: Operand, axis: int, init: Given | None, exclusive: bool) -> Operand:
    """Each element joined with all before it along an axis; `exclusive` leaves itself out."""
    (dim,) = axes_of(operand, axis)
    kind = REDUCTIONS[name].of(name, operand)
    kept = tuple(n for a, n in enumerate(operand.shape) if a != dim)
    # An exclusive scan begins with the initial value, an inclusive one has no use for it.
    start = _start(name, kind, operand.dtype, kept, init if exclusive else None)
    attributes = {
        "kind": kind,
        "reduction_dim": IntegerAttr(dim, I64),
        "inclusive": IntegerAttr(int(not exclusive), I1),
    }
    op = building().op(ScanOp, operand.ssa, start.ssa, types=[operand.ssa.type, start.ssa.type], **attributes)
    result = Operand(op.results[0], operand.dtype)
    if init is None or exclusive:
        return result
    first = _start(name, kind, operand.dtype, kept, init)
    wide = reshape(first, [1 if a == dim else n for a, n in enumerate(operand.shape)])
    return _joined(kind, result, broadcast(wide, operand.shape))


def _joined(kind: CombiningKindAttr, operand: Operand, other: Operand) -> Operand:
    """Element by element."""
    operation = kind.operation(element_of(operand.dtype))
    return Operand(building().value(operation, operand.ssa, other.ssa), operand.dtype)


def best(name: str, operand: Operand, axis: int | None) -> tuple[Operand, Operand]:
    """The greatest ("argmax") or least element along an axis and its position, the first of equals; NaN is never it."""
    if axis is None:
        if len(operand.shape) != 1:
            fail(f"'{name}' of {operand.text} needs an axis", operand.made, hint=f"the last one: .{name}(axis=-1)")
        axis = 0
    (dim,) = axes_of(operand, axis)
    greatest = name == "argmax"
    kept = tuple(n for a, n in enumerate(operand.shape) if a != dim)
    if not kept:
        # The operation takes vectors: one row of what is searched.
        value, where = best(name, reshape(operand, (1, *operand.shape)), 1)
        return reshape(value, ()), reshape(where, ())
    kind = REDUCTIONS["max" if greatest else "min"].of(name, operand)
    element = element_of(operand.dtype)
    start = _start(name, kind, operand.dtype, kept, None)
    first = constant(0, index, kept)
    block = Block([element, element])
    build = building()
    with build.scope(block):
        left, right = block.arguments
        if is_float(operand.dtype):
            beats = build.value(arith.CmpFOp, left, right, predicate=FloatPredicateAttr("ogt" if greatest else "olt"))
        else:
            sign = "u" if operand.dtype.unsigned else "s"
            beats = build.value(
                arith.CmpIOp, left, right, predicate=IntegerPredicateAttr(sign + ("gt" if greatest else "lt"))
            )
        build.op(YieldOp, [beats])
    types = [start.ssa.type, first.ssa.type]
    attributes = {"dimension": IntegerAttr(dim, I64)}
    nothing: list[Value] = []
    groups = operand.ssa, nothing, start.ssa, first.ssa, nothing
    op = build.op(ArgCompareOp, *groups, types=types, regions=[Region([block])], **attributes)
    return Operand(op.results[0], operand.dtype), Operand(op.results[1], index)
