"""gpu: ids and barriers stay, known sizes become constants, reductions shuffles; functions are the driver's."""

from __future__ import annotations

from math import prod

from ...frontend.legalisations import REASON, is_expanded
from ...ir.core import REGISTRY, Operation, Value
from ...ir.dialects import func, gpu
from ...ir.dialects.amdgpu_schedule import SchedBarrierOp
from ...ir.dialects.gpu_together import BallotOp
from ...ir.dialects.nvvm import GriddepcontrolOp
from ...support.diagnostics import CompileError, Diagnostic
from ..context import DISTRIBUTE, Distribution, as_array, distributes
from ..reduce import Step, across_lanes


def distribute_scalar(d: Distribution, op: Operation) -> None:
    """The same operation on what its operands became."""
    made = d.kept(op, _operand_groups(d, op))
    for old, new in zip(op.results, made.results, strict=True):
        d.set_scalar(old, new)


def _operand_groups(d: Distribution, op: Operation) -> list[list[Value]]:
    return [[d.scalar(v) for v in field.group(op)] for field in op.operand_groups]


DISTRIBUTE.of(
    gpu.ThreadIdOp,
    gpu.BlockIdOp,
    gpu.GridDimOp,
    gpu.LaneIdOp,
    gpu.SubgroupIdOp,
    SchedBarrierOp,
    BallotOp,
    GriddepcontrolOp,
)(distribute_scalar)


@distributes(gpu.BlockDimOp)
def _block_dim(d: Distribution, op: gpu.BlockDimOp) -> None:
    d.set_scalar(op.result_, d.build.constant(d.block_size["xyz".index(op.dimension.value)]))


@distributes(gpu.SubgroupSizeOp)
def _subgroup_size(d: Distribution, op: gpu.SubgroupSizeOp) -> None:
    d.set_scalar(op.result_, d.build.constant(d.subgroup_size))


@distributes(gpu.NumSubgroupsOp)
def _num_subgroups(d: Distribution, op: gpu.NumSubgroupsOp) -> None:
    d.set_scalar(op.result_, d.build.constant(-(-prod(d.block_size) // d.subgroup_size)))


@distributes(gpu.BarrierOp)
def _barrier(d: Distribution, op: gpu.BarrierOp) -> None:
    """All memory, whatever the author names: barriers that are inferred count on it. None, where a thread's own
    program says so: nothing is inferred there."""
    spaces = op.address_spaces if op.orders_nothing and d.workgroup.scope == "thread" else None
    d.build.op(gpu.BarrierOp, scope=op.scope, address_spaces=spaces)


@distributes(gpu.ShuffleOp)
def _shuffle(d: Distribution, op: gpu.ShuffleOp) -> None:
    offset, width = d.scalar(op.offset), d.scalar(op.width)
    made = [
        d.build.op(gpu.ShuffleOp, v, offset, width, types=[v.type, op.valid.type], mode=op.mode).results
        for v in d.registers(op.value).reshape(-1)
    ]
    shape = d.layout(op.shuffle_result).distributed_shape if op.value.type.is_vector else ()
    d.set_registers(op.shuffle_result, as_array([result for result, _ in made], shape))
    d.set_scalar(op.valid, made[0][1])


def _check_clusters(d: Distribution, op: gpu.SubgroupReduceOp, step: Step) -> None:
    span, threads = step.size * step.stride, prod(d.block_size)
    if span > d.subgroup_size:
        message = f"joins lanes of clusters that span {span} lanes, found subgroups of {d.subgroup_size}"
        hint = f"cluster(size = {d.subgroup_size}) is a whole subgroup; gpu.all_reduce joins all threads of a workgroup"
    elif threads % d.subgroup_size:
        message = f"joins lanes of whole subgroups of {d.subgroup_size}, found a workgroup of {threads} threads"
        hint = "gpu.all_reduce joins all threads of a workgroup"
    else:
        return
    raise CompileError([Diagnostic(f"{op.title} {message}", op.location, hint=hint)])


@distributes(gpu.SubgroupReduceOp)
def _subgroup_reduce(d: Distribution, op: gpu.SubgroupReduceOp) -> None:
    size = d.subgroup_size if op.cluster_size is None else op.cluster_size.value
    step = Step(size, op.cluster_stride.value)
    _check_clusters(d, op, step)
    values = list(d.registers(op.value).reshape(-1))
    d.set_like(op.result_, across_lanes(d, op.op.value, values, [step]))


_STRUCTURE = "structure of the program: the driver makes the thread-level function"
DISTRIBUTE.needless(_STRUCTURE, gpu.GPUFuncOp, gpu.GPUModuleOp, *(REGISTRY[n] for n in ("builtin.module", "func.func")))
DISTRIBUTE.needless_family(REASON, is_expanded)
_THREAD_LEVEL = "thread-level operation: distribution makes it"
DISTRIBUTE.needless(_THREAD_LEVEL, *(c for n, c in REGISTRY.items() if n.startswith(("nvgpu.", "nvvm.", "amdgpu."))))


@distributes(gpu.ReturnOp, func.ReturnOp)
def _return(d: Distribution, op: Operation) -> None:
    d.build.op(gpu.ReturnOp, [])
