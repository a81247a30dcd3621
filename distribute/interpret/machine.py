"""The state of one batch while its program runs: values by slot, the active threads, clocks and buffers.

Values are numpy arrays of the storage type of their element. A value that is equal for all threads may lack the
leading axis over threads; otherwise scalars have shape [threads] and packs [threads, *pack].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.core import Operation
from ...ir.limits import Meter
from ...ir.numerics import Array
from ...ir.parts import Part
from .buffers import Buffer
from .errors import failure
from .geometry import Batch
from .races import Clock, Stamp

NOBODY: Array = np.zeros(0, np.bool_)
"""The mask of a branch that no thread takes."""


class Machine:
    def __init__(
        self, batch: Batch, values: list[Any], operations: list[Operation], checks: bool, meter: Meter
    ) -> None:
        self.batch = batch
        self.values = values
        self.operations = operations
        """The operations that touch memory, by the number in their stamps."""
        self.checks = checks
        self.meter = meter
        self.active: Array | None = None
        """Which threads execute; None for all."""
        self.clocks = {space: Clock(batch) for space in ("workgroup", "global")}
        """Barriers passed, for each memory that they order."""
        self.buffers: dict[Operation, Buffer] = {}
        """The buffers of allocations that have been executed."""
        self.shuffles: dict[tuple[str, int, int], tuple[Array, Array]] = {}
        """Thread read from and validity for shuffles whose offset and width are equal everywhere."""

    # -- control flow -------------------------------------------------------------------------------------------

    def split(self, condition: Array) -> tuple[Array | None, Array | None]:
        """The masks under which the two sides of a branch run: None for all threads, or `NOBODY`."""
        active = self.active
        if condition.ndim == 0:
            return (active, NOBODY) if condition else (NOBODY, active)
        taken = condition if active is None else condition & active
        other = ~condition if active is None else active & ~condition
        if not other.any():
            return active, NOBODY
        return (taken, other) if taken.any() else (NOBODY, active)

    def someone(self) -> int:
        """An active thread."""
        return 0 if self.active is None else int(np.argmax(self.active))

    def barrier(self, op: Operation, spaces: tuple[str, ...], part: Part | None) -> None:
        """All threads of each workgroup, or of a part of each, meet, or none of them. Raises `InterpretError`."""
        if part is not None:
            self._barrier_of_part(op, spaces, part)
            return
        arrived: Array | None = None
        if self.active is not None:
            threads = self.batch.geometry.threads
            counts = self.active.reshape(-1, threads).sum(1)
            self._require_all(op, counts, np.full_like(counts, threads), self.batch.workgroup, "workgroup")
            arrived = counts > 0
        for space in spaces:
            self.clocks[space].advance(arrived)

    def _barrier_of_part(self, op: Operation, spaces: tuple[str, ...], part: Part) -> None:
        workgroup, members = self.batch.workgroup, self.batch.of_part(part)
        active = members if self.active is None else self.active
        counts, full = (np.bincount(workgroup[m], minlength=self.batch.workgroups) for m in (active & members, members))
        self._require_all(op, counts, full, np.where(members, workgroup, -1), "part")
        for space in spaces:
            self.clocks[space].meet(part, counts > 0)

    def require_whole_subgroups(self, op: Operation) -> None:
        """All lanes of each subgroup execute `op`, or none of them. Raises `InterpretError`."""
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
            f"is reached by {counts[which]} of the {full[which]} threads of a {words}, it takes all or none: "
            f"{self.batch.who(inside)} is here, {self.batch.who(outside)} is not",
        )

    # -- messages -----------------------------------------------------------------------------------------------

    def decode(self, stamp: int) -> tuple[str, Operation]:
        """The thread and the operation of a stamp."""
        parts = Stamp.of(stamp, self.batch.geometry)
        return self.batch.geometry.who(parts.workgroup, parts.thread), self.operations[parts.operation]


Number = int | Array
"""An integer for all threads, or an array with one a thread (never without an axis)."""


def number(value: Array) -> Number:
    """An integer value; without an axis over threads it becomes a Python integer."""
    return int(value) if value.ndim == 0 else value
