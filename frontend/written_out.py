"""A kernel's copy in which nothing is left that is said in other operations (`legalise.py`)."""

from __future__ import annotations

from collections.abc import Collection

from ..ir.attributes import StringAttr
from ..ir.core import Operation
from ..ir.dialects import cf, vector
from ..ir.kernels import SCOPE, Kernel
from ..ir.types import TupleType
from ..support.diagnostics import CompileError, Report
from .fold import fold
from .inline import functions_beside, merge_branches, write_out_calls
from .legalisations import copy_of, rewrite
from .module_buffers import globals_beside, write_out_globals
from .nvgpu_warpgroup import give_threads_accumulators
from .print_records import write_prints
from .subgroup_matrices import make_vectors
from .vector_memrefs import flatten_memrefs
from .written_out_types import has_tensors


def written_out(kernel: Kernel, kept: Collection[type[Operation]]) -> Kernel:
    """Raises CompileError for what cannot be said in others. Operations of `kept` stay."""
    copy = copy_of(kernel)
    if kernel.scope != "workgroup":
        copy.op.attributes[SCOPE] = StringAttr(kernel.scope)
    write_out_calls(copy.op, functions_beside(kernel))
    write_out_globals(copy, globals_beside(kernel))
    rewrite(copy, kept, first=True)
    make_vectors(copy)
    give_threads_accumulators(copy)
    if cf.BrOp not in kept:
        merge_branches(copy.op)
    if has_tensors(copy.op):
        from .tensors import replace_tensors  # few programs have any

        replace_tensors(copy)
    rewrite(copy, kept)
    if vector.TypeCastOp not in kept:
        flatten_memrefs(copy)
    if vector.PrintOp not in kept:
        write_prints(copy)
    _refuse_tuples(copy.op)
    fold(copy.op)
    return copy


def _refuse_tuples(function: Operation) -> None:
    report = Report()
    for op in function.walk():
        if any(isinstance(v.type, TupleType) for v in op.operands):
            op.error(report, "takes a tuple that it cannot be followed back to", "carry and pass vectors, not tuples")
    if report.diagnostics:
        raise CompileError(report.diagnostics)
