"""memref: copies that are started and waited for. Their operands stand in a row; ranks say which is which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ...ir.assembly import check_type
from ...ir.core import Operation, Value
from ...ir.define import OperandField, is_index, is_memref, operand, operands
from ...ir.traits import NOTHING, READS, WRITES
from ...ir.types import IndexType, MemRefType
from ...support.diagnostics import Location, Report

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


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

    def print_types(self, printer: Printer, hidden: Sequence[str] = ()) -> None:
        for value in self.strides:
            printer.raw(f", {printer.name(value)}")
        printer.attribute_dict(self, hidden)
        printer.word(f": {self.source.type}, {self.target.type}, {self.tag.type}")

    def verify(self, report: Report) -> None:
        if self.source.type.element != self.target.type.element:
            self.error(report, f"element types differ: {self.source.type} and {self.target.type}")
        if len(self.strides) not in (0, 2):
            self.error(
                report, f"has a stride and elements for each of it, or neither; found {len(self.strides)} numbers"
            )


def parse_strides(parser: Parser) -> list[Value]:
    """`, %stride, %elements` or nothing."""
    values: list[Value] = []
    while parser.accept(","):
        values.append(parser.operand())
    return values


def parse_types(parser: Parser, memrefs: Sequence[Value], location: Location) -> None:
    """`: T, U, V`, of the memrefs in their order."""
    parser.expect(":")
    for number, value in enumerate(memrefs):
        if number:
            parser.expect(",")
        check_type(parser, value, location)


def _parse_place(parser: Parser) -> tuple[Value, list[Value]]:
    """`%m[%i, %j]`."""
    memref = parser.operand()
    parser.expect("[")
    return memref, parser.operand_list("]")


def _place_text(printer: Printer, memref: Value, indices: Sequence[Value]) -> str:
    return f"{printer.name(memref)}[{', '.join(map(printer.name, indices))}]"


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

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        source, source_indices = _parse_place(parser)
        parser.expect(",")
        target, target_indices = _parse_place(parser)
        parser.expect(",")
        count = parser.operand()
        parser.expect(",")
        tag, tag_indices = _parse_place(parser)
        strides = parse_strides(parser)
        attributes = parser.optional_attribute_dict()
        parse_types(parser, [source, target, tag], location)
        groups = [[source], source_indices, [target], target_indices, [count], [tag], tag_indices, strides]
        return cls([value for group in groups for value in group], (), attributes, location=location)

    def print(self, printer: Printer) -> None:
        places = (self.source, self.source_indices), (self.target, self.target_indices)
        texts = [_place_text(printer, *place) for place in places]
        tag = _place_text(printer, self.tag, self.tag_indices)
        printer.word(", ".join([*texts, printer.name(self.count), tag]))
        self.print_types(printer)


class DmaWaitOp(RowOfOperands, opname="memref.dma_wait"):
    """Goes on when what was started with the tag is done."""

    pure = False
    tag = operand(is_memref, NOTHING)
    tag_indices = operands(is_index)
    count = operand(is_index)
    assembly = "$tag `` `[` $tag_indices `]` `,` $count attr-dict `:` type($tag)"
