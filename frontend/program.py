"""What holds of every program in core operations, whatever stage it is in."""

from __future__ import annotations

from ..ir.kernels import Kernel
from ..ir.passes import Context
from ..ir.program_parts import verify_scope
from ..ir.types import MemRefType, Type, VectorType
from ..support.diagnostics import Report, VerifyError


def check_program(kernel: Kernel, context: Context) -> None:
    """Raises VerifyError with all that is finer than the program it stands in, that is too large for a workgroup of the
    chip, or that makes memrefs of vectors."""
    report, chip = Report(), context.chip
    verify_scope(kernel, context.subgroup_size, report)
    limit = chip.max_threads_per_workgroup
    if kernel.threads > limit:
        kernel.op.error(report, f"has {kernel.threads} threads, {chip.name} allows {limit}")
    for op in kernel.op.walk():
        if found := next((v.type for v in op.results if _is_of_vectors(v.type)), None):
            op.error(report, f"makes a {found}; lanewise compiles memrefs of single elements")
    if report.diagnostics:
        raise VerifyError(report.diagnostics)


def _is_of_vectors(type: Type) -> bool:
    return isinstance(type, MemRefType) and isinstance(type.element, VectorType)
