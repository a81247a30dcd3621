"""iree_linalg_ext: stores whose places a region computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ...ir.assembly_elements import AllResultTypes, State
from ...ir.core import Operation, Value
from ...ir.define import is_memref, is_scalar, is_tensor, is_vector, operand, operands, region, result
from ...ir.traits import WRITES
from ...ir.types import I1, INDEX, MemRefType, TensorType, Type, VectorType
from ...support.diagnostics import Report

if TYPE_CHECKING:
    from ...ir.operation_parser import Parser
    from ...ir.operation_printer import Printer


class YieldOp(Operation, opname="iree_linalg_ext.yield"):
    """Ends the region of a store with an index for each dimension of the memref, and whether to store."""

    pure = False
    terminator = True
    values = operands(is_scalar)
    assembly = "attr-dict ($values^ `:` type($values))?"
    parents = ("iree_linalg_ext.map_store",)
    parent_words = "must be inside iree_linalg_ext.map_store"


class Made(AllResultTypes):
    """`-> T` behind what stores into a tensor."""

    def parse(self, parser: Parser, state: State) -> None:
        state.result_types["*"] = []
        if parser.accept("->"):
            super().parse(parser, state)

    def print(self, printer: Printer, op: Operation) -> None:
        if op.results:
            printer.word("->")
            super().print(printer, op)


class MapStoreOp(Operation, opname="iree_linalg_ext.map_store"):
    """Each element of the vector goes where the region says of its indices, if the region's last value, i1, is true.

    No two elements go to one place, and all places are inside.
    """

    pure = False
    input = operand(is_vector)
    output = operand(is_memref, WRITES)
    transformation = region()
    directives: ClassVar[Mapping[str, Any]] = {"Made": Made}
    assembly = "$input `into` $output $transformation attr-dict `:` type($input) `into` type($output) custom<Made>()"

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return TensorMapStoreOp if any(map(is_tensor.admits, operands[1:])) else cls

    def verify(self, report: Report) -> None:
        _check(self, self.input.type, self.output.type, report)


class TensorMapStoreOp(Operation, variant_of=MapStoreOp):
    """Stores by a map into a tensor, of a vector or of a tensor: what it is with these elements in it."""

    pure = True
    input = operand(is_vector | is_tensor)
    output = operand(is_tensor)
    transformation = region()
    result_ = result(is_tensor)
    directives, assembly = MapStoreOp.directives, MapStoreOp.assembly

    def verify(self, report: Report) -> None:
        if self.result_.type != self.output.type:
            self.error(report, f"result must be {self.output.type}, found {self.result_.type}")
        _check(self, self.input.type, self.output.type, report)


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
