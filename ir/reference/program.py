"""A function compiled for the reference: one Python function per operation, values in numbered slots of a frame.

Slot 0 holds the owner: the workgroup, subgroup or thread that runs. Operations that need other owners (barriers,
shuffles) make their block one that waits: it runs as a generator that yields a `Meeting` and is sent the outcome.

Where a machine is given to compare with, the value in slot i has its uncertainty in slot -i: None where every right
execution has the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..core import Block, Operation, Value
from ..dialects import arith
from ..dialects.elementwise import Elementwise
from ..limits import GENEROUS, Meter
from ..numerics import Array
from ..rule_table import RuleTable
from .errors import failure
from .memory import View
from .propagation import Machine, propagation
from .uncertainty import Maybe

Frame = list[Any]
OWNER = 0


@dataclass(frozen=True, eq=False)
class Meeting:
    """One owner's arrival at an operation that needs others; `payload` is what it brings, with its uncertainties."""

    op: Operation
    payload: tuple[Any, ...] = ()
    uncertainties: tuple[Maybe, ...] = ()


Waiting: TypeAlias = Generator[Meeting, Any, None]
Plain = Callable[[Frame], None]
Waits = Callable[[Frame], Waiting]


@dataclass
class Owner:
    """Who runs the program: coordinates for the id operations, and the workgroup's shared buffers."""

    ids: dict[tuple[type[Operation], int], Array]
    """Values of id operations by class and dimension (0 for those without one)."""
    shared: dict[tuple[Operation, int], View]
    """The workgroup's buffers by allocation and how often it has run."""
    meter: Meter = field(default_factory=lambda: Meter(GENEROUS, 1))
    runs: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """How often this owner has run each allocation."""
    unsettled: list[Operation] = field(default_factory=list[Operation])
    """Operations whose branch, number of iterations or address depended on something undecided."""


@dataclass(frozen=True, eq=False)
class Code:
    """A compiled block. `steps` pair a function with whether it waits."""

    arguments: tuple[int, ...]
    steps: tuple[tuple[Callable[[Frame], Any], bool], ...]
    yielded: tuple[int, ...]
    """Slots of the terminator's operands."""
    waits: bool

    def run(self, frame: Frame) -> None:
        """Runs a block that does not wait."""
        for step, _ in self.steps:
            step(frame)

    def run_waiting(self, frame: Frame) -> Waiting:
        for step, waits in self.steps:
            if waits:
                yield from step(frame)
            else:
                step(frame)


class Compiler:
    """Numbers the values of one function and compiles its blocks; follows uncertainties where `machine` is given."""

    def __init__(self, machine: Machine | None = None) -> None:
        self._slots: dict[Value, int] = {}
        self.constants: dict[int, Array] = {}
        self.machine = machine

    def slot(self, value: Value) -> int:
        return self._slots.setdefault(value, len(self._slots) + 1)

    def slots(self, values: Sequence[Value]) -> tuple[int, ...]:
        return tuple(self.slot(v) for v in values)

    def frame(self) -> Frame:
        """A frame that has the constants and nothing else."""
        frame: Frame = [None] * (2 * len(self._slots) + 1)
        for slot, value in self.constants.items():
            frame[slot] = value
        return frame

    def block(self, block: Block) -> Code:
        arguments = self.slots(block.arguments)
        steps: list[tuple[Callable[[Frame], Any], bool]] = []
        terminator = block.terminator
        for op in block.operations:
            if isinstance(op, arith.ConstantOp):
                self.constants[self.slot(op.result)] = op.array()
            elif op is not terminator:
                steps.append(self.operation(op))
        yielded = self.slots(terminator.operands) if terminator is not None else ()
        return Code(arguments, tuple(steps), yielded, any(waits for _, waits in steps))

    def operation(self, op: Operation) -> tuple[Callable[[Frame], Any], bool]:
        waiting = WAIT.get(type(op))
        if waiting is not None:
            return waiting(op, self), True
        control = CONTROL.get(type(op))
        if control is not None:
            return control(op, self)
        rule = EVALUATE.get(type(op))
        return (rule(op, self) if rule is not None else self.value_operation(op)), False

    def value_operation(self, op: Operation) -> Plain:
        """An operation on values: its own `reference`."""
        if type(op).reference is Operation.reference:
            raise failure(op, f"has no meaning in the reference: {EVALUATE.reason(type(op)) or 'no rule'}")
        reference, inputs, outputs = op.reference, self.slots(op.operands), self.slots(op.results)
        if isinstance(op, Elementwise) and op.promises:
            reference = _held_to_promise(op)
        single = len(outputs) == 1
        compute = _one_result(reference, inputs, *outputs) if single else _several(reference, inputs, outputs)
        return compute if self.machine is None else self._followed(op, compute, inputs, outputs, self.machine)

    @staticmethod
    def _followed(
        op: Operation, compute: Plain, inputs: tuple[int, ...], outputs: tuple[int, ...], machine: Machine
    ) -> Plain:
        propagate = propagation(op, machine)

        def step(frame: Frame) -> None:
            compute(frame)
            found = propagate([frame[i] for i in inputs], [frame[-i] for i in inputs], [frame[i] for i in outputs])
            for slot, uncertainty in zip(outputs, found, strict=True):
                frame[-slot] = uncertainty

        return step


def _held_to_promise(op: Elementwise) -> Callable[..., Any]:
    """Of scalars only: elements of a vector that a program never looks at may be anything."""

    def reference(*operands: Array) -> Array:
        flag = op.broken_promise(*operands) if not operands[0].ndim else ""
        if flag:
            found = " and ".join(str(int(x)) for x in operands)
            raise failure(op, f"is undefined: '{flag}' promises what does not hold of {found}")
        return op.reference(*operands)

    return reference


def _one_result(reference: Callable[..., Any], inputs: tuple[int, ...], output: int) -> Plain:
    def step(frame: Frame) -> None:
        frame[output] = reference(*[frame[i] for i in inputs])

    return step


def _several(reference: Callable[..., Any], inputs: tuple[int, ...], outputs: tuple[int, ...]) -> Plain:
    def step(frame: Frame) -> None:
        for slot, value in zip(outputs, reference(*[frame[i] for i in inputs]), strict=True):
            frame[slot] = value

    return step


EVALUATE: RuleTable[Callable[[Any, Compiler], Plain]] = RuleTable("EVALUATE")
"""Operations on memory and ids."""
CONTROL: RuleTable[Callable[[Any, Compiler], tuple[Callable[[Frame], Any], bool]]] = RuleTable("CONTROL")
"""Operations with regions; the rule also says whether the operation waits."""
WAIT: RuleTable[Callable[[Any, Compiler], Waits]] = RuleTable("WAIT")
"""Operations that wait for other owners."""


def integers(frame: Frame, slots: Sequence[int]) -> list[int]:
    """Index values as Python integers."""
    return [int(frame[i]) for i in slots]


def index_value(number: int) -> Array:
    return np.array(number, np.int64)


def is_settled(frame: Frame, slots: Sequence[int]) -> bool:
    return all(frame[-i] is None for i in slots)


def settle(op: Operation, frame: Frame, slots: Sequence[int]) -> None:
    """Notes that `op` wrote somewhere else, or did something else, had an undecided number fallen the other way."""
    if not is_settled(frame, slots):
        frame[OWNER].unsettled.append(op)
