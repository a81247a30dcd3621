"""Bases of operations that treat every element alike, and the flags that arithmetic carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..attributes import EnumAttr
from ..core import Operation
from ..define import attribute, float_like, integer_like, operand, result
from ..numerics import Array, dtype_of
from ..types import element_type


class FastMathAttr(EnumAttr):
    """Which liberties arithmetic may take; several are written `<contract,nnan>`."""

    mnemonic = "arith.fastmath"
    cases = ("none", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast")

    @classmethod
    def parse_case(cls, parser: Any) -> FastMathAttr:
        words = [super().parse_case(parser).value]
        while parser.accept(","):
            words.append(super().parse_case(parser).value)
        return cls(",".join(words))

    @property
    def flags(self) -> frozenset[str]:
        return frozenset(self.value.split(",")) - {"none"}


class OverflowAttr(EnumAttr):
    mnemonic = "arith.overflow"
    cases = ("none", "nsw", "nuw")

    @classmethod
    def parse_case(cls, parser: Any) -> OverflowAttr:
        words = [super().parse_case(parser).value]
        while parser.accept(","):
            words.append(super().parse_case(parser).value)
        return cls(", ".join(words))


class IntegerPredicateAttr(EnumAttr):
    mnemonic = "arith.cmpi_predicate"
    cases = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class FloatPredicateAttr(EnumAttr):
    mnemonic = "arith.cmpf_predicate"
    cases = (
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
        "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
    )  # fmt: skip


for _attribute in (FastMathAttr, OverflowAttr, IntegerPredicateAttr, FloatPredicateAttr):
    _attribute.register()

NO_FASTMATH = FastMathAttr("none")
NO_OVERFLOW = OverflowAttr("none")
Compute = Callable[..., Any]


class Elementwise(Operation):
    """Operations that treat every element alike; `compute` works on arrays of the element's storage type."""

    elementwise = True
    compute: ClassVar[Compute]

    def reference(self, *operands: Array) -> Array:
        with np.errstate(all="ignore"):
            computed = type(self).compute(*operands)
        return np.asarray(computed).astype(dtype_of(element_type(self.results[0].type)), copy=False)


class FloatUnary(Elementwise):
    operand_ = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("operand", "result")
    assembly = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


class FloatBinary(Elementwise):
    lhs = operand(float_like)
    rhs = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(float_like)
    same_type = ("lhs", "rhs", "result")
    assembly = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


class IntegerBinary(Elementwise):
    lhs = operand(integer_like)
    rhs = operand(integer_like)
    result_ = result(integer_like)
    same_type = ("lhs", "rhs", "result")
    assembly = "$lhs `,` $rhs attr-dict `:` type($result)"


class WrappingBinary(IntegerBinary):
    overflowFlags = attribute(OverflowAttr, NO_OVERFLOW)
    assembly = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"
