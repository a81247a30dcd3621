"""lanewise.dot: products of bytes as one thread's instruction, where there is no matrix unit for them."""

from __future__ import annotations

import numpy as np

from .. import numerics
from ..attributes import UnitAttr
from ..core import Operation
from ..define import Constraint, is_i32, operand, optional_attribute, result
from ..numerics import Array
from ..types import I8, VectorType

BYTES = 4
four_bytes: Constraint[VectorType] = Constraint("vector<4xi8>", lambda t: t == VectorType((BYTES,), I8))


class DotOp(Operation, opname="lanewise.dot"):
    """`c` and the four products of `a` and `b`, modulo 2^32. Bytes are signed unless marked."""

    pure = True
    batched = True
    belongs_to = "thread"
    on_lane_vectors = True
    a = operand(four_bytes)
    b = operand(four_bytes)
    c = operand(is_i32)
    unsignedA = optional_attribute(UnitAttr)
    unsignedB = optional_attribute(UnitAttr)
    result_ = result(is_i32)
    assembly = "`` `(` $a `,` $b `,` $c `)` attr-dict `:` functional-type"

    def reference(self, a: Array, b: Array, c: Array) -> Array:
        marks = ("unsignedA" in self.attributes, "unsignedB" in self.attributes)
        left, right = (
            (numerics.unsigned(x) if mark else x).astype(np.int64) for x, mark in zip((a, b), marks, strict=True)
        )
        return np.asarray((left * right).sum(axis=-1) + c).astype(np.int32)
