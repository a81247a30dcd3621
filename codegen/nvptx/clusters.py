"""Clusters of workgroups (PTX ISA 7.8, sm_90): their barrier in two parts, and memory of other workgroups."""

from __future__ import annotations

from ...ir.core import Operation
from ...ir.dialects.nvvm_cluster import ClusterArriveOp, ClusterArriveRelaxedOp, ClusterWaitOp, MapaOp
from ..emit.descriptor import CLUSTER, pointer_type
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA


def _call(em: Emission, op: Operation, action: str) -> None:
    em.require("cluster")
    em.w.call_void(f"llvm.nvvm.barrier.cluster.{action}" + ".aligned" * ("aligned" in op.attributes))


@NVIDIA.of(ClusterArriveOp)
def _arrive(em: Emission, op: ClusterArriveOp) -> None:
    _call(em, op, "arrive")


@NVIDIA.of(ClusterArriveRelaxedOp)
def _arrive_relaxed(em: Emission, op: ClusterArriveRelaxedOp) -> None:
    em.require("cluster.relaxed")
    _call(em, op, "arrive.relaxed")


@NVIDIA.of(ClusterWaitOp)
def _wait(em: Emission, op: ClusterWaitOp) -> None:
    _call(em, op, "wait")


@NVIDIA.of(MapaOp)
def _map(em: Emission, op: MapaOp) -> None:
    em.require("cluster")
    source = em.memref(op.a)
    base = em.w.call(pointer_type(CLUSTER), "llvm.nvvm.mapa.shared.cluster", source.base, em.scalar(op.b))
    em.set(op.res, source.rebased(base=base, space=CLUSTER, near=False))
