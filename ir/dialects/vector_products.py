"""vector: products that are short for others: outerproduct, and matrix_multiply of flat vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...support.diagnostics import Report
from .. import numerics
from ..attributes import number_of
from ..core import Operation, Value
from ..define import attribute, int_attribute, is_vector, operand, optional_operand, result, scalar_like
from ..numerics import Array
from ..types import Attribute, Type, VectorType, element_type, shape_of
from .vector_kind import ADD, CombiningKindAttr, check_kind, holds_floats
from .vector_mask_region import Maskable


class OuterProductOp(Maskable, opname="vector.outerproduct"):
    """`lhs[i] * rhs[j]` for all i and j, joined with the accumulator where there is one; `rhs` may be one number.

    A sum of floats is rounded once, as by `vector.fma`.
    """

    pure = True
    lhs = operand(is_vector)
    rhs = operand(scalar_like)
    acc = optional_operand(is_vector)
    kind = attribute(CombiningKindAttr, ADD)
    result_ = result(is_vector)
    assembly = "$lhs `,` $rhs (`,` $acc^)? attr-dict `:` type($lhs, $rhs) former(`,` type($acc))"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        lhs, rhs = (v.type for v in operands[:2])
        return [VectorType(shape_of(lhs) + shape_of(rhs), element_type(lhs))]

    def verify(self, report: Report) -> None:
        lhs, rhs = self.lhs.type, self.rhs.type
        expected = VectorType(shape_of(lhs) + shape_of(rhs), lhs.element)
        if lhs.rank != 1:
            self.error(report, f"lhs must have one dim, found {lhs}")
        elif shape_of(rhs) != () and len(shape_of(rhs)) != 1:
            self.error(report, f"rhs must be a number or have one dim, found {rhs}")
        elif element_type(rhs) != lhs.element:
            self.error(report, f"element types differ: {lhs} and {rhs}")
        elif self.result_.type != expected:
            self.error(report, f"result must be {expected}, found {self.result_.type}")
        elif self.acc is not None and self.acc.type != expected:
            self.error(report, f"accumulator must be {expected}, found {self.acc.type}")
        elif self.acc is None and self.kind != ADD:
            self.error(report, f"kind <{self.kind.value}> has no accumulator to join")
        check_kind(self, self.kind, lhs.element, report)

    def reference(self, lhs: Array, rhs: Array, acc: Array | None = None) -> Array:
        left = lhs[:, None] if np.ndim(rhs) else lhs
        if acc is None:
            with np.errstate(all="ignore"):
                return numerics.to_type(np.asarray(left * rhs).astype(lhs.dtype), self.lhs.type.element)
        if self.kind == ADD and holds_floats(lhs):
            return numerics.fma_as(self.lhs.type.element, *np.broadcast_arrays(left, rhs, acc))
        with np.errstate(all="ignore"):
            joined = self.kind.combine(np.asarray(left * rhs).astype(lhs.dtype), acc)
            return numerics.to_type(joined, self.lhs.type.element)

    def mask_shape(self) -> tuple[int, ...]:
        return self.result_.type.shape


class MatrixMultiplyOp(Operation, opname="vector.matrix_multiply"):
    """The product of two matrices whose elements, and the result's, are in one row, column after column.

    That order is llvm.matrix.multiply's, which the operation stands for.
    """

    pure = True
    lhs = operand(is_vector)
    rhs = operand(is_vector)
    lhs_rows = int_attribute()
    lhs_columns = int_attribute()
    rhs_columns = int_attribute()
    result_ = result(is_vector)
    assembly = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        rows, columns = (number_of(attributes[name]) or 0 for name in ("lhs_rows", "rhs_columns"))
        return [VectorType((rows * columns,), element_type(operands[0].type))]

    def verify(self, report: Report) -> None:
        rows, inner, columns = self.lhs_rows, self.lhs_columns, self.rhs_columns
        if min(rows, inner, columns) < 1:
            self.error(report, f"matrices have rows and columns, found {rows} x {inner} and {inner} x {columns}")
            return
        extents = {"lhs": (rows, inner), "rhs": (inner, columns), "result": (rows, columns)}
        for value, (name, (height, width)) in zip((self.lhs, self.rhs, self.result_), extents.items(), strict=True):
            expected = VectorType((height * width,), self.lhs.type.element)
            if value.type != expected:
                self.error(report, f"{name}, {height} rows of {width} columns, must be {expected}, found {value.type}")

    def reference(self, lhs: Array, rhs: Array) -> Array:
        left = lhs.reshape(self.lhs_columns, self.lhs_rows).T
        right = rhs.reshape(self.rhs_columns, self.lhs_columns).T
        wide = np.float64 if holds_floats(lhs) else lhs.dtype
        with np.errstate(all="ignore"):
            product = (left.astype(wide) @ right.astype(wide)).T.reshape(-1)
            return numerics.to_type(product, element_type(self.lhs.type))
