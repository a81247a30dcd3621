"""What an explanation says, as values with names: the parts of `Explanation` (`explanation.py`).

Registers are 32 bits of a thread, prices cycles of a subgroup as the choice of layouts counts them (see
docs/explaining.md). Every part is text, numbers, and parts of these, so that all of an explanation is JSON, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeAlias, TypeGuard

from ..support.dataclasses import dataclass

Way: TypeAlias = Literal["nothing", "renamed", "shuffles", "shared memory"]
"""How a vector comes from one layout to another: every thread has it already; has it in other registers; lanes of a
subgroup exchange it; threads of the workgroup store it and load it."""


@dataclass(frozen=True)
class Place:
    """A place in the program as written.

    Attributes:
        file, line, column: Counted from 1; 0 where the program does not say.
        text: The line.
        called_from: The lines of calls through which it is there, of a function that was written out; the last first.
    """

    file: str
    line: int
    column: int
    text: str
    called_from: tuple[int, ...] = ()


@dataclass(frozen=True)
class Held:
    """One layout that vectors of the program have.

    Attributes:
        badge: Its name here, such as `L3`.
        words, text: What it is, in words and as an attribute of a program.
        threads: That hold the vector.
        lanes: Of these, how many hold different elements.
        copies: How many threads hold each element.
        elements: That one thread holds.
    """

    badge: str
    words: str
    text: str
    threads: int
    lanes: int
    copies: int
    elements: int


@dataclass(frozen=True)
class Anchor:
    """What asks for a layout: an operation, by its line, why, and the lines from it to where two layouts meet."""

    line: int
    op: str
    why: str
    chain: tuple[int, ...]


@dataclass(frozen=True)
class Crossing:
    """A vector that is brought from one layout to another, or moved within one.

    Attributes:
        type: Of the vector.
        way: How.
        source, target: Badges of the layouts.
        shuffles, shared_bytes, barriers, cycles: What it takes: of a thread, of the workgroup, and its price.
        why: Why so and not cheaper, with what the other way would have taken.
        element: One that moves, by its index in the target; empty where none does.
        giver, taker: (thread, register) that has it before and behind.
        in_loop: Whether each iteration of a loop does it.
        made_at, used_at: Lines between which it stands.
        anchors: Who asks for the one layout and for the other, where two meet.
    """

    type: str
    way: Way
    source: str
    target: str
    shuffles: int
    shared_bytes: int
    barriers: int
    cycles: int
    why: str
    element: tuple[int, ...]
    giver: tuple[int, int] | None
    taker: tuple[int, int] | None
    in_loop: bool
    made_at: int
    used_at: int
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True)
class Combination:
    """How a reduction puts together what threads hold.

    Attributes:
        elements: That each thread combines for itself first, for each result.
        lanes: Of a subgroup that hold parts of one result.
        subgroups: That do.
        steps: Exchanges between lanes, one after the other.
        holders: Threads that have each result behind it.
    """

    elements: int
    lanes: int
    subgroups: int
    steps: int
    holders: int


@dataclass(frozen=True)
class Memory:
    """What an operation takes of memory, for one subgroup.

    Attributes:
        space, direction: Which, and whether it is read, written, or copied to shared memory.
        op: The operation that does it, behind scheduling.
        accesses, bytes: Instructions of a thread, and bytes of each.
        taken, least: Sectors of 32 bytes of global memory, or wavefronts of shared memory, and how few would do.
        badge: Of the layout in which it is done.
        conflict: Two lanes that want different words of one bank, and that bank; empty where there are none.
    """

    space: Literal["global", "shared"]
    direction: Literal["read", "written", "copied"]
    op: str
    accesses: int
    bytes: int
    taken: int
    least: int
    badge: str
    conflict: tuple[int, ...] = ()

    @property
    def unit(self) -> str:
        return "sectors" if self.space == "global" else "wavefronts"

    @property
    def degree(self) -> float:
        """How many times the least possible it takes; 1 where nothing is lost or known."""
        return self.taken / self.least if self.least else 1.0


@dataclass(frozen=True)
class Instruction:
    """An operation of a thread's program, and how many times it stands there; `bytes` of one access to memory."""

    name: str
    count: int
    bytes: int = 0


