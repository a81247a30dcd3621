"""The passes that say a program in the operations that all later ones know, without what nobody uses."""

from __future__ import annotations

from ..ir.kernels import Kernel
from ..ir.passes import Context, Outcome, Pass, Rewritten
from .dead import unused, without_dead
from .legalise import expanded
from .program import check_program


def _legalise(kernel: Kernel, context: Context) -> Rewritten:
    found = expanded(kernel)
    check_program(found, context)
    return Rewritten.of(kernel, found)


def _remove_dead(kernel: Kernel, context: Context) -> Rewritten:
    found = without_dead(kernel)
    changed = found is not kernel
    return Rewritten(found, Outcome(changed, list(unused(kernel)) if changed else []))


LEGALISE = Pass(
    "legalise", "says IREE's dialects, tensors, affine and control flow in core operations", _legalise, is_needed=True
)
DEAD = Pass("dead", "takes away operations, carried values and results that nobody uses", _remove_dead)
