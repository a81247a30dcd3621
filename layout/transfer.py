"""How layouts pass through one operation: the vocabulary of `rules/` and the TRANSFER table.

A rule answers two questions. `forward`: which layout do the results have, given what is known of the operands?
`backward`: which layout does every operand need, given the results'? None means "no opinion". Scalars have no layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from ..ir.core import Operation, Value
from ..ir.rule_table import RuleTable
from ..ir.targets import Chip
from ..ir.types import VectorType, bit_width
from .conversion import plan_conversion
from .nested import NestedLayout

OpT = TypeVar("OpT", bound=Operation)
Layouts = Sequence[NestedLayout | None]


@dataclass
class Known:
    """The layouts found so far, and the workgroup they are for."""

    threads: int
    subgroup_size: int
    chip: Chip
    layouts: dict[Value, NestedLayout] = field(default_factory=dict[Value, NestedLayout])

    def __call__(self, value: Value) -> NestedLayout | None:
        return self.layouts.get(value)

    @property
    def subgroups(self) -> int:
        return max(1, self.threads // self.subgroup_size)

    @property
    def whole_subgroups(self) -> bool:
        """Whether no subgroup lacks lanes: matrix instructions need them all."""
        return self.threads % self.subgroup_size == 0

    def conversion_cost(self, value: Value, target: NestedLayout) -> int:
        """Relative cost of bringing `value`, whose layout is known, to `target`."""
        assert isinstance(value.type, VectorType)
        source = self.layouts[value].wrapped(self.subgroups)
        bits = max(8, bit_width(value.type.element))
        plan = plan_conversion(
            source,
            target.wrapped(self.subgroups),
            threads=self.threads,
            subgroup_size=self.subgroup_size,
            element_bits=bits,
        )
        return plan.cost.cycles


class TransferRule(Generic[OpT]):
    """Layout transfer of one operation class; the base has no opinion."""

    one_layout: ClassVar[bool] = False
    """Whether all vector results have the same layout, as where one thread computes them together."""

    def forward(self, op: OpT, known: Known) -> Layouts:
        return [None] * len(op.results)

    def backward(self, op: OpT, results: Layouts, known: Known) -> Layouts:
        return [None] * len(op.operands)


TRANSFER: RuleTable[TransferRule[Any]] = RuleTable("transfer")
_NO_OPINION: TransferRule[Operation] = TransferRule()


def rule_of(op: Operation) -> TransferRule[Any]:
    """The operation's rule, one without an opinion where the table has none."""
    return TRANSFER.get(type(op)) or _NO_OPINION


def cheapest(candidates: Mapping[Value, NestedLayout], known: Known) -> NestedLayout | None:
    """Of the operands' layouts, the one to which the others convert at least cost; the first of equals."""
    distinct = list(dict.fromkeys(candidates.values()))
    if len(distinct) < 2:
        return distinct[0] if distinct else None

    def cost(target: NestedLayout) -> int:
        return sum(known.conversion_cost(value, target) for value, has in candidates.items() if has != target)

    return min(distinct, key=cost)


def is_vector(value: Value) -> bool:
    return isinstance(value.type, VectorType)
