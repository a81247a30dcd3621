"""Barriers, where one thread's access to memory may meet another's.

The thread's program is walked (`barrier_walk.py`), and a barrier stands before each access that needs an order with
something since the last one. In a loop one may be found for the first iteration, and a later one, for the second, that
would have done for the first. So each that meets nothing in a walk past all of them is left out where the others turn
out to be enough.
"""

from __future__ import annotations

from collections.abc import Collection

from ..analysis.thread_numbers import Threads
from ..ir.analyses import Analyses
from ..ir.cloning import clone
from ..ir.core import Operation
from ..ir.dialects import gpu
from ..ir.dialects.func import FunctionLike
from ..support.diagnostics import About, CompileError, Diagnostic
from .barrier_walk import Walk
from .events import Events

_MOST_TRIALS = 16
"""So many barriers are tried to be left out."""


def synchronise(function: FunctionLike, threads: Threads, analyses: Analyses) -> int:
    """Inserts the barriers that a distributed function needs, with the marks that distribution made
    (`ir/thread_marks.py`).

    Returns how many. Raises CompileError where parts that run at once may meet in memory."""
    found = _unordered(function, threads, analyses)
    for op in found:
        assert op.parent is not None
        op.parent.insert(op.parent.position(op), gpu.BarrierOp(location=op.location))
    return len(found)


def require_order(function: FunctionLike, threads: Threads, analyses: Analyses) -> None:
    """Raises CompileError where lanes of a subgroup need an order, in a program of subgroups: no barrier is theirs."""
    for op in _unordered(function, threads, analyses):
        message = "touches memory that another lane touched, and nothing orders lanes of a subgroup's program"
        hint = "write a gpu.barrier before it, or the program for the workgroup, or anchor a layout without copies"
        raise CompileError([Diagnostic(message, op.location, hint=hint, about=About("race"))])


def needless(function: FunctionLike, threads: Threads) -> list[Operation]:
    """Barriers that a distributed function has, each of which could go: without it no more are needed than with it."""
    barriers, least = list(function.all_of(gpu.BarrierOp)), len(_unordered(function, threads, Analyses()))
    found: list[Operation] = []
    for number, barrier in enumerate(barriers):
        without = clone(function, {})
        left_out = list(without.all_of(gpu.BarrierOp))[number]
        assert left_out.parent is not None
        left_out.parent.erase(left_out)
        if len(_unordered(without, threads, Analyses())) <= least:
            found.append(barrier)
    return found


def _unordered(function: FunctionLike, threads: Threads, analyses: Analyses) -> list[Operation]:
    """What needs a barrier before it."""
    events = Events(function, threads, analyses)

    def walk(given: Collection[Operation]) -> Walk:
        walked = Walk(events, given)
        walked.block(function.body, {})
        return walked

    before = list(walk(()).before) if events.met else []
    if all(op.parent is function.body for op in before):
        return before
    needed = walk(before).meeting
    for op in [op for op in before if op not in needed][:_MOST_TRIALS]:
        rest = [other for other in before if other is not op]
        if len(walk(rest).before) == len(rest):
            before = rest
    return before
