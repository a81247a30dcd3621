"""arith: integer and floating-point arithmetic on scalars and, element by element, on vectors.

Integers wrap; floats round to nearest even in their own type; nothing is contracted or reassociated unless `fastmath`
says so.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..attributes import DenseElementsAttr, FloatAttr, IntegerAttr, TensorElementsAttr, elements_of_tensor
from ..core import Operation, Value
from ..define import (
    attribute,
    float_like,
    i1_like,
    integer_like,
    is_tensor,
    operand,
    result,
    scalar_like,
)
from ..integer_rules import reading
from ..numerics import Array, dtype_of
from ..types import I1, Attribute, Type, VectorType, bit_width, element_type, with_element
from .arith_casts import (
    BitcastOp,
    Cast,
    ExtFOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
    IndexCastUIOp,
    SIToFPOp,
    TruncFOp,
    TruncIOp,
    UIToFPOp,
)
from .arith_forms import ConditionType, ConstantValue
from .elementwise import (
    NO_FASTMATH,
    NO_OVERFLOW,
    Compute,
    Elementwise,
    ExactBinary,
    FastMathAttr,
    FloatBinary,
    FloatPredicateAttr,
    FloatUnary,
    IntegerBinary,
    IntegerPredicateAttr,
    OverflowAttr,
    RoundingBinary,
    RoundingModeAttr,
    WrappingBinary,
)

__all__ = [
    "NO_FASTMATH",
    "NO_OVERFLOW",
    "AddFOp",
    "AddIOp",
    "AndIOp",
    "BitcastOp",
    "Cast",
    "CeilDivSIOp",
    "CeilDivUIOp",
    "CmpFOp",
    "CmpIOp",
    "Compute",
    "ConstantOp",
    "DivFOp",
    "DivSIOp",
    "DivUIOp",
    "Elementwise",
    "ExactBinary",
    "ExtFOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "FastMathAttr",
    "FloatBinary",
    "FloatPredicateAttr",
    "FloatUnary",
    "FloorDivSIOp",
    "IndexCastOp",
    "IndexCastUIOp",
    "IntegerBinary",
    "IntegerPredicateAttr",
    "MaxNumFOp",
    "MaxSIOp",
    "MaxUIOp",
    "MaximumFOp",
    "MinNumFOp",
    "MinSIOp",
    "MinUIOp",
    "MinimumFOp",
    "MulFOp",
    "MulIOp",
    "NegFOp",
    "OrIOp",
    "OverflowAttr",
    "RemFOp",
    "RemSIOp",
    "RemUIOp",
    "RoundingBinary",
    "RoundingModeAttr",
    "SIToFPOp",
    "SelectOp",
    "ShLIOp",
    "ShRSIOp",
    "ShRUIOp",
    "SubFOp",
    "SubIOp",
    "TensorConstantOp",
    "TruncFOp",
    "TruncIOp",
    "UIToFPOp",
    "WrappingBinary",
    "XOrIOp",
    "constant_array",
]


class AddFOp(RoundingBinary, opname="arith.addf"):
    commutative = True
    compute = np.add
    rounds = "add"


class SubFOp(RoundingBinary, opname="arith.subf"):
    compute = np.subtract
    rounds = "subtract"


class MulFOp(RoundingBinary, opname="arith.mulf"):
    commutative = True
    compute = np.multiply
    rounds = "multiply"


class DivFOp(RoundingBinary, opname="arith.divf"):
    compute = np.divide
    rounds = "divide"


class RemFOp(FloatBinary, opname="arith.remf"):
    """C's fmod: exact, with the sign of the dividend."""

    compute = np.fmod


class _Extremum(FloatBinary):
    commutative = True
    keeps_digits = True
    chooses = True


class MaximumFOp(_Extremum, opname="arith.maximumf"):
    compute = staticmethod(numerics.maximumf)


class MinimumFOp(_Extremum, opname="arith.minimumf"):
    compute = staticmethod(numerics.minimumf)


class MaxNumFOp(_Extremum, opname="arith.maxnumf"):
    compute = staticmethod(numerics.maxnumf)


class MinNumFOp(_Extremum, opname="arith.minnumf"):
    compute = staticmethod(numerics.minnumf)


class NegFOp(FloatUnary, opname="arith.negf"):
    compute = np.negative
    keeps_digits = True


