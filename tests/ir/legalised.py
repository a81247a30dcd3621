"""Functions that are no kernels, in the operations that all layers know."""

from __future__ import annotations

from lanewise.frontend.written_out import written_out
from lanewise.ir.dialects.func import FunctionLike
from lanewise.ir.kernels import Kernel


def legalised(function: FunctionLike) -> FunctionLike:
    return written_out(Kernel(function, (1, 1, 1), None, "workgroup", "vector"), ()).op
