"""iree_vector_ext.arg_compare: both results have the input's layout without the dimension; indices lie with values."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.dialects.arg_compare import ArgCompareOp, YieldOp
from ...ir.types import shape_of
from ..nested import NestedLayout
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule
from .moves import spread
from .vector_reductions import crossing_cycles, spread_over_lanes

_CARRIED = 3
"""Values that cross threads together: an element, its position, its index."""


class ArgCompareRule(TransferRule[ArgCompareOp]):
    joins = 3
    one_layout = True

    def own(self, op: ArgCompareOp, known: Known) -> Iterable[Assignment]:
        yield self._around(op, spread(op.input_value.type, known.workgroup))

    def alternatives(self, op: ArgCompareOp, results: Layouts, known: Known) -> Iterable[Assignment]:
        kept = next((layout for layout in results if layout is not None), None)
        layout = self._source(op, kept, known)
        return [] if layout is None else [self._around(op, layout)]

    def _source(self, op: ArgCompareOp, kept: NestedLayout | None, known: Known) -> NestedLayout | None:
        source = known(op.input_value) or (None if op.input_index is None else known(op.input_index))
        if kept is None or (source is not None and source.project([op.dimension]) == kept):
            return source
        return spread_over_lanes(kept, shape_of(op.input_value.type), [op.dimension], known)

    def backward(self, op: ArgCompareOp, results: Layouts, known: Known) -> Layouts:
        layout = self._source(op, results[0], known)
        return [None] * len(op.operands) if layout is None else self._around(op, layout)[0]

    def _around(self, op: ArgCompareOp, layout: NestedLayout) -> Assignment:
        kept = layout.project([op.dimension])
        count = 1 if op.input_index is None else 2
        base = [None] * (len(op.operands) - count - 2)
        return [*[layout] * count, kept, kept, *base], [kept, kept]

    def work(self, op: ArgCompareOp, operands: Layouts, results: Layouts, known: Known) -> int:
        source, kept = operands[0], results[0]
        if source is None or kept is None:
            return 0
        compared = _CARRIED * source.registers
        return compared + _CARRIED * kept.registers * crossing_cycles(source, [op.dimension], known.workgroup)


TRANSFER.set(ArgCompareOp, ArgCompareRule())
TRANSFER.needless("ends a comparator, whose values are scalars", YieldOp)
