"""nvgpu: products of a sparse A (mma.sp), of which two of every four neighbours along K are held, and which."""

from __future__ import annotations

from ...support.diagnostics import Report
from ...targets import mma_sparse
from ..attributes import IntegerAttr, UnitAttr
from ..define import Constraint, carried_attribute, int_attribute, operand, optional_attribute
from ..types import I16, I32, Type, VectorType
from .nvgpu import SubgroupProduct, check_elements, element_names, operand_bits

_METADATA = VectorType((2,), I16)
_MIXED_BITS = 8
"""Up to this width A and B may have different elements."""
is_metadata: Constraint[VectorType] = Constraint(str(_METADATA), lambda t: t == _METADATA)


class MmaSparseSyncOp(SubgroupProduct, opname="nvgpu.mma.sp.sync"):
    """`matrixA * matrixB + matrixC` of one subgroup; `mmaShape` is [m, n, k]. Integers are signed unless marked.

    A has m x k / 2 elements: two of every four along K in their order, of 4-bit elements two of every four pairs, of
    tf32 one of every two. Which, 2 bits say of each (pair; half of a tf32) in `sparseMetadata`, and `sparsitySelector`
    in which lanes these are (PTX ISA, "mma.sp").
    """

    sparsity = 2
    sparseMetadata = operand(is_metadata)
    sparsitySelector = int_attribute(IntegerAttr(0, I32), I32)
    tf32Enabled = optional_attribute(UnitAttr)
    unsignedA = carried_attribute(UnitAttr)
    unsignedB = carried_attribute(UnitAttr)
    same_type = ("matrixC", "res")
    assembly = (
        "`` `(` $matrixA `,` $matrixB `,` $matrixC `)` `metadata` `` `(` $sparseMetadata `)`"
        " (`mmaShape` `=` $mmaShape^)? (`sparsitySelector` `=` $sparsitySelector^)? (`tf32Enabled` $tf32Enabled^)?"
        " attr-dict `:` `(` type($matrixA) `,` type($matrixB) `,` type($matrixC) `)` `->` type($res)"
    )

    @property
    def elements(self) -> tuple[Type, Type, Type]:
        """The types of the elements of A, B and the accumulator."""
        return self.matrixA.type.element, self.matrixB.type.element, self.matrixC.type.element

    @property
    def form(self) -> mma_sparse.SparseMma | None:
        """The instruction; None where there is none."""
        return mma_sparse.find(self.shape, *element_names(self, *self.elements))

    def verify_elements(self, report: Report) -> None:
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
