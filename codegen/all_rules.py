"""The whole EMIT table: importing this file registers every rule, and says why other operations have none."""

from __future__ import annotations

from ..frontend import whole
from ..frontend.table import REASON, is_expanded
from ..ir.dialects import arg_compare, builtin, func, gpu, indexed_transfers, iree_vector_ext, ub, vector
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.lanewise_tcgen05 import OPERATIONS as TENSOR_MEMORY
from ..ir.dialects.lanewise_update import UpdateOp
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaHeldOp, WarpgroupMmaOp, WarpgroupWaitOp
from ..ir.dialects.nvgpu_mbarrier import (
    MBarrierArriveExpectTxOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveOp,
    MBarrierCreateOp,
    MBarrierGetOp,
    MBarrierInitOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitParityOp,
)
from ..ir.dialects.nvgpu_tma import TmaAsyncLoadOp, TmaCreateDescriptorOp
from ..ir.dialects.nvgpu_tma_prefetch import TmaFenceOp, TmaPrefetchOp
from ..ir.dialects.nvgpu_tma_store import BulkCommitGroupOp, BulkWaitGroupOp, TmaAsyncStoreOp
from ..ir.dialects.nvvm import GriddepcontrolOp, SetMaxRegisterOp
from ..ir.dialects.nvvm_cluster import ClusterArriveOp, ClusterArriveRelaxedOp, ClusterWaitOp, MapaOp
from ..ir.moves import moves_all
from .amdgpu import dot as amdgpu_dot
from .amdgpu import (
    lane_moves,
    lds,
    lds_barriers,
    mfma_wmma,
    packed_floats,
    packed_matrix,
    raw_buffers,
    settling,
    transposes,
)
from .amdgpu import lanes as amdgpu_lanes
from .emit import (
    affine_indices,
    arith_casts,
    arith_floats,
    arith_integers,
    atomics,
    control,
    ids,
    math_functions,
    math_powers,
    memory,
    private_memory,
    programs,
    strides,
    vectors,
)
from .emit.emit_rules import AMD, EMIT, emit_reason, emit_rule
from .nvptx import clusters, mma_ldmatrix, tensor_memory, tma, warpgroup
from .nvptx import copies as nvptx_copies
from .nvptx import dot as nvptx_dot
from .nvptx import lanes as nvptx_lanes

__all__ = ["RULE_FILES", "emit_reason", "emit_rule"]

RULE_FILES = (
    affine_indices,
    amdgpu_dot,
    amdgpu_lanes,
    lds,
    lds_barriers,
    mfma_wmma,
    lane_moves,
    packed_floats,
    packed_matrix,
    raw_buffers,
    settling,
    transposes,
    arith_casts,
    arith_floats,
    arith_integers,
    atomics,
    control,
    ids,
    math_functions,
    math_powers,
    memory,
    private_memory,
    strides,
    nvptx_copies,
    nvptx_dot,
    nvptx_lanes,
    mma_ldmatrix,
    warpgroup,
    tensor_memory,
    tma,
    clusters,
    programs,
    vectors,
)

EMIT.needless(
    "distributed to threads before code generation",
    arg_compare.ArgCompareOp,
    arg_compare.YieldOp,
    indexed_transfers.TransferGatherOp,
    indexed_transfers.TransferScatterOp,
    gpu.SubgroupReduceOp,
    iree_vector_ext.ToLayoutOp,
    AsyncCopyOp,
    UpdateOp,
    ub.PoisonOp,
    vector.BitCastOp,
    vector.ConstantMaskOp,
    vector.ContractionOp,
    vector.CreateMaskOp,
    vector.GatherOp,
    vector.MultiReductionOp,
    vector.ScanOp,
    vector.ScatterOp,
    vector.StepOp,
    vector.TransferReadOp,
    vector.TransferWriteOp,
)
EMIT.needless_family("distributed to threads before code generation", moves_all)
EMIT.needless("written with the kernel that it ends", func.ReturnOp, gpu.ReturnOp)
EMIT.needless("what holds kernels, not part of one", builtin.ModuleOp, func.FuncOp, gpu.GPUFuncOp, gpu.GPUModuleOp)
AMD.needless(
    "an instruction that AMD's chips do not have",
    WarpgroupMmaHeldOp,
    WarpgroupMmaOp,
    WarpgroupWaitOp,
    MBarrierCreateOp,
    MBarrierInitOp,
    MBarrierArriveExpectTxOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveOp,
    MBarrierGetOp,
    MBarrierTestWaitOp,
    GriddepcontrolOp,
    SetMaxRegisterOp,
    MBarrierTryWaitParityOp,
    TmaCreateDescriptorOp,
    TmaAsyncLoadOp,
    ClusterArriveOp,
    ClusterArriveRelaxedOp,
    ClusterWaitOp,
    MapaOp,
    TmaPrefetchOp,
    TmaFenceOp,
    TmaAsyncStoreOp,
    BulkCommitGroupOp,
    BulkWaitGroupOp,
    *TENSOR_MEMORY,
)
assert whole  # importing it fills the table of what is expanded
EMIT.needless_family(REASON, is_expanded)
