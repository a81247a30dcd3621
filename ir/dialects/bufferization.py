"""bufferization, and iree_codegen's operations of the same kind: tensors that are what a buffer holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import is_index, is_memref, is_tensor, operand, operands, optional_attribute, optional_operand, result
from ..traits import READS, WRITES
from ..types import Attribute, MemRefType, TensorType

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


def _check_alike(op: Operation, buffer: MemRefType, tensor: TensorType, report: Report) -> None:
    if buffer.element != tensor.element or buffer.shape != tensor.shape:
        op.error(report, f"{buffer} does not hold a {tensor}")


class AllocTensorOp(Operation, opname="bufferization.alloc_tensor"):
    """A tensor whose elements are anything, or those of `copy`, which may lie in a buffer of `memory_space`.
    `dynamic_sizes` are the extents that the type leaves open; `size_hint` says how many elements are likely."""

    pure = True
    dynamic_sizes = operands(is_index)
    copy = optional_operand(is_tensor)
    size_hint = optional_operand(is_index)
    memory_space = optional_attribute(Attribute)
    result_ = result(is_tensor)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`(%n) copy(%t) size_hint=%m <{memory_space = #m}> : tensor<..>`; older texts have it in `{..}`."""
        parser.expect("(")
        sizes = parser.operand_list(")")
        given = list[list[Value]]([[], []])
        if parser.accept("copy"):
            parser.expect("(")
            given[0] = [parser.operand()]
            parser.expect(")")
        if parser.accept("size_hint"):
            parser.expect("=")
            given[1] = [parser.operand()]
        attributes: dict[str, Attribute] = {}
        if parser.accept("<"):
            attributes = parser.optional_attribute_dict()
            parser.expect(">")
        attributes |= parser.optional_attribute_dict(attributes)
        parser.expect(":")
        operands = [*sizes, *given[0], *given[1]]
        segments = (len(sizes), len(given[0]), len(given[1]))
        return cls(operands, [parser.parse_type()], attributes, (), location, segments)

    def print(self, printer: Printer) -> None:
        printer.raw(f"({', '.join(map(printer.name, self.dynamic_sizes))})")
        if self.copy is not None:
            printer.word(f"copy({printer.name(self.copy)})")
        if self.size_hint is not None:
            printer.word(f"size_hint={printer.name(self.size_hint)}")
        if self.memory_space is not None:
            printer.word(f"<{{memory_space = {printer.attribute(self.memory_space)}}}>")
        printer.attribute_dict(self, hidden=("memory_space",))
        printer.word(f": {self.result_.type}")

    def verify(self, report: Report) -> None:
        wanted = self.result_.type.shape.count(None)
        if self.copy is not None:
            if self.dynamic_sizes:
                self.error(report, "takes its sizes from the tensor that it copies")
            elif self.copy.type != self.result_.type:
                self.error(report, f"copies {self.copy.type} to {self.result_.type}")
        elif len(self.dynamic_sizes) != wanted:
            self.error(report, f"has {len(self.dynamic_sizes)} sizes for {self.result_.type}, which needs {wanted}")


class ToTensorOp(Operation, opname="bufferization.to_tensor"):
    """What a buffer holds. While the tensor is used nobody else writes it; `writable`: operations on the tensor may."""

    pure = False
    buffer = operand(is_memref, READS)
    restrict = optional_attribute(UnitAttr)
    writable = optional_attribute(UnitAttr)
    result_ = result(is_tensor)
    assembly = (
        "$buffer (`restrict` $restrict^)? (`writable` $writable^)? attr-dict `:` type($buffer) `to` type($result)"
    )

    def verify(self, report: Report) -> None:
        _check_alike(self, self.buffer.type, self.result_.type, report)


class TensorStoreOp(Operation):
    """Writes its first operand, a tensor, into its second, a buffer."""

    pure = False


class MaterializeOp(TensorStoreOp, opname="bufferization.materialize_in_destination"):
    """Writes a tensor into a buffer."""

    source = operand(is_tensor)
    dest = operand(is_memref, WRITES)
    restrict = optional_attribute(UnitAttr)
    writable = optional_attribute(UnitAttr)
    assembly = "$source `in` (`restrict` $restrict^)? (`writable` $writable^)? $dest attr-dict `:` functional-type"

    def verify(self, report: Report) -> None:
        _check_alike(self, self.dest.type, self.source.type, report)
        if self.writable is None:
            self.error(report, "writes a buffer, so it has to say 'writable'")


class LoadFromBufferOp(Operation, opname="iree_codegen.load_from_buffer"):
    """What a buffer holds."""

    pure = False
    buffer = operand(is_memref, READS)
    tensor = result(is_tensor)
    assembly = "$buffer attr-dict `:` type($buffer) `->` type($tensor)"

    def verify(self, report: Report) -> None:
        _check_alike(self, self.buffer.type, self.tensor.type, report)


class StoreToBufferOp(TensorStoreOp, opname="iree_codegen.store_to_buffer"):
    """Writes a tensor into a buffer."""

    tensor = operand(is_tensor)
    buffer = operand(is_memref, WRITES)
    assembly = "$tensor `,` $buffer attr-dict `:` type($tensor) `into` type($buffer)"

    def verify(self, report: Report) -> None:
        _check_alike(self, self.buffer.type, self.tensor.type, report)
