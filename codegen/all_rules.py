"""Why operations have no rule in EMIT; the files with its rules load when operations are asked for that they are about
(`emit/emit_rules.py`)."""

from __future__ import annotations

from ..frontend.legalisations import REASON, is_expanded
from ..ir.element_moves import moves_all
from .emit.emit_rules import EMIT, emit_reason, emit_rule

__all__ = ["emit_reason", "emit_rule"]

EMIT.needless_names(
    "distributed to threads before code generation",
    "gpu.subgroup_reduce",
    "iree_vector_ext.arg_compare",
    "iree_vector_ext.to_layout",
    "iree_vector_ext.transfer_gather",
    "iree_vector_ext.transfer_scatter",
    "iree_vector_ext.yield",
    "lanewise.async_copy",
    "lanewise.update",
    "ub.poison",
    "vector.bitcast",
    "vector.constant_mask",
    "vector.contract",
    "vector.create_mask",
    "vector.gather",
    "vector.multi_reduction",
    "vector.scan",
    "vector.scatter",
    "vector.step",
    "vector.transfer_read",
    "vector.transfer_write",
)
EMIT.needless_family("distributed to threads before code generation", moves_all)
EMIT.needless_names("written with the kernel that it ends", "func.return", "gpu.return")
EMIT.needless_names("what holds kernels, not part of one", "builtin.module", "func.func", "gpu.func", "gpu.module")
EMIT.needless_family(REASON, is_expanded)
