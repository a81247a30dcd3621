"""Rules for buffers that are reached through a resource, and for what is said to caches."""

from __future__ import annotations

import numpy as np

from ..ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ..ir.dialects.amdgpu_prefetch import GlobalPrefetchOp
from ..support.dataclasses import replace
from .batch_state import Number, State, number
from .closures import EVALUATE, Compiler, Step
from .memory import MemRef, locate
from .raw_buffers import RawBounds


@EVALUATE.of(FatRawBufferCastOp)
def _fat_raw_buffer_cast(op: FatRawBufferCastOp, c: Compiler) -> Step:
    source, out = c.slot(op.source), c.slot(op.result_)
    counted = None if op.validBytes is None else c.slot(op.validBytes)
    resets = op.begins_at_offset

    def step(m: State) -> None:
        given: MemRef = m.values[source]
        size, start = given.dtype.itemsize, given.offset if resets else given.origin
        if counted is None:
            bytes_ = (given.offset - start + _most(given)) * size
        else:
            m.settle(op, [counted])
            bytes_ = number(np.asarray(m.values[counted]).view(f"u{m.values[counted].itemsize}"))
        bounds = RawBounds(start * size, bytes_, op.is_checked)
        m.values[out] = replace(given, origin=start, bounds=bounds)

    return step


@EVALUATE.of(GlobalPrefetchOp)
def _global_prefetch(op: GlobalPrefetchOp, c: Compiler) -> Step | None:
    """Nothing happens; an element that is not speculated on is there."""
    if op.speculative is not None:
        return None
    site, source, indices = c.site(op, "reads"), c.slot(op.src), c.slots(op.indices)

    def step(m: State) -> None:
        locate(m, site, m.values[source], [m.values[i] for i in indices])

    return step


def _most(memref: MemRef) -> Number:
    """The greatest extent times stride; 1 of what has no dimensions."""
    found = [np.asarray(size) * stride for size, stride in zip(memref.sizes, memref.strides, strict=True)]
    return number(np.asarray(np.max(np.broadcast_arrays(*found), axis=0))) if found else 1
