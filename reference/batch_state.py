"""The state of one batch while its program runs: values by slot, the active owners, clocks and buffers.

Values are numpy arrays of the storage type of their element. A value that is equal for all owners may lack the
leading axis over owners; otherwise scalars have shape [owners] and vectors [owners, *shape]. Where a machine is given
to compare with, each value has its uncertainty beside it, whose arrays follow the same rule (or broadcast to it): None
where every right execution has the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.core import Operation
from ..ir.numerics import Array
from ..ir.printing import Record
from ..ir.program_parts import Part
from ..ir.traits import Completion
from ..support.dataclasses import dataclass, field
from ..support.diagnostics import About
from ..support.limits import Meter
from .async_groups import AsyncGroups
from .buffers import Buffer
from .cluster_meetings import Meetings
from .errors import failure
from .geometry import Batch
from .races import Clock, Stamp
from .tellings import Telling
from .tensor_memory import TensorMemory
from .turns import Ready, Turns
from .uncertainty import Maybe
from .unordered import Unordered

NOBODY: Array = np.zeros(0, np.bool_)
"""The mask of a branch that no owner takes."""


@dataclass
class Findings:
    """What all batches of a run have in common."""

    operations: list[Operation]
    """The operations that touch memory, by the number in their stamps."""
    meter: Meter
    checks: bool
    """Whether races, undefined contents and alignment are looked at."""
    follows: bool
    """Whether values have uncertainties."""
    static: bool
    """Whether an allocation is one buffer however often it is executed, as memory is in a thread's program."""
    printed: list[Record]
    unsettled: list[Operation] = field(default_factory=list[Operation])
    """Operations whose branch, number of iterations or address depended on something undecided."""


