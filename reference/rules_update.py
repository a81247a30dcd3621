"""memref.generic_atomic_rmw: the region for one owner of each element at a time, each whole before the next.

The order of the owners is nobody's promise. Where uncertainties are followed the updates are done in two orders, and
what then differs is undecided; so is what an owner found where others update the same element.
"""

from __future__ import annotations

import numpy as np

from ..ir.dialects.memref_buffers import GenericAtomicRMWOp
from ..ir.numerics import Array
from .access_places import Scattered
from .accesses import claim_atomic, loaded
from .batch_state import State
from .buffers import in_memory, of_memory
from .closures import EVALUATE, Compiler, Step, run
from .memory import Access, locate
from .uncertainty import Maybe


@EVALUATE.of(GenericAtomicRMWOp)
def _generic_atomic_rmw(op: GenericAtomicRMWOp, c: Compiler) -> Step:
    site, target, indices = c.site(op, "writes"), c.slot(op.memref), c.slots(op.indices)
    current, out = c.slot(op.body.arguments[0]), c.slot(op.result_)
    steps, (after,) = c.block(op.body)
    known = c.operations

    def step(m: State) -> None:
        access = locate(m, site, m.values[target], [m.values[i] for i in indices]).per_owner()
        claim_atomic(m, access, np.array([i for i, o in enumerate(known) if o.is_atomic], np.uint64))
        updates = _Updates(m, access, steps, current, after)
        if m.run.follows:
            m.settle(op, indices)
        updates.all()
        m.values[out] = loaded(m, access, updates.before.reshape(access.positions.shape))
        m.doubts[out] = updates.doubt_before()

    return step


class _Updates:
    """Updates in rounds: the n-th does every element's n-th update. Keeps what each owner found."""

    def __init__(self, m: State, access: Access, steps: list[Step], current: int, after: int) -> None:
        self._m, self._access, self._steps, self._current, self._after = m, access, steps, current, after
        self._positions = access.positions.reshape(-1)
        self._owners = np.broadcast_to(access.actors(), access.positions.shape).reshape(-1)
        self._cells = access.memref.buffer.typed(access.memref.dtype)
        self._errors = access.memref.buffer.errors
        self.before = np.zeros(self._positions.size, self._cells.dtype)
        self._open = np.zeros(self._positions.size, np.bool_)
        order = np.argsort(self._positions, kind="stable")
        _, first, counts = np.unique(self._positions[order], return_index=True, return_counts=True)
        self._rounds = [order[first[counts > turn] + turn] for turn in range(int(counts.max(initial=0)))]

    def all(self) -> None:
        if self._errors is None:
            for now in self._rounds:
                self._update(now)
            return
        start = self._cells[self._positions]
        for now in reversed(self._rounds):
            self._update(now)
        other = self._cells[self._positions]
        self._cells[self._positions] = start
        for now in self._rounds:
            self._follow(now)
        if len(self._rounds) > 1:
            self._leave_open(other)

    def doubt_before(self) -> Maybe:
        if self._errors is None or not self._open.any():
            return None
        zeros = np.zeros(self._open.shape)
        parts = (zeros, zeros, self._open)
        shape = self._access.positions.shape
        worst, drift, flags = (loaded(self._m, self._access, part.reshape(shape)) for part in parts)
        return of_memory((worst, drift, flags))

    def _update(self, now: Array, doubt: Maybe = None) -> None:
        """One update of each element; the region sees `doubt` of what is there."""
        m, place, owners = self._m, self._positions[now], self._owners[now]
        old = self._cells[place]
        value = np.zeros(m.batch.size, self._cells.dtype)
        value[owners] = old
        mask = np.zeros(m.batch.size, np.bool_)
        mask[owners] = True
        outer, m.active = m.active, mask
        m.values[self._current] = value
        m.doubts[self._current] = None if doubt is None else doubt.moved(lambda part: self._spread(part, owners))
        run(self._steps, m)
        m.active = outer
        self.before[now] = old
        self._cells[place] = np.broadcast_to(m.values[self._after], (m.batch.size,))[owners]

    def _spread(self, part: Array, owners: Array) -> Array:
        whole = np.zeros(self._m.batch.size, part.dtype)
        whole[owners] = part
        return whole

    def _follow(self, now: Array) -> None:
        """Follows an update, with what memory may be off by before and after."""
        assert self._errors is not None
        place, itemsize = Scattered(self._positions[now]), self._cells.dtype.itemsize
        before: Maybe = of_memory(self._errors.take(place, itemsize)) if self._errors.touched else None
        if before is not None:
            self._open[now] |= before.bound > 0
        self._update(now, before)
        after: Maybe = self._m.doubts[self._after]
        if after is not None or self._errors.touched:
            owners, size = self._owners[now], self._m.batch.size
            found = None if after is None else after.moved(lambda part: np.broadcast_to(part, (size,))[owners])
            parts = in_memory(found)
            worst, drift, flags = (np.broadcast_to(part, now.shape) for part in parts)
            self._errors.put(place, itemsize, (worst, drift, flags))

    def _leave_open(self, other: Array) -> None:
        """Elements that end up otherwise in another order, and what is found where several update one."""
        assert self._errors is not None
        _, inverse, counts = np.unique(self._positions, return_inverse=True, return_counts=True)
        self._open |= counts[inverse] > 1
        final = self._cells[self._positions]
        differ = (final != other) & ~((final != final) & (other != other))
        if differ.any():
            place = Scattered(self._positions[differ])
            zeros = np.zeros(int(differ.sum()))
            self._errors.put(place, self._cells.dtype.itemsize, (zeros, zeros, np.ones(zeros.shape, np.bool_)))
