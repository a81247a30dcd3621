"""Workgroups that come in clusters: they meet, and reach each other's shared memory.

A cluster is what a workgroup is elsewhere: its warps are the teams among which what is met and told orders accesses
(`barrier_clocks.py`), and a barrier of one workgroup is one of some of them. An address in the memory of another
workgroup carries that one's rank: whoever uses it has to have heard of that workgroup, since it may not have begun, and
has to be heard of before it ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..barrier_clocks import Order
from ..faults import EmulationFault
from .cross_lane import Lanes
from .group import Group
from .state import WARP

Array = npt.NDArray[Any]

RANK_SHIFT = 24
"""An address of shared memory that `mapa` made has one more than the rank from this bit on."""
_OFFSETS = (1 << RANK_SHIFT) - 1
_TWICE = "arrives at the barrier of the cluster twice, with no wait between"
_NOT_ARRIVED = "waits at the barrier of the cluster, where it has not arrived"


class Clusters(Lanes):
    """Adds to a batch what workgroups of a cluster do together."""

    def prepare_clusters(self) -> None:
        """Called once, before anything runs."""
        teams = self.launch.races.crew.teams
        self.order = Order.start(self.clusters, teams)
        self._reaches = any(i.opcode == "mapa" or i.has("multicast_cluster") for i in self.program.instructions)
        self._touched: Array = np.zeros((self.clusters, self.launch.together, teams), np.int64)
        """By rank and team: one more than the epoch in which the team last used the memory of that workgroup."""
        self._all_run: Array = np.zeros((self.clusters, teams), np.bool_)
        """Teams that know of all workgroups of their cluster that they run."""
        self._is_over: Array = np.zeros(self.blocks, np.bool_)
        self._arrivals: Array = np.zeros(self.size, np.int64)
        self._waits: Array = np.zeros(self.size, np.int64)
        self._told_cluster: Array = np.zeros((2, self.clusters, teams), np.int64)
        self._phase: Array = np.full((2, self.clusters), -1, np.int64)
        """The phases of the two meetings that may be under way: which one it is."""

    # ---- order ----

    def teams_of(self, lanes: Array) -> Array:
        """[cluster, team] that the lanes are in."""
        warps = np.zeros(self.size // WARP, np.bool_)
        warps[lanes // WARP] = True
        return warps.reshape(self.clusters, -1)

    def of_rank(self, warps: Array, rank: int) -> Array:
        """[cluster, team]: those of the marked warps that are in workgroups of this rank."""
        parts = warps.reshape(self.clusters, self.launch.together, -1)
        found = np.zeros_like(parts)
        found[:, rank] = parts[:, rank]
        return found.reshape(self.clusters, -1)

    def advance_order(self, order: Order, warps: Array) -> None:
        """What the marked warps have met, or told, makes the order this."""
        self.order = order
        self.shared.synchronise_some(order, warps)
        self.races.advance_order(order, warps)

    def meet(self, warps: Array, told: Array) -> None:
        """The marked warps of each workgroup have met, and waited for those who had `told` [workgroup, team of the
        cluster] what they did."""
        of_ranks = told.reshape(self.clusters, self.launch.together, -1)
        for rank in range(self.launch.together):
            members = self.of_rank(warps, rank)
            if members.any():
                self.advance_order(self.order.met(members, of_ranks[:, rank]), members.reshape(-1))

    # ---- memory of other workgroups ----

    def map_rank(self, address: Any, rank: Any, group: Group, site: int) -> Array:
        """mapa: the same place in the memory of the workgroup of that rank."""
        ranks = self.chosen(rank, group).astype(np.int64)
        if (ranks >= self.launch.together).any():
            position = int(np.flatnonzero(ranks >= self.launch.together)[0])
            detail = f"rank {int(ranks[position])} of a cluster of {self.launch.together} workgroups"
            raise self.fault("out-of-bounds", detail, site, int(group.index[position]))
        found = (self.chosen(address, group).astype(np.int64) & _OFFSETS) + ((ranks + 1) << RANK_SHIFT)
        return self.spread(found, group)

    def segments(self, addresses: Array, lanes: Array) -> tuple[Array, Array]:
        """Where in a workgroup's memory addresses of these lanes are, and which workgroups of the batch these are."""
        own = self.block_of[lanes]
        if not self._reaches:
            return addresses, own
        rank = addresses >> RANK_SHIFT
        segments = np.where(rank > 0, own - own % self.launch.together + rank - 1, own)
        return addresses & _OFFSETS, segments

    def reach(self, segments: Array, lanes: Array, site: int) -> None:
        """These lanes use memory of these workgroups. Raises `EmulationFault` for those that may not be there."""
        if not (self._reaches and self.launch.checks):
            return
        others = segments != self.block_of[lanes]
        together = self.launch.together
        team = lanes // WARP % self.launch.races.crew.teams
        for block, rank, who, lane in sorted(
            {
                (int(b), int(b) % together, int(t), int(n))
                for b, t, n in zip(segments[others], team[others], lanes[others], strict=True)
            }
        ):
            cluster = block // together
            per = self.launch.lanes // WARP
            heard = self.order.known[cluster, who, rank * per : (rank + 1) * per]
            if self._is_over[block]:
                raise self._not_there("has ended", rank, lane, site)
            if not heard.any() and not self._all_run[cluster, who]:
                raise self._not_there("may not have begun: nobody of it has been heard of", rank, lane, site)
            self._touched[cluster, rank, who] = self.order.epochs[cluster, who] + 1

    def _not_there(self, words: str, rank: int, lane: int, site: int) -> EmulationFault:
        return self.fault("race", f"shared memory of workgroup {rank} of the cluster, which {words}", site, lane)

    def end_workgroups(self, ended: Array, site: int) -> None:
        """All threads of the marked workgroups have exited: nobody may use their memory any more."""
        together, per = self.launch.together, self.launch.lanes // WARP
        for block in map(int, np.flatnonzero(ended & ~self._is_over)):
            cluster, rank = divmod(block, together)
            known = self.order.known[cluster, rank * per : (rank + 1) * per].max(axis=0)
            late = self._touched[cluster, rank] > known
            late[rank * per : (rank + 1) * per] = False
            if late.any():
                other = int(np.flatnonzero(late)[0]) // per
                detail = (
                    f"the workgroup ends, and workgroup {other} of its cluster has not told it is done with its memory"
                )
                raise self.fault("race", detail, site, block * self.launch.lanes)
        self._is_over |= ended

    # ---- the barrier of a cluster ----

    def arrive_cluster(self, relaxed: bool, group: Group, site: int) -> None:
        if group.count == 0:
            return
        self.counters.barriers += group.warps
        lanes = group.index
        self._check_arrivals(lanes, self._arrivals[lanes] != self._waits[lanes], _TWICE, site)
        for number in map(int, np.unique(self._arrivals[lanes])):
            slot, here = number & 1, lanes[self._arrivals[lanes] == number]
            members = self.teams_of(here)
            fresh = members.any(axis=1) & (self._phase[slot] != number)
            self._phase[slot, fresh], self._told_cluster[slot, fresh] = number, 0
            if not relaxed:
                told = self._told_cluster[slot]
                self._told_cluster[slot] = np.maximum(told, self.order.handed_on(members))
                self.advance_order(self.order.arrived(members), members.reshape(-1))
        self._arrivals[lanes] += 1

    def cluster_mask(self, group: Group, site: int) -> Array:
        """Lanes whose whole cluster has arrived; threads that have exited are not waited for."""
        lanes = group.index
        self._check_arrivals(lanes, self._arrivals[lanes] == self._waits[lanes], _NOT_ARRIVED, site)
        arrivals = np.where(self.live, self._arrivals, np.iinfo(np.int64).max).reshape(self.clusters, -1)
        least = np.repeat(arrivals.min(axis=1), self.size // self.clusters)
        return group.mask & (least >= self._arrivals)

    def leave_cluster(self, group: Group) -> None:
        """The wait is over."""
        lanes = group.index
        self._all_run |= self.teams_of(lanes)
        for slot in range(2):
            here = lanes[(self._arrivals[lanes] - 1) & 1 == slot]
            if here.size:
                members = self.teams_of(here)
                self.advance_order(self.order.learned(members, self._told_cluster[slot]), members.reshape(-1))
        self._waits[lanes] += 1

    def _check_arrivals(self, lanes: Array, wrong: Array, words: str, site: int) -> None:
        if wrong.any():
            raise self.fault("divergent-barrier", f"the thread {words}", site, int(lanes[np.flatnonzero(wrong)[0]]))