@dataclass(frozen=True)
class Other:
    """What lost: another alternative of an operation, with all that changes with it.

    Attributes:
        layout: The badge of its layout.
        instruction: Its matrix instruction, where that is another one.
        dearer: Cycles of a subgroup more, for the whole program; below 0 it would be cheaper, but for registers.
        registers: Registers of a thread more than it can have, beyond those of the choice.
        lines: Of the operations that change with it.
    """

    layout: str
    instruction: str
    dearer: int
    registers: int
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """What became of one operation of the program as written.

    Attributes:
        op, type, place: Which.
        layout: The badge of its result's layout, of what it writes where it has none; empty without vectors.
        threads, lanes, copies: As `Held` has them.
        registers: Alive in a thread there, for vectors.
        matrix: The matrix instruction that it became; else empty.
        instructions: What stands for it in a thread's program, once for each operation of the layout stage.
        barriers: That stand before its parts.
        crossings, memory, combination, others: See there.
        remarks: What the compiler tells of it.
        is_folded: Whether nothing stands for it alone, such as a `to_layout` that agrees with what was chosen.
    """

    op: str
    type: str
    place: Place
    layout: str = ""
    threads: int = 0
    lanes: int = 0
    copies: int = 1
    registers: int = 0
    matrix: str = ""
    instructions: tuple[Instruction, ...] = ()
    barriers: int = 0
    crossings: tuple[Crossing, ...] = ()
    memory: tuple[Memory, ...] = ()
    combination: Combination | None = None
    others: tuple[Other, ...] = ()
    remarks: tuple[str, ...] = ()
    is_folded: bool = False


@dataclass(frozen=True)
class Buffer:
    """A buffer of shared memory.

    Attributes:
        name, type, bytes: What it is.
        is_written: Whether the program has it; else the compiler made it.
        slots: How many tiles it has that are filled ahead; 1 of what is no ring.
        order: How its elements lie, where that is not row by row.
        filled_by: Operations that write it, and how many threads execute each of them.
        filled_at, read_at: Lines of the program for which that is done.
    """

    name: str
    type: str
    bytes: int
    is_written: bool
    slots: int
    order: str
    filled_by: tuple[tuple[str, int], ...]
    filled_at: tuple[int, ...]
    read_at: tuple[int, ...]


@dataclass(frozen=True)
class Loop:
    """What a loop became: the buffers that its iterations read, and what was not done, and why."""

    place: Place
    buffers: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True)
class Totals:
    """Sums over the program.

    Attributes:
        threads, subgroup_size: Of a workgroup.
        scope: Whose program it is: `workgroup`, or each `subgroup` or `thread` executes it for itself.
        registers, budget: Most that are alive at once for vectors, and how many a thread has for them.
        shared_bytes: Of a workgroup, those of exchanges included.
        renamed, shuffled, through_shared: Conversions between layouts.
        in_loops: Those of the last two that stand in loops.
        barriers: Of a thread's program.
        passes: Those that changed the program.
        in_vain: Passes that were undone, since registers did not suffice.
    """

    threads: int
    subgroup_size: int
    scope: str
    registers: int
    budget: int
    shared_bytes: int
    renamed: int
    shuffled: int
    through_shared: int
    in_loops: int
    barriers: int
    passes: tuple[str, ...]
    in_vain: tuple[str, ...]


@dataclass(frozen=True)
class Explained:
    """All parts.

    Attributes:
        kernel, target, variant: Which kernel, for which chip, and for which arguments.
        steps: By where they stand in the program as written.
        layouts: By their badges.
    """

    kernel: str
    target: str
    variant: str
    totals: Totals
    steps: tuple[Step, ...]
    layouts: Mapping[str, Held]
    buffers: tuple[Buffer, ...]
    loops: tuple[Loop, ...]
    remarks: tuple[str, ...] = ()

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """All of them, in the order of the steps."""
        return tuple(crossing for step in self.steps for crossing in step.crossings)

    @property
    def badges(self) -> frozenset[str]:
        """The layouts that steps name."""
        found = {step.layout for step in self.steps}
        for step in self.steps:
            found.update(name for c in step.crossings for name in (c.source, c.target))
            found.update(m.badge for m in step.memory)
            found.update(o.layout for o in step.others)
        return frozenset(found)

    @property
    def is_from_registers(self) -> bool:
        """Whether every vector stays in registers from where it is read to where it is written: no conversion and no
        reduction goes through shared memory. Tiles that loops copy there are not counted: they come from memory."""
        across = any(step.combination is not None and step.combination.subgroups > 1 for step in self.steps)
        return not across and all(crossing.way != "shared memory" for crossing in self.crossings)


def as_json(value: object) -> Any:
    """Parts as dictionaries by the names of their attributes, tuples as lists."""
    if _is_mapping(value):
        return {str(name): as_json(part) for name, part in value.items()}
    if _is_sequence(value):
        return [as_json(part) for part in value]
    return {f.name: as_json(getattr(value, f.name)) for f in fields(value)} if is_dataclass(value) else value


def _is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)


def _is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
