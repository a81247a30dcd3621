"""Who touched a piece of memory last: races, and reads of what nobody wrote.

Every granule (the shortest element it was accessed with) remembers its last write and its last read as stamps:

    63 .. 46 epoch | 45 FOREIGN | 44 SEVERAL or STALE | 43 .. 14 thread of the grid | 13 .. 0 operation

An epoch is the time between two barriers of a workgroup. Two accesses of one granule by different threads, at least
one of them a write, are a race unless a barrier of their common workgroup lies between them. One last read is enough
beside its two flags: earlier epochs of the same workgroup are ordered by the barrier. Where parts of a workgroup meet
apart, a read that another part's later read replaced is forgotten; the emulators, which keep all accesses, see it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ir.numerics import Array
from ...ir.parts import Part
from .geometry import Batch, Geometry

OP_BITS, THREAD_BITS, EPOCH_SHIFT = 14, 30, 46
_OP = np.uint64((1 << OP_BITS) - 1)
_THREAD = np.uint64(((1 << THREAD_BITS) - 1) << OP_BITS)
_SEVERAL = np.uint64(1 << 44)
"""Of a read: other threads of the workgroup read it in the same epoch."""
_STALE = _SEVERAL
"""Of a write: it was before the buffer's allocation, so it does not count as initialisation."""
_FOREIGN = np.uint64(1 << 45)
"""Of a read: threads of several workgroups read it."""
_EPOCH = np.uint64(((1 << 18) - 1) << EPOCH_SHIFT)
_EPOCHS = (1 << 18) - 1
_NONE = np.uint64(0)
MAX_OPERATIONS = 1 << OP_BITS
MAX_THREADS = 1 << THREAD_BITS


def thread_bits(geometry: Geometry) -> int:
    """Bits of the thread's number in its workgroup; the workgroup's number is above them."""
    return (geometry.threads - 1).bit_length()


@dataclass(frozen=True)
class Stamp:
    """One stamp taken apart: flat numbers of the workgroup in the grid and of the thread in it, and the operation."""

    workgroup: int
    thread: int
    operation: int

    @classmethod
    def of(cls, stamp: int, geometry: Geometry) -> Stamp:
        bits = thread_bits(geometry)
        code = stamp >> OP_BITS & ((1 << THREAD_BITS) - 1)
        return cls(code >> bits, code & ((1 << bits) - 1), stamp & (MAX_OPERATIONS - 1))


