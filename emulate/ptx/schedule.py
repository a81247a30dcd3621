"""Runs a batch: the group of threads at the lowest block runs next, so that diverged threads meet again.

Threads wait in three places: `_groups` (ready, by block number), `_stalled` (in front of an operation at which lanes
of their warp must meet) and at barriers. When nobody is ready, stalled threads are looked at once more; if that
changes nothing either, the kernel is deadlocked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ..faults import standing
from ..machine.schedule import Turns
from ..machine.state import Launch
from .blocks import Block, Program
from .cross_lane import pack_lanes
from .group import Group
from .state import WARP
from .tensor_units import TensorUnits
from .wgmma import LANES as WARPGROUP

Array = npt.NDArray[Any]

_BARRIERS = 16
"""The barriers of a workgroup, by number (PTX ISA, "bar")."""
_WAITED_FOR = {"columns": " for columns of tensor memory", "cluster": " for their cluster"}


@dataclass
class _Waiting:
    """Threads at one barrier of their workgroup: who, and where each goes on."""

    mask: Array
    resume: Array
    value: Array
    extra: Array
    wanted: Array
    told: Array
    """What warps that did not wait had done before: see `Order`."""
    last: tuple[int, int] = (0, 0)
    """A lane of those who came last, and at which instruction."""

    def standing(self, identifier: int) -> str:
        """How many are here, of how many."""
        waits = self.mask.reshape(self.extra.size, -1).any(axis=1)
        wanted = int(self.wanted[np.flatnonzero(waits if waits.any() else self.extra)[0]])
        of = f" of {wanted}" if wanted else ""
        if waits.any():
            return f"{np.count_nonzero(self.mask)}{of} threads wait at barrier {identifier}"
        return f"{self.extra.max()}{of} threads have arrived at barrier {identifier}, where nobody waits"


class Batch(TensorUnits, Turns[Launch[Program], Program, Group]):
    """All that generated code calls, and the loop that runs it."""

    def __init__(self, launch: Launch[Program], first: int, blocks: int) -> None:
        super().__init__(launch, first, blocks)
        self.prepare_clusters()
        self.prepare_copies()
        self.prepare_boxes()
        self.prepare_box_stores()
        self.prepare_warpgroups()
        self.prepare_tensor_units()
        self._everyone = Group(self.live)
        self._groups: dict[int, Group] = {0: self._everyone}
        self._stalled: dict[int, Array] = {}
        self._barriers: dict[int, _Waiting] = {}
        self._progress = False
        self._answers = False
        """Whether those who ask for a phase get their answer now, though it is not over."""

    def _step(self, number: int, group: Group) -> None:
        block = self.program.blocks[number]
        if number in self._stalled:
            group = self._grouped(group.mask | self._stalled.pop(number))
        if block.meeting:
            ready = self._meet(number, block, group)
            if ready is None:
                return
            group = ready
        group.merge = None if group.count == self._everyone.count else group.mask
        self._progress = True
        self.counters.instructions += block.length * group.count
        self.counters.block(number, block.length, group.warps)
        if block.leave == "barrier":
            self._arrive_at_barrier(number, block, group)
            return
        assert block.run is not None
        self._leave(block, group, block.run(self.registers, self, group))

    # ---- control flow ----

    def _grouped(self, mask: Array) -> Group:
        count = int(np.count_nonzero(mask))
        return self._everyone if count == self._everyone.count else Group(mask, count)

    def _put(self, number: int, group: Group) -> None:
        other = self._groups.get(number)
        self._groups[number] = group if other is None else self._grouped(group.mask | other.mask)

    def _leave(self, block: Block, group: Group, result: Any) -> None:
        match block.leave:
            case "fall" | "jump":
                self._put(block.targets[0], group)
            case "branch":
                self._branch(block, group, result)
            case "index":
                self._branch_index(block, group, result)
            case _:
                self._exit(group, block.first)

    def _branch(self, block: Block, group: Group, condition: Any) -> None:
        self.counters.branches += group.warps
        if np.ndim(condition) == 0:
            self._put(block.targets[0 if condition else 1], group)
            return
        mask = group.mask & condition
        count = int(np.count_nonzero(mask))
        if count in (0, group.count):
            self._put(block.targets[0 if count else 1], group)
            return
        taken, other = Group(mask, count), Group(group.mask & ~mask, group.count - count)
        self.counters.divergent_branches += taken.warps + other.warps - group.warps
        self._put(block.targets[0], taken)
        self._put(block.targets[1], other)

    def _branch_index(self, block: Block, group: Group, index: Any) -> None:
        where = self.all_lanes(index)
        parts = [(t, Group(group.mask & (where == n))) for n, t in enumerate(block.targets)]
        if sum(part.count for _, part in parts) != group.count:
            lane = int(np.flatnonzero(group.mask & (where >= len(block.targets)))[0])
            raise self.fault("out-of-bounds", "index beyond the branch table", block.last - 1, lane)
        for target, part in parts:
            if part.count:
                self._put(target, part)

    def _exit(self, group: Group, site: int) -> None:
        self.live = self.live & ~group.mask
        self._everyone = Group(self.live)
        if self.launch.together > 1:
            over = np.logical_not(self.live.reshape(self.blocks, -1).any(axis=1))
            self.end_workgroups(over, site)
        for number, other in self._groups.items():
            self._groups[number] = self._grouped(other.mask)
        for identifier in list(self._barriers):
            self._open(identifier)

    # ---- meeting ----

    def _meet(self, number: int, block: Block, group: Group) -> Group | None:
        """The part of the group that may run now; the rest is stalled."""
        if block.meeting == "phase":
            if self._answers and self._only_asks(number):
                self._answers = False
                return group
            ready = self._phase_mask(block, group)
        elif block.meeting == "cluster":
            ready = self.cluster_mask(group, block.first)
        elif block.meeting == "columns":
            ready = self._columns_mask(block, group)
        elif self._is_complete(block, group):
            return group
        else:
            ready = group.mask & self._met(block, group)
        count = int(np.count_nonzero(ready))
        if count == group.count:
            return group
        self._stalled[number] = group.mask & ~ready
        return self._grouped(ready) if count else None

    def _is_complete(self, block: Block, group: Group) -> bool:
        """Whether all that there are have met, and nothing is to be checked of them."""
        if block.meeting == "warpgroup":
            return group.everyone and self.launch.lanes % WARPGROUP == 0
        return group.count == self._everyone.count and (block.meeting != "warp" or group.everyone)

    def _only_asks(self, number: int) -> bool:
        return self.program.instructions[self.program.blocks[number].first].has("test_wait")

    def _phase_mask(self, block: Block, group: Group) -> Array:
        assert block.query is not None
        address, wanted = block.query(self.registers, self, group)
        return self.phase_complete(address, wanted, group, block.first)

    def _columns_mask(self, block: Block, group: Group) -> Array:
        """Whole warps whose workgroup has the columns that they want."""
        assert block.query is not None
        wanted = block.query(self.registers, self, group)
        return group.mask & self._met(block, group) & self.have_columns(wanted, group, block.first)

    def _met(self, block: Block, group: Group) -> Array:
        """Lanes whose warp is complete for the operation that leads the block."""
        if block.meeting == "warpgroup":
            return self._whole_warpgroups(block, group)
        arrived, live = pack_lanes(group.mask), pack_lanes(self.live)
        if block.meeting in ("warp", "columns"):
            self._need_whole_warps(block, group, live)
        if block.meeting != "members":
            return np.repeat((live & ~arrived) == 0, WARP)
        assert block.query is not None
        members = block.query(self.registers, self, group)
        missing = np.repeat(live & ~arrived, WARP)
        return np.asarray(missing & members == 0)

    def _whole_warpgroups(self, block: Block, group: Group) -> Array:
        """Lanes of the groups of four warps that are complete."""
        lane = int(group.index[0])
        if self.launch.lanes % WARPGROUP:
            detail = f"a workgroup of {self.launch.lanes} threads has no whole groups of four warps"
            raise self.fault("divergent-warp-operation", detail, block.first, lane)
        live = np.repeat(self.live.reshape(-1, WARPGROUP).all(axis=1), WARPGROUP)
        if (group.mask & ~live).any():
            lane = int(np.flatnonzero(group.mask & ~live)[0])
            detail = "a lane of the four warps has exited or does not exist"
            raise self.fault("divergent-warp-operation", detail, block.first, lane)
        return np.repeat(group.mask.reshape(-1, WARPGROUP).all(axis=1), WARPGROUP)

    def _need_whole_warps(self, block: Block, group: Group, live: Array) -> None:
        broken = group.mask & np.repeat(live != 0xFFFFFFFF, WARP)
        if broken.any():
            lane = int(np.flatnonzero(broken)[0])
            detail = "a lane of the warp has exited or does not exist"
            raise self.fault("divergent-warp-operation", detail, block.first, lane)

    def _wake(self) -> bool:
        """Look at stalled threads again; False when all is done."""
        asking = not self._progress and any(map(self._only_asks, self._stalled))
        self._answers = asking
        if self._stalled and (self._progress or asking):
            self._progress = False
            for number, mask in self._stalled.items():
                self._put(number, self._grouped(mask & self.live))
            self._stalled = {}
            return True
        if not self._stalled and not self._barriers:
            self.require_landed()
            return False
        raise self._deadlock()

    def _deadlock(self) -> Exception:
        blocks = self.program.blocks
        for number, mask in self._stalled.items():
            if blocks[number].meeting in ("barrier", "arrival"):
                lane = int(np.flatnonzero(mask)[0])
                detail = "aligned barrier reached by a part of the warp"
                return self.fault("divergent-barrier", detail, blocks[number].first, lane)
        places: list[str] = []
        for number, mask in self._stalled.items():
            what = _WAITED_FOR.get(blocks[number].meeting, "")
            places.append(f"{np.count_nonzero(mask)} threads wait at line {self.line_of(number)}{what}")
        for identifier, waiting in self._barriers.items():
            places.append(waiting.standing(identifier))
        first = next(iter(self._stalled), None)
        if first is None:
            lane, site = next(iter(self._barriers.values())).last
        else:
            lane, site = int(np.flatnonzero(self._stalled[first])[0]), blocks[first].first
        return self.fault("deadlock", "; ".join(places), site, lane)

    def _stopped(self, reached: str) -> Exception:
        """Where everybody stands when a limit is reached; the fault itself names the place of the most threads."""
        ready = [(group.count, number, group.mask) for number, group in self._groups.items()]
        stalled = [(int(np.count_nonzero(mask)), number, mask) for number, mask in self._stalled.items()]
        places = [(count, f"at line {self.line_of(number)}") for count, number, _ in ready]
        places += [(count, f"waiting at line {self.line_of(number)}") for count, number, _ in stalled]
        places += [(int(np.count_nonzero(w.mask)), f"at barrier {number}") for number, w in self._barriers.items()]
        _, number, mask = max([*ready, *stalled], key=lambda entry: entry[0])
        lane = int(np.flatnonzero(mask)[0])
        return self.fault("limit", f"{reached}: {standing(places)}", self.program.blocks[number].first, lane)

    # ---- workgroup barriers ----

    def synchronise(self, blocks: Array | None) -> None:
        """The marked workgroups of the batch (None: all) have met."""
        if self.launch.together > 1:
            live = self.live.reshape(-1, WARP).any(axis=1)
            met = np.asarray(live if blocks is None else live & blocks[self.block_of[::WARP]])
            self.meet(met, np.zeros((self.blocks, self.launch.races.crew.teams), np.int64))
            return
        self.shared.synchronise(blocks)
        self.races.advance(blocks)
        self.all_met(blocks)

    def _arrive_at_barrier(self, number: int, block: Block, group: Group) -> None:
        assert block.query is not None
        identifier, count, value = block.query(self.registers, self, group)
        instruction = self.program.instructions[block.first]
        self.counters.barriers += group.warps
        plain = count is None and not instruction.has("red") and not instruction.has("arrive")
        if plain and group.count == self._everyone.count and not self._barriers and np.ndim(identifier) == 0:
            self.synchronise(None)
            self._put(number + 1, group)
            return
        identifiers = self.all_lanes(identifier)
        for own in np.unique(identifiers[group.index]):
            mask = group.mask & (identifiers == own)
            self._wait(int(own), mask, number + 1, count, value, instruction.has("arrive"))
            self._open(int(own))

    def _wait(self, identifier: int, mask: Array, resume: int, count: Any, value: Any, passing: bool) -> None:
        waiting = self._barriers.get(identifier)
        if waiting is None:
            zeros = np.zeros(self.size, np.int64)
            waiting = _Waiting(
                np.zeros(self.size, np.bool_),
                zeros,
                np.zeros(self.size, np.bool_),
                np.zeros(self.blocks, np.int64),
                np.zeros(self.blocks, np.int64),
                np.zeros((self.blocks, self.launch.races.crew.teams), np.int64),
            )
            self._barriers[identifier] = waiting
        self._expect(identifier, waiting, mask, count, resume - 1)
        waiting.last = int(np.flatnonzero(mask)[0]), self.program.blocks[resume - 1].first
        if passing:
            warps = np.asarray(mask.reshape(-1, WARP).any(axis=1))
            waiting.extra += np.bincount(self.block_of[::WARP][warps], minlength=self.blocks) * WARP
            of_ranks = waiting.told.reshape(self.clusters, self.launch.together, -1)
            for rank in range(self.launch.together):
                told = self.order.handed_on(self.of_rank(warps, rank))
                of_ranks[:, rank] = np.maximum(of_ranks[:, rank], told)
            self.advance_order(self.order.arrived(warps.reshape(self.clusters, -1)), warps)
            self._put(resume, self._grouped(mask))
            return
        waiting.mask = waiting.mask | mask
        waiting.resume = np.where(mask, resume, waiting.resume)
        if value is not None:
            waiting.value = np.where(mask, value, waiting.value)

    def _expect(self, identifier: int, waiting: _Waiting, mask: Array, count: Any, number: int) -> None:
        """How many threads each workgroup waits for; 0 is all that there are."""
        lane, site = int(np.flatnonzero(mask)[0]), self.program.blocks[number].first
        if identifier >= _BARRIERS:
            detail = f"barrier {identifier}; a workgroup has {_BARRIERS}"
            raise self.fault("divergent-barrier", detail, site, lane)
        wanted = np.zeros(self.size, np.int64) if count is None else self.all_lanes(count).astype(np.int64)
        if (wanted[mask] % WARP).any():
            detail = f"barrier {identifier} of {int(wanted[lane])} threads, which are no whole warps"
            raise self.fault("divergent-barrier", detail, site, lane)
        blocks = self.block_of[mask]
        others = (waiting.mask.reshape(self.blocks, -1).any(axis=1) | (waiting.extra > 0))[blocks]
        if (others & (waiting.wanted[blocks] != wanted[mask])).any():
            detail = f"barrier {identifier} of {int(wanted[lane])} threads, where others wait for another number"
            raise self.fault("divergent-barrier", detail, site, lane)
        waiting.wanted[blocks] = wanted[mask]

    def _open(self, identifier: int) -> None:
        """Let the workgroups go on in which everybody is there; threads that have exited are not waited for."""
        waiting = self._barriers[identifier]
        per_warp = waiting.mask.reshape(-1, WARP).any(axis=1)
        arrived = np.bincount(self.block_of[::WARP][per_warp], minlength=self.blocks) * WARP + waiting.extra
        live_warps = np.logical_or.reduce(self.live.reshape(-1, WARP), axis=1)
        live = np.bincount(self.block_of[::WARP][live_warps], minlength=self.blocks) * WARP
        present = (arrived > 0) & (arrived >= np.where(waiting.wanted > 0, waiting.wanted, live))
        complete = np.where(waiting.wanted > 0, present, present & self._all_here(waiting, live_warps))
        if not complete.any():
            return
        self._need_no_more(identifier, waiting, arrived)
        self._order_those_who_met(waiting, complete, live_warps)
        released = waiting.mask & complete[self.block_of]
        self._deliver(waiting, released)
        waiting.mask = waiting.mask & ~released
        waiting.extra[complete] = 0
        waiting.told[complete] = 0
        if not waiting.mask.any() and not waiting.extra.any():
            del self._barriers[identifier]

    def _need_no_more(self, identifier: int, waiting: _Waiting, arrived: Array) -> None:
        """More threads than a barrier is of would be the first of its next meeting, on some runs."""
        beyond = (waiting.wanted > 0) & (arrived > waiting.wanted)
        if beyond.any():
            block = int(np.flatnonzero(beyond)[0])
            lane, site = waiting.last
            detail = f"{int(arrived[block])} threads are at barrier {identifier} of {int(waiting.wanted[block])}"
            raise self.fault("divergent-barrier", detail, site, lane)

    def _order_those_who_met(self, waiting: _Waiting, complete: Array, live_warps: Array) -> None:
        """All of a workgroup, or those warps of it that a barrier with a count is of."""
        here = waiting.mask.reshape(-1, WARP).any(axis=1)
        absent = np.bincount(self.block_of[::WARP][live_warps & ~here], minlength=self.blocks)
        whole = complete & (absent == 0)
        if whole.any():
            self.synchronise(whole)
        part = complete & ~whole
        if part.any():
            warps = np.asarray(here & part[self.block_of[::WARP]])
            self.meet(warps, waiting.told)

    def _all_here(self, waiting: _Waiting, live_warps: Array) -> Array:
        """Per workgroup: no live warp is missing (warps that only arrived count through `extra`)."""
        missing = live_warps & ~waiting.mask.reshape(-1, WARP).any(axis=1)
        absent = np.bincount(self.block_of[::WARP][missing], minlength=self.blocks) * WARP
        return absent <= waiting.extra

    def _deliver(self, waiting: _Waiting, released: Array) -> None:
        for resume in np.unique(waiting.resume[released]):
            mask = released & (waiting.resume == resume)
            number = int(resume)
            block = self.program.blocks[number - 1]
            instruction = self.program.instructions[block.first]
            if instruction.has("red"):
                self._write_reduction(instruction.modifiers, instruction.operands[0], waiting.value, released, mask)
            self._progress = True
            self._put(number, self._grouped(mask))

    def _write_reduction(
        self, modifiers: tuple[str, ...], operand: Any, value: Array, released: Array, mask: Array
    ) -> None:
        """bar.red: the combination of the predicates of all threads that were released together, per workgroup."""
        number = self.program.symbols.numbers[operand.name]
        holds = np.bincount(self.block_of[released & value], minlength=self.blocks)
        total = np.bincount(self.block_of[released], minlength=self.blocks)
        if "popc" in modifiers:
            result: Array = holds.astype(np.uint32)
        else:
            result = holds > 0 if "or" in modifiers else holds == total
        old = self.registers[number]
        new = result[self.block_of]
        self.registers[number] = np.where(mask, new, old.view(new.dtype) if new.dtype != np.bool_ else old)
