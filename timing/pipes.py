"""The pipes of a multiprocessor in the simulation: when each is free, what waits in its queue, how busy it was."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TypeAlias

from ..support.named_tuples import NamedTuple
from .machine import Machine
from .timed import OF_ALL, Pipe, Timed

L2 = "L2"
_OF_ALL = -1
Key: TypeAlias = tuple[Pipe, int]
"""A pipe, and the scheduler that has it."""


class Served(NamedTuple):
    """When an instruction begins on its pipe, and when its result is there."""

    start: float
    done: float


class Pipes:
    """All pipes. What copies write to shared memory, and products read there, goes beside the queue of other accesses
    and takes turns with it."""

    def __init__(self, machine: Machine) -> None:
        has = machine.figures
        self._queue = int(has.queue)
        self._machine = machine
        self._merged: dict[Pipe, Pipe] = {} if has.matrix_apart else {"matrix": "vector"}
        self._free: dict[Key, float] = defaultdict(float)
        self._waiting: dict[Key, deque[float]] = defaultdict(lambda: deque(maxlen=self._queue))
        self._link = 0.0
        self._beside = 0.0
        self.busy: dict[str, float] = defaultdict(float)
        """Cycles by pipe since `count`."""
        self.products: dict[int, list[tuple[float, float]]] = defaultdict(list)
        """When the matrix unit of each scheduler was busy."""
        self._counts = False

    def count(self) -> None:
        """From here on `busy` counts."""
        self._counts = True

    def free(self, i: Timed, scheduler: int) -> float:
        """When the pipe takes the instruction, or its queue has a place for it."""
        pipe = i.work.pipe
        if not pipe:
            return 0.0
        if not i.work.queued:
            return self._free[self._key(pipe, scheduler)]
        waiting = self._waiting[pipe, scheduler]
        return waiting[0] if len(waiting) == self._queue else 0.0

    def serve(self, i: Timed, scheduler: int, time: float) -> Served:
        """The instruction issues at `time`."""
        work, start = i.work, time
        if work.pipe:
            key = self._key(work.pipe, scheduler)
            start = max(time, self._free[key]) if work.queued else time
            self._free[key] = start + work.busy + (self._turns(time, work.busy) if work.pipe == "shared" else 0.0)
            self._note(work.pipe, work.busy)
            if work.queued:
                self._waiting[work.pipe, scheduler].append(start)
            if work.pipe == "matrix":
                self.products[scheduler].append((start, start + work.busy))
        if work.beside:
            self._write_beside(work.beside)
        return Served(start, self._delivered(start + work.busy + work.latency, work.transfer))

    def carry(self, time: float, size: float) -> float:
        """When boxes of so many bytes, asked for at a time, are in shared memory."""
        has = self._machine.figures
        cycles = size / has.l2_bytes
        self._write_beside(size / has.shared_bytes)
        return self._delivered(time + self._machine.load_latency + has.box_latency + cycles, cycles)

    def _key(self, pipe: Pipe, scheduler: int) -> Key:
        pipe = self._merged.get(pipe, pipe)
        return pipe, _OF_ALL if pipe in OF_ALL else scheduler

    def _delivered(self, done: float, transfer: float) -> float:
        """What comes from L2 comes one after the other."""
        if not transfer:
            return done
        self._link = max(self._link, done - transfer) + transfer
        self._note(L2, transfer)
        return max(done, self._link)

    def _turns(self, time: float, busy: float) -> float:
        """What goes beside takes the pauses of the queue, and else at most every second turn."""
        self._beside = max(self._beside - max(time - self._free["shared", _OF_ALL], 0.0), 0.0)
        taken = min(self._beside, busy)
        self._beside -= taken
        return taken

    def _write_beside(self, cycles: float) -> None:
        self._beside += cycles
        self._note("shared", cycles)

    def _note(self, pipe: str, cycles: float) -> None:
        if self._counts:
            self.busy[pipe] += cycles
