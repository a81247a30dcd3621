"""What every emulated launch does alike: batches of workgroups, where constants lie, and who a lane is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Protocol
from weakref import WeakKeyDictionary

from ..access_records import Crew, Earlier, Race
from ..faults import Coordinates, EmulationFault, Place
from ..memory import GlobalMemory, SharedMemory
from ..races import Trace
from .blocks import Instruction
from .settings import LaunchSettings

_LANES_PER_BATCH = 1 << 15
"""Threads that run in lockstep: enough to hide the cost of a numpy call, few enough for the arrays to stay in cache."""
_SHARED_PER_BATCH = 1 << 26


class Placement(ABC):
    """Variables of a module, one copy per memory."""

    def __init__(self) -> None:
        self._placed: WeakKeyDictionary[GlobalMemory, dict[str, int]] = WeakKeyDictionary()

    def addresses(self, memory: GlobalMemory) -> dict[str, int]:
        if memory not in self._placed:
            self._placed[memory] = self._place(memory)
        return self._placed[memory]

    @abstractmethod
    def _place(self, memory: GlobalMemory) -> dict[str, int]:
        """Allocates and fills them."""

    @abstractmethod
    def read_only(self, memory: GlobalMemory) -> tuple[tuple[int, int], ...]:
        """First address and end of what no kernel may write."""


def batches(grid: Coordinates, lanes: int, shared_bytes: int, together: int = 1) -> Iterator[tuple[int, int]]:
    """First workgroup and number of workgroups of each batch; each workgroup takes `lanes` and `shared_bytes`, and so
    many of them are `together`."""
    total = grid[0] * grid[1] * grid[2]
    size = max(min(_LANES_PER_BATCH // lanes, _SHARED_PER_BATCH // max(shared_bytes, 1)) // together, 1) * together
    for first in range(0, total, size):
        yield first, min(size, total - first)


def coordinates(number: int, extent: Coordinates) -> Coordinates:
    """(x, y, z) of a linear index, x fastest."""
    return number % extent[0], number // extent[0] % extent[1], number // (extent[0] * extent[1])


def workgroup_at(number: int, grid: Coordinates, cluster: Coordinates) -> Coordinates:
    """(x, y, z) of a workgroup: those of a cluster have numbers one after the other."""
    whole, rank = divmod(number, prod(cluster))
    first = coordinates(whole, _triple(extent // size for extent, size in zip(grid, cluster, strict=True)))
    inside = coordinates(rank, cluster)
    return _triple(f * size + i for f, size, i in zip(first, cluster, inside, strict=True))


def _triple(numbers: Iterable[int]) -> Coordinates:
    x, y, z = numbers
    return x, y, z


def trace_of(
    instructions: Sequence[Instruction], crew: Crew, settings: LaunchSettings, cluster: Coordinates = (1, 1, 1)
) -> Trace:
    """For the accesses to global memory of a launch."""
    launched = settings.launched
    trace = Trace("global", crew, grid=launched)
    if launched is not None:
        lanes = crew.workgroup // prod(cluster)

        def where(site: int, thread: int) -> Place:
            return place(instructions[site], divmod(thread, lanes), settings, cluster)

        launched.started(trace.past, where)
    return trace


class Runnable(Protocol):
    """A batch of workgroups."""

    @property
    def shared(self) -> SharedMemory: ...
    @property
    def races(self) -> Trace:
        """The accesses to global memory by this and earlier batches."""
        ...

    @property
    def memory(self) -> GlobalMemory: ...
    def run(self) -> None: ...
    def thread_place(self, site: int, thread: int) -> Place:
        """What a thread, numbered through the launch, executes at instruction number `site`."""
        ...


def execute(parts: Iterator[tuple[int, int]], batch: Callable[[int, int], Runnable]) -> Iterator[int]:
    """Runs all batches, `parts` of the grid, and gives the number of workgroups that each had.

    Raises `EmulationFault`: for a race, if there is one, since it may be why something else went wrong.
    """
    current: Runnable | None = None
    for first, count in parts:
        current = batch(first, count)
        try:
            current.run()
            current.shared.settle()
        except Race as race:
            raise _race_fault(current, race) from None
        except EmulationFault as fault:
            _settle(current, fault)
            raise
        yield count
    if current is not None:
        _settle(current, None)


def _settle(batch: Runnable, fault: EmulationFault | None) -> None:
    try:
        batch.shared.settle()
        batch.races.settle()
    except Race as race:
        raise _race_fault(batch, race) from fault


def _race_fault(batch: Runnable, race: Race) -> EmulationFault:
    if race.earlier is not None:
        return _grids_fault(batch, race, race.earlier)
    first, second = (batch.thread_place(touch.site, touch.thread) for touch in (race.first, race.second))
    other = f"block {first.block}, thread {first.thread} {race.first.verb}, and nothing orders the two"
    detail = f"{race.second.verb} {race.memory} memory that {other} (line {first.line}: {first.instruction})"
    return EmulationFault("race", detail, **second._asdict(), address=_address(batch, race), other_line=first.line)


def _grids_fault(batch: Runnable, race: Race, earlier: Earlier) -> EmulationFault:
    """An access of what a grid before this one touched that may be under way."""
    first = earlier.place_of(race.first.site, race.first.thread)
    second = batch.thread_place(race.second.site, race.second.thread)
    other = f"block {first.block}, thread {first.thread} of an earlier grid of {earlier.kernel} {race.first.verb}"
    detail = (
        f"{race.second.verb} {race.memory} memory that {other} (its line {first.line}: {first.instruction}), which may "
        "not have ended: the launch is programmatic, and no griddepcontrol.wait of this thread has waited for it"
    )
    return EmulationFault("race", detail, **second._asdict(), address=_address(batch, race))


def _address(batch: Runnable, race: Race) -> int:
    byte = race.second.byte
    return byte % batch.shared.stride if race.memory == "shared" else batch.memory.address_of(byte)


def place(
    instruction: Instruction | None, who: tuple[int, int] | None, settings: LaunchSettings, cluster: Coordinates
) -> Place:
    """`who`: linear numbers of the workgroup in the grid and of the thread in the workgroup."""
    text, line = (instruction.text, instruction.line) if instruction else (None, None)
    if who is None:
        return Place(text, line, None, None)
    return Place(text, line, workgroup_at(who[0], settings.grid, cluster), coordinates(who[1], settings.block))
