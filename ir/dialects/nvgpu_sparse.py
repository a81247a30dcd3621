"""nvgpu: products of a sparse A (mma.sp), of which two of every four neighbours along K are held, and which."""

from __future__ import annotations

from ..attributes import ArrayAttr, IntegerAttr, UnitAttr, int_array
from ..core import Operation
from ..define import Constraint, attribute, carried_attribute, int_attribute, operand, optional_attribute, result
from ..diagnostics import Report
from ..targets import mma_sparse
from ..types import I16, I32, Type, VectorType
from .nvgpu import LANES, check_elements, element_names, fragment, operand_bits

_METADATA = VectorType((2,), I16)
_MIXED_BITS = 8
"""Up to this width A and B may have different elements."""
is_metadata: Constraint[VectorType] = Constraint(str(_METADATA), lambda t: t == _METADATA)


class MmaSparseSyncOp(Operation, opname="nvgpu.mma.sp.sync"):
    """`matrixA * matrixB + matrixC` of one subgroup; `mmaShape` is [m, n, k]. Integers are signed unless marked.

    A has m x k / 2 elements: two of every four along K in their order, of 4-bit elements two of every four pairs, of
    tf32 one of every two. Which, 2 bits say of each (pair; half of a tf32) in `sparseMetadata`, and `sparsitySelector`
    in which lanes these are (PTX ISA, "mma.sp").
    """

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    matrixA = operand(fragment)
    matrixB = operand(fragment)
    matrixC = operand(fragment)
    sparseMetadata = operand(is_metadata)
    mmaShape = attribute(ArrayAttr)
    sparsitySelector = int_attribute(IntegerAttr(0, I32), I32)
    tf32Enabled = optional_attribute(UnitAttr)
    unsignedA = carried_attribute(UnitAttr)
    unsignedB = carried_attribute(UnitAttr)
    res = result(fragment)
    same_type = ("matrixC", "res")
    assembly = (
        "`` `(` $matrixA `,` $matrixB `,` $matrixC `)` `metadata` `` `(` $sparseMetadata `)`"
        " (`mmaShape` `=` $mmaShape^)? (`sparsitySelector` `=` $sparsitySelector^)? (`tf32Enabled` $tf32Enabled^)?"
        " attr-dict `:` `(` type($matrixA) `,` type($matrixB) `,` type($matrixC) `)` `->` type($res)"
    )

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, n, k."""
        m, n, k = int_array(self.mmaShape)
        return m, n, k

    @property
    def elements(self) -> tuple[Type, Type, Type]:
        """Of A, B and the accumulator."""
        return self.matrixA.type.element, self.matrixB.type.element, self.matrixC.type.element

    @property
    def form(self) -> mma_sparse.SparseMma | None:
        """The instruction; None where there is none."""
        return mma_sparse.find(self.shape, *element_names(self, *self.elements))

    def verify(self, report: Report) -> None:
        shape = self.mmaShape.values
        if len(shape) != 3 or not all(isinstance(n, IntegerAttr) and n.value > 0 for n in shape):
            self.error(report, f"mmaShape must be three positive integers [m, n, k], found {self.mmaShape}")
            return
        a, b, _ = self.elements
        if a != b and operand_bits(a) > _MIXED_BITS:
            types = f"{self.matrixA.type} and {self.matrixB.type}"
            self.error(report, f"matrixA and matrixB must have the same element type, found {types}")
        else:
            check_elements(self, report, *self.elements)
        known = self.form
        sets = 2 if known is None else min(known.selectors, 2)
        if not 0 <= self.sparsitySelector < sets:
            words = "0 or 1" if sets > 1 else "0, as every lane has metadata"
            self.error(report, f"sparsitySelector must be {words}, found {self.sparsitySelector}")
        m, n, k = self.shape
        parts = (("matrixA", self.matrixA, m, k // 2), ("matrixB", self.matrixB, k, n), ("matrixC", self.matrixC, m, n))
        for name, value, rows, columns in parts:
            width = 2 if value is self.matrixC else max(1, 32 // operand_bits(value.type.element))
            expected = VectorType((rows * columns // LANES // width, width), value.type.element)
            if value.type != expected:
                self.error(report, f"{name} {rows}x{columns} is {expected} of a lane, found {value.type}")