class State:
    def __init__(self, batch: Batch, values: list[Any], run: Findings) -> None:
        self.batch = batch
        self.values = values
        self.doubts: list[Maybe] = [None] * len(values)
        """The uncertainties of `values`."""
        self.run = run
        self.active: Array | None = None
        """Which owners execute; None for all."""
        self.clocks = {space: Clock(batch) for space in ("workgroup", "global")}
        """Barriers passed, for each memory that they order."""
        self.buffers: dict[Operation, Buffer] = {}
        """The buffers of allocations that are made once."""
        self.counters: dict[int, Array] = {}
        """The numbers of lanewise.count, by counter; one for each owner of the program that it is in."""
        self.under_way: dict[tuple[Completion, Part | None], AsyncGroups] = {}
        """Copies and products that nobody has waited for, by the part of the workgroup whose they are. Products
        are the first thread's of each group of four subgroups."""
        self.tellings: dict[tuple[Buffer, int], Telling] = {}
        """The tellings of barriers whose state lies in a buffer, by the element."""
        self.tensor_memory: TensorMemory | None = None
        """Made where it is first used."""
        self.unordered: list[Unordered] = []
        """The loops without an order of iterations that are being executed, the outermost first."""
        self.meetings = Meetings(batch.size)
        """At the barriers of clusters."""
        self.turns: Turns | None = None
        """The turns of parts of the workgroup that wait for each other."""
        self.shuffles: dict[tuple[str, int, int], tuple[Array, Array]] = {}
        """Thread read from and validity for shuffles whose offset and width are equal everywhere."""

    # -- control flow -------------------------------------------------------------------------------------------

    def split(self, condition: Array) -> tuple[Array | None, Array | None]:
        """The masks under which the two sides of a branch run: None for all owners, or `NOBODY`."""
        active = self.active
        if condition.ndim == 0:
            return (active, NOBODY) if condition else (NOBODY, active)
        taken = condition if active is None else condition & active
        other = ~condition if active is None else active & ~condition
        if not other.any():
            return active, NOBODY
        return (taken, other) if taken.any() else (NOBODY, active)

    def someone(self) -> int:
        """An active owner."""
        return 0 if self.active is None else int(np.argmax(self.active))

    def present(self) -> Array:
        """The numbers of the active owners."""
        return self.batch.everyone if self.active is None else np.flatnonzero(self.active)

    def barrier(self, op: Operation, spaces: tuple[str, ...], part: Part | None, *, of_clusters: bool = False) -> None:
        """All owners of each workgroup, of a part of each, or of each cluster meet, or none of them. Raises
        `EvaluationError`."""
        if of_clusters:
            self._barrier_of_clusters(op, spaces, part)
            return
        if part is not None:
            self._barrier_of_part(op, spaces, part)
            return
        arrived: Array | None = None
        if self.active is not None:
            owners = self.batch.geometry.owners
            counts = self.active.reshape(-1, owners).sum(1)
            self._require_all(op, counts, np.full_like(counts, owners), self.batch.workgroup, "workgroup")
            arrived = counts > 0
        for space in spaces:
            self.clocks[space].advance(arrived)

    def _barrier_of_clusters(self, op: Operation, spaces: tuple[str, ...], part: Part | None) -> None:
        if part is not None:
            raise failure(op, "is of all threads of a cluster, and stands in a part of a workgroup")
        arrived: Array | None = None
        if self.active is not None:
            geometry = self.batch.geometry
            counts = self.active.reshape(-1, geometry.owners * geometry.together).sum(1)
            full = np.full_like(counts, geometry.owners * geometry.together)
            self._require_all(op, counts, full, self.batch.workgroup // geometry.together, "cluster")
            arrived = counts > 0
        for space in spaces:
            self.clocks[space].advance_clusters(arrived)

    def _barrier_of_part(self, op: Operation, spaces: tuple[str, ...], part: Part) -> None:
        if self.batch.geometry.scope == "workgroup":
            return  # what is a part's is the one owner's
        workgroup, members = self.batch.workgroup, self.batch.of_part(part)
        active = members if self.active is None else self.active
        counts, full = (np.bincount(workgroup[m], minlength=self.batch.workgroups) for m in (active & members, members))
        self._require_all(op, counts, full, np.where(members, workgroup, -1), "part")
        for space in spaces:
            self.clocks[space].meet(active & members)

    def wait_until(self, ready: Ready) -> bool:
        """Lets other parts of the workgroup run until it holds; False where it never will."""
        if self.turns is None:
            return ready()
        active, unordered = self.active, self.unordered
        there = self.turns.wait_until(ready)
        self.active, self.unordered = active, unordered
        return there

    def require_whole_subgroups(self, op: Operation) -> None:
        """All lanes of each subgroup execute `op`, or none of them. Raises `EvaluationError`."""
        if self.batch.geometry.scope != "thread":
            raise failure(op, "moves values between threads, the program's owners are coarser")
        if self.active is not None:
            number = self.batch.subgroup
            counts = np.bincount(number[self.active], minlength=int(number[-1]) + 1)
            self._require_all(op, counts, np.bincount(number), number, "subgroup")

    def _require_all(self, op: Operation, counts: Array, full: Array, number: Array, words: str) -> None:
        partial = (counts > 0) & (counts < full)
        if not partial.any():
            return
        assert self.active is not None
        which = int(np.argmax(partial))
        members = number == which
        inside, outside = (int(np.argmax(members & m)) for m in (self.active, ~self.active))
        raise failure(
            op,
            f"is reached by {counts[which]} of the {full[which]} {self.batch.geometry.scope}s of a {words}, "
            f"it takes all or none: {self.batch.who(inside)} is here, {self.batch.who(outside)} is not",
            hint="barriers and shuffles must not stand inside a condition that differs between those who meet there",
            about=About("meeting"),
        )

    # -- uncertainty --------------------------------------------------------------------------------------------

    def is_settled(self, slots: Sequence[int]) -> bool:
        return all(self.doubts[i] is None for i in slots)

    def settle(self, op: Operation, slots: Sequence[int]) -> None:
        """Notes that `op` wrote elsewhere, or did something else, had an undecided number fallen the other way."""
        if not self.is_settled(slots):
            self.run.unsettled.append(op)

    # -- messages -----------------------------------------------------------------------------------------------

    def at(self, owner: int) -> str:
        """`in .. ` for an owner of the batch, nothing where there is only one."""
        who = self.batch.who(owner)
        return f"in {who} " if who else ""

    def decode(self, stamp: int) -> tuple[str, Operation]:
        """The owner and the operation of a stamp."""
        parts = Stamp.of(stamp, self.batch.geometry)
        return self.batch.geometry.who(parts.workgroup, parts.owner), self.run.operations[parts.operation]


Number = int | Array
"""An integer for all owners, or an array with one an owner (never without an axis)."""


def number(value: Array) -> Number:
    """An integer value; without an axis over owners it becomes a Python integer."""
    return int(value) if value.ndim == 0 else value
