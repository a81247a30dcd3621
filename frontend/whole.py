"""A kernel without the operations that are others."""

from __future__ import annotations

from collections.abc import Collection

from ..ir.attributes import StringAttr
from ..ir.core import Operation
from ..ir.dialects import cf, hal, vector
from ..ir.dialects.gpu_printf import PrintfOp
from ..ir.dialects.memref_buffers import DistinctObjectsOp
from ..ir.kernels import SCOPE, Kernel
from ..ir.printing import Printing
from . import (
    affine,
    affine_parallel,
    bridges,
    buffers,
    clusters,
    dma,
    dma_tensors,
    dma_tiles,
    hints,
    inner_tiled,
    map_store,
    matrices,
    module_buffers,
    parallel,
    reshape,
    subgroups,
    tensor_elements,
    tensor_shapes,
    tensors_together,
    together,
    value_barriers,
    warpgroup,
)
from .dialects import index
from .fold import fold, folds_somewhere
from .inline import functions_beside, merge_branches, write_out_calls
from .matrices import make_vectors
from .module_buffers import globals_beside, write_out_globals
from .printing import prints_of, write_prints
from .table import EXPAND, copy_of, is_plain, rewrite
from .tensors import has_tensors, replace_tensors
from .values import decompose, write_out
from .vector_memrefs import flatten_memrefs, has_memrefs_of_vectors
from .warpgroup import give_threads_sums

RULES = (
    affine,
    affine_parallel,
    bridges,
    buffers,
    clusters,
    dma,
    dma_tensors,
    dma_tiles,
    hints,
    inner_tiled,
    map_store,
    matrices,
    module_buffers,
    parallel,
    reshape,
    subgroups,
    tensor_elements,
    tensor_shapes,
    tensors_together,
    together,
    value_barriers,
    warpgroup,
)
"""Importing them fills the table."""
EXPAND.needless("blocks that branch become loops and branches with regions", cf.BrOp, cf.CondBrOp, cf.SwitchOp)
EXPAND.needless("writes to an argument of the kernel (frontend/printing.py)", vector.PrintOp, PrintfOp)
EXPAND.needless("is its source, where memrefs have scalars (frontend/vector_memrefs.py)", vector.TypeCastOp)
EXPAND.needless("is an argument of the kernel (ir/bindings.py)", hal.BindingSubspanOp, hal.ConstantLoadOp)


def printing_of(kernel: Kernel) -> Printing | None:
    """How the buffer of a kernel in any stage is laid out; None where it prints nothing."""
    if kernel.stage != "vector":
        return Printing.of_function(kernel.op)
    functions = [kernel.op, *functions_beside(kernel).values()]
    prints = any(prints_of(function) for function in functions)
    return Printing.of_function(expanded(kernel).op) if prints else None


def expanded(kernel: Kernel, kept: Collection[type[Operation]] = ()) -> Kernel:
    """The kernel in the operations that all layers know, and those of `kept`: itself where there is nothing to do.

    Raises CompileError for what cannot be said in others.
    """
    if is_plain(kernel.op) and not has_memrefs_of_vectors(kernel.op) and not folds_somewhere(kernel.op):
        return kernel
    copy = copy_of(kernel)
    if kernel.scope != "workgroup":
        copy.op.attributes[SCOPE] = StringAttr(kernel.scope)
    write_out_calls(copy.op, functions_beside(kernel))
    write_out_globals(copy, globals_beside(kernel))
    write_out(copy.op, *index.NAMES, DistinctObjectsOp)
    make_vectors(copy)
    give_threads_sums(copy)
    if cf.BrOp not in kept:
        merge_branches(copy.op)
    if has_tensors(copy.op):
        replace_tensors(copy)
    rewrite(copy, kept)
    if vector.TypeCastOp not in kept:
        flatten_memrefs(copy)
    if vector.PrintOp not in kept:
        write_prints(copy)
    decompose(copy.op)
    fold(copy.op)
    return copy
