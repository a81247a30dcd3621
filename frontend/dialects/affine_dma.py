"""affine: copies that are started and waited for, at places that are affine expressions."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.affine import AffineMapAttr
from ...ir.core import Value
from ...ir.define import attribute, is_index, is_memref, operand, operands
from ...ir.traits import NOTHING, READS, WRITES
from ...ir.types import MemRefType
from ...support.diagnostics import Report
from .affine_operands import Subscript, check_operands
from .memref_dma import DmaStart, RowOfOperands

_MAPS = {"source_indices": "src_map", "target_indices": "dst_map", "tag_indices": "tag_map"}
"""By group of operands, the map that takes them."""


class _MappedOperands(RowOfOperands):
    directives = {"Subscript": Subscript}

    def index_count(self, group: str, before: int) -> int:
        map = self.attributes.get(_MAPS.get(group, ""))
        return map.map.dims + map.map.symbols if isinstance(map, AffineMapAttr) else 0

    def check_place(self, memref: MemRefType, map: AffineMapAttr, values: Sequence[Value], report: Report) -> None:
        if len(map.map.results) != memref.rank:
            self.error(report, f"has a map of {len(map.map.results)} results for a memref of rank {memref.rank}")
        check_operands(self, map.map.dims, values, report)


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
    assembly = (
        "$source custom<Subscript>($source_indices, $src_map) `,` $target custom<Subscript>($target_indices,"
        " $dst_map) `,` $tag custom<Subscript>($tag_indices, $tag_map) `,` $count (`,` $strides^)? attr-dict"
        " `:` type($source, $target, $tag)"
    )

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
    assembly = "$tag custom<Subscript>($tag_indices, $tag_map) `,` $count attr-dict `:` type($tag)"

    def verify(self, report: Report) -> None:
        self.check_place(self.tag.type, self.tag_map, self.tag_indices, report)
