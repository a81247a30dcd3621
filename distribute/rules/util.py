"""util: what the program states of a number bounds it."""

from __future__ import annotations

from ...ir.dialects import util
from ...ir.types import INDEX
from ..context import Distribution, distributes
from .gpu import distribute_scalar


@distributes(util.AssumeIntOp)
def _assume_int(d: Distribution, op: util.AssumeIntOp) -> None:
    distribute_scalar(d, op)
    for number, result in enumerate(op.results_):
        limit = op.limit(number)
        if limit is not None and result.type == INDEX:
            d.build.bound(d.scalar(result), limit + 1)
