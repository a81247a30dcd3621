"""The pass from the layout stage to one thread's program."""

from __future__ import annotations

from ..ir.kernels import Kernel
from ..ir.passes import Context, Outcome, Pass, Rewritten
from .driver import distribute


def _distribute(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten(distribute(kernel, context.chip, context.subgroup_size), Outcome(changed=True))


DISTRIBUTE = Pass("distribute", "makes one thread's program of the kernel", _distribute, is_needed=True)
