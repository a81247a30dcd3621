"""bufferization, and iree_codegen's operations of the same kind: tensors that are what a buffer holds."""

from __future__ import annotations

from ..attributes import UnitAttr
from ..core import Operation
from ..define import is_memref, is_tensor, operand, optional_attribute, result
from ..diagnostics import Report
from ..traits import READS, WRITES
from ..types import MemRefType, TensorType


def _check_alike(op: Operation, buffer: MemRefType, tensor: TensorType, report: Report) -> None:
    if buffer.element != tensor.element or buffer.shape != tensor.shape:
        op.error(report, f"{buffer} does not hold a {tensor}")


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


class MaterializeOp(Operation, opname="bufferization.materialize_in_destination"):
    """Writes a tensor into a buffer."""

    pure = False
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


class StoreToBufferOp(Operation, opname="iree_codegen.store_to_buffer"):
    """Writes a tensor into a buffer."""

    pure = False
    tensor = operand(is_tensor)
    buffer = operand(is_memref, WRITES)
    assembly = "$tensor `,` $buffer attr-dict `:` type($tensor) `into` type($buffer)"

    def verify(self, report: Report) -> None:
        _check_alike(self, self.buffer.type, self.tensor.type, report)
