"""Which files define what a dialect has, and their loading when its name is first met.

Those of `frontend` define what is short for other operations. They lie above this room, so they stand here by name.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from importlib import import_module
from types import MappingProxyType

from ..core import REGISTRY, Operation

_PACKAGE = __name__.partition(".ir.")[0]
HERE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "affine": ("affine",),
        "affine_map": ("affine",),
        "amdgpu": (
            "amdgpu",
            "amdgpu_address_space",
            "amdgpu_barriers",
            "amdgpu_buffers",
            "amdgpu_dot",
            "amdgpu_lanes",
            "amdgpu_lds",
            "amdgpu_packed",
            "amdgpu_packed_matrix",
            "amdgpu_prefetch",
            "amdgpu_raw_accesses",
            "amdgpu_scaled",
            "amdgpu_schedule",
            "amdgpu_sparse",
            "amdgpu_tensor",
            "amdgpu_transposes",
        ),
        "arith": (
            "arith",
            "arith_casts",
            "arith_extended",
            "arith_short",
            "atomic_kind",
            "elementwise",
        ),
        "bufferization": ("bufferization",),
        "builtin": ("builtin",),
        "cf": ("cf",),
        "func": ("func",),
        "gpu": (
            "gpu",
            "gpu_mapping",
            "gpu_printf",
            "gpu_together",
        ),
        "hal": (
            "hal",
            "hal_layout",
        ),
        "iree_codegen": (
            "bufferization",
            "gpu_mapping",
            "iree_codegen",
        ),
        "iree_gpu": (
            "gpu_mapping",
            "iree_gpu",
            "iree_gpu_config",
            "iree_gpu_dma",
            "iree_gpu_hints",
        ),
        "iree_linalg_ext": ("gpu_mapping",),
        "iree_map": ("iree_map",),
        "iree_vector_ext": (
            "arg_compare",
            "indexed_transfers",
            "iree_vector_ext",
        ),
        "lanewise": (
            "iree_codegen",
            "iree_gpu",
            "lanewise",
            "lanewise_async",
            "lanewise_dot",
            "lanewise_layout",
            "lanewise_tcgen05",
            "lanewise_update",
            "lanewise_warpgroup",
        ),
        "math": ("math",),
        "memref": (
            "memref",
            "memref_buffers",
            "memref_globals",
            "memref_views",
        ),
        "nvgpu": (
            "nvgpu",
            "nvgpu_async",
            "nvgpu_floats",
            "nvgpu_mbarrier",
            "nvgpu_scaled",
            "nvgpu_sparse",
            "nvgpu_tma",
            "nvgpu_tma_prefetch",
            "nvgpu_tma_store",
            "nvgpu_warpgroup",
        ),
        "nvvm": (
            "nvgpu_floats",
            "nvgpu_tma_store",
            "nvvm",
            "nvvm_cluster",
        ),
        "rocdl": ("amdgpu", "amdgpu_schedule", "amdgpu_lanes", "rocdl_waits"),
        "scf": (
            "scf",
            "scf_execute",
            "scf_forall",
            "scf_parallel",
            "scf_regions",
            "scf_switch",
            "scf_while",
        ),
        "tensor": ("tensor_shapes",),
        "ub": ("ub",),
        "util": ("util",),
        "vector": (
            "vector_compress",
            "vector_elements",
            "vector_gather",
            "vector_interleave",
            "vector_kind",
            "vector_mask_region",
            "vector_masks",
            "vector_memory",
            "vector_print",
            "vector_products",
            "vector_reduction",
            "vector_reductions",
            "vector_reshape",
            "vector_scan",
            "vector_shape",
            "vector_slices",
            "vector_tiles",
            "vector_transfer",
            "vector_tuple",
        ),
    }
)
"""By dialect, the files of this folder that define its operations, types and attributes."""
ABOVE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "affine": (
            "affine_dma",
            "affine_loops",
            "affine_memory",
            "affine_parallel",
        ),
        "gpu": ("gpu_matrices",),
        "hal": ("hal_target",),
        "index": ("index",),
        "iree_codegen": ("inner_tiled",),
        "iree_gpu": (
            "inner_tiled",
            "iree_gpu_ops",
            "iree_gpu_scaled",
            "iree_gpu_subgroup",
            "iree_gpu_target",
        ),
        "iree_linalg_ext": ("iree_linalg_ext",),
        "linalg": ("inner_tiled",),
        "memref": ("memref_dma",),
        "tensor": ("tensor",),
    }
)
"""By dialect, the files of `frontend/dialects` that define more of it."""


def operation_class(name: str) -> type[Operation] | None:
    """The class of the operation of this name, whose dialect is loaded; None where there is none."""
    load(name.partition(".")[0])
    return REGISTRY.get(name)


def is_known(name: str, table: Collection[str]) -> bool:
    """Whether a table of types or attributes has this name, once its dialect is loaded."""
    load(name.partition(".")[0])
    return name in table


@functools.cache
def load(dialect: str) -> None:
    """Makes a dialect"s operations, types and attributes known. Does nothing for a name that no dialect has."""
    for file in HERE.get(dialect, ()):
        import_module(f".{file}", __name__)
    for file in ABOVE.get(dialect, ()):
        import_module(f"{_PACKAGE}.frontend.dialects.{file}")


def load_all() -> None:
    """Makes every dialect known."""
    for dialect in (*HERE, *ABOVE):
        load(dialect)
