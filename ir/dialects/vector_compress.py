"""vector: expandload and compressstore, which read and write as many neighbours as their mask has on.

Element i is at the indices plus the number of elements before it whose mask is on: a prefix count, and then a gather,
or a scatter whose places all differ.
"""

from __future__ import annotations

from typing import ClassVar

from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import (
    OperandField,
    is_index,
    is_mask,
    is_memref,
    is_vector,
    operand,
    operands,
    optional_int_attribute,
    result,
)
from ..traits import READS, WRITES
from ..types import I1, IndexType, MemRefType, VectorType
from .vector_gather import ALIGNMENT, check_pass_thru
from .vector_memory import check_alignment


class CompressedOp(Operation):
    """What both share. `alignment`: bytes that divide the address of the place at the indices, whatever is on."""

    pure = False
    alignment = optional_int_attribute()

    base: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    mask: ClassVar[OperandField[Value[VectorType]]]

    def check_access(self, vector: VectorType, words: str, report: Report) -> None:
        """Upstream's rules, in upstream's order and words; `words` names the vector that moves."""
        memory = self.base.type
        if memory.element != vector.element:
            self.error(report, f"base and {words} element type should match, found {memory} and {vector}")
        elif len(self.indices) != memory.rank:
            self.error(report, f"requires {memory.rank} indices for {memory}, found {len(self.indices)}")
        elif memory.rank == 0:
            self.error(report, f"base {memory} has no dim along which elements could be neighbours")
        elif vector.rank != 1:
            self.error(report, f"moves vectors of one dim, found {vector}")
        elif self.mask.type != VectorType(vector.shape, I1):
            self.error(report, f"expected {words} dim to match mask dim, found {vector} and {self.mask.type}")
        check_alignment(self, self.alignment, report)


class ExpandLoadOp(CompressedOp, opname="vector.expandload"):
    """Neighbours in memory go to the elements that are on; the rest is `pass_thru`."""

    base = operand(is_memref, READS)
    indices = operands(is_index)
    mask = operand(is_mask)
    pass_thru = operand(is_vector)
    result_ = result(is_vector, like="pass_thru")
    assembly = (
        f"$base `` `[` $indices `]` `,` $mask `,` $pass_thru {ALIGNMENT} attr-dict"
        " `:` type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def verify(self, report: Report) -> None:
        self.check_access(self.result_.type, "result", report)
        check_pass_thru(self, self.pass_thru.type, self.result_.type, report)


class CompressStoreOp(CompressedOp, opname="vector.compressstore"):
    """The elements that are on become neighbours in memory; nothing after them is touched."""

    base = operand(is_memref, WRITES)
    indices = operands(is_index)
    mask = operand(is_mask)
    value = operand(is_vector)
    assembly = (
        f"$base `` `[` $indices `]` `,` $mask `,` $value {ALIGNMENT} attr-dict"
        " `:` type($base) `,` type($mask) `,` type($value)"
    )

    def verify(self, report: Report) -> None:
        self.check_access(self.value.type, "valueToStore", report)
