"""Whether all elements of a vector of integers are known to differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects import arith, iree_vector_ext, vector
from ..ir.types import INDEX, bit_width, element_type


def has_distinct_elements(value: Value) -> bool:
    """Counting, shifting all alike, and moving them about keep elements apart; so does arithmetic that wraps."""
    op = value.operation
    rule = None if op is None else _RULES.get(type(op))
    return rule is not None and rule(op)


def _constant(op: arith.ConstantOp) -> bool:
    elements = op.array()
    return bool(np.unique(elements).size == elements.size)


def _shifted(op: Operation) -> bool:
    return any(has_distinct_elements(a) and _is_splat(b) for a, b in (op.operands, op.operands[::-1]))


def _is_splat(value: Value) -> bool:
    match value.operation:
        case vector.BroadcastOp(source=source):
            return not source.type.is_vector
        case arith.ConstantOp() as op:
            return bool(np.unique(op.array()).size == 1)
        case _:
            return False


def _moved(op: Operation) -> bool:
    return has_distinct_elements(op.operands[0])


def _widened(op: arith.IndexCastOp) -> bool:
    source, target = (bit_width(element_type(v.type)) for v in (op.operands[0], op.results[0]))
    return source <= target and _moved(op)


_RULES: Mapping[type[Operation], Callable[[Any], bool]] = {
    arith.ConstantOp: _constant,
    arith.AddIOp: _shifted,
    arith.SubIOp: _shifted,
    arith.IndexCastOp: _widened,
    arith.IndexCastUIOp: _widened,
    arith.ExtSIOp: _moved,
    arith.ExtUIOp: _moved,
    iree_vector_ext.ToLayoutOp: _moved,
    vector.ShapeCastOp: _moved,
    vector.StepOp: lambda op: op.result_.type.element == INDEX,
    vector.TransposeOp: _moved,
}
