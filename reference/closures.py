"""A function compiled for evaluation: a list of closures over numbered slots, which a batch of owners executes.

Rules (`rules_*.py`) make one closure of an operation; whatever does not change between batches is computed here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..ir.core import Block, Operation, Value
from ..ir.dialects import arith
from ..ir.numerics import Array
from ..ir.rule_table import RuleTable
from ..support.deep_recursion import deep
from .batch_state import State
from .errors import failure
from .memory import Site
from .propagation import PROPAGATE, Machine
from .races import MAX_OPERATIONS

OpT = TypeVar("OpT", bound=Operation)
Step = Callable[[State], None]
Rule = Callable[[Any, "Compiler"], Step | None]

EVALUATE: RuleTable[Rule] = RuleTable("EVALUATE")
"""Operations that are more than a function of their operands' values."""


class Compiler:
    """Numbers values, and the operations that touch memory; follows uncertainties where `machine` is given."""

    def __init__(self, values: Callable[[Operation, Compiler], Step], machine: Machine | None = None) -> None:
        self._values = values
        self._slots: dict[Value, int] = {}
        self.machine = machine
        self.promises = True
        """Whether flags of scalar arithmetic that do not hold are reported."""
        self.template: list[Any] = []
        """The values that a batch starts with: constants, later the kernel's arguments."""
        self.operations: list[Operation] = []

    def slot(self, value: Value) -> int:
        found = self._slots.setdefault(value, len(self.template))
        if found == len(self.template):
            self.template.append(None)
        return found

    def slots(self, values: Sequence[Value]) -> list[int]:
        return [self.slot(v) for v in values]

    @property
    def values(self) -> list[Value]:
        """All values, by slot."""
        return list(self._slots)

    def fill(self, known: Callable[[Value], Any]) -> list[Any]:
        """The values that a batch starts with, where `known` gives those of what others have made, or None."""
        pairs = zip(self._slots, self.template, strict=True)
        return [known(value) if given is None else given for value, given in pairs]

    def constant(self, value: Value, array: Array) -> None:
        """Enters a value that is known already."""
        self.template[self.slot(value)] = array

    def site(self, op: Operation, verb: str) -> Site:
        """A number for an operation that touches memory; the last number is shared where they run out."""
        if len(self.operations) < MAX_OPERATIONS:
            self.operations.append(op)
        return Site(op, len(self.operations) - 1, "writes" if verb == "writes" else "reads")

    @deep
    def block(self, block: Block) -> tuple[list[Step], list[int]]:
        """The steps of a block, and the slots that its terminator names. Raises `EvaluationError`."""
        steps = [s for op in block.operations if not op.terminator and (s := self.step(op)) is not None]
        last = block.terminator
        return steps, [] if last is None else self.slots(last.operands)

    def step(self, op: Operation) -> Step | None:
        """What one operation does; None where its results are known, or nothing happens. Raises `EvaluationError`."""
        if isinstance(op, arith.ConstantOp):
            self.constant(op.result_, op.array())
            return None
        rule = EVALUATE.get(type(op))
        if rule is not None:
            return rule(op, self)
        if type(op).reference is Operation.reference:
            raise failure(op, f"has no meaning in the reference: {EVALUATE.reason(type(op)) or 'no rule'}")
        if not op.operands and PROPAGATE.get(type(op)) is None:
            self.constant(op.result, op.reference())
            return None
        return self._values(op, self)


@deep
def run(steps: list[Step], m: State) -> None:
    for step in steps:
        step(m)
