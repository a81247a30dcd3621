"""Elementwise operations of every dialect: the same operation on every register."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...ir.core import Operation, Value
from ...ir.dialects import arith, math, vector
from ...ir.types import INDEX, Attribute, Type, VectorType, element_type
from ..context import DISTRIBUTE, Distribution, distributes


def copied(d: Distribution, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
    """The results of the same operation on other scalars."""
    if isinstance(op, arith.ConstantOp):
        return [d.build.constant_of(op.attributes["value"])]
    return d.build.op(type(op), *operands, types=[r.type for r in op.results], **_attributes(op)).results


def _attributes(op: Operation) -> dict[str, Attribute]:
    return {name: op.attributes[name] for name in op.property_names() if name in op.attributes}


def distribute_elementwise(d: Distribution, op: Operation) -> None:
    attributes = _attributes(op)
    types = [element_type(r.type) for r in op.results]
    if not any(r.type.is_vector for r in op.results):
        made = d.build.op(type(op), *[d.scalar(v) for v in op.operands], types=types, **attributes)
        for old, new in zip(op.results, made.results, strict=True):
            d.set_scalar(old, new)
        return
    columns = [_column(d, v, op.results[0]) for v in op.operands]
    each = d.build.each(type(op), zip(*columns, strict=True), types, attributes)
    for position, result in enumerate(op.results):
        d.set_like(result, [one.results[position] for one in each])


def _column(d: Distribution, operand: Value, result: Value) -> list[Value]:
    """One scalar per register of the result; a scalar operand is the same for all."""
    if operand.type.is_vector:
        return list(d.registers(operand).reshape(-1))
    return [d.scalar(operand)] * d.layout(result).registers


DISTRIBUTE.family(lambda cls: cls.elementwise, distribute_elementwise)


@distributes(arith.AddIOp, arith.MulIOp, arith.SubIOp)
def _folding_arithmetic(d: Distribution, op: arith.WrappingBinary) -> None:
    """Scalar index arithmetic goes through the builder's folding, which divisibility relies on to see constants."""
    if op.result_.type != INDEX or op.overflowFlags != arith.NO_OVERFLOW:
        distribute_elementwise(d, op)
        return
    fold: dict[type[Operation], Callable[[Value, Value], Value]] = {
        arith.AddIOp: d.build.add,
        arith.MulIOp: d.build.mul,
        arith.SubIOp: d.build.sub,
    }
    d.set_scalar(op.result_, fold[type(op)](d.scalar(op.lhs), d.scalar(op.rhs)))


@distributes(vector.FMAOp)
def _fma(d: Distribution, op: vector.FMAOp) -> None:
    columns = [list(d.registers(v).reshape(-1)) for v in op.operands]
    d.set_like(op.result_, [d.build.value(math.FmaOp, *row) for row in zip(*columns, strict=True)])


@distributes(arith.ConstantOp)
def _constant(d: Distribution, op: arith.ConstantOp) -> None:
    type = op.result_.type
    if not isinstance(type, VectorType):
        d.set_scalar(op.result_, d.build.constant_of(op.attributes["value"]))
        return
    array = op.array()
    layout = d.layout(op.result_)
    if op.attributes["value"].is_splat:  # type: ignore[attr-defined]
        d.set_like(op.result_, [d.build.constant(array.reshape(-1)[0].item(), type.element)] * layout.registers)
        return
    select_by_thread(d, op.result_, np.asarray(array))


def select_by_thread(d: Distribution, result: Value, array: np.ndarray) -> None:
    """A constant whose elements differ: every register picks, by the thread's coordinates, among those it may hold."""
    layout = d.layout(result)
    assert isinstance(result.type, VectorType)
    element = result.type.element
    held = layout.coordinates(d.threads, d.subgroup_size)
    scalars: list[Value] = []
    for register in range(layout.registers):
        places = held[:, register, :]
        values = array[tuple(places.T)] if layout.rank else np.broadcast_to(array, (d.threads,))
        scalars.append(_select(d, values.tolist(), element))
    d.set_like(result, scalars)


def _select(d: Distribution, values: list[int | float], element: Type) -> Value:
    """`values[thread_id]` as a tree of selections on the bits of the thread id."""
    if len({repr(v) for v in values}) == 1:
        return d.build.constant(values[0], element)
    half = 1 << ((len(values) - 1).bit_length() - 1)
    low, high = values[:half], values[half:]
    bit = d.build.compare("ne", d.digit(2, half), 0)
    return d.build.value(arith.SelectOp, bit, _select(d, high + low[len(high) :], element), _select(d, low, element))
