"""amdgpu: products of a sparse A (smfmac, swmmac), of which a lane holds two of every four neighbours along K, and
which."""

from __future__ import annotations

from ...support.diagnostics import Report
from ..attributes import IntegerAttr, UnitAttr
from ..define import Constraint, attribute, is_integer, operand, optional_attribute
from ..types import I8, I16, I32, IntegerType, Type, VectorType, element_count, scalar_type
from .amdgpu import MatrixOp, matrix_assembly

_LANES, _WAVE32 = 64, 32
_SIZES = (16, 32)
_INDICES: dict[int, Type] = {4: VectorType((4,), I8), 8: VectorType((2,), I16), 16: I32}
"""By the elements of A that a lane has: 32 bits, as the sets of 2 bits an element that they are."""
_INDICES_OF_A_WAVE = _INDICES[4]
is_indices: Constraint[IntegerType | VectorType] = Constraint(
    " or ".join(map(str, _INDICES.values())), lambda t: t in _INDICES.values()
)


_INDICES_TEXT = "`sparse` `` `(` $sparseIdx `:` type($sparseIdx) `)`"


class SparseMatrixOp(MatrixOp):
    """`MxNxK %a * %b + %c sparse(%i : type)`. Of every four elements of A along K two are held, elements 2 j and
    2 j + 1 of a lane for its j-th four; bits 2 i and 2 i + 1 of the set of indices say which of four element i is."""

    sparseIdx = operand(is_indices)

    @property
    def shift(self) -> int:
        """The bit at which the set of indices begins."""
        return 0

    def check_parts(self, lanes: int, report: Report) -> None:
        """Reports operands of another number of elements than the shape and so many lanes ask for."""
        m, n, k = self.shape
        parts = (("sourceA", self.sourceA, m * k // 2), ("sourceB", self.sourceB, k * n), ("destC", self.destC, m * n))
        for name, value, elements in parts:
            if element_count(value.type) * lanes != elements:
                expected = f"{elements // lanes} elements of a lane for {m}x{n}x{k}"
                self.error(report, f"{name} must have {expected}, found {value.type}")


class SparseMfmaOp(SparseMatrixOp, opname="amdgpu.sparse_mfma"):
    """CDNA3 and CDNA4. Where there are several sets of indices, `abid` chooses one if `cbsz` is 0, otherwise it is the
    first. What a lane has of B is along the same K (their instruction set documents, "Sparse matrices")."""

    abid = attribute(IntegerAttr, IntegerAttr(0, I32))
    cbsz = attribute(IntegerAttr, IntegerAttr(0, I32))
    assembly = matrix_assembly("abid", "cbsz", more=_INDICES_TEXT)

    @property
    def shift(self) -> int:
        """The bit at which the chosen set of indices begins."""
        held = element_count(self.sourceA.type)
        return 0 if self.cbsz.value else 2 * held * self.abid.value

    def verify(self, report: Report) -> None:
        super().verify(report)
        m, n, k = self.shape
        if m != n or m not in _SIZES:
            self.error(report, f"m and n must both be 16 or both 32, found {m}x{n}x{k}")
            return
        self.check_parts(_LANES, report)
        held = element_count(self.sourceA.type)
        expected_indices = _INDICES.get(held)
        if expected_indices is None:
            self.error(report, f"sourceA must have 4, 8 or 16 elements of a lane, found {held}")
            return
        if self.sparseIdx.type != expected_indices:
            self.error(report, f"sparseIdx of {held} elements is {expected_indices}, found {self.sparseIdx.type}")
        sets = 16 // held
        if not 0 <= self.abid.value < sets:
            self.error(report, f"abid must be below {sets}, the sets in {expected_indices}, found {self.abid.value}")


class SparseWmmaOp(SparseMatrixOp, opname="amdgpu.sparse_wmma"):
    """RDNA 4, 32 lanes: `16x16x32`, or `16x16x64` of numbers of 4 bits. Integers are signed unless marked. The set of
    indices is the one in the lowest bits; what a lane has of B is along the K of what it has of A (AMD's matrix
    instruction calculator: `K[2][31] = v0{18}.[15:12]` of v_swmmac_f32_16x16x32_f16)."""

    unsignedA = optional_attribute(UnitAttr)
    unsignedB = optional_attribute(UnitAttr)
    clamp = optional_attribute(UnitAttr)
    reuseA = optional_attribute(UnitAttr)
    reuseB = optional_attribute(UnitAttr)
    assembly = matrix_assembly("unsignedA", "unsignedB", "clamp", "reuseA", "reuseB", more=_INDICES_TEXT)
    neutral = dict.fromkeys(("clamp", "reuseA", "reuseB"))

    def verify(self, report: Report) -> None:
        super().verify(report)
        m, n, k = self.shape
        if (m, n) != (16, 16) or k not in (32, 64):
            self.error(report, f"must be 16x16x32 or 16x16x64, found {m}x{n}x{k}")
            return
        self.check_parts(_WAVE32, report)
        if self.sparseIdx.type != _INDICES_OF_A_WAVE:
            self.error(report, f"sparseIdx is {_INDICES_OF_A_WAVE}, found {self.sparseIdx.type}")
        element = scalar_type(self.sourceA.type)
        marked = [name for name in ("unsignedA", "unsignedB") if name in self.attributes]
        if marked and not is_integer.holds(element):
            self.error(report, f"has {', '.join(marked)}, which is of integers, found {element}")
