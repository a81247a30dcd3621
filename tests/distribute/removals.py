"""What becomes of a program of `memory_programs.py` in which one barrier is missing: is it noticed, or was it needless?

Where no input shows a race the program is *freed*: each evaluation of a condition that depends on memory is decided by
an argument, and every store writes a number of its own, so that no two are equal by chance. Bounds of loops and
addresses of these programs are constants and counters. So the freed program under all decisions does everything that
the program may do under any input, and a race detector's silence is a proof.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from math import prod

import lanewise
import numpy as np
from lanewise.analysis.iterations import counted
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.attributes import IntegerAttr
from lanewise.ir.core import Before, Operation, Value
from lanewise.ir.dialects import arith, gpu, memref, scf, vector
from lanewise.ir.effects import accesses
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.types import I1, I32, INDEX
from lanewise.reference.errors import EvaluationError

from .memory_programs import GLOBAL, SIZE, arguments

Execute = Callable[[Operation, list[np.ndarray]], None]
INPUTS = 200
"""That many are tried where a race depends on data."""
_MOST_DECISIONS = 10


class Verdict(Enum):
    REPORTED = "an input shows the race"
    NEEDLESS = "no decisions and no values make a race"
    EQUAL = "a race of writes that are equal for every input tried"
    UNTAKEN = "a race only if conditions are decided as no input tried decides them"
    OPEN = "too many decisions to try all, and no race found"


def barriers(module: Operation) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, gpu.BarrierOp)]


def without(module: Operation, number: int) -> Operation:
    """A copy of a thread-level module in which one barrier is missing."""
    copy = parse_program(print_program(module))
    op = barriers(copy)[number]
    assert op.parent is not None
    op.parent.erase(op)
    return copy


def interpreted(module: Operation, values: list[np.ndarray]) -> None:
    interpret_kernel(find_kernel(module), (1, 1, 1), values, subgroup_size=32)


def emulated(module: Operation, values: list[np.ndarray]) -> None:
    lanewise.compile(print_program(module), target="sm_90", device="emulated")[1](*values)


def races(module: Operation, values: list[np.ndarray], execute: Execute) -> bool:
    try:
        execute(module, values)
    except (EvaluationError, lanewise.LaunchError) as error:
        assert "race" in str(error), str(error)
        return True
    return False


def decide(module: Operation, seed: int) -> Verdict:
    """Of a thread-level module that lacks a barrier."""
    if shown(module, seed, range(6), interpreted):
        return Verdict.REPORTED
    marked, free = Freed(module, values=True), Freed(module, values=False)
    execute, decisions = interpreted, marked.race(seed, interpreted)
    if decisions is None:
        # The interpreter forgets a few accesses of parts, and a write that an update hides; the emulator keeps all.
        execute, decisions = emulated, free.race(seed, emulated)
    if decisions is None:
        return Verdict.NEEDLESS if marked.complete else Verdict.OPEN
    if shown(module, seed, range(INPUTS), execute):
        return Verdict.REPORTED
    return Verdict.UNTAKEN if any(free.races(seed + n, decisions, execute) for n in range(6)) else Verdict.EQUAL


def shown(module: Operation, seed: int, inputs: range, execute: Execute) -> bool:
    """Whether one of these inputs makes a race."""
    return any(races(module, arguments(seed + 1000 * n), execute) for n in inputs)


class Freed:
    """A copy of a module whose conditions are free; with `values`, each store writes a number of its own."""

    def __init__(self, module: Operation, *, values: bool) -> None:
        text = print_program(module).replace(f"%d: {GLOBAL})", f"%d: {GLOBAL}, %free: {GLOBAL})")
        self.module = parse_program(text)
        self.decisions = 0
        ifs = [op for op in self.module.walk() if isinstance(op, scf.IfOp)]
        free = find_kernel(self.module).op.body.arguments[2]
        self._places: dict[Operation, int] = {}
        for op in ifs:
            source = _source(op.condition)
            if source is not None:
                self._free(op, source, free)
        if values:
            for number, op in enumerate(list(self.module.walk())):
                if isinstance(op, (memref.StoreOp, vector.StoreOp, vector.MaskedStoreOp)):
                    _mark(op, number)

    @property
    def complete(self) -> bool:
        return self.decisions <= _MOST_DECISIONS

    def choices(self, seed: int) -> Iterator[Sequence[int]]:
        """All decisions; a sample, where they are too many."""
        if self.complete:
            return itertools.product((0, 1), repeat=self.decisions)
        rng = np.random.default_rng(seed)
        return (rng.integers(0, 2, self.decisions).tolist() for _ in range(1 << _MOST_DECISIONS))

    def race(self, seed: int, execute: Execute) -> Sequence[int] | None:
        """Decisions that make one."""
        return next((bits for bits in self.choices(seed) if self.races(seed, bits, execute)), None)

    def races(self, seed: int, decisions: Sequence[int], execute: Execute) -> bool:
        free = np.zeros(SIZE, np.int32)
        free[: len(decisions)] = decisions
        return races(self.module, [*arguments(seed), free], execute)

    def _free(self, op: scf.IfOp, source: Operation, free: Value) -> None:
        loops = list(_loops(source))
        if source not in self._places:
            self._places[source] = self.decisions
            self.decisions += prod(len(_numbers(loop)) for loop in loops)
        build = Before(op)
        bit = build.value(memref.LoadOp, free, [_place(build, loops, self._places[source])], types=[I32])
        op.set_operand(0, build.value(arith.TruncIOp, bit, types=[I1]))


def _source(condition: Value) -> Operation | None:
    """The read of memory that a condition depends on."""
    found = set(_reads(condition))
    assert len(found) < 2
    return found.pop() if found else None


def _reads(value: Value) -> Iterator[Operation]:
    op = value.operation
    if op is not None and any(access.reads for access in accesses(op)):
        yield op
    elif op is not None:
        for operand in op.operands:
            yield from _reads(operand)


def _loops(op: Operation) -> Iterator[scf.ForOp]:
    around = op.enclosing()
    while around is not None:
        if isinstance(around, scf.ForOp):
            yield around
        around = around.enclosing()


def _numbers(loop: scf.ForOp) -> range:
    numbers = counted(loop)
    assert numbers is not None and numbers.start == 0 and numbers.step == 1
    return numbers


def _constant(build: Before, number: int, type: object = INDEX) -> Value:
    return build.value(arith.ConstantOp, types=[type], value=IntegerAttr(number, type))


def _place(build: Before, loops: Sequence[scf.ForOp], first: int) -> Value:
    """`first` plus the number of the iteration, of all these loops."""
    place, unit = _constant(build, first), 1
    for loop in loops:
        step = build.value(arith.MulIOp, loop.induction_variable, _constant(build, unit))
        place, unit = build.value(arith.AddIOp, place, step), unit * len(_numbers(loop))
    return place


def _mark(op: memref.StoreOp | vector.StoreOp | vector.MaskedStoreOp, number: int) -> None:
    """Makes a store write a number that no other store, and none of another iteration, writes."""
    build = Before(op)
    place = _place(build, list(_loops(op)), number << 10)
    mark = build.value(arith.IndexCastOp, place, types=[I32])
    if not isinstance(op, memref.StoreOp):
        mark = build.value(vector.BroadcastOp, mark, types=[op.value.type])
    op.set_operand(op.operands.index(op.value), mark)
