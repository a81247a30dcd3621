"""scf: loop-carried values and branches keep one layout from every side."""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.core import Value
from ...ir.dialects.scf import ForOp, IfOp, YieldOp
from ..nested import NestedLayout
from ..transfer import TRANSFER, Known, Layouts, TransferRule


class ForRule(TransferRule[ForOp]):
    """Initial value, iteration argument, yielded value and result of one position share a layout."""

    def forward(self, op: ForOp, known: Known) -> Layouts:
        body = op.body
        yielded = body.operations[-1].operands
        sides = zip(op.results, body.arguments[1:], op.init_args, yielded, strict=True)
        return [_first(known, side) for side in sides]

    def backward(self, op: ForOp, results: Layouts, known: Known) -> Layouts:
        return [None, None, None, *results]


class IfRule(TransferRule[IfOp]):
    def forward(self, op: IfOp, known: Known) -> Layouts:
        branches = [region.block.operations[-1].operands for region in op.regions if region.blocks]
        return [_first(known, side) for side in zip(*branches, strict=True)]


def _first(known: Known, values: Iterable[Value]) -> NestedLayout | None:
    """The layout of the first value that has one."""
    return next((found for v in values if (found := known(v)) is not None), None)


class YieldRule(TransferRule[YieldOp]):
    """What is yielded takes the layout of the enclosing operation's result."""

    def backward(self, op: YieldOp, results: Layouts, known: Known) -> Layouts:
        owner = op.enclosing()
        return [known(r) for r in owner.results] if owner is not None else [None] * len(op.operands)


TRANSFER.set(ForOp, ForRule())
TRANSFER.set(IfOp, IfRule())
TRANSFER.set(YieldOp, YieldRule())
