"""Loads from shared memory stand where they are first needed: all of them at once would hold more registers than a
thread has, long before the products that use them.

Machine schedulers move loads ahead again as far as registers allow, but none brings them back.
"""

from __future__ import annotations

from ..ir.core import Operation
from ..ir.dialects import vector
from ..ir.dialects.gpu import AddressSpaceAttr
from ..ir.effects import accesses
from ..ir.sinking import blocks_in, sink
from ..ir.types import MemRefType

_WORKGROUP = AddressSpaceAttr("workgroup")
_PACKING = (vector.ToElementsOp, vector.FromElementsOp)


def sink_loads(function: Operation) -> None:
    """Moves every load from shared memory, and what packs or unpacks values, to just before its first use."""
    for block in blocks_in(function):
        if any(_is_shared_load(op) for op in block.operations):
            sink(block, lambda op: isinstance(op, _PACKING) or _is_shared_load(op))


def _is_shared_load(op: Operation) -> bool:
    found = list(accesses(op)) if op.memory_groups and op.results else []
    return bool(found) and all(
        access.reads
        and not access.writes
        and isinstance(access.memref.type, MemRefType)
        and access.memref.type.memory_space == _WORKGROUP
        for access in found
    )
