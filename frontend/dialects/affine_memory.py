"""affine: accesses whose indices are affine expressions, `%m[%i + 1, 2 * %j]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...ir.affine import AffineMapAttr
from ...ir.core import Operation, Value
from ...ir.define import OperandField, attribute, is_index, is_memref, is_vector, operand, operands, result, scalar_like
from ...ir.dialects.memref import memref_type
from ...ir.dialects.memref_buffers import HINTS, PrefetchOp
from ...ir.traits import READS, WRITES
from ...ir.types import Attribute, IndexType, MemRefType, Type, element_type
from ...support.diagnostics import Report
from .affine_operands import Subscript, check_operands


class AffineAccess(Operation):
    """What loads and stores share: the map of `indices`, first its dims, then its symbols, gives the place."""

    pure = False
    map = attribute(AffineMapAttr)
    stores: ClassVar[bool] = False
    directives = {"Subscript": Subscript}
    moves_vectors: ClassVar[bool] = False

    memref: ClassVar[OperandField[Value[MemRefType]]]
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]

    @property
    def moved(self) -> Value:
        """What is read or written."""
        return self.operands[0] if self.stores else self.result

    def verify(self, report: Report) -> None:
        map, memory = self.map.map, memref_type(self.memref)
        element = element_type(self.moved.type)
        if len(map.results) != memory.rank:
            self.error(report, f"has a map of {len(map.results)} results for a memref of rank {memory.rank}")
        elif len(self.indices) != map.dims + map.symbols:
            self.error(report, f"has {len(self.indices)} indices, the map takes {map.dims + map.symbols}")
        elif element != memory.element:
            self.error(report, f"moves {self.moved.type}, the memref has elements of {memory.element}")
        elif self.moves_vectors != self.moved.type.is_vector:
            self.error(report, f"moves {self.moved.type}: vectors have affine.vector_load and affine.vector_store")
        check_operands(self, map.dims, self.indices, report)


class AffinePrefetchOp(PrefetchOp, opname="affine.prefetch"):
    """`memref.prefetch` of the element at an affine place."""

    pure = False
    map = attribute(AffineMapAttr)
    directives = {**PrefetchOp.directives, "Subscript": Subscript}
    assembly = f"$memref custom<Subscript>($indices, $map) `,` {HINTS} attr-dict `:` type($memref)"

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
    assembly = "$memref custom<Subscript>($indices, $map) attr-dict `:` type($memref)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [element_type(operands[0].type)]


class AffineStoreOp(AffineAccess, opname="affine.store"):
    """Writes one element; every index is in bounds."""

    stores = True
    value = operand(scalar_like)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
    assembly = "$value `,` $memref custom<Subscript>($indices, $map) attr-dict `:` type($memref)"


class AffineVectorLoadOp(AffineAccess, opname="affine.vector_load"):
    """The vector whose first element is at the place, as `vector.load`."""

    moves_vectors = True
    memref = operand(is_memref, READS)
    indices = operands(is_index)
    result_ = result(is_vector)
    assembly = "$memref custom<Subscript>($indices, $map) attr-dict `:` type($memref) `,` type($result)"


class AffineVectorStoreOp(AffineAccess, opname="affine.vector_store"):
    """Writes a vector whose first element goes to the place, as `vector.store`."""

    stores = True
    moves_vectors = True
    value = operand(is_vector)
    memref = operand(is_memref, WRITES)
    indices = operands(is_index)
    assembly = "$value `,` $memref custom<Subscript>($indices, $map) attr-dict `:` type($memref, $value)"
