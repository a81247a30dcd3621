"""Rules for what a program prints, and for the numbers by which it finds the place for that."""

from __future__ import annotations

import numpy as np

from ..ir.dialects.gpu_printf import PrintfOp
from ..ir.dialects.lanewise import CountOp
from ..ir.dialects.vector_print import MessageOp, PrintOp
from ..ir.messages import Shown, canonical, shown
from ..ir.numerics import Array
from ..ir.printing import Record
from ..ir.printing_programs import program_of, programs
from ..ir.types import shape_of
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .uncertainty import Maybe


@EVALUATE.of(PrintOp, PrintfOp)
def _print(op: MessageOp, c: Compiler) -> Step:
    message, slots = op.message, c.slots(op.told)
    pieces = shown(message)
    program = _number(op)

    def step(m: State) -> None:
        of_each = [_by_owner(m, piece, m.values[slot]) for piece, slot in zip(pieces, slots, strict=True)]
        bounds = [_bound_by_owner(m, piece, m.doubts[slot]) for piece, slot in zip(pieces, slots, strict=True)]
        for owner in m.present():
            place = (m.batch.first + int(m.batch.workgroup[owner]), program, int(m.batch.flat[owner]))
            values = tuple(value[owner] for value in of_each)
            m.run.printed.append(Record(place, message, values, tuple(None if b is None else b[owner] for b in bounds)))

    return step


def _number(op: MessageOp) -> int:
    function = op.enclosing()
    assert function is not None
    while (around := function.enclosing()) is not None:
        function = around
    return programs(function).index(program_of(op))


def _by_owner(m: State, piece: Shown, value: Array) -> Array:
    return np.broadcast_to(canonical(np.asarray(value), piece.type), (m.batch.size, *shape_of(piece.type)))


def _bound_by_owner(m: State, piece: Shown, doubt: Maybe) -> Array | None:
    return None if doubt is None else np.broadcast_to(doubt.bound, (m.batch.size, *shape_of(piece.type)))


@EVALUATE.of(CountOp)
def _count(op: CountOp, c: Compiler) -> Step:
    out, counter, by = c.slot(op.result_), op.counter, op.by

    def step(m: State) -> None:
        counts = m.counters.setdefault(counter, np.zeros(m.batch.size, np.int64))
        m.values[out] = counts.copy()
        counts[m.present()] += by

    return step
