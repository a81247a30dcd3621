"""bufferization, and iree_codegen's operations of the same kind: tensors that are what a buffer holds."""

from __future__ import annotations

from ...support.diagnostics import Report
from ..attributes import UnitAttr
from ..core import Operation
from ..define import is_index, is_memref, is_tensor, operand, operands, optional_attribute, optional_operand, result
from ..traits import READS, WRITES
from ..types import Attribute, MemRefType, TensorType


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
    assembly = (
        "`` `(` $dynamic_sizes `)` (`copy` `` `(` $copy^ `)`)? (`size_hint` `` `=` `` $size_hint^)? (`<` ``"
        " `{` `` `memory_space` `=` $memory_space^ `` `}` `>`)? attr-dict `:` type($result)"
    )

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
