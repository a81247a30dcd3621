"""nvgpu and nvvm: boxes that go from workgroup memory to a tensor by themselves, and groups of them to wait for.

A thread's stores belong to the group that it commits next. It waits for all groups but the newest few: until their
sources have been read, so that they may be written again, or until what they write is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...support.diagnostics import Report
from ...targets.tensor_maps import UNIT
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import int_attribute, is_i1, is_index, is_memref, operand, operands, optional_attribute, optional_operand
from ..traits import BULK_GROUPS, LANDS, LEAVES
from ..types import I32, MemRefType, memory_bits
from .nvgpu_mbarrier import PREDICATE
from .nvgpu_tma import TmaCopyOp, TmaCreateDescriptorOp, check_box, is_tensor_map


class TmaAsyncStoreOp(TmaCopyOp, opname="nvgpu.tma.async.store"):
    """Copies a box of workgroup memory to `coordinates` of the tensor, innermost first; what of it lies outside of the
    tensor is not written. Nobody writes the source until a wait says that it was read, nor touches what is written
    until a wait says that it is there. Where the predicate does not hold, nothing happens.

    `srcIndices` are where the box begins in the order of its buffer, as of `nvgpu.tma.async.load`; upstream has none:
    the buffer's start."""

    begins = BULK_GROUPS
    src = operand(is_memref, LEAVES)
    tensorMapDescriptor = operand(is_tensor_map, LANDS)
    coordinates = operands(is_index)
    predicate = optional_operand(is_i1)
    srcIndices = operands(is_index)
    own_groups = 1
    assembly = (
        "$src (`` `[` $srcIndices^ `]`)? `to` $tensorMapDescriptor `` `[` $coordinates `]`"
        f" {PREDICATE} attr-dict `:` type($src) `->` type($tensorMapDescriptor)"
    )

    def verify(self, report: Report) -> None:
        check_box(self, self.tensorMapDescriptor.type, self.coordinates, self.src.type, self.srcIndices, "from", report)
        for tensor, dim, divisor in self.whole_extents():
            assert isinstance(tensor.type, MemRefType)
            extent = tensor.type.shape[dim]
            if extent is not None and extent % divisor:
                found = f"found {tensor.type}"
                self.error(report, f"stores to rows that are multiples of {UNIT} bytes ({divisor} elements), {found}")

    def whole_extents(self) -> Iterator[tuple[Value, int, int]]:
        """The chip writes whole pieces of 16 bytes (triton-lang/triton #11583, #11893): further than a tensor of one
        dimension whose extent is none. Of more dimensions the rows are, as maps need it."""
        made = self.tensorMapDescriptor.operation
        if isinstance(made, TmaCreateDescriptorOp) and made.tensor.type.rank == 1:
            yield made.tensor, 0, 8 * UNIT // memory_bits(made.tensor.type.element)


class BulkCommitGroupOp(Operation, opname="nvvm.cp.async.bulk.commit.group"):
    """The stores of boxes that the thread has begun since the last one are a group."""

    pure = False
    commits = BULK_GROUPS
    assembly = "attr-dict"


class BulkWaitGroupOp(Operation, opname="nvvm.cp.async.bulk.wait_group"):
    """Waits for all groups of the thread but the `group` newest: what they write is there for it. With `read`, until
    their sources have been read, no more."""

    pure = False
    awaits = (BULK_GROUPS,)
    group = int_attribute(number=I32)
    read = optional_attribute(UnitAttr)
    assembly = "$group (`read` $read^)? attr-dict"

    @property
    def groups_left(self) -> int:
        return self.group

    @property
    def awaits_reads_only(self) -> bool:
        return self.read is not None

    def verify(self, report: Report) -> None:
        if self.group < 0:
            self.error(report, f"leaves 0 groups or more, found {self.group}")
