"""arith: integer operations whose result has more bits than their operands, in two parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from .. import numerics
from ..core import Operation, Value
from ..define import i1_like, integer_like, operand, result
from ..numerics import Array
from ..types import I1, Attribute, Type, bit_width, element_type, with_element
from . import arith


class MulExtendedOp(Operation):
    """Both halves of a double-width product."""

    pure = True
    commutative = True
    lhs = operand(integer_like)
    rhs = operand(integer_like)
    low = result(integer_like)
    high = result(integer_like)
    same_type = ("lhs", "rhs", "low", "high")
    elementwise = True
    assembly = "$lhs `,` $rhs attr-dict `:` type($lhs)"
    signed: ClassVar[bool]

    def reference(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        element = element_type(self.low.type)

        def read(x: Array) -> Array:
            found = numerics.signed_bits(x) if self.signed else numerics.unsigned(numerics.low_bits(x, element))
            return found.astype(object)

        # Of arrays without dimensions, numpy's arithmetic gives Python's numbers.
        product, bits = np.asarray(read(lhs) * read(rhs), object), bit_width(element)
        storage = np.dtype(f"u{lhs.dtype.itemsize}")
        halves = (np.asarray(p & ((1 << bits) - 1), object).astype(storage) for p in (product, product >> bits))
        low, high = (numerics.wrapped(half.view(lhs.dtype), element) for half in halves)
        return low, high


class MulSIExtendedOp(MulExtendedOp, opname="arith.mulsi_extended"):
    signed = True


class MulUIExtendedOp(MulExtendedOp, opname="arith.mului_extended"):
    signed = False


class AddUIExtendedOp(Operation, opname="arith.addui_extended"):
    """The wrapped sum and its carry."""

    pure = True
    commutative = True
    elementwise = True
    lhs = operand(integer_like)
    rhs = operand(integer_like)
    sum = result(integer_like)
    overflow = result(i1_like)
    same_type = ("lhs", "rhs", "sum")
    assembly = "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[0].type, with_element(operands[0].type, I1)]

    def reference(self, lhs: Array, rhs: Array) -> tuple[Array, Array]:
        element = element_type(self.sum.type)
        total = numerics.wrapped(arith.AddIOp.compute(lhs, rhs), element)
        return total, numerics.unsigned(total) < numerics.unsigned(lhs)
