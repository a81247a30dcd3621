"""Who touched a piece of memory last: races, and reads of what nobody wrote.

Every granule (the shortest element it was accessed with) remembers its last write and its last read as stamps:

    63 .. 46 epoch | 45 FOREIGN | 44 SEVERAL or STALE | 43 .. 14 owner of the grid | 13 .. 0 operation

An epoch is the time between two barriers of a workgroup. Two accesses of one granule by different owners, at least
one of them a write, are a race unless a barrier of their common workgroup lies between them. One last read is enough
beside its two flags: earlier epochs of the same workgroup are ordered by the barrier. Where parts of a workgroup meet
apart, a read that another part's later read replaced is forgotten; the emulators, which keep all accesses, see it.
"""

from __future__ import annotations

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass
from .access_places import Granular, Place, Scattered
from .geometry import Batch, Geometry

OP_BITS, OWNER_BITS, EPOCH_SHIFT = 14, 30, 46
_OP = np.uint64((1 << OP_BITS) - 1)
_OWNER = np.uint64(((1 << OWNER_BITS) - 1) << OP_BITS)
_SEVERAL = np.uint64(1 << 44)
"""The mark of a read: other owners of the workgroup read it in the same epoch."""
_STALE = _SEVERAL
"""The mark of a write: it was before the buffer's allocation, so it does not count as initialisation."""
_FOREIGN = np.uint64(1 << 45)
"""The mark of a read: owners of several workgroups read it."""
_EPOCH = np.uint64(((1 << 18) - 1) << EPOCH_SHIFT)
_EPOCHS = (1 << 18) - 1
_NONE = np.uint64(0)
MAX_OPERATIONS = 1 << OP_BITS
MAX_OWNERS = 1 << OWNER_BITS


def owner_bits(geometry: Geometry) -> int:
    """Bits of the owner's number in its cluster; the cluster's number is above them."""
    return (geometry.owners * geometry.together - 1).bit_length()


@dataclass(frozen=True)
class Stamp:
    """One stamp taken apart: flat numbers of the workgroup in the grid and of the owner in it, and the operation."""

    workgroup: int
    owner: int
    operation: int

    @classmethod
    def of(cls, stamp: int, geometry: Geometry) -> Stamp:
        bits = owner_bits(geometry)
        code = stamp >> OP_BITS & ((1 << OWNER_BITS) - 1)
        rank, owner = divmod(code & ((1 << bits) - 1), geometry.owners)
        return cls((code >> bits) * geometry.together + rank, owner, stamp & (MAX_OPERATIONS - 1))