def _on_unsigned(function: Compute) -> Compute:
    """Computes on the unsigned reading of the bits."""

    def compute(a: Array, b: Array) -> Array:
        return np.asarray(function(numerics.unsigned(a), numerics.unsigned(b))).astype(a.dtype)

    return compute


def _on_bits(function: Compute) -> Compute:
    """Wrapping arithmetic of signed numbers, also for i1, whose numpy type has none."""

    def compute(a: Array, b: Array) -> Array:
        if a.dtype == np.bool_:
            return np.asarray(function(numerics.signed_bits(a), numerics.signed_bits(b)) & 1).astype(np.bool_)
        return np.asarray(function(a, b))

    return compute


class AddIOp(WrappingBinary, opname="arith.addi"):
    commutative = True
    compute = staticmethod(_on_bits(np.add))
    exact = staticmethod(operator.add)


class SubIOp(WrappingBinary, opname="arith.subi"):
    compute = staticmethod(_on_bits(np.subtract))
    exact = staticmethod(operator.sub)


class MulIOp(WrappingBinary, opname="arith.muli"):
    commutative = True
    compute = staticmethod(_on_bits(np.multiply))
    exact = staticmethod(operator.mul)


class _Division(IntegerBinary):
    undefined_by: ClassVar[frozenset[int]]
    """The divisors with which some number has no quotient."""

    @property
    def speculatable(self) -> bool:
        """Where it is by a constant that every number can be divided by."""
        made = self.rhs.operation
        by = made.attributes["value"] if isinstance(made, ConstantOp) else None
        bits = bit_width(element_type(self.rhs.type))
        return isinstance(by, IntegerAttr) and reading(by.value, "s", bits) not in self.undefined_by


class _SignedDivision(_Division):
    """By zero and of the most negative value by -1 it is undefined."""

    undefined_by = frozenset({0, -1})

    def undefined(self, *operands: Array) -> Array:
        lhs, rhs = map(numerics.signed_bits, operands)
        least = -(1 << (bit_width(element_type(self.result_.type)) - 1))
        return np.asarray((rhs == 0) | ((rhs == -1) & (lhs == least)))


class _UnsignedDivision(_Division):
    """By zero it is undefined."""

    undefined_by = frozenset({0})
    reads_unsigned = True

    def undefined(self, *operands: Array) -> Array:
        return np.asarray(operands[1] == 0)


class DivSIOp(_SignedDivision, ExactBinary, opname="arith.divsi"):
    """Towards zero."""

    compute = staticmethod(_on_bits(numerics.divide_truncating))

    def cuts(self, lhs: Array, rhs: Array) -> Array:
        return np.asarray(numerics.remainder_truncating(lhs, rhs) != 0)


class RemSIOp(_SignedDivision, opname="arith.remsi"):
    compute = staticmethod(_on_bits(numerics.remainder_truncating))


class DivUIOp(_UnsignedDivision, ExactBinary, opname="arith.divui"):
    compute = staticmethod(_on_unsigned(numerics.divide_floor))

    def cuts(self, lhs: Array, rhs: Array) -> Array:
        return np.asarray(numerics.remainder_floor(*map(numerics.unsigned, self.as_read(lhs, rhs))) != 0)


class RemUIOp(_UnsignedDivision, opname="arith.remui"):
    compute = staticmethod(_on_unsigned(numerics.remainder_floor))


class FloorDivSIOp(_SignedDivision, opname="arith.floordivsi"):
    compute = staticmethod(_on_bits(numerics.divide_floor))


class CeilDivSIOp(_SignedDivision, opname="arith.ceildivsi"):
    compute = staticmethod(_on_bits(numerics.divide_ceil))


class CeilDivUIOp(_UnsignedDivision, opname="arith.ceildivui"):
    compute = staticmethod(_on_unsigned(numerics.divide_ceil))


class AndIOp(IntegerBinary, opname="arith.andi"):
    commutative = True
    compute = np.bitwise_and


class OrIOp(IntegerBinary, opname="arith.ori"):
    commutative = True
    compute = np.bitwise_or


class XOrIOp(IntegerBinary, opname="arith.xori"):
    commutative = True
    compute = np.bitwise_xor


