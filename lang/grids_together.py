"""How grids and clusters stand to each other: launches that overlap, and workgroups that run side by side."""

from __future__ import annotations

from ..ir.dialects import gpu
from ..ir.dialects.gpu import BarrierScopeAttr
from ..ir.dialects.gpu_together import ClusterBlockIdOp, ClusterDimBlocksOp, ClusterIdOp
from ..ir.dialects.nvvm import AWAIT_GRIDS, LAUNCH_DEPENDENTS, GriddepcontrolOp, SetMaxRegisterOp
from ..ir.dialects.nvvm_cluster import MapaOp
from .arrays import Array
from .dtypes import i32
from .elementwise import convert
from .operands import lifted
from .spans import of_axis
from .trace import building, fail
from .values import Numeric, Value, given


def wait_for_grids() -> None:
    """Waits until the launches that this one depends on are over, and sees what they wrote: CUDA's
    `cudaGridDependencySynchronize`, for launches that may begin before the one before them has ended (sm_90)."""
    building().op(GriddepcontrolOp, kind=AWAIT_GRIDS)


def launch_dependents() -> None:
    """Says that the launch behind this one may begin, and nothing of what was written: CUDA's
    `cudaTriggerProgrammaticLaunchCompletion` (sm_90)."""
    building().op(GriddepcontrolOp, kind=LAUNCH_DEPENDENTS)


def cluster_id(axis: str = "x") -> Value:
    """The number of the workgroup's cluster along an axis of the grid."""
    return of_axis(ClusterIdOp, axis, f"cluster_{axis}")


def cluster_block_id(axis: str = "x") -> Value:
    """The workgroup's number in its cluster along an axis."""
    return of_axis(ClusterBlockIdOp, axis, f"rank_{axis}")


def cluster_size(axis: str = "x") -> Value:
    """Workgroups of a cluster along an axis."""
    return of_axis(ClusterDimBlocksOp, axis, f"cluster_size_{axis}")


def cluster_barrier() -> None:
    """All threads of the cluster's workgroups wait for each other and see each other's writes."""
    building().op(gpu.BarrierOp, scope=BarrierScopeAttr("cluster"))


def of_block(memory: Array, block: Numeric) -> Array:
    """The same shared memory of workgroup number `block` of the cluster, x fastest. Who uses it has met that workgroup
    before, and meets it once more before it ends (`lw.cluster_barrier`)."""
    rank = lifted(given(block), i32)
    if rank.shape or rank.dtype.kind not in ("integer", "index"):
        fail(f"'of_block' takes the number of a workgroup, found {rank.text}", rank.made)
    made = building().value(MapaOp, memory.memory, convert(rank, i32).ssa)
    return Array(made, memory.dtype, memory.name)  # type: ignore[arg-type]


def set_registers(count: int, *, fewer: bool) -> None:
    """The threads of four subgroups give back registers until each has `count` (`fewer`), or wait until they have so
    many: PTX's `setmaxnreg`, of parts of a workgroup (sm_90a). `count` is a multiple of 8 from 24 to 256."""
    said = SetMaxRegisterOp.of("decrease" if fewer else "increase", count).attributes
    building().op(SetMaxRegisterOp, regCount=said["regCount"], action=said["action"])
