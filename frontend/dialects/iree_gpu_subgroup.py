"""iree_gpu: what the lanes of a subgroup, and the subgroups of a workgroup, do together without a matrix unit."""

from __future__ import annotations

from ...ir.attributes import IntegerAttr, UnitAttr
from ...ir.core import Operation
from ...ir.define import attribute, is_float, is_integer, operand, optional_attribute, optional_operand, region, result
from ...ir.dialects.gpu import CLUSTER, check_cluster
from ...ir.dialects.gpu_together import check_joins_alone
from ...ir.dialects.scf_regions import type_list
from ...ir.types import I32
from ...support.diagnostics import Report
from .iree_gpu_ops import Yielding, yielded

is_scanned = is_integer | is_float


class SubgroupScanOp(Yielding, opname="iree_gpu.subgroup_scan"):
    """Each lane gets what its region makes of the values of its cluster's lanes before it, in their order; with
    `inclusive` its own value, too. The second result joins all of them.

    The first lane of a cluster has nobody before it and gets the identity; inclusive scans take none. Clusters
    are those of gpu.subgroup_reduce. The region only joins its values, the first of which is of earlier lanes, and may
    be applied to neighbours first, so it has to be associative.
    """

    pure = False
    collective = "subgroup"
    belongs_to = "thread"
    value = operand(is_scanned)
    identity = optional_operand(is_scanned)
    inclusive = optional_attribute(UnitAttr)
    cluster_size = optional_attribute(IntegerAttr, I32)
    cluster_stride = attribute(IntegerAttr, IntegerAttr(1, I32))
    combiner = region()
    scan = result(is_scanned, like="value")
    total = result(is_scanned, like="value")
    assembly = (
        "(`inclusive` $inclusive^)? `` `(` $value (`,` `identity` `=` $identity^ defaulted(`:`"
        f" type($identity)))? `)` {CLUSTER} $combiner attr-dict `:` type($value)"
    )

    def verify(self, report: Report) -> None:
        type, body = self.value.type, self.combiner.block
        if self.identity is not None and self.identity.type != type:
            self.error(report, f"identity must be {type} as the value, found {self.identity.type}")
        if self.identity is None and self.inclusive is None:
            self.error(report, "exclusive scan requires an identity operand")
        if [v.type for v in self.results] != [type] * 2:
            self.error(report, f"gives ({type}, {type}), found {type_list([v.type for v in self.results])}")
        check_cluster(self, self.cluster_size, self.cluster_stride, report)
        if [a.type for a in body.arguments] != [type] * 2:
            found = type_list([a.type for a in body.arguments])
            self.error(report, f"region takes two values of {type}, found {found}")
        elif (given := yielded(body, self, report)) not in (None, [type]):
            self.error(report, f"region yields one value of {type}, found {type_list(given or ())}")
        check_joins_alone(body, self.opname, report)


class GlobalSubgroupBarrierOp(Operation, opname="iree_gpu.global_subgroup_barrier"):
    """All subgroups of the workgroup wait for each other; what they read and wrote before may be done later."""

    pure = False
    collective = "workgroup"
    assembly = "attr-dict"