def _shift(function: Compute, unsigned: bool) -> Compute:
    """Shifts; amounts of the width or more are poison and give zero here."""

    def compute(a: Array, b: Array) -> Array:
        bits = a.dtype.itemsize * 8
        x, amount = (numerics.unsigned(a) if unsigned else a), numerics.unsigned(b)
        shifted = function(x, np.minimum(amount, bits - 1).astype(x.dtype))
        return np.where(amount >= bits, 0, shifted).astype(a.dtype)

    return compute


def _shifted_exactly(a: Array, b: Array) -> Array:
    """The shift of Python's integers; a shift by the width or more moves everything out."""
    return np.asarray(a * 2 ** np.where((b < 0) | (b > 64), 64, b))


class _Shift(IntegerBinary):
    def undefined(self, *operands: Array) -> Array:
        element = element_type(self.result_.type)
        return np.asarray(numerics.unsigned(numerics.low_bits(operands[1], element)) >= bit_width(element))


class ShLIOp(_Shift, WrappingBinary, opname="arith.shli"):
    compute = staticmethod(_shift(np.left_shift, unsigned=True))
    exact = staticmethod(_shifted_exactly)


class RightShift(_Shift, ExactBinary):
    def cuts(self, lhs: Array, rhs: Array) -> Array:
        back = _shift(np.left_shift, unsigned=True)(self.reference(lhs, rhs), rhs)
        return np.asarray(numerics.wrapped(back, element_type(self.lhs.type)) != lhs)


class ShRUIOp(RightShift, opname="arith.shrui"):
    reads_unsigned = True
    compute = staticmethod(_shift(np.right_shift, unsigned=True))


class ShRSIOp(RightShift, opname="arith.shrsi"):
    compute = staticmethod(_on_bits(_shift(np.right_shift, unsigned=False)))


class MaxSIOp(IntegerBinary, opname="arith.maxsi"):
    commutative = True
    compute = staticmethod(numerics.maximum_signed)


class MinSIOp(IntegerBinary, opname="arith.minsi"):
    commutative = True
    compute = staticmethod(numerics.minimum_signed)


class MaxUIOp(IntegerBinary, opname="arith.maxui"):
    commutative = True
    compute = staticmethod(_on_unsigned(np.maximum))


class MinUIOp(IntegerBinary, opname="arith.minui"):
    commutative = True
    compute = staticmethod(_on_unsigned(np.minimum))


class CmpIOp(Elementwise, opname="arith.cmpi"):
    folds = True
    predicate = attribute(IntegerPredicateAttr)
    lhs = operand(integer_like)
    rhs = operand(integer_like)
    result_ = result(i1_like)
    same_type = ("lhs", "rhs")
    assembly = "keyword($predicate) `,` $lhs `,` $rhs attr-dict `:` type($lhs)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [with_element(operands[0].type, I1)]

    def reference(self, *operands: Array) -> Array:
        lhs, rhs = operands
        reading, compare = _INTEGER_COMPARISONS[self.predicate.value]
        return np.asarray(compare(reading(lhs), reading(rhs)))

    def verify(self, report: Report) -> None:
        _check_comparison(self, report)


class CmpFOp(Elementwise, opname="arith.cmpf"):
    predicate = attribute(FloatPredicateAttr)
    lhs = operand(float_like)
    rhs = operand(float_like)
    fastmath = attribute(FastMathAttr, NO_FASTMATH)
    result_ = result(i1_like)
    same_type = ("lhs", "rhs")
    assembly = "keyword($predicate) `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [with_element(operands[0].type, I1)]

    def reference(self, *operands: Array) -> Array:
        lhs, rhs = operands
        name = self.predicate.value
        unordered = np.isnan(lhs) | np.isnan(rhs)
        if name in _CONSTANT_PREDICATES:
            return np.asarray(_CONSTANT_PREDICATES[name](unordered))
        with np.errstate(invalid="ignore"):  # ml_dtypes tells of NaN
            compared = _FLOAT_COMPARISONS[name[1:]](lhs, rhs)
        return np.asarray((compared & ~unordered) if name[0] == "o" else (compared | unordered))

    def verify(self, report: Report) -> None:
        _check_comparison(self, report)


