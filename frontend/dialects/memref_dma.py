"""memref: copies that are started and waited for. Their operands stand in a row; ranks say which is which."""

from __future__ import annotations

from typing import Any, ClassVar

from ...ir.core import Operation, Value
from ...ir.define import OperandField, is_index, is_memref, operand, operands
from ...ir.traits import NOTHING, READS, WRITES
from ...ir.types import IndexType, MemRefType
from ...support.diagnostics import Report


class RowOfOperands(Operation):
    """Groups of operands that are told apart by ranks, not by numbers in the text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.segments = self._sizes()

    def _sizes(self) -> tuple[int, ...]:
        """How many operands each group has; where there are too few, later groups have none."""
        sizes, position = list[int](), 0
        for field in self.operand_groups:
            size = 1
            if field.multiplicity != "one":
                size = self.index_count(field.name, position - 1)
            sizes.append(min(size, max(len(self.operands) - position, 0)))
            position += sizes[-1]
        sizes[-1] += len(self.operands) - position
        return tuple(sizes)

    def index_count(self, group: str, before: int) -> int:
        """The number of the indices behind operand number `before`, a memref."""
        type = self.operands[before].type if 0 <= before < len(self.operands) else None
        return type.rank if isinstance(type, MemRefType) else 0

    @classmethod
    def needs_segments(cls) -> bool:
        return False


class DmaStart(RowOfOperands):
    """What both dialects' copies share: `count` elements that lie one behind the other in `source` go to as many in
    `target`; `tag` is what a wait names.

    It is done when a wait for its tag is through. Here it is done at once, and the wait has nothing left to do.
    """

    pure = False

    source: ClassVar[OperandField[Value[MemRefType]]]
    source_indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    target: ClassVar[OperandField[Value[MemRefType]]]
    target_indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    count: ClassVar[OperandField[Value[IndexType]]]
    tag: ClassVar[OperandField[Value[MemRefType]]]
    tag_indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    strides: ClassVar[OperandField[tuple[Value[IndexType], ...]]]

    def verify(self, report: Report) -> None:
        if self.source.type.element != self.target.type.element:
            self.error(report, f"element types differ: {self.source.type} and {self.target.type}")
        if len(self.strides) not in (0, 2):
            self.error(
                report, f"has a stride and elements for each of it, or neither; found {len(self.strides)} numbers"
            )


class DmaStartOp(DmaStart, opname="memref.dma_start"):
    """`%source[..], %target[..], %count, %tag[..]`."""

    pure = False
    source = operand(is_memref, READS)
    source_indices = operands(is_index)
    target = operand(is_memref, WRITES)
    target_indices = operands(is_index)
    count = operand(is_index)
    tag = operand(is_memref, NOTHING)
    tag_indices = operands(is_index)
    strides = operands(is_index)
    assembly = (
        "$source `` `[` $source_indices `]` `,` $target `` `[` $target_indices `]` `,` $count `,` $tag `` `[`"
        " $tag_indices `]` (`,` $strides^)? attr-dict `:` type($source, $target, $tag)"
    )


class DmaWaitOp(RowOfOperands, opname="memref.dma_wait"):
    """Goes on when what was started with the tag is done."""

    pure = False
    tag = operand(is_memref, NOTHING)
    tag_indices = operands(is_index)
    count = operand(is_index)
    assembly = "$tag `` `[` $tag_indices `]` `,` $count attr-dict `:` type($tag)"
