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
from ..ir.dialects.iree_gpu_config import lowering_config
from ..ir.dialects.vector import ContractionOp
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.memory_spaces import is_workgroup
from ..layout.transfer import is_vector
from ..layout.workgroup import Workgroup


def most_bytes(workgroup: Workgroup) -> int:
    """The most bytes of shared memory for buffers: conversions may need the rest."""
    return most_bytes_of(workgroup.chip.shared_memory_bytes)


def most_bytes_of(bytes: int) -> int:
    """The most bytes of shared memory for buffers where there are so many."""
    return bytes * 7 // 8


def moves_nothing(function: FunctionLike) -> bool:
    """Whether no value has to change threads, so that buffers may have all of the memory: there is one product, whose
    threads nobody chooses, and all else is done element by element, as its accumulators lie."""
    inside = [op for op in function.walk() if any(map(is_vector, (*op.operands, *op.results)))]
    products = [op for op in inside if isinstance(op, ContractionOp)]
    others = (op for op in inside if op not in products)
    return len(products) == 1 and not _is_asked(products[0]) and all(_is_done_anywhere(op) for op in others)


def _is_done_anywhere(op: Operation) -> bool:
    """Whether it takes elements in any threads, and gives them there."""
    moved = isinstance(op, TransferOp) or op.repeats or op.terminator
    return moved or op.elementwise or op.constant_like


def _is_asked(product: ContractionOp) -> bool:
    """Whether the program says which threads have what of it."""
    return any(name not in _OF_NO_THREADS for name in lowering_config(product))


_OF_NO_THREADS = ("mma_kind", "promote_operands")


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
