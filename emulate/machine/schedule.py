"""The turns of a batch: the group of threads at the lowest block runs next, so that diverged threads meet again."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

from .state import LaunchT, ProgramT, State

_ROTATION = 1 << 10
"""Every so many steps the highest group runs, so that threads which spin on memory cannot starve the others."""

GroupT = TypeVar("GroupT")


class Turns(State[LaunchT, ProgramT], Generic[LaunchT, ProgramT, GroupT]):
    """Groups of threads that are ready, by the block in front of which they stand."""

    _groups: dict[int, GroupT]

    def run(self) -> None:
        """Until all have exited. Raises `EmulationFault`."""
        steps = 0
        while self._groups or self._wake():
            steps += 1
            number = max(self._groups) if steps % _ROTATION == 0 else min(self._groups)
            reached = self.launch.meter.spend(self.program.blocks[number].length)
            if reached:
                raise self._stopped(reached)
            self._step(number, self._groups.pop(number))

    @abstractmethod
    def _wake(self) -> bool:
        """Makes those ready that may go on where nobody else is ready; whether there are any."""

    @abstractmethod
    def _step(self, number: int, group: GroupT, /) -> None:
        """Executes one block, and puts the group where it goes on."""

    @abstractmethod
    def _stopped(self, reached: str) -> Exception:
        """Where everybody stands when a limit is reached."""
