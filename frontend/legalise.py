"""A kernel without the operations that are others."""

from __future__ import annotations

from collections.abc import Collection

from ..ir.core import Operation
from ..ir.dialects.vector_print import MessageOp
from ..ir.kernels import Kernel
from ..ir.printing import Printing
from ..ir.printing_programs import stated_printing
from .fold import folds_somewhere
from .inline import functions_beside
from .legalisations import is_plain
from .written_out_types import has_memrefs_of_vectors

_FROM_LAUNCH = "hal.interface."


def with_arguments(module: Operation) -> Operation:
    """The program whose kernels have arguments: a copy where they name what a launch binds by other means.

    Raises ProgramError with all that is wrong with these.
    """
    if not any(op.opname.startswith(_FROM_LAUNCH) for op in module.walk()):
        return module
    from .bindings import bound  # only IREE's programs need it

    return bound(module)


def printing_of(kernel: Kernel) -> Printing | None:
    """How the buffer of a kernel in any stage is laid out; None where it prints nothing."""
    stated = stated_printing(kernel.op)
    if stated is not None or kernel.stage != "vector":
        return stated
    functions = [kernel.op, *functions_beside(kernel).values()]
    prints = any(function.all_of(MessageOp) for function in functions)
    return stated_printing(expanded(kernel).op) if prints else None


def expanded(kernel: Kernel, kept: Collection[type[Operation]] = ()) -> Kernel:
    """The kernel in the operations that all layers know, and those of `kept`: itself where there is nothing to do.

    Raises CompileError for what cannot be said in others.
    """
    if is_plain(kernel.op) and not has_memrefs_of_vectors(kernel.op) and not folds_somewhere(kernel.op):
        return kernel
    from .written_out import written_out  # only what is not plain needs it

    return written_out(kernel, kept)
