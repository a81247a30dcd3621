"""affine: copies that are started and waited for, at places that are affine expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...ir.affine import AffineMapAttr
from ...ir.assembly import check_type
from ...ir.core import Operation, Value
from ...ir.define import attribute, is_index, is_memref, operand, operands
from ...ir.traits import NOTHING, READS, WRITES
from ...ir.types import MemRefType
from ...support.diagnostics import Location, Report
from .affine_operands import check_operands, parse_subscript, subscript_text
from .memref_dma import DmaStart, RowOfOperands, parse_strides, parse_types

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer

_MAPS = {"source_indices": "src_map", "target_indices": "dst_map", "tag_indices": "tag_map"}
"""By group of operands, the map that takes them."""


class _MappedOperands(RowOfOperands):
    def index_count(self, group: str, before: int) -> int:
        map = self.attributes.get(_MAPS.get(group, ""))
        return map.map.dims + map.map.symbols if isinstance(map, AffineMapAttr) else 0

    def place_text(self, printer: Printer, memref: Value, group: str, values: Sequence[Value]) -> str:
        map = self.attributes[_MAPS[group]]
        assert isinstance(map, AffineMapAttr)
        return f"{printer.name(memref)}[{subscript_text(printer, map.map, values)}]"

    def check_place(self, memref: MemRefType, map: AffineMapAttr, values: Sequence[Value], report: Report) -> None:
        if len(map.map.results) != memref.rank:
            self.error(report, f"has a map of {len(map.map.results)} results for a memref of rank {memref.rank}")
        check_operands(self, map.map.dims, values, report)


def _parse_place(parser: Parser) -> tuple[Value, AffineMapAttr, list[Value]]:
    memref = parser.operand()
    parser.expect("[")
    return memref, *parse_subscript(parser, "]")


class AffineDmaStartOp(_MappedOperands, DmaStart, opname="affine.dma_start"):
    """`%source[..], %target[..], %tag[..], %count`; see `memref.dma_start`."""

    pure = False
    source = operand(is_memref, READS)
    source_indices = operands(is_index)
    target = operand(is_memref, WRITES)
    target_indices = operands(is_index)
    tag = operand(is_memref, NOTHING)
    tag_indices = operands(is_index)
    count = operand(is_index)
    strides = operands(is_index)
    src_map = attribute(AffineMapAttr)
    dst_map = attribute(AffineMapAttr)
    tag_map = attribute(AffineMapAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        values: list[Value] = []
        memrefs: list[Value] = []
        maps: dict[str, AffineMapAttr] = {}
        for name in _MAPS.values():
            memref, maps[name], indices = _parse_place(parser)
            memrefs.append(memref)
            values += [memref, *indices]
            parser.expect(",")
        values += [parser.operand(), *parse_strides(parser)]
        attributes = {**parser.optional_attribute_dict(maps), **maps}
        parse_types(parser, memrefs, location)
        return cls(values, (), attributes, location=location)

    def print(self, printer: Printer) -> None:
        places = (
            self.place_text(printer, self.source, "source_indices", self.source_indices),
            self.place_text(printer, self.target, "target_indices", self.target_indices),
            self.place_text(printer, self.tag, "tag_indices", self.tag_indices),
        )
        printer.word(", ".join([*places, printer.name(self.count)]))
        self.print_types(printer, tuple(_MAPS.values()))

    def verify(self, report: Report) -> None:
        super().verify(report)
        self.check_place(self.source.type, self.src_map, self.source_indices, report)
        self.check_place(self.target.type, self.dst_map, self.target_indices, report)
        self.check_place(self.tag.type, self.tag_map, self.tag_indices, report)


class AffineDmaWaitOp(_MappedOperands, opname="affine.dma_wait"):
    """Goes on when what was started with the tag is done."""

    pure = False
    tag = operand(is_memref, NOTHING)
    tag_indices = operands(is_index)
    count = operand(is_index)
    tag_map = attribute(AffineMapAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        tag, map, indices = _parse_place(parser)
        parser.expect(",")
        count = parser.operand()
        attributes = {**parser.optional_attribute_dict(["tag_map"]), "tag_map": map}
        parser.expect(":")
        check_type(parser, tag, location)
        return cls([tag, *indices, count], (), attributes, location=location)

    def print(self, printer: Printer) -> None:
        place = self.place_text(printer, self.tag, "tag_indices", self.tag_indices)
        printer.word(f"{place}, {printer.name(self.count)}")
        printer.attribute_dict(self, hidden=("tag_map",))
        printer.word(f": {self.tag.type}")

    def verify(self, report: Report) -> None:
        self.check_place(self.tag.type, self.tag_map, self.tag_indices, report)
