"""The subgroups of one multiprocessor in a loop: they issue in order, and wait for results, pipes and each other.

NVIDIA's schedulers issue one instruction a cycle: the subgroup that issued last goes first, then the lowest number.
AMD's issue one of each kind in a turn, of different subgroups: the highest priority first, then the oldest. Both are
rules of thumb, and the first is why times of several workgroups are uncertain (`loop_time.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..support.dataclasses import dataclass
from .machine import Machine
from .meetings import NEVER, Barriers, Tiles
from .pipes import Pipes
from .timed import Loop
from .wave import Span, Wait, Wave

_WARM, _COUNTED = 4, 6
"""Iterations before the counted ones, beyond those that rings have tiles for; and counted ones, of the subgroup that
is behind the others."""
_MOST = 16
"""Iterations of a subgroup that goes first, at most, while others get no turn."""
_APART = 61
"""Cycles from one workgroup's begin to the next one's."""


@dataclass(frozen=True)
class Run:
    """What was counted from `start` to `end`."""

    waves: list[Wave]
    pipes: Pipes
    start: float
    end: float


class Stuck(Exception):
    """Every subgroup waits for another: the loop cannot be simulated. The message names the instructions."""


class Simulation:
    """One run of `groups` workgroups of `subgroups` subgroups each; the workgroups begin `apart` cycles after each
    other."""

    def __init__(self, loop: Loop, machine: Machine, subgroups: int, groups: int = 1, apart: float = _APART) -> None:
        self._loop, self._machine, self._subgroups = loop, machine, subgroups
        self._body = loop.body
        self._turn = machine.figures.turn
        schedulers = range(machine.figures.schedulers)
        self._waves = [
            Wave(g, w, (w + g * subgroups) % len(schedulers), apart * g)
            for g in range(groups)
            for w in range(subgroups)
        ]
        self._of = [[wave for wave in self._waves if wave.scheduler == s] for s in schedulers]
        self._next = [float(s if self._turn > 1 else 0) if self._of[s] else NEVER for s in schedulers]
        self._pipes = Pipes(machine)
        self._barriers = Barriers(machine, subgroups)
        self._tiles = Tiles(loop, subgroups, self._pipes.carry)
        self._counts = False
        for wave in self._waves:
            wave.due = self._due(wave)

    def run(self) -> Run:
        """Raises Stuck."""
        warm = _WARM + max((ring.slots for ring in self._loop.rings.values()), default=0)
        most = warm + _MOST
        while min(wave.trip for wave in self._waves) < warm and all(wave.trip < most for wave in self._waves):
            self._step()
        last = min(self._waves, key=lambda wave: (wave.trip, -wave.last))
        self._counts = True
        self._pipes.count()
        start, end = last.last, last.trip + _COUNTED
        most = max(wave.trip for wave in self._waves) + _MOST
        while last.trip < end and all(wave.trip < most for wave in self._waves):
            self._step()
        return Run(self._waves, self._pipes, start, max(wave.last for wave in self._waves))

    # When

    def _due(self, wave: Wave) -> Wait:
        i, due = self._body[wave.at], wave.wait(self._loop)
        if i.awaits is not None:
            landed = self._tiles.landed(i.awaits, wave.group, wave.trip)
            due = Wait(landed, "boxes") if landed > due.until else due
        return due

    def _until(self, wave: Wave) -> float:
        """With what others share, which changes as they issue."""
        return max(wave.due.until, self._pipes.free(self._body[wave.at], wave.scheduler))

    def _reason(self, wave: Wave) -> Wait:
        """Why an instruction has not issued before."""
        i = self._body[wave.at]
        if wave.due.until > wave.free:
            return wave.due
        if self._pipes.free(i, wave.scheduler) > wave.free:
            return Wait(wave.free, f"{'queue' if i.work.queued else 'pipe'} of {i.work.pipe}")
        return Wait(wave.free, "others issue")

    def _on_turn(self, scheduler: int, time: float) -> float:
        if time == NEVER:
            return NEVER
        if self._turn == 1:
            return math.ceil(time)
        return scheduler + math.ceil((time - scheduler) / self._turn) * self._turn

    def _wake(self, group: int, time: float) -> None:
        """Those that waited for each other look again."""
        for wave in self._waves:
            if wave.group == group and wave.due.until == NEVER:
                wave.due = self._due(wave)
                self._next[wave.scheduler] = min(self._next[wave.scheduler], self._on_turn(wave.scheduler, time + 1))

    # What

    def _step(self) -> None:
        """The next turn of a scheduler."""
        time = min(self._next)
        scheduler = self._next.index(time)
        if time == NEVER:
            waiting = sorted({self._body[wave.at].text for wave in self._waves})
            raise Stuck("every subgroup waits for another: " + "; ".join(waiting))
        ready: list[Wave] = []
        soonest = NEVER
        for wave in self._of[scheduler]:
            until = wave.due.until
            if until <= time:
                until = self._until(wave)
            if until <= time:
                ready.append(wave)
            elif until < soonest:
                soonest = until
        self._next[scheduler] = time + self._turn if ready else self._on_turn(scheduler, soonest)
        if self._machine.figures.kinds_at_once:
            self._issue_kinds(sorted(ready, key=lambda wave: -wave.priority), time)
        elif ready:
            newest = max(self._of[scheduler], key=lambda wave: wave.last)
            self._issue(newest if newest in ready else ready[0], time)

    def _issue_kinds(self, ready: Sequence[Wave], time: float) -> None:
        """One instruction of each kind, of different subgroups."""
        taken: set[str] = set()
        for wave in ready:
            slot = self._body[wave.at].slot
            if not (slot and slot in taken) and (not taken or self._until(wave) <= time):
                taken.add(slot)
                self._issue(wave, time)

    def _issue(self, wave: Wave, time: float) -> None:
        i, place = self._body[wave.at], wave.at
        if time > wave.free:
            wait = self._reason(wave)
            wave.spans.append(Span(wave.free, time, wait.reason, place, wait.causes))
        served = self._pipes.serve(i, wave.scheduler, time)
        wave.settle(i, time)
        read = served.start + self._machine.figures.operands_read
        wave.begin(i, served.start, max(served.done, time + self._turn), read)
        self._meet(wave, time)
        if i.priority is not None:
            wave.priority = i.priority
        self._go_on(wave, time)

    def _meet(self, wave: Wave, time: float) -> None:
        """Barriers, and tiles of rings."""
        i, wakes = self._body[wave.at], False
        if (meeting := i.meeting) is not None:
            gathering = self._barriers.at(meeting, wave.group, wave.number)
            if meeting.arrives:
                wave.signalled[meeting.name] = gathering.completed
                wakes = gathering.arrive(time)
            if meeting.waits:
                wave.gathering = gathering, wave.signalled.get(meeting.name, gathering.completed)
        if i.asks is not None and wave.number == 0:
            self._tiles.ask(i.asks, wave.group, wave.trip, time)
            wakes = True
        if i.releases is not None and wave.trip >= i.late:
            wakes |= self._tiles.leave(i.releases, wave.group, wave.trip - i.late, time)
        if wakes:
            self._wake(wave.group, time)

    def _go_on(self, wave: Wave, time: float) -> None:
        """To the next instruction."""
        i, place, turn = self._body[wave.at], wave.at, self._turn
        free = time + turn * i.stall
        wave.spans.append(Span(time, time + turn, "issue", place))
        if i.stall > 1:
            wave.spans.append(Span(time + turn, free, "fixed latency", place))
        wave.free, wave.last = free, time
        wave.issued += self._counts
        wave.at += 1
        if wave.at == len(self._body):
            wave.free += self._machine.figures.jump
            wave.spans.append(Span(free, wave.free, "jump", place))
            wave.ends.append(time)
            wave.at = 0
            wave.trip += 1
            if self._tiles.end(wave.group, wave.trip - 1, time):
                self._wake(wave.group, time)
        wave.due = self._due(wave)
