"""Atomic updates of memory: the active owners in order of their numbers, each whole before the next."""

from __future__ import annotations

import numpy as np

from ..ir.dialects import memref
from ..ir.dialects.atomic_kind import AtomicRMWKindAttr
from ..ir.dialects.lanewise_update import UpdateOp, UpdatePairOp
from ..ir.numerics import Array, to_type, widened, wrapped
from ..ir.types import Type, element_count, scalar_type
from .access_places import Scattered
from .accesses import claim_atomic, loaded, stored
from .batch_state import State
from .buffers import Errors, in_memory, of_memory
from .closures import EVALUATE, Compiler, Step
from .memory import Access, Window, locate
from .propagation_sums import updated
from .raw_buffers import WORD
from .rules_memory import anywhere
from .uncertainty import Maybe, Uncertainty


@EVALUATE.of(memref.AtomicRMWOp)
def _atomic_rmw(op: memref.AtomicRMWOp, c: Compiler) -> Step:
    site, value, target = c.site(op, "writes"), c.slot(op.value), c.slot(op.memref)
    indices, out = c.slots(op.indices), c.slot(op.result_)
    known = c.operations

    def step(m: State) -> None:
        access = locate(m, site, m.values[target], [m.values[i] for i in indices]).per_owner()
        atomic = [i for i, other in enumerate(known) if other.is_atomic]
        claim_atomic(m, access, np.array(atomic, np.uint64))
        turns = _Turns(op.kind, scalar_type(op.value.type), access, m.values[value])
        follows = m.run.follows
        if follows:
            m.settle(op, indices)
            turns.follow(m.doubts[value])
        turns.run()
        m.values[out] = loaded(m, access, turns.found(turns.before))
        if follows:
            worst, drift, undecided = (loaded(m, access, turns.found(part)) for part in turns.errors_before)
            m.doubts[out] = of_memory((worst, drift, undecided))

    return step


@EVALUATE.of(UpdatePairOp)
def _update_pair(op: UpdatePairOp, c: Compiler) -> Step:
    site, value, target = c.site(op, "writes"), c.slot(op.value), c.slot(op.memref)
    indices, out, known = c.slots(op.indices), c.slot(op.result_), c.operations
    window = Window((element_count(op.value.type),), (0,), contiguous=True)

    def step(m: State) -> None:
        places = [m.values[i] for i in indices]
        access = locate(m, site, m.values[target], places, window, alignment=WORD).per_owner()
        atomic = [i for i, other in enumerate(known) if other.is_atomic]
        claim_atomic(m, access, np.array(atomic, np.uint64))
        turns = _Turns(op.kind, scalar_type(op.value.type), access, m.values[value])
        if m.run.follows:
            m.settle(op, indices)
            turns.follow(m.doubts[value])
        turns.run()
        m.values[out] = loaded(m, access, turns.found(turns.before))
        if m.run.follows:
            worst, drift, undecided = (loaded(m, access, turns.found(part)) for part in turns.errors_before)
            m.doubts[out] = of_memory((worst, drift, undecided))

    return step


@EVALUATE.of(UpdateOp)
def _update(op: UpdateOp, c: Compiler) -> Step:
    """The step that updates memory by the values of one owner's elements in their order."""
    site, value, target, mask = c.site(op, "writes"), c.slot(op.value), c.slot(op.base), c.slot(op.mask)
    indices, find, known = c.slots(op.indices), anywhere(op), c.operations

    def step(m: State) -> None:
        access = find(m, site, m.values[target], [m.values[i] for i in indices], m.values[mask])
        atomic = [i for i, other in enumerate(known) if other.is_atomic]
        claim_atomic(m, access, np.array(atomic, np.uint64))
        turns = _Turns(op.kind, scalar_type(op.value.type), access, m.values[value])
        if m.run.follows:
            m.settle(op, [*indices, mask])
            turns.follow(m.doubts[value])
        turns.run()

    return step


class _Turns:
    """Updates in rounds: the n-th does every element's n-th update. Keeps what each owner found."""

    def __init__(self, kind: AtomicRMWKindAttr, type: Type, access: Access, values: Array) -> None:
        self._kind, self._type, self._access, self._shape = kind, type, access, access.positions.shape
        self._positions = access.positions.reshape(-1)
        self._values = self._of_each(values)
        self._cells = access.memref.buffer.typed(access.memref.dtype)
        self._errors: Errors | None = None
        self._doubt: Uncertainty | None = None
        self.before = np.zeros(self._positions.size, self._cells.dtype)
        shape = self.before.shape
        self.errors_before = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_)

    def follow(self, doubt: Maybe) -> None:
        """Keeps uncertainties too."""
        self._errors = self._access.memref.buffer.errors
        if doubt is not None:
            self._doubt = doubt.moved(self._of_each)

    def _of_each(self, value: Array) -> Array:
        return np.broadcast_to(stored(self._access, value), self._shape).reshape(-1)

    def found(self, each: Array) -> Array:
        """As elements of the access."""
        return each.reshape(self._shape)

    def run(self) -> None:
        order = np.argsort(self._positions, kind="stable")
        _, first, counts = np.unique(self._positions[order], return_index=True, return_counts=True)
        for turn in range(int(counts.max(initial=0))):
            self._update(order[first[counts > turn] + turn])

    def _update(self, now: Array) -> None:
        place = self._positions[now]
        type, given = self._type, self._values[now]
        old = wrapped(self._cells[place], type)
        new = to_type(self._kind.combine(widened(old), widened(given)), type)
        self.before[now] = old
        self._cells[place] = new
        if self._errors is not None:
            self._update_errors(now, Scattered(place), (old, given, new))

    def _update_errors(self, now: Array, place: Scattered, values: tuple[Array, Array, Array]) -> None:
        assert self._errors is not None
        old, given, new = values
        itemsize = self._cells.dtype.itemsize
        known: Maybe = None
        if self._errors.touched:
            found = self._errors.take(place, itemsize)
            for whole, part in zip(self.errors_before, found, strict=True):
                whole[now] = part
            known = of_memory(found)
        doubt = None if self._doubt is None else self._doubt.moved(lambda part: part[now])
        result = updated(self._kind, self._type, (old, known), (given, doubt), new)
        if result is not None or self._errors.touched:
            self._errors.put(place, itemsize, in_memory(result))
