"""The ways to bring a vector from one layout to another, as data: `Nothing`, `Rename`, `Shuffle`, `SharedMemory`.

A plan says all that code generation and an interpreter need, what it costs, and why the alternatives lost.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple
from .movement.buffer_places import Places
from .nested import IntArray

_CYCLES = {
    "shuffles": 2,
    "selects": 1,
    "packs": 1,
    "addresses": 1,
    "stores": 1,
    "loads": 1,
    "wavefronts": 2,
    "barriers": 16,
}
_COUNTED = ("shuffles", "selects", "packs", "addresses", "stores", "loads", "barriers")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one thread executes, and `wavefronts` of shared memory that its subgroup takes.

    `packs` puts registers side by side that are no neighbours, or takes them apart; `addresses` are beyond one a side.
    `bytes` is what one thread sends or stores plus what it receives or loads.
    """

    shuffles: int = 0
    selects: int = 0
    packs: int = 0
    addresses: int = 0
    stores: int = 0
    loads: int = 0
    barriers: int = 0
    wavefronts: int = 0
    bytes: int = 0

    @property
    def instructions(self) -> int:
        return self.shuffles + self.selects + self.packs + self.addresses + self.stores + self.loads + self.barriers

    @property
    def cycles(self) -> int:
        """A relative weight for choosing: a shuffle takes the shared memory pipe like a load, a barrier waits."""
        return sum(getattr(self, name) * weight for name, weight in _CYCLES.items())

    def __str__(self) -> str:
        parts = [f"{getattr(self, name)} {name}" for name in _COUNTED]
        return " + ".join(part for part in parts if not part.startswith("0 ")) or "nothing"


@dataclass(frozen=True, slots=True)
class Nothing:
    """Both layouts give every thread the same elements in the same registers."""

    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Rename:
    """Target register r of every thread is its own source register `registers[r]`."""

    registers: tuple[int, ...]
    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Target register r comes from one of the source registers `candidates[r]` (sorted) of a lane of the own subgroup.

    `threads` and `registers` say which thread and register, [threads, target registers] each. Where a register has
    several candidates, every lane selects. `local[r]`: all lanes find it in their own registers, nothing is shuffled.
    """

    candidates: tuple[tuple[int, ...], ...]
    local: tuple[bool, ...]
    threads: IntArray = field(compare=False, repr=False)
    registers: IntArray = field(compare=False, repr=False)
    reason: str = ""
    cost: Cost = field(default_factory=Cost)


class Pack(NamedTuple):
    """Source registers side by side in one value; a single one is itself."""

    registers: tuple[int, ...]

    @property
    def uses(self) -> tuple[int, ...]:
        return ()

    def renamed(self, names: Mapping[int, int]) -> Pack:
        return self


class Part(NamedTuple):
    """One element of a packed value."""

    value: int
    position: int

    @property
    def uses(self) -> tuple[int, ...]:
        return (self.value,)

    def renamed(self, names: Mapping[int, int]) -> Part:
        return self._replace(value=names[self.value])


class Select(NamedTuple):
    """`yes` in threads whose id has the bit `bit` (1, 2, 4 ..), `no` in the others."""

    bit: int
    yes: int
    no: int

    @property
    def uses(self) -> tuple[int, ...]:
        return (self.yes, self.no)

    def renamed(self, names: Mapping[int, int]) -> Select:
        return Select(self.bit, names[self.yes], names[self.no])


class Send(NamedTuple):
    """The value that lane `lanes[own lane]` of the own subgroup has."""

    value: int
    lanes: tuple[int, ...]

    @property
    def uses(self) -> tuple[int, ...]:
        return (self.value,)

    def renamed(self, names: Mapping[int, int]) -> Send:
        return self._replace(value=names[self.value])


Step = Pack | Part | Select | Send


@dataclass(frozen=True, slots=True)
class LaneProgram:
    """What every thread does, step after step; `results[r]` is the step that gives target register r."""

    steps: tuple[Step, ...]
    results: tuple[int, ...]
    reason: str = ""
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Elements are stored to a buffer, the workgroup meets, and every thread loads its target registers.

    Element y of the source lies at `places.offsets(y)` elements from the start, -1 if nobody wants it. What does not
    fit goes in `pieces` of `piece` elements each, which take turns in `buffers` buffers: piece p is offsets // piece,
    in buffer p % buffers. A thread stores the source registers of each group of `writes` side by side, and loads the
    target registers of each group of `reads`; target register r is what `same[r]` loads. Groups are aligned to their
    size if the buffer is to 16 bytes. Replicas store the same value to the same place, so electing one writer is
    allowed, not needed. A barrier stands before the first stores (the previous use of the buffer), and one between
    the stores and the loads of every piece. `conflicts` are the wavefronts of the whole workgroup beyond what spread
    accesses would take, (writing, reading).
    """

    places: Places
    piece: int
    writes: tuple[tuple[int, ...], ...]
    reads: tuple[tuple[int, ...], ...]
    same: tuple[int, ...]
    conflicts: tuple[int, int]
    bytes: int
    pieces: int = 1
    buffers: int = 1
    reason: str = ""
    cost: Cost = field(default_factory=Cost)

    @property
    def elements(self) -> int:
        """The buffers', together."""
        return self.piece * self.buffers


Plan = Nothing | Rename | LaneProgram | Shuffle | SharedMemory
