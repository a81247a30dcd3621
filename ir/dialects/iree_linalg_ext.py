"""iree_linalg_ext: stores whose places a region computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..assembly import check_type
from ..core import Operation
from ..define import is_memref, is_scalar, is_vector, operand, operands, region
from ..diagnostics import Location, Report
from ..traits import WRITES
from ..types import I1, INDEX

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class YieldOp(Operation, opname="iree_linalg_ext.yield"):
    """Ends the region of a store with an index for each dimension of the memref, and whether to store."""

    pure = False
    terminator = True
    values = operands(is_scalar)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        if not isinstance(self.enclosing(), MapStoreOp):
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
        return cls([source, target], (), attributes, [body], location)

    def print(self, printer: Printer) -> None:
        printer.word(f"{printer.name(self.input)} into {printer.name(self.output)}")
        printer.region(self.transformation, show_arguments=True)
        printer.attribute_dict(self)
        printer.word(f": {self.input.type} into {self.output.type}")

    def verify(self, report: Report) -> None:
        source, target, last = self.input.type, self.output.type, self.body.terminator
        given = [v.type for v in self.body.arguments]
        if source.element != target.element:
            self.error(report, f"element types differ: {source} and {target}")
        elif given != [INDEX] * source.rank:
            words = ", ".join(map(str, given)) or "nothing"
            self.error(report, f"the region takes {source.rank} index arguments, as {source} has dims, found {words}")
        elif not isinstance(last, YieldOp):
            self.error(report, "the region must end in iree_linalg_ext.yield")
        elif [v.type for v in last.values] != [*[INDEX] * target.rank, I1]:
            words = ", ".join(str(v.type) for v in last.values) or "nothing"
            self.error(report, f"the region yields {target.rank} index values and an i1 for {target}, found {words}")
