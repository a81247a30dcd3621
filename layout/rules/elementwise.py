"""Elementwise operations of every dialect: all operands and results share one layout."""

from __future__ import annotations

from ...ir.core import Operation
from ...ir.dialects import gpu
from ...ir.dialects.arith import ConstantOp
from ..transfer import TRANSFER, AnyRule, Known, Layouts, TransferRule, is_vector


class ElementwiseRule(TransferRule[Operation]):
    one_layout = True

    def forward(self, op: Operation, known: Known) -> Layouts:
        layout = next((layout for v in op.operands if (layout := known(v)) is not None), None)
        return [layout if is_vector(r) else None for r in op.results]

    def backward(self, op: Operation, results: Layouts, known: Known) -> Layouts:
        layout = next((r for r in results if r is not None), None)
        return [layout if is_vector(v) else None for v in op.operands]


class LanesRule(ElementwiseRule):
    """What lanes do with each element alike; whether it is valid is a number beside them."""

    one_layout = False


TRANSFER.family(lambda cls: cls.elementwise, ElementwiseRule())
TRANSFER.set(ConstantOp, AnyRule())
TRANSFER.of(gpu.ShuffleOp, gpu.SubgroupReduceOp)(LanesRule())
