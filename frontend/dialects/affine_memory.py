"""affine: accesses whose indices are affine expressions, `%m[%i + 1, 2 * %j]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ...ir.affine import AffineMapAttr
from ...ir.assembly import check_type
from ...ir.core import Operation, Value
from ...ir.define import OperandField, attribute, is_index, is_memref, is_vector, operand, operands, result, scalar_like
from ...ir.dialects.memref import memref_type
from ...ir.dialects.memref_buffers import PrefetchOp
from ...ir.traits import READS, WRITES
from ...ir.types import Attribute, IndexType, MemRefType, Type, VectorType, element_type
from ...support.diagnostics import Location, Report
from .affine_operands import check_operands, parse_subscript, subscript_text

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


class AffineAccess(Operation):
    """What loads and stores share: the map of `indices`, first its dims, then its symbols, gives the place."""

    pure = False
    map = attribute(AffineMapAttr)
    stores: ClassVar[bool] = False
    moves_vectors: ClassVar[bool] = False

    memref: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]

    @property
    def moved(self) -> Value:
        """What is read or written."""
        return self.operands[0] if self.stores else self.result

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        moved = [parser.operand()] if cls.stores else []
        if cls.stores:
            parser.expect(",")
        memref = parser.operand()
        parser.expect("[")
        map, indices = parse_subscript(parser, "]")
        attributes = {**parser.optional_attribute_dict(["map"]), "map": map}
        parser.expect(":")
        start = parser.token.start
        type = parser.parse_type()
        if memref.type != type:
            raise parser.error(f"the buffer has type {memref.type}, but {type} is written here", start)
        return cls([*moved, memref, *indices], cls._types(parser, moved, memref), attributes, location=location)

    @classmethod
    def _types(cls, parser: Parser, moved: Sequence[Value], memref: Value) -> list[Type]:
        """The types of the results; a vector's type is written."""
        written = None
        if cls.moves_vectors:
            parser.expect(",")
            start = parser.token.start
            written = parser.parse_type()
            if moved and moved[0].type != written:
                raise parser.error(f"the value has type {moved[0].type}, but {written} is written here", start)
        if cls.stores:
            return []
        return [element_type(memref.type) if written is None else written]

    def print(self, printer: Printer) -> None:
        if self.stores:
            printer.word(printer.name(self.moved) + ",")
        printer.word(f"{printer.name(self.memref)}[{subscript_text(printer, self.map.map, self.indices)}]")
        printer.attribute_dict(self, hidden=("map",))
        printer.word(f": {self.memref.type}" + (f", {self.moved.type}" if self.moves_vectors else ""))

    def verify(self, report: Report) -> None:
        map, memory = self.map.map, memref_type(self.memref)
        element = element_type(self.moved.type)
        if len(map.results) != memory.rank:
            self.error(report, f"has a map of {len(map.results)} results for a memref of rank {memory.rank}")
        elif len(self.indices) != map.dims + map.symbols:
            self.error(report, f"has {len(self.indices)} indices, the map takes {map.dims + map.symbols}")
        elif element != memory.element:
            self.error(report, f"moves {self.moved.type}, the memref has elements of {memory.element}")
        elif self.moves_vectors != isinstance(self.moved.type, VectorType):
            self.error(report, f"moves {self.moved.type}: vectors have affine.vector_load and affine.vector_store")
        check_operands(self, map.dims, self.indices, report)


class AffinePrefetchOp(PrefetchOp, opname="affine.prefetch"):
    """`memref.prefetch` of the element at an affine place."""

    pure = False
    map = attribute(AffineMapAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        memref = parser.operand()
        parser.expect("[")
        map, indices = parse_subscript(parser, "]")
        attributes = cls.parse_hints(parser, {"map": map})
        parser.expect(":")
        check_type(parser, memref, location)
        return cls([memref, *indices], (), attributes, location=location)

    def print(self, printer: Printer) -> None:
        place = f"{printer.name(self.memref)}[{subscript_text(printer, self.map.map, self.indices)}]"
        self.print_hints(printer, place, ("map",))

    def verify(self, report: Report) -> None:
        map, rank = self.map.map, self.memref.type.rank
        if len(map.results) != rank:
            self.error(report, f"has a map of {len(map.results)} results for a memref of rank {rank}")
        elif len(self.indices) != map.dims + map.symbols:
            self.error(report, f"has {len(self.indices)} indices, the map takes {map.dims + map.symbols}")
        self.check_locality(report)
        check_operands(self, map.dims, self.indices, report)


class AffineLoadOp(AffineAccess, opname="affine.load"):
    """One element; every index is in bounds."""

    memref = operand(is_memref, READS)
    indices = operands(is_index)
    result_ = result(scalar_like)

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [element_type(operands[0].type)]


class AffineStoreOp(AffineAccess, opname="affine.store"):
    """Writes one element; every index is in bounds."""

    stores = True
    value = operand(scalar_like)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)


class AffineVectorLoadOp(AffineAccess, opname="affine.vector_load"):
    """The vector whose first element is at the place, as `vector.load`."""

    moves_vectors = True
    memref = operand(is_memref, READS)
    indices = operands(is_index)
    result_ = result(is_vector)


class AffineVectorStoreOp(AffineAccess, opname="affine.vector_store"):
    """Writes a vector whose first element goes to the place, as `vector.store`."""

    stores = True
    moves_vectors = True
    value = operand(is_vector)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
