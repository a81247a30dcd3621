"""nvgpu, amdgpu: in a thread's program a lane has all of its fragments, and what else it has in vectors."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.core import Operation
from ...ir.types import shape_of
from ..nested import NestedLayout
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule, is_vector
from .vector import in_thread


class MatrixOperationRule(TransferRule[Operation]):
    rank = 1

    def own(self, op: Operation, known: Known) -> Iterable[Assignment]:
        yield self.backward(op, (), known), [_whole(op, r) for r in range(len(op.results))]

    def backward(self, op: Operation, results: Layouts, known: Known) -> Layouts:
        return [in_thread(shape_of(v.type)) if is_vector(v) else None for v in op.operands]


def _whole(op: Operation, number: int) -> NestedLayout | None:
    value = op.results[number]
    return in_thread(shape_of(value.type)) if is_vector(value) else None


TRANSFER.family(lambda cls: cls.on_lane_vectors or cls.multiplies_fragments, MatrixOperationRule())
