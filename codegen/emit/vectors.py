"""vector on packs: taking apart, putting together, repeating. What works on whole tiles was distributed before."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ...ir.dialects import vector
from ...ir.types import shape_of
from . import floats, integers
from .emission import Emission
from .emit_rules import EMIT
from .pack import extract_at, insert_at, put_together, take_apart, vector_type
from .text import Ssa, integer
from .widened import on_floats


@EMIT.of(vector.FromElementsOp)
def _from_elements(em: Emission, op: vector.FromElementsOp) -> None:
    em.set_pack(op.result_, em.scalars(op.elements))


@EMIT.of(vector.ToElementsOp)
def _to_elements(em: Emission, op: vector.ToElementsOp) -> None:
    for result, element in zip(op.elements, em.elements(op.source), strict=True):
        em.set(result, element)


@EMIT.of(vector.BroadcastOp)
def _broadcast(em: Emission, op: vector.BroadcastOp) -> None:
    """Repeats leading dimensions and stretches those of extent 1."""
    source, shape = shape_of(op.source.type), shape_of(op.vector.type)
    elements = em.elements(op.source)
    if len(elements) == 1:
        em.set_pack(op.vector, elements * math.prod(shape))
        return
    padded = (1,) * (len(shape) - len(source)) + source
    strides = [0 if n == 1 else math.prod(padded[i + 1 :]) for i, n in enumerate(padded)]
    places = itertools.product(*map(range, shape))
    em.set_pack(op.vector, [elements[sum(i * s for i, s in zip(p, strides, strict=True))] for p in places])


@EMIT.of(vector.ShapeCastOp)
def _shape_cast(em: Emission, op: vector.ShapeCastOp) -> None:
    em.alias(op.result_, op.source)


@EMIT.of(vector.ExtractOp)
def _extract(em: Emission, op: vector.ExtractOp) -> None:
    shape = shape_of(op.source.type)
    count = math.prod(shape[len(op.static_position) :])
    start = _linear(em, shape, op.static_position, em.scalars(op.dynamic_position))
    if start.number is not None:
        em.set_pack(op.result_, em.elements(op.source)[start.number : start.number + count])
        return
    whole = em.pack(op.source).vector(em.w)
    places = [integers.add(em.w, start, integer(i)) for i in range(count)]
    em.set_pack(op.result_, [extract_at(em.w, whole, math.prod(shape), p) for p in places])


@EMIT.of(vector.InsertOp)
def _insert(em: Emission, op: vector.InsertOp) -> None:
    shape = shape_of(op.dest.type)
    values = em.elements(op.value)
    start = _linear(em, shape, op.static_position, em.scalars(op.dynamic_position))
    if start.number is not None:
        elements = list(em.elements(op.dest))
        elements[start.number : start.number + len(values)] = values
        em.set_pack(op.result_, elements)
        return
    whole = em.pack(op.dest).vector(em.w)
    for i, value in enumerate(values):
        whole = insert_at(em.w, whole, math.prod(shape), value, integers.add(em.w, start, integer(i)))
    em.set_llvm(op.result_, whole)


def _linear(em: Emission, shape: Sequence[int], static: Sequence[int | None], dynamic: Sequence[Ssa]) -> Ssa:
    """The first element of a position in a row-major vector."""
    given, total = iter(dynamic), integer(0)
    for i, number in enumerate(static):
        index = next(given) if number is None else integer(number)
        total = integers.add(em.w, total, integers.mul(em.w, index, integer(math.prod(shape[i + 1 :]))))
    return total


@on_floats(vector.FMAOp)
def _fused(em: Emission, op: vector.FMAOp, a: Ssa, b: Ssa, c: Ssa) -> Ssa:
    return floats.fused(em, a, b, c)


def regroup(em: Emission, elements: Sequence[Ssa], group: int, type: str) -> list[Ssa]:
    """Every `group` elements as one value of LLVM type `type` of the same bits."""
    starts = range(0, len(elements), group)
    whole = [put_together(em.w, elements[i : i + group]) if group > 1 else elements[i] for i in starts]
    return [integers.bitcast(em.w, v, type) for v in whole]


def ungroup(em: Emission, values: Sequence[Ssa], group: int, element: str) -> list[Ssa]:
    """The reverse."""
    if group == 1:
        return [integers.bitcast(em.w, v, element) for v in values]
    type = vector_type(element, group)
    return [e for v in values for e in take_apart(em.w, integers.bitcast(em.w, v, type), group)]
