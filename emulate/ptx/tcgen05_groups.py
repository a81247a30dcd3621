"""What tcgen05 runs on its own, and who knows that it is over.

An instruction is executed when it is issued, and is in flight until threads know that it is over: whoever touches what
it reads or writes before that is reported, so that when it really happens does not matter. The end of `mma` and `cp`
is seen by a wait for the phase of a barrier object that a later `commit` of their thread arrived at; that of `ld` and
`st` by their own warp's `wait`. What a warp has seen it hands on through barriers, for tensor memory with
`fence::before_thread_sync` before and `fence::after_thread_sync` after them (PTX ISA, "Memory Consistency Model for 5th
generation of TensorCore operations").
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass, field
from ...support.named_tuples import NamedTuple
from ..faults import Violation
from .group import Group
from .state import WARP
from .tensor_memory import Area
from .tma import Key
from .warpgroups import Warpgroups

Array = npt.NDArray[Any]

_AT_ONCE = -1


class Witness(NamedTuple):
    """A warp of the workgroup has seen an end: in which of its epochs, after how many barriers of all, and how many
    fences after barriers it had executed."""

    warp: int
    epoch: int
    barriers: int
    fences: int


@dataclass(eq=False)
class Flight:
    """One issued instruction. `cells`: whether it reads each granule of its workgroup's shared memory, empty where it
    reads none; `order`: those of one thread that have the same
    are executed in turn; `seen`: who saw its end; `told`: who may hand that on; `issued`: who may hand on that it was
    issued."""

    what: str
    line: int
    workgroup: int
    warp: int
    lane: int
    reads: list[Area]
    writes: list[Area]
    cells: Array
    order: tuple[object, ...] = ()
    seen: list[Witness] = field(default_factory=list[Witness])
    told: list[Witness] = field(default_factory=list[Witness])
    issued: list[Witness] = field(default_factory=list[Witness])

    @property
    def name(self) -> str:
        return f"the tcgen05.{self.what} of line {self.line}"

    def clash(self, other: Flight) -> tuple[int, int] | None:
        """A lane and column that one of them writes and the other touches."""
        if not (self.writes or other.writes):
            return None
        pairs = [(a, b) for a in self.writes for b in (*other.reads, *other.writes)]
        pairs += [(a, b) for a in self.reads for b in other.writes]
        return next((place for a, b in pairs if (place := a.meets(b)) is not None), None)

    def follows(self, other: Flight) -> bool:
        """Whether tensor cores execute it after the other, without a wait: products of one shape into the same sums,
        and a product after a copy."""
        return self.what == "mma" and (other.what == "cp" or bool(self.order and self.order == other.order))

    def replaces(self, other: Flight) -> bool:
        """Whether who may touch what this one has may touch what the other has, too."""
        mine = self.writes or self.reads
        return (
            not other.cells.size
            and all(any(a.holds(b) for a in mine) for b in (*other.writes, *other.reads))
            and (bool(self.writes) or not other.writes)
        )


class TensorFlights(Warpgroups):
    """Adds to a batch what tensor cores have under way."""

    def prepare_flights(self) -> None:
        """Called once, before anything runs."""
        teams = self.launch.races.crew.teams
        self.under_way: list[list[Flight]] = [[] for _ in range(self.blocks)]
        self._barriers_passed: Array = np.zeros(self.blocks, np.int64)
        self._fences: Array = np.zeros((self.blocks, teams), np.int64)
        self._fenced_known: Array = np.zeros((self.blocks, teams, teams), np.int64)
        self._fenced_barriers: Array = np.zeros((self.blocks, teams), np.int64)
        self._arriving: dict[Key, list[Flight]] = {}
        self._ended: dict[Key, list[Flight]] = {}
        self._busy: Array = np.zeros((self.blocks, self.shared.stride // self.shared.granule), np.bool_)
        if any(i.opcode == "tcgen05" for i in self.program.instructions):
            self.shared.watch_proxies()
            self.shared.guard = self._need_unread

    def warp_of(self, lane: int) -> int:
        """The number of a warp in its workgroup."""
        return int(self.thread_of[lane]) // WARP

    def warps_of(self, group: Group) -> list[tuple[int, int, int]]:
        """(workgroup, warp, first lane there) of the group's warps."""
        first = group.index[np.unique(group.index // WARP, return_index=True)[1]]
        return [(int(self.block_of[lane]), self.warp_of(int(lane)), int(lane)) for lane in first]

    # ---- knowing ----

    def _witness(self, workgroup: int, warp: int, fences: int) -> Witness:
        return Witness(warp, int(self.order.epochs[workgroup, warp]), int(self._barriers_passed[workgroup]), fences)

    def _learned(self, told: list[Witness], workgroup: int, warp: int) -> bool:
        """Whether a barrier and a fence behind it brought it to the warp."""
        known, barriers = self._fenced_known[workgroup, warp], self._fenced_barriers[workgroup, warp]
        return any(known[t.warp] > t.epoch or barriers > t.barriers for t in told)

    def knows(self, flight: Flight, warp: int) -> bool:
        """Whether a warp may touch tensor memory that the flight has."""
        fences = self._fences[flight.workgroup, warp]
        own = any(t.warp == warp and fences > t.fences for t in flight.seen)
        return own or self._learned(flight.told, flight.workgroup, warp)

    def knows_without_fence(self, flight: Flight, warp: int) -> bool:
        """Whether a warp may touch shared memory that the flight has, or give columns back; no fence orders that."""
        known, barriers = self.order.known[flight.workgroup, warp], self._barriers_passed[flight.workgroup]
        return any(t.warp == warp or known[t.warp] > t.epoch or barriers > t.barriers for t in flight.seen)

    def all_met(self, workgroups: Array | None) -> None:
        """A barrier of all threads of the marked workgroups (None: of each)."""
        self._barriers_passed += 1 if workgroups is None else workgroups

    def fence_before(self, group: Group) -> None:
        """What the group's warps know to be over, and what they have begun, may be handed on."""
        for workgroup, warp, _ in self.warps_of(group):
            for flight in [f for f in self.under_way[workgroup] if f.warp == warp]:
                now = self._witness(workgroup, warp, _AT_ONCE)
                flight.issued.append(now)
                if any(t.warp == warp and t.fences == _AT_ONCE for t in flight.seen):
                    flight.told.append(now)

    def fence_after(self, group: Group) -> None:
        """What they were told counts from here on."""
        warps = self.warps_of(group)
        for workgroup, warp, _ in warps:
            self._fences[workgroup, warp] += 1
            self._fenced_known[workgroup, warp] = self.order.known[workgroup, warp]
            self._fenced_barriers[workgroup, warp] = self._barriers_passed[workgroup]
        for workgroup in sorted({workgroup for workgroup, _, _ in warps}):
            self._forget(workgroup)

    def _forget(self, workgroup: int) -> None:
        """Those that all warps of their workgroup know to be over."""
        teams = -(-self.launch.threads // WARP)
        flights = self.under_way[workgroup]
        self.under_way[workgroup] = [f for f in flights if not all(self.knows(f, warp) for warp in range(teams))]
        if len(self.under_way[workgroup]) < len(flights):
            self._mark_busy(workgroup)

    # ---- under way ----

    def begin(self, flight: Flight, site: int) -> None:
        """Faults where it touches what another one has."""
        flights = self.under_way[flight.workgroup]
        for other in flights:
            place = flight.clash(other)
            if place is None or self._in_order(flight, other) or self.knows(other, flight.warp):
                continue
            detail = f"lane {place[0]}, column {place[1]} of tensor memory is touched while {other.name} has it"
            raise self.fault("in-flight", f"{detail}{self._missing(other, flight.warp)}", site, flight.lane)
        for other in flights:
            if other.writes and flight.order and flight.order == other.order:
                other.writes, other.reads = [], []
        left = [f for f in flights if f.warp != flight.warp or not flight.replaces(f)]
        self.under_way[flight.workgroup] = [*left, flight]
        if flight.cells.size:
            self._busy[flight.workgroup] |= flight.cells

    def _in_order(self, flight: Flight, other: Flight) -> bool:
        if not flight.follows(other):
            return False
        return flight.lane == other.lane or self._learned(other.issued, flight.workgroup, flight.warp)

    def _missing(self, flight: Flight, warp: int) -> str:
        if not flight.seen:
            if flight.what in ("ld", "st"):
                return f": no tcgen05.wait::{flight.what} since"
            return ": nobody has waited for a commit of it"
        if any(t.warp == warp for t in flight.seen):
            return ": no tcgen05.fence::after_thread_sync since the wait for it"
        before = "" if flight.told else "fence::before_thread_sync, "
        return f": its end was seen by another warp, and {before}a barrier and fence::after_thread_sync do not follow"

    def wait_for(self, what: str, group: Group) -> None:
        """tcgen05.wait: loads, or stores, of the group's warps are over."""
        for workgroup, warp, _ in self.warps_of(group):
            for flight in self.under_way[workgroup]:
                if (flight.what, flight.warp) == (what, warp) and not flight.seen:
                    flight.seen.append(self._witness(workgroup, warp, _AT_ONCE))

    # ---- commits ----

    def commit_tensor(self, address: Any, group: Group, site: int) -> None:
        """Arrives for products and copies of each lane, which are over for whoever waits for that phase."""
        self.fence_before(group)
        for lane, key in self._keys(address, group, site):
            begun = [f for f in self.under_way[key[0]] if f.lane == lane and f.what in ("mma", "cp")]
            self._arriving.setdefault(key, []).extend(begun)
        self.arrive(address, np.uint32(1), False, group, site)

    def phase_over(self, key: Key) -> None:
        super().phase_over(key)
        if key in self._arriving or key in self._ended:
            self._ended[key] = self._arriving.pop(key, [])

    def phase_complete(self, address: Any, wanted: Any, group: Group, site: int) -> Array:
        out = super().phase_complete(address, wanted, group, site)
        if self._ended and out.any():
            seen = {(key, self.warp_of(lane)) for lane, key in self._keys(address, group, site) if out[lane]}
            for key, warp in seen:
                for flight in self._ended.get(key, []):
                    if not any(t.warp == warp for t in flight.seen):
                        witness = self._witness(key[0], warp, int(self._fences[key[0], warp]))
                        flight.seen.append(witness)
                        flight.told.append(witness)
        return out

    # ---- shared memory ----

    def _mark_busy(self, workgroup: int) -> None:
        self._busy[workgroup] = False
        for flight in self.under_way[workgroup]:
            if flight.cells.size:
                self._busy[workgroup] |= flight.cells

    def granules(self, workgroup: int, flat: Array, nbytes: int) -> Array:
        """The granules of its shared memory, which are under the reads of `nbytes` at positions `flat`."""
        found = np.zeros(self._busy.shape[1], np.bool_)
        found[self.shared.cells(flat, nbytes) - workgroup * self._busy.shape[1]] = True
        return found

    def _need_unread(self, flat: Array, lanes: Array, nbytes: int) -> None:
        """A write of shared memory; what it replaces nobody needs to ask for any more."""
        cells = self.shared.cells(flat, nbytes).reshape(flat.size, -1)
        hit = self._busy.reshape(-1)[cells].any(axis=1)
        if not hit.any():
            return
        positions = np.flatnonzero(hit)
        for workgroup in map(int, np.unique(self.block_of[lanes[positions]])):
            here = positions[self.block_of[lanes[positions]] == workgroup]
            own = cells[here] - workgroup * self._busy.shape[1]
            for flight in self.under_way[workgroup]:
                if flight.cells.size:
                    self._need_over(flight, here[flight.cells[own].any(axis=1)], flat, lanes)
                    flight.cells[own] = False
            self._busy[workgroup, own] = False

    def _need_over(self, flight: Flight, positions: Array, flat: Array, lanes: Array) -> None:
        """Writes at these positions are of what a flight reads."""
        for position in positions[np.unique(lanes[positions] // WARP, return_index=True)[1]]:
            if not self.knows_without_fence(flight, self.warp_of(int(lanes[position]))):
                who = "nobody has" if not flight.seen else "the thread has not"
                detail = f"write of shared memory that {flight.name} reads, for whose commit {who} waited"
                raise Violation("in-flight", detail, int(position), int(flat[position]) % self.shared.stride)
