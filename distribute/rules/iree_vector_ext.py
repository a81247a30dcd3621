"""iree_vector_ext.to_layout: a movement whose elements stay what they are."""

from __future__ import annotations

from ...ir.dialects import iree_vector_ext
from ...support.reindex import Reindex
from ..context import Distribution, distributes
from ..movement import move


@distributes(iree_vector_ext.ToLayoutOp)
def _to_layout(d: Distribution, op: iree_vector_ext.ToLayoutOp) -> None:
    source, target = d.layout(op.input), d.layout(op.output)
    f = Reindex.identity(target.shape)
    forced = op.shared_memory_conversion is not None
    d.set_like(op.output, move(d, source, target, f, d.registers(op.input).reshape(-1).tolist(), force_shared=forced))
