"""NVIDIA architectures: limits from the CUDA guide's table of compute capabilities, features from the PTX ISA."""

from __future__ import annotations

from ..support.named_tuples import NamedTuple
from .chip import Chip, Feature, compute_capability

KIB = 1024
STATIC_SHARED_MEMORY = 48 * KIB  # more has to be dynamic, and asked for at launch


class _Architecture(NamedTuple):
    name: str
    ptx_isa: int  # the oldest PTX ISA that knows the name
    shared_memory_kib: int  # the most one workgroup may opt in to


_ARCHITECTURES = (
    _Architecture("sm_60", 60, 48),  # PTX 5.0 knows it, `shfl.sync` needs 6.0
    _Architecture("sm_61", 60, 48),
    _Architecture("sm_62", 60, 48),
    _Architecture("sm_70", 60, 96),
    _Architecture("sm_72", 61, 96),
    _Architecture("sm_75", 63, 64),
    _Architecture("sm_80", 70, 163),
    _Architecture("sm_86", 71, 99),
    _Architecture("sm_87", 74, 163),
    _Architecture("sm_89", 78, 99),
    _Architecture("sm_90", 78, 227),
    _Architecture("sm_90a", 80, 227),
    _Architecture("sm_100", 86, 227),
    _Architecture("sm_100a", 86, 227),
    _Architecture("sm_103", 88, 227),
    _Architecture("sm_103a", 88, 227),
    _Architecture("sm_120", 87, 99),
    _Architecture("sm_120a", 87, 99),
    _Architecture("sm_121", 88, 99),
    _Architecture("sm_121a", 88, 99),
)


class _Since(NamedTuple):
    """A feature of every architecture from `compute_capability` on."""

    name: str
    compute_capability: int
    ptx_isa: int


_PORTABLE = (
    _Since("shuffle.sync", 60, 60),
    _Since("dot4", 61, 60),  # four products of bytes, signed or not
    _Since("dot4.mixed", 61, 60),
    _Since("cache.evict_priority", 70, 74),  # of the first level
    _Since("mma.m16n8k8", 75, 65),  # f16 operands
    _Since("mma.m8n8k16.i8", 75, 65),
    _Since("mma.m8n8k32.i4", 75, 65),
    _Since("ldmatrix", 75, 65),
    _Since("mma.m16n8k16", 80, 70),  # f16 and bf16 operands, and bf16 m16n8k8
    _Since("mma.tf32", 80, 70),
    _Since("mma.i8", 80, 70),
    _Since("mma.i4", 80, 70),
    _Since("mma.f64", 80, 70),
    _Since("mma.sp", 80, 85),  # with ordered metadata
    _Since("bf16", 80, 70),  # conversions and fma
    _Since("cp.async", 80, 70),
    _Since("cache.policy", 80, 74),  # of the second level
    _Since("cp.async.ignore", 80, 75),  # of the source, where a predicate says so
    _Since("redux", 80, 70),
    _Since("mbarrier", 80, 70),
    _Since("fp8", 89, 81),  # conversions
    _Since("mma.fp8", 89, 84),
    _Since("mma.sp.fp8", 89, 85),
    _Since("mma.fp8.short", 89, 87),  # m16n8k16
    _Since("mma.fp8.f16", 89, 87),  # f16 accumulators
    _Since("bf16.native_arithmetic", 90, 78),
    _Since("mma.f64.m16n8", 90, 78),
    _Since("stmatrix", 90, 78),
    _Since("cluster", 90, 78),
    _Since("cluster.relaxed", 90, 80),  # arrivals that order nothing
    _Since("mbarrier.cluster", 90, 80),  # arrivals at other workgroups' objects, and waits for them
    _Since("griddepcontrol", 90, 78),
    _Since("mbarrier.try_wait", 90, 80),  # with a scope; the fence behind init, too
    _Since("cp.async.bulk", 90, 80),
    _Since("cp.async.bulk.tensor", 90, 80),
    _Since("elect.sync", 90, 80),
    _Since("fence.proxy.async", 90, 80),
)

# Features that only the architecture-specific names have; no later architecture inherits them.
_SPECIFIC = {
    "sm_90a": (Feature("wgmma", 80), Feature("wgmma.mixed", 84), Feature("setmaxnreg", 80)),
    "sm_100a": (Feature("tcgen05", 86), Feature("setmaxnreg", 86)),
    "sm_103a": (Feature("tcgen05", 88), Feature("setmaxnreg", 88)),
    "sm_120a": (Feature("mma.f8f6f4", 87), Feature("mma.block_scale", 87), Feature("setmaxnreg", 87)),
    "sm_121a": (Feature("mma.f8f6f4", 88), Feature("mma.block_scale", 88), Feature("setmaxnreg", 88)),
}


def _features(name: str) -> tuple[Feature, ...]:
    portable = (Feature(f.name, f.ptx_isa) for f in _PORTABLE if f.compute_capability <= compute_capability(name))
    return (*portable, *_SPECIFIC.get(name, ()))


def _chip(architecture: _Architecture) -> Chip:
    return Chip(
        name=architecture.name,
        vendor="nvidia",
        subgroup_sizes=(32,),
        native_subgroup_size=32,
        shared_memory_bytes=architecture.shared_memory_kib * KIB,
        static_shared_memory_bytes=STATIC_SHARED_MEMORY,
        max_workgroup_sizes=(1024, 1024, 64),
        features=_features(architecture.name),
        ptx_isa=architecture.ptx_isa,
    )


NVIDIA_CHIPS = tuple(_chip(architecture) for architecture in _ARCHITECTURES)
