"""EMIT: what each operation of the thread stage becomes in LLVM text, or why it becomes nothing here.

A rule belongs to an operation class and, where vendors differ, to a vendor, whose own rule wins. A scalar rule says
what one element becomes; values of vector type are taken apart for it. The tables say which files have rules for the
operations of which files of dialects; those load when such an operation is asked for, so that a process has the
instructions of the vendor that it compiles for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ...ir.core import Operation
from ...ir.rule_table import RuleTable
from ...targets.chip import Vendor
from .text import Ssa

Rule = Callable[[Any, Any], None]
"""Writes an operation: called with the emission (`emission.py`), where it reads the operands and binds the results."""
Scalar = Callable[..., Ssa | tuple[Ssa, ...]]
"""Called with the emission, the operation and one `Ssa` for each operand; returns one for each result."""

_CODEGEN = __name__.rpartition(".emit.")[0]


def _homes(folder: str, files: Mapping[str, Collection[str]]) -> Mapping[str, Collection[str]]:
    return {f"{_CODEGEN}.{folder}.{file}": dialects for file, dialects in files.items()}


EMIT: RuleTable[Rule] = RuleTable(
    "EMIT",
    _homes(
        "emit",
        {
            "affine_indices": ("affine",),
            "arith_floats": ("arith",),
            "arith_integers": ("arith",),
            "atomics": ("memref", "memref_buffers"),
            "control": ("cf", "scf", "scf_regions", "scf_switch", "scf_while"),
            "ids": ("gpu",),
            "memory": ("memref", "vector_memory"),
            "private_memory": ("lanewise",),
            "programs": ("lanewise",),
            "strides": ("memref_buffers", "memref_views", "util"),
            "vectors": ("vector_elements", "vector_shape"),
        },
    ),
)
SCALAR: RuleTable[Scalar] = RuleTable(
    "EMIT (by element)",
    _homes(
        "emit",
        {
            "arith_casts": ("arith_casts",),
            "arith_floats": ("arith", "arith_casts"),
            "arith_integers": ("arith", "arith_extended"),
            "math_functions": ("math",),
            "math_powers": ("math",),
            "vectors": ("vector_shape",),
        },
    ),
)
NVIDIA: RuleTable[Rule] = RuleTable(
    "EMIT (nvidia)",
    _homes(
        "nvptx",
        {
            "clusters": ("nvvm_cluster",),
            "cp_async": ("nvgpu_async",),
            "dot": ("lanewise_dot",),
            "collectives": ("gpu", "gpu_together", "nvvm"),
            "mma_ldmatrix": ("nvgpu", "nvgpu_scaled", "nvgpu_sparse"),
            "tensor_memory": ("lanewise_tcgen05",),
            "tma": ("nvgpu_mbarrier", "nvgpu_tma", "nvgpu_tma_prefetch", "nvgpu_tma_store"),
            "warpgroup": ("lanewise_warpgroup", "nvvm"),
        },
    ),
)
AMD: RuleTable[Rule] = RuleTable(
    "EMIT (amd)",
    _homes(
        "amdgpu",
        {
            "dot": ("amdgpu_dot", "lanewise_dot"),
            "lane_moves": ("amdgpu_lanes",),
            "collectives": ("gpu", "gpu_together"),
            "lds": ("amdgpu_lds", "rocdl_waits"),
            "lds_barriers": ("amdgpu_barriers",),
            "mfma_wmma": ("amdgpu", "amdgpu_scaled", "amdgpu_sparse"),
            "packed_floats": ("amdgpu_packed",),
            "packed_matrix": ("amdgpu_packed_matrix",),
            "raw_buffers": ("amdgpu_buffers", "amdgpu_prefetch", "lanewise_update"),
            "settling": ("amdgpu_schedule",),
            "tensor_dma": ("amdgpu_tensor", "rocdl_waits"),
            "transposes": ("amdgpu_transposes",),
        },
    ),
)
VENDORS: Mapping[Vendor, RuleTable[Rule]] = {"nvidia": NVIDIA, "amd": AMD}
MAKERS: Mapping[Vendor, str] = {"nvidia": "NVIDIA", "amd": "AMD"}


def emit_rule(cls: type[Operation], vendor: Vendor) -> Rule | None:
    """The rule that applies to `cls` on `vendor`, None where there is none; `emit_reason` may then say why."""
    found = VENDORS[vendor].get(cls) or EMIT.get(cls)
    scalar = None if found else SCALAR.get(cls)
    return found if scalar is None else functools.partial(_each_element, scalar)


def emit_reason(cls: type[Operation], vendor: Vendor) -> str | None:
    """Why `cls` has no rule on `vendor`: words that complete "it is ..."."""
    if cls.vendor not in (None, vendor):
        return f"an instruction that {MAKERS[vendor]}'s chips do not have"
    return VENDORS[vendor].reason(cls) or EMIT.reason(cls, has_rule=VENDORS[vendor].get(cls) is not None)


def _each_element(rule: Scalar, emission: Any, op: Operation) -> None:
    scalars = emission.whole(op)
    rows = [scalars] if scalars is not None else emission.by_element(op)
    emission.set_elements(op, [rule(emission, op, *operands) for operands in rows])
