"""iree_linalg_ext: stores whose places a region computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...ir.assembly import check_type
from ...ir.core import Block, Operation, Region, Value
from ...ir.define import is_memref, is_scalar, is_tensor, is_vector, operand, operands, region, result
from ...ir.traits import WRITES
from ...ir.types import I1, INDEX, Attribute, MemRefType, TensorType, Type, VectorType
from ...support.diagnostics import Location, Report

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


class YieldOp(Operation, opname="iree_linalg_ext.yield"):
    """Ends the region of a store with an index for each dimension of the memref, and whether to store."""

    pure = False
    terminator = True
    values = operands(is_scalar)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        if not isinstance(self.enclosing(), (MapStoreOp, TensorMapStoreOp)):
            self.error(report, "must be inside iree_linalg_ext.map_store")


class MapStoreOp(Operation, opname="iree_linalg_ext.map_store"):
    """Each element of the vector goes where the region says of its indices, if the region's last value, i1, is true.

    No two elements go to one place, and all places are inside.
    """

    pure = False
    input = operand(is_vector)
    output = operand(is_memref, WRITES)
    transformation = region()

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`%v into %m { ^bb0(%i: index): ... } : vector<4xf32> into memref<8xf32>`."""
        source = parser.operand()
        parser.expect("into")
        target = parser.operand()
        body = parser.parse_region()
        attributes = parser.optional_attribute_dict()
        parser.expect(":")
        check_type(parser, source, location)
        parser.expect("into")
        check_type(parser, target, location)
        types = [parser.parse_type()] if parser.accept("->") else []
        return cls.from_generic([source, target], types, attributes, [body], location, None, ())

    @classmethod
    def from_generic(
        cls,
        operands: Sequence[Value],
        result_types: Sequence[Type],
        attributes: Mapping[str, Attribute],
        regions: Sequence[Region],
        location: Location,
        segments: tuple[int, ...] | None,
        successors: Sequence[Block],
    ) -> Operation:
        made = TensorMapStoreOp if any(map(is_tensor.admits, operands[1:])) else cls
        return made(operands, result_types, attributes, regions, location, segments, successors)

    def print(self, printer: Printer) -> None:
        _print(self, self.transformation, printer)

    def verify(self, report: Report) -> None:
        _check(self, self.input.type, self.output.type, report)


class TensorMapStoreOp(Operation, variant_of=MapStoreOp):
    """Stores by a map into a tensor, of a vector or of a tensor: what it is with these elements in it."""

    pure = True
    input = operand(is_vector | is_tensor)
    output = operand(is_tensor)
    transformation = region()
    result_ = result(is_tensor)

    def print(self, printer: Printer) -> None:
        _print(self, self.transformation, printer)
        printer.word(f"-> {self.result_.type}")

    def verify(self, report: Report) -> None:
        if self.result_.type != self.output.type:
            self.error(report, f"result must be {self.output.type}, found {self.result_.type}")
        _check(self, self.input.type, self.output.type, report)


def _print(op: Operation, body: Region, printer: Printer) -> None:
    source, target = op.operands
    printer.word(f"{printer.name(source)} into {printer.name(target)}")
    printer.region(body, show_arguments=True)
    printer.attribute_dict(op)
    printer.word(f": {source.type} into {target.type}")


def _check(op: Operation, source: VectorType | TensorType, target: MemRefType | TensorType, report: Report) -> None:
    last, given = op.body.terminator, [v.type for v in op.body.arguments]
    rank, places = len(source.shape), len(target.shape)
    if source.element != target.element:
        op.error(report, f"element types differ: {source} and {target}")
    elif given != [INDEX] * rank:
        words = ", ".join(map(str, given)) or "nothing"
        op.error(report, f"the region takes {rank} index arguments, as {source} has dims, found {words}")
    elif not isinstance(last, YieldOp):
        op.error(report, "the region must end in iree_linalg_ext.yield")
    elif [v.type for v in last.values] != [*[INDEX] * places, I1]:
        words = ", ".join(str(v.type) for v in last.values) or "nothing"
        op.error(report, f"the region yields {places} index values and an i1 for {target}, found {words}")
