"""vector: loads and stores, gathers and scatters; lanewise.update. All vectors of one have one layout."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.core import Operation
from ...ir.dialects.vector_gather import GatherScatterOp
from ...ir.dialects.vector_memory import MemoryOp
from ..coalescing import Memory, cycles, layouts
from ..nested import NestedLayout
from ..transfer import TRANSFER, Assignment, Known, Layouts, OpT, TransferRule, is_vector


class _OneLayout(TransferRule[OpT]):
    """What neighbours in memory are in, whoever has them."""

    def memory(self, op: OpT, known: Known) -> Memory:
        raise AssertionError

    def own(self, op: OpT, known: Known) -> Iterable[Assignment]:
        for layout in layouts(self._memory(op, known), known.workgroup):
            yield _taking(op, layout), [layout for _ in op.results]

    def forward(self, op: OpT, known: Known) -> Layouts:
        return [_first(map(known, op.operands)) for _ in op.results]

    def backward(self, op: OpT, results: Layouts, known: Known) -> Layouts:
        return _taking(op, _first(results if op.results else map(known, op.operands)))

    def work(self, op: OpT, operands: Layouts, results: Layouts, known: Known) -> int:
        layout = _first((*results, *operands))
        return 0 if layout is None else cycles(self._memory(op, known), layout, known.workgroup)

    def _memory(self, op: OpT, known: Known) -> Memory:
        return known.once(op, lambda: self.memory(op, known))


def _first(found: Iterable[NestedLayout | None]) -> NestedLayout | None:
    return next((layout for layout in found if layout is not None), None)


def _taking(op: Operation, layout: NestedLayout | None) -> Layouts:
    return [layout if is_vector(v) else None for v in op.operands]


class SliceRule(_OneLayout[MemoryOp]):
    def memory(self, op: MemoryOp, known: Known) -> Memory:
        mask, facts = op.mask_or_none, known.divisibility
        written, alignment = not op.results, op.alignment
        return Memory.of(op, op.memref, op.indices, facts, mask=mask, written=written, alignment=alignment)


class AnywhereRule(_OneLayout[GatherScatterOp]):
    """Each element is looked for where its index says."""

    def memory(self, op: GatherScatterOp, known: Known) -> Memory:
        return Memory.anywhere(op.vector_type.shape, op.base, written=not op.results)


TRANSFER.set(MemoryOp, SliceRule())
TRANSFER.set(GatherScatterOp, AnywhereRule())
