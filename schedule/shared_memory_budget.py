"""How much shared memory a loop can have for its tiles.

Loops of the function's own block run one after the other, so that what only one of them uses may lie where another's
tiles are: `distribute/reuse.py` inserts the barrier that this takes, `codegen` gives both the same bytes.
"""

from __future__ import annotations

from ..analysis.lifetimes import Lifetimes
from ..analysis.shared_places import size_of
from ..ir.analyses import Analyses
from ..ir.core import Operation
from ..ir.dialects import memref, scf
from ..ir.dialects.func import FunctionLike
from ..ir.memory_spaces import is_workgroup
from ..layout.workgroup import Workgroup


def most_bytes(workgroup: Workgroup) -> int:
    """The most bytes of shared memory for buffers: conversions may need the rest."""
    return workgroup.chip.shared_memory_bytes * 7 // 8


class SharedMemoryBudget:
    """The room of a function whose loops are then rewritten, each in its place."""

    def __init__(self, function: FunctionLike, limit: int, analyses: Analyses) -> None:
        self._limit = limit
        self._positions = {op: position for position, op in enumerate(function.body.operations)}
        self._taken = [0] * len(self._positions)
        """Bytes in use at each of the positions."""
        lifetimes = analyses.get(Lifetimes, function).of
        for op in function.all_of(memref.AllocOp):
            if is_workgroup(op.memref.type.memory_space):
                used = lifetimes.get(op)
                span = range(len(self._taken)) if used is None else range(used.first, used.last + 1)
                self._take(span, size_of(op.memref.type))

    def left(self, loop: scf.ForOp) -> int:
        """For more tiles of a loop."""
        return self._limit - max(self._taken[position] for position in self._span(loop))

    def take(self, loop: scf.ForOp, bytes: int) -> None:
        self._take(self._span(loop), bytes)

    def _take(self, span: range, bytes: int) -> None:
        for position in span:
            self._taken[position] += bytes

    def _span(self, loop: Operation) -> range:
        """What is allocated in loops and branches shares its bytes with nothing."""
        position = self._positions.get(loop)
        return range(len(self._taken)) if position is None else range(position, position + 1)
