"""Shapes of values: broadcasting as numpy does it, reshaping, transposing, parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..ir.attributes import ArrayAttr, FloatAttr, IntegerAttr, dense_i64
from ..ir.core import Value
from ..ir.dialects import vector
from ..ir.dialects.constants import constant_attribute
from ..ir.types import I64, shape_of
from .operands import Operand, type_of
from .trace import building, fail


def common_shape(sign: str, operands: Sequence[Operand]) -> tuple[int, ...]:
    """The shape that all broadcast to. Fails where there is none."""
    different = {operand.shape: None for operand in operands}
    different.pop((), None)  # numbers fit everything
    if len(different) < 2:
        return next(iter(different), ())
    try:
        return tuple(map(int, np.broadcast_shapes(*different)))
    except ValueError:
        return fail(_misfit(sign, operands), *(o.made for o in operands), hint=_column_hint(operands))


def _misfit(sign: str, operands: Sequence[Operand]) -> str:
    if len(operands) == 2:
        left, right = operands
        return f"'{sign}' needs shapes that broadcast: left is {left.text}, right is {right.text}"
    return f"'{sign}' needs shapes that broadcast, found {', '.join(o.text for o in operands)}"


def _column_hint(operands: Sequence[Operand]) -> str:
    """What was meant where a value for each row meets rows."""
    for one in operands:
        if len(one.shape) == 1 and any(len(o.shape) == 2 and o.shape[0] == one.shape[0] for o in operands):
            return f"a value for each row is {one.ssa.hint or 'y'}[:, None]"
    return ""


def broadcast(operand: Operand, shape: tuple[int, ...]) -> Operand:
    """The operand repeated to a shape that numpy would repeat it to."""
    if operand.shape == shape:
        return operand
    build, dtype = building(), operand.dtype
    known = constant_attribute(operand.ssa)
    if isinstance(known, (IntegerAttr, FloatAttr)):
        return Operand(build.constant(known.value, type_of(dtype, shape)), dtype)
    source, kept = _without_unit_axes(operand.ssa, shape)
    order = [a for a in range(len(shape)) if a not in kept] + kept
    repeated = build.value(vector.BroadcastOp, source, types=[type_of(dtype, tuple([shape[a] for a in order]))])
    if order == sorted(order):
        return Operand(repeated, dtype)
    back = dense_i64([order.index(a) for a in range(len(shape))])
    turned = build.value(vector.TransposeOp, repeated, types=[type_of(dtype, shape)], permutation=back)
    return Operand(turned, dtype)


def _without_unit_axes(value: Value, shape: tuple[int, ...]) -> tuple[Value, list[int]]:
    """The vector in front of a shape_cast that gave it axes of extent 1, and where its own axes stand in `shape`."""
    given = shape_of(value.type)
    first = len(shape) - len(given)
    maker = value.operation
    if isinstance(maker, vector.ShapeCastOp):
        inner = shape_of(maker.source.type)
        kept = [a for a, n in enumerate(given) if n != 1]
        if tuple(given[a] for a in kept) == inner and all(shape[first + a] == given[a] for a in kept):
            return maker.source, [first + a for a in kept]
    return value, [first + a for a in range(len(given))]


def reshape(operand: Operand, dims: Sequence[int]) -> Operand:
    """The same elements, row-major, in another shape; one extent may be -1."""
    total = math.prod(operand.shape)
    wanted = list(dims)
    if wanted.count(-1) == 1:
        rest = math.prod(n for n in wanted if n != -1)
        wanted[wanted.index(-1)] = total // rest if rest else 0
    if any(n < 1 for n in wanted) or math.prod(wanted) != total:
        fail(f"{operand.text} has {total} elements, the shape {tuple(dims)} has {math.prod(wanted)}", operand.made)
    shape = tuple(wanted)
    if shape == operand.shape:
        return operand
    build = building()
    if not operand.shape:
        return broadcast(operand, shape)
    if not shape:
        return element(operand, [0] * len(operand.shape))
    types = [type_of(operand.dtype, shape)]
    return Operand(build.value(vector.ShapeCastOp, operand.ssa, types=types), operand.dtype)


def transpose(operand: Operand, order: Sequence[int]) -> Operand:
    """Axis a of the result is axis order[a] of the operand."""
    rank = len(operand.shape)
    permutation = [a % rank if -rank <= a < rank else a for a in order]
    if sorted(permutation) != list(range(rank)):
        fail(f"{tuple(order)} is no order of the {rank} axes of {operand.text}", operand.made)
    if permutation == list(range(rank)):
        return operand
    types = [type_of(operand.dtype, tuple(operand.shape[a] for a in permutation))]
    build = building()
    return Operand(
        build.value(vector.TransposeOp, operand.ssa, types=types, permutation=dense_i64(permutation)), operand.dtype
    )


def element(operand: Operand, position: Sequence[int | Value]) -> Operand:
    """The part at positions along the first axes: a number where there is one for each."""
    static = [p if isinstance(p, int) else -(1 << 63) for p in position]
    moving = [p for p in position if isinstance(p, Value)]
    types = [type_of(operand.dtype, operand.shape[len(position) :])]
    build = building()
    made = build.value(vector.ExtractOp, operand.ssa, moving, types=types, static_position=dense_i64(static))
    return Operand(made, operand.dtype)


def part(operand: Operand, starts: Sequence[int], extents: Sequence[int], steps: Sequence[int]) -> Operand:
    """A box of a vector."""
    if any(step != 1 for step in steps):
        return fail(f"parts of {operand.text} have steps of 1, found {max(steps)}", operand.made)
    if tuple(extents) == operand.shape:
        return operand
    attributes = {
        name: ArrayAttr(tuple(IntegerAttr(n, I64) for n in numbers))
        for name, numbers in (("offsets", starts), ("sizes", extents), ("strides", steps))
    }
    types = [type_of(operand.dtype, tuple(extents))]
    made = building().value(vector.ExtractStridedSliceOp, operand.ssa, types=types, **attributes)
    return Operand(made, operand.dtype)


def concatenated(operands: Sequence[Operand], dim: int) -> Operand:
    """Vectors that differ in one axis at most, one behind the other along it."""
    first = operands[0]
    extent = sum(o.shape[dim] for o in operands)
    shape = tuple(extent if d == dim else n for d, n in enumerate(first.shape))
    build = building()
    whole = build.constant(0, type_of(first.dtype, shape))
    at = 0
    for operand in operands:
        offsets = [at if d == dim else 0 for d in range(len(shape))]
        attributes = {
            name: ArrayAttr(tuple(IntegerAttr(n, I64) for n in numbers))
            for name, numbers in (("offsets", offsets), ("strides", [1] * len(shape)))
        }
        whole = build.value(vector.InsertStridedSliceOp, operand.ssa, whole, types=[whole.type], **attributes)
        at += operand.shape[dim]
    return Operand(whole, first.dtype)