class Clock:
    """The stamps of a batch's owners; barriers advance the epochs of their clusters' subgroups. A workgroup that comes
    alone is a cluster.

    Where parts of a cluster meet, `_known` [cluster, subgroup that knows, subgroup] says below which epochs of each
    subgroup all is before what a subgroup does now; what members of a part know, they know together afterwards.
    """

    def __init__(self, batch: Batch) -> None:
        geometry, together = batch.geometry, batch.geometry.together
        rank = batch.workgroup % together
        cluster, owner = (batch.first + batch.workgroup) // together, rank * geometry.owners + batch.flat
        codes = cluster << owner_bits(geometry) | owner
        self._codes = codes.astype(np.uint64) << np.uint64(OP_BITS)
        self._batch = batch
        self._place = batch.workgroup // together, rank * geometry.subgroups + geometry.subgroup_of(batch.flat)
        self._epochs = np.ones((batch.workgroups // together, together * geometry.subgroups), np.int64)
        self._known: Array | None = None
        self._set()

    def _set(self) -> None:
        wrapped = ((self._epochs - 1) % _EPOCHS + 1).astype(np.uint64) << np.uint64(EPOCH_SHIFT)
        self.stamps: Array = self._codes | wrapped[self._place]
        """One an owner, with operation 0."""

    def advance(self, workgroups: Array | None) -> None:
        """A barrier of the workgroups marked in `workgroups`, or of all."""
        together = self._batch.geometry.together
        if together == 1:
            self.advance_clusters(workgroups)
            return
        met = np.ones(self._batch.workgroups, np.bool_) if workgroups is None else workgroups
        for rank in range(together):
            of_rank = self._batch.workgroup % together == rank
            self.meet(of_rank & met[self._batch.workgroup])

    def advance_clusters(self, clusters: Array | None) -> None:
        """A barrier of the clusters marked, or of all."""
        met = np.ones(len(self._epochs), np.bool_) if clusters is None else clusters
        self._epochs += met[:, None]
        if self._known is not None:
            self._known[met] = self._epochs[met][:, None, :]
        self._set()

    def meet(self, owners: Array) -> None:
        """A barrier of the subgroups of the owners marked, in each cluster."""
        self._follow()
        assert self._known is not None
        members = self._members(owners)
        self._epochs += members
        learned = np.where(members[:, :, None], self._known, 0).max(axis=1)
        learned = np.where(members, self._epochs, learned)
        self._known = np.where(members[:, :, None], learned[:, None, :], self._known)
        self._set()

    def _members(self, owners: Array) -> Array:
        """[cluster, subgroup]: those that owners, by number or marked, are in."""
        members = np.zeros(self._epochs.shape, np.bool_)
        members[tuple(place[owners] for place in self._place)] = True
        return members

    def tell(self, owners: Array) -> Array:
        """What the subgroups of these owners did, and know, up to now, for who hears of it: [cluster, subgroup]."""
        self._follow()
        assert self._known is not None
        members = self._members(owners)
        self._epochs += members
        own = np.where(members, self._epochs, 0)
        self._set()
        return np.asarray(np.maximum(own, np.where(members[:, :, None], self._known, 0).max(axis=1)))

    def learn(self, owners: Array, told: Array) -> None:
        """The subgroups of these owners hear of what was told, [cluster, subgroup]."""
        self._follow()
        assert self._known is not None
        members = self._members(owners)
        known = np.maximum(self._known, told[:, None, :])
        self._known = np.where(members[:, :, None], known, self._known)

    def _follow(self) -> None:
        """From now on not all of a workgroup know the same."""
        if self._known is None:
            self._known = np.repeat(self._epochs[:, None, :], self._epochs.shape[1], axis=1)

    def is_open(self, last: Array, own: Array) -> Array:
        """Where no barrier lies between stamps of one cluster's owners, the second of now."""
        if self._known is None:
            return np.asarray(((last ^ own) & _EPOCH) == _NONE)
        geometry = self._batch.geometry
        bits = owner_bits(geometry)
        code, mine = ((s & _OWNER) >> np.uint64(OP_BITS) for s in np.broadcast_arrays(last, own))
        owner, me = ((c & np.uint64((1 << bits) - 1)).astype(np.int64) for c in (code, mine))
        cluster = (mine >> np.uint64(bits)).astype(np.int64) - self._batch.first // geometry.together
        who, knows = (self._subgroup_of(t) for t in (owner, me))
        now = self._epochs[cluster, who]
        ago = (now - (last >> np.uint64(EPOCH_SHIFT)).astype(np.int64)) % _EPOCHS
        return np.asarray((last != _NONE) & (ago <= now - self._known[cluster, knows, who]))

    def _subgroup_of(self, owner: Array) -> Array:
        """The subgroups of owners by their number in the cluster."""
        geometry = self._batch.geometry
        rank = np.minimum(owner // geometry.owners, geometry.together - 1)
        inside = np.minimum(geometry.subgroup_of(owner % geometry.owners), geometry.subgroups - 1)
        return np.asarray(rank * geometry.subgroups + inside)


@dataclass(frozen=True, eq=False)
class Touch:
    """One access to a shadow: which elements, of how many granules each, and the stamps of who touches them."""

    place: Place
    parts: int
    own: Array
    clock: Clock


class Shadow(Granular):
    """The stamps of one buffer of `size` bytes."""

    def __init__(self, size: int, shared: bool, geometry: Geometry) -> None:
        super().__init__(size, np.uint64, np.uint64)
        self.shared = shared
        """Whether only one cluster can reach a granule, and contents have to be written before they are read."""
        bits = OP_BITS + owner_bits(geometry)
        self._workgroup = np.uint64(int(_OWNER) >> bits << bits)

    @property
    def _writes(self) -> Array:
        return self.arrays[0]

    @property
    def _reads(self) -> Array:
        return self.arrays[1]

    def forget(self, first: int, last: int) -> None:
        """The contents of bytes `first` to `last` are undefined again; who touched them is remembered."""
        if self.granule:
            part = slice(first // self.granule, last // self.granule)
            self._writes[part] |= np.where(self._writes[part] != _NONE, _STALE, _NONE)

    # -- questions ----------------------------------------------------------------------------------------------

    def last_write(self, byte: int) -> int:
        """The stamp of the last write of a byte, 0 if there was none."""
        return int(self._writes[byte // self.granule]) if self.granule else 0

    def unwritten(self, last: Array) -> Array:
        """Where nobody has written since the allocation, from the last writes."""
        return np.asarray((last == _NONE) | ((last & _STALE) != _NONE))

    def writes_at(self, touch: Touch) -> Array:
        return touch.place.take(self._writes, touch.parts)

    def reads_at(self, touch: Touch) -> Array:
        return touch.place.take(self._reads, touch.parts)

    def unordered_writes(self, last: Array, touch: Touch) -> Array:
        """Where the last write races with an access now."""
        difference = last ^ touch.own
        clash = touch.clock.is_open(last, touch.own) & _other_owner(difference)
        if self.shared:
            return np.asarray(clash)
        return np.asarray((last != _NONE) & (clash | self._other_workgroup(difference)))

    def unordered_reads(self, last: Array, touch: Touch) -> Array:
        """Where the last reads race with a write now."""
        difference = last ^ touch.own
        clash = touch.clock.is_open(last, touch.own) & (_other_owner(difference) | ((last & _SEVERAL) != _NONE))
        if self.shared:
            return np.asarray(clash)
        foreign = (last & _FOREIGN) != _NONE
        return np.asarray((last != _NONE) & (clash | foreign | self._other_workgroup(difference)))

    def _other_workgroup(self, difference: Array) -> Array:
        return np.asarray((difference & self._workgroup) != _NONE)

    # -- entries ------------------------------------------------------------------------------------------------

    def mark_reads(self, touch: Touch) -> None:
        own = touch.own
        last = self.reads_at(touch)
        difference = last ^ own
        several = touch.clock.is_open(last, own) & (_other_owner(difference) | ((last & _SEVERAL) != _NONE))
        stamps = own | np.where(several, _SEVERAL, _NONE)
        if not self.shared:
            foreign = (last != _NONE) & (self._other_workgroup(difference) | ((last & _FOREIGN) != _NONE))
            stamps |= np.where(foreign, _FOREIGN, _NONE)
        touch.place.put(self._reads, stamps, touch.parts)
        if isinstance(touch.place, Scattered):
            self._mark_common_reads(touch.place.granules(touch.parts), own)

    def _mark_common_reads(self, granules: Array, own: Array) -> None:
        """Granules that several owners read in the same operation: one stamp stays, with flags for the others."""
        kept = self._reads[granules]
        difference = kept ^ own
        common = _other_owner(difference)
        if not common.any():
            return
        self._reads[granules[common]] = kept[common] | _SEVERAL
        foreign = self._other_workgroup(difference)
        if foreign.any():
            self._reads[granules[foreign]] = kept[foreign] | _SEVERAL | _FOREIGN

    def mark_writes(self, touch: Touch) -> tuple[Array, Array]:
        """Enters the writes; where other owners wrote the same granule in the same operation, and the stamps kept."""
        touch.place.put(self._writes, touch.own, touch.parts)
        kept = self.writes_at(touch)
        return _other_owner(kept ^ touch.own), kept


def operations_of(stamps: Array) -> Array:
    """The numbers of the operations that left these stamps."""
    return np.asarray(stamps & _OP)


def _other_owner(difference: Array) -> Array:
    return np.asarray((difference & _OWNER) != _NONE)
