"""Rules for copies to workgroup memory that a subgroup makes together.

A subgroup's copies are each lane's for itself: they land when that thread waits for them, or where they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod

import numpy as np

from ..ir.dialects.amdgpu_lds import CopyToLDSOp, GatherToLDSOp, GlobalLoadAsyncToLDSOp
from ..ir.element_orders import Order, order_behind
from ..ir.numerics import Array
from ..ir.types import MemRefType
from ..support.dataclasses import replace
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .memory import Window
from .rules_copies import Placed, Side, begin, copy_at_once

_WORD = 4
"""Bytes that addresses of wider copies are multiples of, on both sides (CDNA4 ISA, "Memory Buffer Load to LDS")."""


@EVALUATE.of(GatherToLDSOp)
def _gather_to_lds(op: GatherToLDSOp, c: Compiler) -> Step:
    source, target = _sides(op, c, min(op.bytes, _WORD))
    numbers = c.slots([v for v in op.operands if v not in (op.src, op.dst)])
    indices_of, at_once = _places(op), op.async_ is None

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        m.settle(op, numbers)
        place = target.at(m)
        place = replace(place, indices=indices_of(m, place))
        if at_once:
            copy_at_once(m, source.at(m), place)
            return
        begin(m, op, source.at(m), place)

    return step


def _sides(op: CopyToLDSOp, c: Compiler, alignment: int) -> tuple[Side, Side]:
    """What a lane reads and writes; `alignment` in LDS, in bytes."""
    window, inside = (Window((op.count,), (m.type.rank - 1,), contiguous=True) for m in (op.src, op.dst))
    source = Side(c.site(op, "reads"), c.slot(op.src), c.slots(op.srcIndices), window, min(op.bytes, _WORD))
    return source, Side(c.site(op, "writes"), c.slot(op.dst), c.slots(op.dstIndices), inside, alignment)


@EVALUATE.of(GlobalLoadAsyncToLDSOp)
def _load_async(op: GlobalLoadAsyncToLDSOp, c: Compiler) -> Step:
    """Each is a group of its own. LDS takes no access of more bytes than its address is a multiple of."""
    source, target = _sides(op, c, op.bytes)
    numbers = c.slots([v for v in op.operands if v not in (op.src, op.dst)])
    mask = None if op.mask is None else c.slot(op.mask)

    def step(m: State) -> None:
        m.settle(op, numbers)
        writes = None
        if mask is not None:
            on = np.asarray(m.values[mask], np.bool_)
            writes = np.broadcast_to(on[..., None], (*on.shape, op.count))
        begin(m, op, source.at(m), target.at(m), writes=writes)

    return step


def _places(op: GatherToLDSOp) -> Callable[[State, Placed], list[Array]]:
    """The indices, one a thread, of what the lanes write: one after another as the bytes lie."""
    steps = [n or 0 for n in op.dst.type.strides_and_offset()[0]]
    order, dense = order_behind(op.dst), _is_dense(op.dst.type)

    def indices(m: State, place: Placed) -> list[Array]:
        base = _of_first_lanes(m, op, place, steps)
        along = m.batch.lane * op.count
        if not dense:
            *outer, last = place.indices
            return [*map(np.asarray, outer), np.asarray(last) + along]
        lie = base + along
        if order is not None:
            size = prod(n or 0 for n in op.dst.type.shape)
            known = _elements(order, size)
            lie = np.where((lie >= 0) & (lie < size), known[np.clip(lie, 0, size - 1)], lie)
        rest, found = lie, list[Array]()
        for step in steps:
            found.append(rest // step)
            rest = rest % step
        return found

    return indices


def _is_dense(type: MemRefType) -> bool:
    """Whether rows follow each other without a gap."""
    steps, _ = type.strides_and_offset()
    inner = zip(steps[:-1], steps[1:], type.shape[1:], strict=True)
    return all(n is not None and step == n * (below or 0) for step, below, n in inner)


def _of_first_lanes(m: State, op: GatherToLDSOp, place: Placed, steps: Sequence[int]) -> Array:
    """For each thread the place that its subgroup's first lane names, which all of them do."""
    terms = (np.asarray(i) * s for i, s in zip(place.indices, steps, strict=True))
    first = np.broadcast_to(sum(terms, np.zeros((), np.int64)), (m.batch.size,))
    present = m.present()
    leaders = np.zeros(m.batch.size, np.int64)
    leaders[m.batch.subgroup[present][::-1]] = present[::-1]
    base = first[leaders[m.batch.subgroup]]
    apart = present[first[present] != base[present]]
    if apart.size:
        raise failure(op, f"{m.at(int(apart[0]))}has another destination than its subgroup's first lane")
    return base


@cache
def _elements(order: Order, size: int) -> Array:
    """Which element lies at each place."""
    found = np.empty(size, np.int64)
    found[order.place(np.arange(size))] = np.arange(size)
    return found
