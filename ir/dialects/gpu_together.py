"""gpu: ids that others say, and what lanes and threads do together that is short for shuffles and shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...support.diagnostics import Report
from ..attributes import EnumAttr, IntegerAttr, UnitAttr
from ..core import Block, Operation, Value
from ..define import (
    Constraint,
    anything,
    attribute,
    is_i1,
    is_i32,
    is_memref,
    is_scalar,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    optional_region,
    result,
)
from ..effects import accesses
from ..traits import HANDS_ON
from ..types import I8, I32, I64, Attribute, IntegerType, MemRefType, Type
from .gpu import (
    WORKGROUP,
    AllReduceOperationAttr,
    DimensionOp,
    check_kind,
    is_shuffled,
)

# -- ids ------------------------------------------------------------------------------------------------------------


class GlobalIdOp(DimensionOp, opname="gpu.global_id"):
    """The thread's coordinate in the grid."""

    belongs_to = "thread"


class ClusterDimOp(DimensionOp, opname="gpu.cluster_dim"):
    """Clusters of the grid along one dimension."""


class ClusterIdOp(DimensionOp, opname="gpu.cluster_id"):
    """The coordinate of the workgroup's cluster in the grid."""

    belongs_to = "workgroup"


class ClusterDimBlocksOp(DimensionOp, opname="gpu.cluster_dim_blocks"):
    """Workgroups of a cluster along one dimension."""


class ClusterBlockIdOp(DimensionOp, opname="gpu.cluster_block_id"):
    """The workgroup's coordinate in its cluster."""

    belongs_to = "workgroup"


# -- lanes ----------------------------------------------------------------------------------------------------------


class RotateOp(Operation, opname="gpu.rotate"):
    """Every lane reads the lane `offset` further in its group of `width`, past whose last the first comes again.

    `valid` is whether the lane is one of the first `width`.
    """

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    value = operand(is_shuffled)
    offset = attribute(IntegerAttr, number=I32)
    width = attribute(IntegerAttr, number=I32)
    rotate_result = result(is_shuffled)
    valid = result(is_i1)
    same_type = ("value", "rotate_result")
    assembly = "$value `,` $offset `,` $width attr-dict `:` type($value)"

    @classmethod
    def property_names(cls) -> list[str]:
        return ["offset", "width"]

    def verify(self, report: Report) -> None:
        offset, width = self.offset.value, self.width.value
        if width <= 0 or width & (width - 1):
            self.error(report, f"width must be a power of two, found {width}")
        elif not 0 <= offset < width:
            self.error(report, f"offset must be in the range [0, {width}), found {offset}")


class BroadcastAttr(EnumAttr):
    """Whose value a broadcast takes: the first active lane's, or that of a lane that is named."""

    mnemonic = "gpu.broadcast"
    cases = ("first_active_lane", "specific_lane")


BroadcastAttr.register()


class SubgroupBroadcastOp(Operation, opname="gpu.subgroup_broadcast"):
    """One lane's value, for all lanes of the subgroup. All of them take part, so the first active lane is lane 0."""

    pure = True
    collective = "subgroup"
    belongs_to = "subgroup"
    src = operand(is_shuffled)
    lane = optional_operand(is_i32)
    broadcast_type = attribute(BroadcastAttr)
    result_ = result(is_shuffled)
    same_type = ("src", "result")
    assembly = "$src `,` keyword($broadcast_type) ($lane^)? attr-dict `:` type($src)"

    def verify(self, report: Report) -> None:
        named = self.broadcast_type.value == "specific_lane"
        if named != (self.lane is not None):
            words = "lane must be specified for" if named else "lane can only be specified for"
            self.error(report, f"{words} specific_lane broadcast")


is_ballot: Constraint[IntegerType] = Constraint("i32 or i64", lambda t: t in (I32, I64))


class BallotOp(Operation, opname="gpu.ballot"):
    """Bit l is whether the predicate holds in lane l; bits that no lane has are zero."""

    pure = True
    collective = "subgroup"
    belongs_to = "subgroup"
    predicate = operand(is_i1)
    result_ = result(is_ballot)
    assembly = "$predicate attr-dict `:` type($result)"


# -- the workgroup --------------------------------------------------------------------------------------------------


class YieldOp(Operation, opname="gpu.yield"):
    """Ends the region of gpu.all_reduce."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"
    parents = ("gpu.all_reduce",)
    parent_words = "must be inside gpu.all_reduce"


def check_joins_alone(body: Block, opname: str, report: Report) -> None:
    """Reports what would do more in a region than join two values: how often that runs, and in which threads at once,
    is nobody's promise."""
    for op in (inner for each in body.operations for inner in each.walk()):
        if op.collective is not None:
            op.error(report, f"waits for other threads in the region of {opname}")
        elif any(access.writes for access in accesses(op)):
            op.error(report, f"writes to memory in the region of {opname}")


class AllReduceOp(Operation, opname="gpu.all_reduce"):
    """The values of all threads of the workgroup joined, for each of them: as `op` says, or as the region does.

    Lanes join by a butterfly and subgroups in order where the threads fill them; else, and with a region, thread t
    joins what thread t + s has, for s from the half of the next power of two down to 1.
    """

    pure = False
    collective = "workgroup"
    belongs_to = "thread"
    value = operand(is_scalar)
    op = optional_attribute(AllReduceOperationAttr)
    uniform = optional_attribute(UnitAttr)
    body_region = optional_region()
    result_ = result(is_scalar)
    same_type = ("value", "result")
    assembly = "(keyword($op)^)? $value (`uniform` $uniform^)? $body_region attr-dict `:` functional-type"

    @property
    def combiner(self) -> Block | None:
        """The region's block, where it has operations."""
        blocks = self.body_region.blocks
        return blocks[0] if blocks and blocks[0].operations else None

    def verify(self, report: Report) -> None:
        if (self.op is None) == (self.combiner is None):
            self.error(report, "expected either an op attribute or a non-empty body")
        elif self.op is not None:
            check_kind(self, self.op.value, self.value.type, report)
        elif self.combiner is not None:
            self._verify_body(self.combiner, report)

    def _verify_body(self, body: Block, report: Report) -> None:
        expected, end = self.value.type, body.terminator
        if [a.type for a in body.arguments] != [expected] * 2:
            found = ", ".join(str(a.type) for a in body.arguments)
            self.error(report, f"expected two region arguments of type {expected}, found ({found})")
        if not isinstance(end, YieldOp) or [v.type for v in end.values] != [expected]:
            self.error(report, f"the region must end in gpu.yield of one {expected}")
        check_joins_alone(body, self.opname, report)


class DynamicSharedMemoryOp(Operation, opname="gpu.dynamic_shared_memory"):
    """The workgroup's bytes whose number a launch decides; all of these operations in a kernel are the same memory.

    A launch gives as many as the kernel's views of it reach.
    """

    pure = True
    result_ = result(is_memref)
    assembly = "attr-dict `:` type($result)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [_DYNAMIC_SHARED]

    def verify(self, report: Report) -> None:
        if self.result_.type != _DYNAMIC_SHARED:
            self.error(report, f"result must be {_DYNAMIC_SHARED}, found {self.result_.type}")


_DYNAMIC_SHARED = MemRefType((None,), I8, None, WORKGROUP)
