"""scf: what regions hand on keeps one layout from every side."""

from __future__ import annotations

from ...frontend.legalisations import REASON, is_expanded
from ...ir.core import Operation
from ...ir.dialects.scf import ConditionOp, ForOp, IfOp, IndexSwitchOp, WhileOp, YieldOp
from ..nested import NestedLayout
from ..transfer import TRANSFER, Known, Layouts, TransferRule


def _handed_on(op: Operation, by: Operation, known: Known) -> Layouts:
    """The layouts that operands of `op` need because `by`, the operation itself or the one around it, hands them on."""
    needed: list[NestedLayout | None] = [None] * len(op.operands)
    for position in by.carries():
        for user, number in position.sources:
            if user is op:
                needed[number] = known(position.targets[0])
    return needed


class RegionsRule(TransferRule[Operation]):
    """What an operation gives to its regions has the layouts of their arguments."""

    def backward(self, op: Operation, results: Layouts, known: Known) -> Layouts:
        return _handed_on(op, op, known)


class EndRule(TransferRule[Operation]):
    """What a region hands on has the layout of what it becomes."""

    def backward(self, op: Operation, results: Layouts, known: Known) -> Layouts:
        owner = op.enclosing()
        return [None] * len(op.operands) if owner is None else _handed_on(op, owner, known)


TRANSFER.needless_family(REASON, is_expanded)
TRANSFER.of(ForOp, IfOp, IndexSwitchOp, WhileOp)(RegionsRule())
TRANSFER.of(ConditionOp, YieldOp)(EndRule())
