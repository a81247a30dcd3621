"""iree_vector_ext.transfer_gather and transfer_scatter: index vectors and masks lie as the elements they are for."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.dialects.indexed_transfers import IndexedTransfer, TransferGatherOp, TransferScatterOp
from ..coalescing import Memory, cycles, layouts
from ..nested import NestedLayout
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule


class GatherRule(TransferRule[TransferGatherOp]):
    def own(self, op: TransferGatherOp, known: Known) -> Iterable[Assignment]:
        for layout in layouts(_memory(op, known, written=False), known.workgroup):
            yield self.backward(op, [layout], known), [layout]

    def backward(self, op: TransferGatherOp, results: Layouts, known: Known) -> Layouts:
        return _around(op, results[0])

    def memory(self, op: TransferGatherOp, known: Known) -> Memory:
        return _memory(op, known, written=False)

    def work(self, op: TransferGatherOp, operands: Layouts, results: Layouts, known: Known) -> int:
        return 0 if results[0] is None else cycles(_memory(op, known, written=False), results[0], known.workgroup)


class ScatterRule(TransferRule[TransferScatterOp]):
    def own(self, op: TransferScatterOp, known: Known) -> Iterable[Assignment]:
        for layout in layouts(_memory(op, known, written=True), known.workgroup):
            yield _around(op, layout), ()

    def backward(self, op: TransferScatterOp, results: Layouts, known: Known) -> Layouts:
        return _around(op, known(op.value))

    def memory(self, op: TransferScatterOp, known: Known) -> Memory:
        return _memory(op, known, written=True)

    def work(self, op: TransferScatterOp, operands: Layouts, results: Layouts, known: Known) -> int:
        layout = operands[1]
        return 0 if layout is None else cycles(_memory(op, known, written=True), layout, known.workgroup)


def _around(op: IndexedTransfer, layout: NestedLayout | None) -> Layouts:
    """Layouts of the operands, where the vector has the layout."""
    return [None if layout is None or dims is None else layout.apply(dims) for dims in op.operand_dims()]


def _memory(op: IndexedTransfer, known: Known, *, written: bool) -> Memory:
    return known.once(op, lambda: Memory.looked_up(op, known.divisibility, written))


TRANSFER.set(TransferGatherOp, GatherRule())
TRANSFER.set(TransferScatterOp, ScatterRule())
