"""nvvm: workgroups that come in clusters. They meet, and reach each other's workgroup memory.

How many there are is the kernel's `known_cluster_size`; without it each workgroup is a cluster. Whoever uses memory of
another workgroup meets it before, since it may not have begun, and once more before either of them ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...support.dataclasses import replace
from ...support.diagnostics import Report
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import Constraint, is_i32, operand, optional_attribute, result
from ..memory_spaces import CLUSTER, is_workgroup
from ..traits import NOTHING
from ..types import Attribute, MemRefType, Type
from .nvgpu_mbarrier import MBarrierGroupType

_is_mapped: Constraint[MemRefType | MBarrierGroupType] = Constraint(
    "a memref or a !nvgpu.mbarrier.group", lambda t: isinstance(t, MemRefType | MBarrierGroupType)
)


class ClusterBarrierOp(Operation):
    """A step of the barrier of a cluster. `aligned`: all threads of its subgroup get here together."""

    pure = False
    aligned = optional_attribute(UnitAttr)
    assembly = "(`aligned` $aligned^)? attr-dict"


class ClusterArriveOp(ClusterBarrierOp, opname="nvvm.cluster.arrive"):
    """The thread arrives at the barrier of its cluster, and tells what it did so far. It waits before it arrives
    again."""


class ClusterArriveRelaxedOp(ClusterBarrierOp, opname="nvvm.cluster.arrive.relaxed"):
    """The thread arrives at the barrier of its cluster, and tells nothing: who waits knows that the thread got here."""


class ClusterWaitOp(ClusterBarrierOp, opname="nvvm.cluster.wait"):
    """The thread waits until all threads of its cluster have arrived; what they told is there for it."""


class MapaOp(Operation, opname="nvvm.mapa"):
    """The buffer, or the barrier objects, at the same place in the memory of workgroup number `b` of the cluster, x
    fastest. Upstream takes pointers."""

    pure = True
    a = operand(_is_mapped, NOTHING)
    b = operand(is_i32)
    res = result(_is_mapped, view_of="a")
    assembly = "$a `,` $b attr-dict `:` type($a) `->` type($res)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [_mapped(operands[0].type)]

    def used_elsewhere(self) -> Sequence[Value]:
        return (self.a,)

    def verify(self, report: Report) -> None:
        source, found = self.a.type, self.res.type
        if isinstance(source, MemRefType) and not is_workgroup(source.memory_space):
            self.error(report, f"is of workgroup memory (#gpu.address_space<workgroup>), found {source}")
        elif found != (wanted := _mapped(source)):
            self.error(report, f"gives {wanted}, found {found}")


def _mapped(source: Type) -> Type:
    assert isinstance(source, (MemRefType, MBarrierGroupType))
    return replace(source, memory_space=CLUSTER) if isinstance(source, MemRefType) else replace(source, elsewhere=True)


def own_objects(barriers: Value) -> Value:
    """The group whose place in another workgroup's memory this is; itself where it is the workgroup's."""
    op = barriers.operation
    return own_objects(op.a) if isinstance(op, MapaOp) else barriers
