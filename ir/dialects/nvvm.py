"""nvvm: what NVIDIA's threads say to the hardware besides computing."""

from __future__ import annotations

from ..attributes import OpaqueAttr
from ..core import Operation
from ..define import attribute
from ..diagnostics import Report

ASYNC_SHARED = OpaqueAttr("#nvvm.proxy_kind<async.shared>")
OF_WORKGROUP = OpaqueAttr("#nvvm.shared_space<cta>")


class FenceProxyOp(Operation, opname="nvvm.fence.proxy"):
    """What the thread wrote to workgroup memory before is there for what reads it through the async proxy (matrix
    units, tensor copies), once a barrier has ordered the two."""

    pure = False
    belongs_to = "thread"
    kind = attribute(OpaqueAttr)
    space = attribute(OpaqueAttr)
    assembly = "attr-dict"

    def verify(self, report: Report) -> None:
        if (self.kind, self.space) != (ASYNC_SHARED, OF_WORKGROUP):
            self.error(report, f"is between {ASYNC_SHARED} of {OF_WORKGROUP}, found {self.kind} of {self.space}")
