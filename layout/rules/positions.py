"""vector.extract and insert: a part of a vector at a position, which may be known at run time only."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ...ir.dialects import vector
from ...ir.element_moves import only_moves
from ...ir.types import shape_of
from ..nested import NestedLayout
from ..plan import Cost
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule, is_vector
from ..workgroup import Workgroup
from .moves import MoveRule
from .vector_reductions import spread_over_lanes

_MOVE = MoveRule()


class ExtractRule(TransferRule[vector.ExtractOp]):
    """A part at a known place moves; else whoever holds it sends it along the leading dimensions, which may lie
    anywhere: the others are the result's."""

    joins = 3

    def alternatives(self, op: vector.ExtractOp, results: Layouts, known: Known) -> Iterable[Assignment]:
        return _MOVE.alternatives(op, results, known) if only_moves(op) else super().alternatives(op, results, known)

    def needs(self, op: vector.ExtractOp, results: Layouts, known: Known) -> Layouts:
        return _MOVE.needs(op, results, known) if only_moves(op) else super().needs(op, results, known)

    def work(self, op: vector.ExtractOp, operands: Layouts, results: Layouts, known: Known) -> int:
        source = operands[0]
        if only_moves(op):
            return _MOVE.work(op, operands, results, known)
        return 0 if source is None else _sending_cycles(source, len(op.static_position), known.workgroup)

    def forward(self, op: vector.ExtractOp, known: Known) -> Layouts:
        source = known(op.source)
        if source is None or not is_vector(op.result_):
            return [None]
        return [source.project(range(len(op.static_position)))]

    def backward(self, op: vector.ExtractOp, results: Layouts, known: Known) -> Layouts:
        """The source as it is known, if the dimensions that stay agree; else the leading ones go to unused lanes."""
        (result,) = results
        free: list[NestedLayout | None] = [None] * len(op.dynamic_position)
        if result is None and is_vector(op.result_):
            return [None, *free]
        source, lead = known(op.source), range(len(op.static_position))
        if source is None or (result is not None and source.project(lead) != result):
            source = spread_over_lanes(result, shape_of(op.source.type), lead, known)
        return [source, *free]


def _sending_cycles(source: NestedLayout, lead: int, workgroup: Workgroup) -> int:
    """What it takes to choose among a thread's registers and to send the part to all threads."""
    parts = source.dimensions[:lead]
    kept = source.registers // prod(part.size // (part.thread * part.subgroup) for part in parts)
    chosen = Cost(selects=source.registers - kept).cycles
    threads = prod(part.thread for part in parts)
    if threads > workgroup.subgroup_size or any(part.subgroup > 1 for part in parts):
        return chosen + Cost(stores=kept, loads=kept, wavefronts=2 * kept, barriers=2).cycles
    return chosen + (Cost(shuffles=kept).cycles if threads > 1 else 0)


class InsertRule(TransferRule[vector.InsertOp]):
    def forward(self, op: vector.InsertOp, known: Known) -> Layouts:
        return [known(op.dest)]

    def backward(self, op: vector.InsertOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        lead = range(len(op.static_position))
        value = result.project(lead) if result is not None and is_vector(op.value) else None
        return [value, result, *[None] * len(op.dynamic_position)]


TRANSFER.set(vector.ExtractOp, ExtractRule())
TRANSFER.set(vector.InsertOp, InsertRule())