class Clock:
    """The stamps of a batch's threads; barriers advance the epochs of their workgroups' subgroups.

    Where parts of a workgroup meet, `_known` [workgroup, subgroup that knows, subgroup] says below which epochs of each
    subgroup all is before what a subgroup does now; what members of a part know, they know together afterwards.
    """

    def __init__(self, batch: Batch) -> None:
        codes = (batch.first + batch.workgroup) << thread_bits(batch.geometry) | batch.flat
        self._codes = codes.astype(np.uint64) << np.uint64(OP_BITS)
        self._batch = batch
        self._place = batch.workgroup, batch.flat // batch.geometry.subgroup_size
        self._epochs = np.ones((batch.workgroups, batch.geometry.subgroups), np.int64)
        self._known: Array | None = None
        self._set()

    def _set(self) -> None:
        wrapped = ((self._epochs - 1) % _EPOCHS + 1).astype(np.uint64) << np.uint64(EPOCH_SHIFT)
        self.stamps: Array = self._codes | wrapped[self._place]
        """One a thread, with operation 0."""

    def advance(self, workgroups: Array | None) -> None:
        """A barrier of the workgroups marked in `workgroups`, or of all."""
        met = np.ones(len(self._epochs), np.bool_) if workgroups is None else workgroups
        self._epochs += met[:, None]
        if self._known is not None:
            self._known[met] = self._epochs[met][:, None, :]
        self._set()

    def meet(self, part: Part, workgroups: Array) -> None:
        """A barrier of a part of the workgroups marked."""
        if self._known is None:
            self._known = np.repeat(self._epochs[:, None, :], self._epochs.shape[1], axis=1)
        members = slice(part.first, part.first + part.count)
        self._epochs[workgroups, members] += 1
        learned = self._known[workgroups, members].max(axis=1)
        learned[:, members] = self._epochs[workgroups, members]
        self._known[workgroups, members] = learned[:, None, :]
        self._set()

    def is_open(self, last: Array, own: Array) -> Array:
        """Where no barrier lies between stamps of one workgroup's threads, the second of now."""
        if self._known is None:
            return np.asarray(((last ^ own) & _EPOCH) == _NONE)
        geometry = self._batch.geometry
        bits = thread_bits(geometry)
        code, mine = ((s & _THREAD) >> np.uint64(OP_BITS) for s in np.broadcast_arrays(last, own))
        thread, me = ((c & np.uint64((1 << bits) - 1)).astype(np.int64) for c in (code, mine))
        workgroup = (mine >> np.uint64(bits)).astype(np.int64) - self._batch.first
        who, knows = (np.minimum(t // geometry.subgroup_size, geometry.subgroups - 1) for t in (thread, me))
        now = self._epochs[workgroup, who]
        ago = (now - (last >> np.uint64(EPOCH_SHIFT)).astype(np.int64)) % _EPOCHS
        return np.asarray((last != _NONE) & (ago <= now - self._known[workgroup, knows, who]))


class Shadow:
    """The stamps of one buffer of `size` bytes. Positions count elements, stamps broadcast against them."""

    def __init__(self, size: int, shared: bool, geometry: Geometry) -> None:
        self.size = size
        self.shared = shared
        """Whether only one workgroup can reach a granule, and contents have to be written before they are read."""
        bits = OP_BITS + thread_bits(geometry)
        self._workgroup = np.uint64(int(_THREAD) >> bits << bits)
        self._granule = 0
        self._writes: Array = np.zeros(0, np.uint64)
        self._reads: Array = np.zeros(0, np.uint64)

    def cover(self, positions: Array, stamps: Array, itemsize: int) -> tuple[Array, Array]:
        """Granules of the elements and their stamps; with a further last axis where elements have several."""
        self._refine(itemsize)
        count = itemsize // self._granule
        if count == 1:
            return positions, stamps
        return positions[..., None] * count + np.arange(count), stamps[..., None]

    def _refine(self, itemsize: int) -> None:
        if not self._granule:
            self._granule = itemsize
            self._writes = np.zeros(self.size // itemsize, np.uint64)
            self._reads = np.zeros_like(self._writes)
        elif itemsize < self._granule:
            self._writes, self._reads = (np.repeat(a, self._granule // itemsize) for a in (self._writes, self._reads))
            self._granule = itemsize

    def forget(self, first: int, last: int) -> None:
        """The contents of bytes `first` to `last` are undefined again; who touched them is remembered."""
        if self._granule:
            part = slice(first // self._granule, last // self._granule)
            self._writes[part] |= np.where(self._writes[part] != _NONE, _STALE, _NONE)

    # -- questions ----------------------------------------------------------------------------------------------

    def last_write(self, byte: int) -> int:
        """The stamp of the last write of a byte, 0 if there was none."""
        return int(self._writes[byte // self._granule]) if self._granule else 0

    def unwritten(self, last: Array) -> Array:
        """Where nobody has written since the allocation, from the last writes."""
        return np.asarray((last == _NONE) | ((last & _STALE) != _NONE))

    def writes_at(self, granules: Array) -> Array:
        return np.asarray(self._writes[granules])

    def reads_at(self, granules: Array) -> Array:
        return np.asarray(self._reads[granules])

    def unordered_writes(self, last: Array, own: Array, clock: Clock) -> Array:
        """Where the last write races with an access now."""
        difference = last ^ own
        clash = clock.is_open(last, own) & _other_thread(difference)
        if self.shared:
            return np.asarray(clash)
        return np.asarray((last != _NONE) & (clash | self._other_workgroup(difference)))

    def unordered_reads(self, last: Array, own: Array, clock: Clock) -> Array:
        """Where the last reads race with a write now."""
        difference = last ^ own
        clash = clock.is_open(last, own) & (_other_thread(difference) | ((last & _SEVERAL) != _NONE))
        if self.shared:
            return np.asarray(clash)
        foreign = (last & _FOREIGN) != _NONE
        return np.asarray((last != _NONE) & (clash | foreign | self._other_workgroup(difference)))

    def _other_workgroup(self, difference: Array) -> Array:
        return np.asarray((difference & self._workgroup) != _NONE)

    # -- entries ------------------------------------------------------------------------------------------------

    def mark_reads(self, granules: Array, own: Array, clock: Clock) -> None:
        last = self._reads[granules]
        difference = last ^ own
        several = clock.is_open(last, own) & (_other_thread(difference) | ((last & _SEVERAL) != _NONE))
        stamps = own | np.where(several, _SEVERAL, _NONE)
        if not self.shared:
            foreign = (last != _NONE) & (self._other_workgroup(difference) | ((last & _FOREIGN) != _NONE))
            stamps |= np.where(foreign, _FOREIGN, _NONE)
        self._reads[granules] = stamps
        self._mark_common_reads(granules, own)

    def _mark_common_reads(self, granules: Array, own: Array) -> None:
        """Granules that several threads read in the same operation: one stamp stays, with flags for the others."""
        kept = self._reads[granules]
        difference = kept ^ own
        common = _other_thread(difference)
        if not common.any():
            return
        self._reads[granules[common]] = kept[common] | _SEVERAL
        foreign = self._other_workgroup(difference)
        if foreign.any():
            self._reads[granules[foreign]] = kept[foreign] | _SEVERAL | _FOREIGN

    def mark_writes(self, granules: Array, own: Array) -> tuple[Array, Array]:
        """Enters the writes; where other threads wrote the same granule in the same operation, and the stamps kept."""
        self._writes[granules] = own
        kept = self._writes[granules]
        return _other_thread(kept ^ own), kept


def operations_of(stamps: Array) -> Array:
    """The numbers of the operations that left these stamps."""
    return np.asarray(stamps & _OP)


def _other_thread(difference: Array) -> Array:
    return np.asarray((difference & _THREAD) != _NONE)
