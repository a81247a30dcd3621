"""Loads from shared memory stand where they are first needed: all of them at once would hold more registers than a
thread has, long before the products that use them.

Machine schedulers move loads ahead again as far as registers allow, but none brings them back.
"""

from __future__ import annotations

from math import prod

from ..ir.core import Operation
from ..ir.dialects.amdgpu_schedule import KINDS, SchedBarrierOp
from ..ir.effects import accesses
from ..ir.memory_spaces import is_workgroup
from ..ir.sinking import blocks_in, sink
from ..ir.types import element_type, memory_bits, shape_of

_MANY_BITS = 96 * 32
"""A good third of the registers that any chip gives a thread."""


def sink_loads(function: Operation) -> bool:
    """Moves loads from shared memory, and what packs or unpacks values, to just before their first uses in blocks where
    they would take many registers. Whether there were such blocks."""
    found = False
    for block in blocks_in(function):
        if sum(_bits(op) for op in block.operations if is_shared_load(op)) > _MANY_BITS:
            sink(block, lambda op: op.packs or is_shared_load(op), lets_shared_loads_pass)
            found = True
    return found


def _bits(op: Operation) -> int:
    return sum(prod(shape_of(result.type)) * memory_bits(element_type(result.type)) for result in op.results)


def lets_shared_loads_pass(op: Operation) -> bool:
    """Whether it keeps the scheduler of machine instructions from moving others."""
    return isinstance(op, SchedBarrierOp) and bool(op.opts.mask & (KINDS["all_ds"] | KINDS["ds_read"]))


def is_shared_load(op: Operation) -> bool:
    """Whether all that it does is to read shared memory."""
    if not op.memory_groups or not op.results:
        return False
    found = list(accesses(op))
    return bool(found) and all(
        access.reads and not access.writes and is_workgroup(access.memref.type.memory_space) for access in found
    )
