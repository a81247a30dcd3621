"""Buffers that are never in use at once get a barrier between them, where sharing bytes lets more workgroups run.

The scratch memory of an epilogue lies where a loop's tiles were: `codegen` gives both the same place, as it does with
all buffers between whose uses there is a barrier.
"""

from __future__ import annotations

from ..analysis.lifetimes import Lifetimes
from ..analysis.shared_places import extent_of, placed
from ..ir.analyses import Analyses
from ..ir.core import Operation
from ..ir.dialects import gpu, memref
from ..ir.dialects.func import FunctionLike
from ..targets import Chip

_MOST_THREADS = 2048
"""The most threads of a multiprocessor or compute unit: more workgroups do not run, whatever memory is left."""


def reuse_buffers(function: FunctionLike, threads: int, chip: Chip, analyses: Analyses) -> bool:
    """Inserts the barriers into one thread's program; whether there were any."""
    buffers = [op for op in function.all_of(memref.AllocOp) if not op.is_private]
    if len(buffers) < 2:
        return False
    lifetimes = analyses.get(Lifetimes, function)
    if len(lifetimes.of) < 2:
        return False
    sizes = {op: extent_of(op) for op in buffers}

    def total(*, with_barrier: bool) -> int:
        places = placed(sizes, lambda a, b: lifetimes.apart(a, b, with_barrier=with_barrier))
        return max(places[op] + sizes[op].bytes for op in buffers)

    if resident(total(with_barrier=False), threads, chip) <= resident(total(with_barrier=True), threads, chip):
        return False
    second = {_second(a, b, lifetimes) for a in buffers for b in buffers if a is not b and _lacks(a, b, lifetimes)}
    operations = function.body.operations
    for before in [operations[position] for position in sorted(second)]:
        function.body.insert(function.body.position(before), gpu.BarrierOp(location=before.location))
    return True


def resident(bytes: int, threads: int, chip: Chip) -> int:
    """Workgroups of a multiprocessor, as far as their shared memory decides; 0 where not even one has room."""
    return min(chip.shared_memory_bytes // max(1, bytes), max(1, _MOST_THREADS // threads))


def _lacks(a: Operation, b: Operation, lifetimes: Lifetimes) -> bool:
    """Whether a barrier is all that is missing between them."""
    return lifetimes.apart(a, b, with_barrier=False) and not lifetimes.apart(a, b)


def _second(a: Operation, b: Operation, lifetimes: Lifetimes) -> int:
    return max(lifetimes.of[a].first, lifetimes.of[b].first)