_INTEGER_COMPARISONS: dict[str, tuple[Compute, Compute]] = {
    "eq": (numerics.unsigned, np.equal),
    "ne": (numerics.unsigned, np.not_equal),
    "slt": (numerics.signed_bits, np.less),
    "sle": (numerics.signed_bits, np.less_equal),
    "sgt": (numerics.signed_bits, np.greater),
    "sge": (numerics.signed_bits, np.greater_equal),
    "ult": (numerics.unsigned, np.less),
    "ule": (numerics.unsigned, np.less_equal),
    "ugt": (numerics.unsigned, np.greater),
    "uge": (numerics.unsigned, np.greater_equal),
}
_FLOAT_COMPARISONS: dict[str, Compute] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_CONSTANT_PREDICATES: dict[str, Compute] = {
    "false": np.zeros_like,
    "true": np.ones_like,
    "ord": np.logical_not,
    "uno": np.array,
}


def _check_comparison(op: CmpIOp | CmpFOp, report: Report) -> None:
    expected = with_element(op.lhs.type, I1)
    if op.result_.type != expected:
        op.error(report, f"result must be {expected}, found {op.result_.type}")


class SelectOp(Operation, opname="arith.select"):
    """`condition` is one i1 for the whole value, or one per element."""

    pure = True
    elementwise = True
    condition = operand(i1_like)
    true_value = operand(scalar_like)
    false_value = operand(scalar_like)
    result_ = result(scalar_like)
    same_type = ("true_value", "false_value", "result")
    directives = {"ConditionType": ConditionType}
    assembly = (
        "$condition `,` $true_value `,` $false_value attr-dict `:` custom<ConditionType>($condition) type($true_value)"
    )

    def reference(self, condition: Array, true_value: Array, false_value: Array) -> Array:
        return np.where(condition, true_value, false_value)

    def verify(self, report: Report) -> None:
        condition, value = self.condition.type, self.true_value.type
        if isinstance(condition, VectorType) and (not isinstance(value, VectorType) or value.shape != condition.shape):
            self.error(report, f"condition {condition} does not have the shape of {value}")


class ConstantOp(Operation, opname="arith.constant"):
    pure = True
    constant_like = True
    value = attribute(Attribute)
    result_ = result(scalar_like)
    directives: ClassVar[Mapping[str, Any]] = {"ConstantValue": ConstantValue}
    assembly = "attr-dict custom<ConstantValue>($value)"

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return TensorConstantOp if any(map(is_tensor.holds, result_types)) else cls

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        value = attributes["value"]
        if isinstance(value, (IntegerAttr, FloatAttr, DenseElementsAttr)):
            return [value.type]
        return None

    def array(self) -> Array:
        """The constant as an array of its type's shape."""
        return constant_array(self.attributes["value"])

    def reference(self, *operands: Array) -> Array:
        return self.array()

    def verify(self, report: Report) -> None:
        value = self.attributes["value"]
        if not isinstance(value, (IntegerAttr, FloatAttr, DenseElementsAttr)):
            self.error(report, f"attribute 'value' must be a number or dense<...>, found {value}")
        elif value.type != self.result_.type:
            self.error(report, f"value is {value.type}, result {self.result_.type}")
        elif isinstance(value, DenseElementsAttr) and len(value.values) not in (1, value.type.elements):
            self.error(report, f"has {len(value.values)} values for {value.type}")


class TensorConstantOp(Operation, variant_of=ConstantOp):
    """`arith.constant` of a tensor; kernels are compiled without (`frontend/tensors.py`)."""

    pure = True
    value = attribute(Attribute)
    result_ = result(is_tensor)
    directives, assembly = ConstantOp.directives, ConstantOp.assembly

    @property
    def elements(self) -> DenseElementsAttr | None:
        return elements_of_tensor(self.value)

    def verify(self, report: Report) -> None:
        elements, type = self.elements, self.result_.type
        if elements is None:
            self.error(report, f"attribute 'value' must be dense<...> of a tensor, found {self.value}")
        elif TensorElementsAttr(elements).type != type:
            self.error(report, f"value is {TensorElementsAttr(elements).type}, result {type}")
        elif len(elements.values) not in (1, elements.type.elements):
            self.error(report, f"has {len(elements.values)} values for {type}")


def constant_array(value: Attribute) -> Array:
    """A number or `dense` literal as a numpy array of its type."""
    if isinstance(value, DenseElementsAttr):
        flat = np.array(value.values).astype(dtype_of(value.type.element))
        return np.broadcast_to(flat[0], value.type.shape) if value.is_splat else flat.reshape(value.type.shape)
    assert isinstance(value, (IntegerAttr, FloatAttr))
    with np.errstate(over="ignore"):
        return np.asarray(np.array(value.value).astype(dtype_of(value.type)))
