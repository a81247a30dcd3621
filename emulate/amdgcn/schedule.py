"""Runs a batch: the waves at the lowest block run next, together, so that diverged waves meet again.

Waves are known by their number in the batch. Registers have one row per wave that is still alive when all live waves
run together: exited waves are dropped from the arrays then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..faults import standing
from ..machine.schedule import Turns
from .blocks import Block, Program
from .group import Group
from .matrix_cores import Matrices
from .state import WaveLaunch
from .syntax import address_of
from .wave_values import Array, narrow


class Batch(Matrices, Turns[WaveLaunch, Program, Array]):
    """All that generated code calls, and the loop that runs it."""

    def __init__(self, launch: WaveLaunch, first: int, blocks: int) -> None:
        super().__init__(launch, first, blocks)
        self._rows: Array = np.arange(self.waves)
        self._everyone = Group(self._rows, self.lanes, whole=True)
        self._exec: Any = narrow(self.existing_lanes())
        self._groups: dict[int, Array] = {0: self._rows}
        self._waiting: dict[int, Array] = {}
        self._live_per_block = np.full(blocks, launch.waves)
        self._live = self.waves

    # ---- one block ----

    def _step(self, number: int, waves: Array) -> None:
        block = self.program.blocks[number]
        if block.leave == "end":
            raise self.fault("out-of-bounds", "execution past the end of the kernel", block.first, self._lane(waves))
        if block.leave == "trap":
            raise self.fault("trap", "the kernel stopped itself", block.last - 1, self._lane(waves))
        if block.finding is not None and self.launch.checks:
            site, finding = block.finding
            raise self.fault(finding.kind, finding.detail, site, self._lane(waves))
        self.counters.block(number, block.length, waves.size)
        if block.leave == "barrier":
            self.counters.instructions += block.length * waves.size * self.lanes
            self._arrive(number, waves)
            return
        if waves.size == self._live != self._rows.size:
            self._drop_exited(waves)
        result = self._run_whole(block) if waves.size == self._rows.size else self._run_part(block, waves)
        self._leave(block, waves, result)

    def _lane(self, waves: Array) -> int:
        """The first lane of the first wave."""
        return int(waves[0]) * self.lanes

    def _run_whole(self, block: Block) -> Any:
        assert block.run is not None
        self.counters.instructions += block.length * self._active_lanes(self._exec, self._rows.size)
        result, self._exec, values = block.run(self.registers, self._exec, self, self._everyone)
        self.registers.update(zip(block.stored, values, strict=True))
        return result

    def _active_lanes(self, mask: Any, waves: int) -> int:
        if np.ndim(mask) == 0:
            return waves * self.lanes if mask else 0
        return int(np.count_nonzero(np.broadcast_to(mask, (waves, self.lanes))))

    def _run_part(self, block: Block, waves: Array) -> Any:
        assert block.run is not None
        rows = np.searchsorted(self._rows, waves)
        registers = {n: _take(self.registers[n], rows) for n in block.fetched}
        mask = narrow(_take(self._exec, rows))
        self.counters.instructions += block.length * self._active_lanes(mask, waves.size)
        result, new_mask, values = block.run(registers, mask, self, Group(waves, self.lanes, whole=False))
        if new_mask is not self._exec:
            changed = _put(self._exec, rows, new_mask, self._rows.size)
            self._exec = narrow(changed)
        for number, value in zip(block.stored, values, strict=True):
            self.registers[number] = _put(self.registers[number], rows, value, self._rows.size)
        return result

    def _drop_exited(self, waves: Array) -> None:
        rows = np.searchsorted(self._rows, waves)
        self.registers = {n: _take(v, rows) for n, v in self.registers.items()}
        self._exec = narrow(_take(self._exec, rows))
        self._rows = waves
        self._everyone = Group(waves, self.lanes, whole=waves.size == self.waves)

    # ---- control flow ----

    def _put(self, number: int, waves: Array) -> None:
        other = self._groups.get(number)
        self._groups[number] = waves if other is None else np.union1d(waves, other)

    def _leave(self, block: Block, waves: Array, result: Any) -> None:
        match block.leave:
            case "fall" | "jump":
                self._put(block.targets[0], waves)
            case "branch":
                self._branch(block, waves, result)
            case "computed":
                self._jump(block, waves, result)
            case _:
                self._exit(waves)

    def _jump(self, block: Block, waves: Array, address: Any) -> None:
        self.counters.branches += waves.size
        expected = address_of(self.program.blocks[block.targets[0]].first)
        found = np.broadcast_to(address, (waves.size, 1))[:, 0]
        if (found != expected).any():
            wave = int(np.flatnonzero(found != expected)[0])
            lane = int(waves[wave]) * self.lanes
            raise self.fault("out-of-bounds", "a jump to no label", block.last - 1, lane, int(found[wave]))
        self._put(block.targets[0], waves)

    def _branch(self, block: Block, waves: Array, condition: Any) -> None:
        self.counters.branches += waves.size
        if np.ndim(condition) == 0:
            self._put(block.targets[0 if condition else 1], waves)
            return
        taken = np.broadcast_to(condition, (waves.size, 1))[:, 0]
        for target, part in zip(block.targets, (waves[taken], waves[~taken]), strict=True):
            if part.size:
                self._put(target, part)

    def _exit(self, waves: Array) -> None:
        self._live -= waves.size
        blocks = self.block_of[waves]
        self._live_per_block -= np.bincount(blocks, minlength=self.blocks)
        if self._waiting:
            self._open(np.unique(blocks))

    # ---- workgroup barriers ----

    def synchronise(self, blocks: Array | None) -> None:
        """The marked workgroups of the batch (None: all) have met."""
        self.shared.synchronise(blocks)
        self.races.advance(blocks)

    def _arrive(self, number: int, waves: Array) -> None:
        self.counters.barriers += waves.size
        if waves.size == self._live:
            self.synchronise(None)
            self._put(number + 1, waves)
            return
        other = self._waiting.get(number)
        self._waiting[number] = waves if other is None else np.union1d(waves, other)
        self._open(np.unique(self.block_of[waves]))

    def _open(self, blocks: Array) -> None:
        """Let the workgroups go on in which every wave waits; waves that have exited are not waited for."""
        arrived = {n: np.bincount(self.block_of[w], minlength=self.blocks) for n, w in self._waiting.items()}
        total = sum(arrived.values())
        complete = np.zeros(self.blocks, np.bool_)
        complete[blocks] = True
        complete &= (total == self._live_per_block) & (total > 0)
        if not complete.any():
            return
        self._need_one_barrier(arrived, complete)
        self.synchronise(complete)
        for number, waves in list(self._waiting.items()):
            go = complete[self.block_of[waves]]
            if go.any():
                self._put(number + 1, waves[go])
            if go.all():
                del self._waiting[number]
            else:
                self._waiting[number] = waves[~go]

    def _need_one_barrier(self, arrived: dict[int, Array], complete: Array) -> None:
        """All waves of a workgroup must wait at the same instruction."""
        for number, count in arrived.items():
            broken = complete & (count > 0) & (count < self._live_per_block)
            if broken.any():
                waves = self._waiting[number]
                wave = int(waves[broken[self.block_of[waves]]][0])
                detail = "waves of one workgroup wait at different barriers"
                raise self.fault("divergent-barrier", detail, self.site_of(number), wave * self.lanes)

    def _stopped(self, reached: str) -> Exception:
        """Where all waves stand when a limit is reached; the fault itself names the place of the most of them."""
        places = [(waves.size * self.lanes, f"at line {self.line_of(n)}") for n, waves in self._groups.items()]
        places += [
            (waves.size * self.lanes, f"at the barrier of line {self.line_of(n)}") for n, waves in self._waiting.items()
        ]
        number, waves = max(self._groups.items(), key=lambda entry: entry[1].size)
        return self.fault("limit", f"{reached}: {standing(places)}", self.site_of(number), self._lane(waves))

    def _wake(self) -> bool:
        if not self._waiting:
            return False
        number, waves = next(iter(self._waiting.items()))
        raise self.fault(
            "deadlock", "waves wait at a barrier for ever", self.site_of(number), int(waves[0]) * self.lanes
        )


def _take(value: Any, rows: Array) -> Any:
    """The given rows; a value with one row is the same for all waves."""
    return value if np.ndim(value) == 0 or len(value) == 1 else value[rows]


def _put(old: Any, rows: Array, new: Any, count: int) -> Array:
    """`old` with some rows replaced; as wide as the wider of both."""
    width = max(np.shape(x)[1] if np.ndim(x) == 2 else 1 for x in (old, new))
    out = np.array(np.broadcast_to(old, (count, width)))
    out[rows] = new
    return out
