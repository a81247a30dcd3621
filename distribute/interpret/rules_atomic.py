"""Atomic updates of memory: the active threads in order of their ids, each whole before the next."""

from __future__ import annotations

import numpy as np

from ...ir.dialects import memref
from ...ir.dialects.atomic_kind import AtomicRMWKindAttr
from ...ir.numerics import Array, wrapped
from ...ir.types import Type
from .accesses import claim_atomic, loaded, stored
from .compile import Compiler, Step, interprets
from .machine import Machine
from .memory import locate


@interprets(memref.AtomicRMWOp)
def _atomic_rmw(c: Compiler, op: memref.AtomicRMWOp) -> Step:
    site, value, target = c.site(op, "writes"), c.slot(op.value), c.slot(op.memref)
    indices, out, kind = c.slots(op.indices), c.slot(op.result_), op.kind
    known, element = c.operations, op.value.type

    def step(m: Machine) -> None:
        access = locate(m, site, m.values[target], [m.values[i] for i in indices]).per_thread()
        atomic = [i for i, other in enumerate(known) if isinstance(other, memref.AtomicRMWOp)]
        claim_atomic(m, access, np.array(atomic, np.uint64))
        values = np.broadcast_to(stored(access, m.values[value]), access.positions.shape)
        cells = access.memref.buffer.typed(access.memref.dtype)
        m.values[out] = loaded(m, access, _in_turn(cells, access.positions, values, kind, element))

    return step


def _in_turn(cells: Array, positions: Array, values: Array, kind: AtomicRMWKindAttr, element: Type) -> Array:
    """Updates `cells`; gives what each thread found. In rounds: the n-th does every element's n-th update."""
    before = np.zeros(positions.size, cells.dtype)
    order = np.argsort(positions, kind="stable")
    _, first, counts = np.unique(positions[order], return_index=True, return_counts=True)
    for turn in range(int(counts.max(initial=0))):
        now = order[first[counts > turn] + turn]
        before[now] = wrapped(cells[positions[now]], element)
        cells[positions[now]] = wrapped(kind.combine(before[now], values[now]), element)
    return before
