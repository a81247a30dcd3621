"""cf: every thread asserts what all have in common."""

from __future__ import annotations

from ...ir.dialects.cf import AssertOp
from ..context import Distribution, distributes


@distributes(AssertOp)
def _assert(d: Distribution, op: AssertOp) -> None:
    d.build.op(AssertOp, d.scalar(op.arg), msg=op.msg)
