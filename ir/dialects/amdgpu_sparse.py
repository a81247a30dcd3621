"""amdgpu: products of a sparse A (smfmac), of which a lane holds two of every four neighbours along K, and which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attributes import IntegerAttr
from ..core import Value
from ..define import Constraint, attribute, operand
from ..diagnostics import Location, Report
from ..types import I8, I16, I32, IntegerType, Type, VectorType, element_count
from .amdgpu import MatrixOp

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

_LANES = 64
_SIZES = (16, 32)
_INDICES: dict[int, Type] = {4: VectorType((4,), I8), 8: VectorType((2,), I16), 16: I32}
"""By the elements of A that a lane has: 32 bits, as the sets of 2 bits an element that they are."""
is_indices: Constraint[IntegerType | VectorType] = Constraint(
    " or ".join(map(str, _INDICES.values())), lambda t: t in _INDICES.values()
)


class SparseMfmaOp(MatrixOp, opname="amdgpu.sparse_mfma"):
    """`16x16x32 %a * %b + %c sparse(%i : type)`. Of every four elements of A along K two are held, elements 2 j and
    2 j + 1 of a lane for its j-th four; bits 2 i and 2 i + 1 of the set of indices say which of the four element i is.
    Where there are several sets, `abid` chooses one if `cbsz` is 0, otherwise it is the first. What a lane has of B is
    along the same K (CDNA3 and CDNA4 instruction set documents, "Sparse matrices")."""

    sparseIdx = operand(is_indices)
    abid = attribute(IntegerAttr, IntegerAttr(0, I32))
    cbsz = attribute(IntegerAttr, IntegerAttr(0, I32))

    @property
    def shift(self) -> int:
        """The bit at which the chosen set of indices begins."""
        held = element_count(self.sourceA.type)
        return 0 if self.cbsz.value else 2 * held * self.abid.value

    @classmethod
    def _parse_more(cls, parser: Parser, location: Location) -> list[Value]:
        from ..assembly import check_type

        parser.expect("sparse")
        parser.expect("(")
        indices = parser.operand()
        parser.expect(":")
        check_type(parser, indices, location)
        parser.expect(")")
        return [indices]

    def _print_more(self, printer: Printer) -> None:
        printer.word(f"sparse({printer.name(self.sparseIdx)} : {self.sparseIdx.type})")

    def verify(self, report: Report) -> None:
        super().verify(report)
        m, n, k = self.shape
        if m != n or m not in _SIZES:
            self.error(report, f"m and n must both be 16 or both 32, found {m}x{n}x{k}")
            return
        held = element_count(self.sourceA.type)
        parts = (("sourceA", self.sourceA, m * k // 2), ("sourceB", self.sourceB, k * n), ("destC", self.destC, m * n))
        for name, value, elements in parts:
            if element_count(value.type) * _LANES != elements:
                expected = f"{elements // _LANES} elements of a lane for {m}x{n}x{k}"
                self.error(report, f"{name} must have {expected}, found {value.type}")
        expected_indices = _INDICES.get(held)
        if expected_indices is None:
            self.error(report, f"sourceA must have 4, 8 or 16 elements of a lane, found {held}")
            return
        if self.sparseIdx.type != expected_indices:
            self.error(report, f"sparseIdx of {held} elements is {expected_indices}, found {self.sparseIdx.type}")
        sets = 16 // held
        if not 0 <= self.abid.value < sets:
            self.error(report, f"abid must be below {sets}, the sets in {expected_indices}, found {self.abid.value}")
