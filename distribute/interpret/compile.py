"""From a kernel's operations to a list of closures over numbered slots: what a batch executes.

Rules (`rules_*.py`) make one closure of an operation; whatever does not change between batches is computed here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ...ir.core import Block, Operation, Value
from ...ir.numerics import Array
from ...ir.rule_table import RuleTable
from .errors import failure
from .machine import Machine
from .memory import Site
from .races import MAX_OPERATIONS

OpT = TypeVar("OpT", bound=Operation)
Step = Callable[[Machine], None]
Rule = Callable[["Compiler", Any], Step | None]

INTERPRET: RuleTable[Rule] = RuleTable("interpret")


def interprets(*classes: type[OpT]) -> Callable[[Callable[[Compiler, OpT], Step | None]], Rule]:
    """Registers a rule for operation classes."""

    def register(rule: Callable[[Compiler, OpT], Step | None]) -> Rule:
        for cls in classes:
            INTERPRET.set(cls, rule)
        return rule

    return register


class Compiler:
    """Numbers values and the operations that touch memory."""

    def __init__(self) -> None:
        self._slots: dict[Value, int] = {}
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

    def constant(self, value: Value, array: Array) -> None:
        """Enters a value that is known already."""
        self.template[self.slot(value)] = array

    def site(self, op: Operation, verb: str) -> Site:
        """A number for an operation that touches memory; the last number is shared where they run out."""
        if len(self.operations) < MAX_OPERATIONS:
            self.operations.append(op)
        return Site(op, len(self.operations) - 1, "writes" if verb == "writes" else "reads")

    def block(self, block: Block) -> tuple[list[Step], list[int]]:
        """The steps of a block, and the slots that its terminator names. Raises `InterpretError`."""
        steps = [s for op in block.operations if not op.terminator and (s := self._step(op)) is not None]
        last = block.terminator
        return steps, [] if last is None else self.slots(last.operands)

    def _step(self, op: Operation) -> Step | None:
        rule = INTERPRET.get(type(op))
        if rule is not None:
            return rule(self, op)
        if op.elementwise:
            return by_reference(self, op)
        hint = "lower it to scalars and packs first: `distribute` gives that form"
        raise failure(op, "is not part of one thread's program", hint=hint)


def run(steps: list[Step], m: Machine) -> None:
    for step in steps:
        step(m)


def by_reference(c: Compiler, op: Operation) -> Step:
    """Operations on values whose reference function accepts a leading axis over threads."""
    function, inputs, outputs = op.reference, c.slots(op.operands), c.slots(op.results)
    if len(outputs) != 1:
        return several_results(function, inputs, outputs)
    (out,) = outputs
    make = _BY_ARITY.get(len(inputs))
    return make(function, out, *inputs) if make is not None else _any_arity(function, out, inputs)


def _unary(function: Callable[..., Any], out: int, a: int) -> Step:
    def step(m: Machine) -> None:
        m.values[out] = function(m.values[a])

    return step


def _binary(function: Callable[..., Any], out: int, a: int, b: int) -> Step:
    def step(m: Machine) -> None:
        values = m.values
        values[out] = function(values[a], values[b])

    return step


_BY_ARITY: dict[int, Callable[..., Step]] = {1: _unary, 2: _binary}


def _any_arity(function: Callable[..., Any], out: int, inputs: list[int]) -> Step:
    def step(m: Machine) -> None:
        values = m.values
        values[out] = function(*[values[i] for i in inputs])

    return step


def several_results(function: Callable[..., Any], inputs: list[int], outputs: list[int]) -> Step:
    """Of a function that gives a tuple."""

    def step(m: Machine) -> None:
        values = m.values
        results = function(*[values[i] for i in inputs])
        for out, result in zip(outputs, results, strict=True):
            values[out] = result

    return step
