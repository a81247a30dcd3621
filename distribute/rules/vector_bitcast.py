"""vector.bitcast: numbers of bits put together, and taken apart, within a thread; the first has the lowest bits."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Value
from ...ir.dialects import arith, vector
from ...ir.types import IntegerType, Type, bit_width, element_type
from ..context import Distribution, as_array, distributes


@distributes(vector.BitCastOp)
def _bitcast(d: Distribution, op: vector.BitCastOp) -> None:
    """Neighbours along the last dimension are the last registers of a thread."""
    source, target = element_type(op.source.type), element_type(op.result_.type)
    scalars = d.registers(op.source).reshape(-1).tolist()
    if bit_width(source) < bit_width(target):
        groups = [scalars[at : at + op.ratio] for at in range(0, len(scalars), op.ratio)]
        made = [_together(d, group, target) for group in groups]
    else:
        made = [part for scalar in scalars for part in _apart(d, scalar, target, op.ratio)]
    d.set_registers(op.result_, as_array(made, d.layout(op.result_).distributed_shape))


def _together(d: Distribution, parts: Sequence[Value], type: Type) -> Value:
    whole = IntegerType(bit_width(type))
    width = bit_width(parts[0].type)
    total: Value | None = None
    for at, part in enumerate(parts):
        wide = d.build.value(arith.ExtUIOp, _as(d, part, IntegerType(width)), types=[whole])
        if at:
            wide = d.build.value(arith.ShLIOp, wide, d.build.constant(at * width, whole))
        total = wide if total is None else d.build.value(arith.OrIOp, total, wide)
    assert total is not None
    return _as(d, total, type)


def _apart(d: Distribution, scalar: Value, type: Type, count: int) -> list[Value]:
    if count == 1:
        return [_as(d, scalar, type)]
    whole, part = IntegerType(bit_width(scalar.type)), IntegerType(bit_width(type))
    bits = _as(d, scalar, whole)
    shifts = [d.build.constant(at * part.width, whole) for at in range(count)]
    shifted = [bits, *(d.build.value(arith.ShRUIOp, bits, shift) for shift in shifts[1:])]
    return [_as(d, d.build.value(arith.TruncIOp, value, types=[part]), type) for value in shifted]


def _as(d: Distribution, scalar: Value, type: Type) -> Value:
    return scalar if scalar.type == type else d.build.value(arith.BitcastOp, scalar, types=[type])
