"""Rules for programs within the program: of parts of the workgroup, and of each thread.

Parts run one after the other, but for what barrier objects order: who waits for one lets others go on. Of a workgroup's
program they are the one owner's: what they do to each other's memory the compiler refuses, and the other executors
report.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from ..ir.dialects.nvgpu_mbarrier import MBarrierTryWaitParityOp
from ..ir.numerics import Array
from ..ir.program_parts import Part, part_around, parts_of
from ..support.dataclasses import replace
from .batch_state import Number, State
from .closures import EVALUATE, Compiler, Step, run
from .errors import failure
from .geometry import Batch
from .memory import MemRef
from .rules_async_groups import end_groups
from .turns import Turns
from .uncertainty import Uncertainty


@EVALUATE.of(SplitOp)
def _split(op: SplitOp, c: Compiler) -> Step:
    programs = [(part, c.block(region.block)[0]) for part, region in zip(parts_of(op), op.regions, strict=True)]
    is_outermost = part_around(op) is None
    waits = any(isinstance(inner, MBarrierTryWaitParityOp) for inner in op.walk())

    def step(m: State) -> None:
        outer, geometry = m.active, m.batch.geometry
        if is_outermost and geometry.subgroup_size is not None and sum(op.subgroups) != geometry.subgroups:
            found = f"the workgroup has {geometry.subgroups}"
            raise failure(op, f"has parts of {sum(op.subgroups)} subgroups, {found}")

        def program(part: Part, steps: list[Step]) -> None:
            m.active, m.unordered = outer, list(unordered)
            if geometry.scope != "workgroup":
                members = m.batch.of_part(part)
                m.active = members if outer is None else members & outer
            if m.active is None or m.active.any():
                run(steps, m)

        unordered = m.unordered
        bodies = [partial(program, part, steps) for part, steps in programs]
        if waits:
            m.turns = m.turns or Turns()
            m.turns.run(bodies)
        else:
            for body in bodies:
                body()
        m.active, m.unordered = outer, unordered

    return step


@EVALUATE.of(ThreadsOp)
def _threads(op: ThreadsOp, c: Compiler) -> Step:
    steps, _ = c.block(op.body)
    taken = [(value, c.slot(value)) for value in _from_outside(op)]

    def step(m: State) -> None:
        if m.batch.geometry.scope == "thread":
            run(steps, m)
            return
        inner = threads_of(op, m)
        owner = _owners_of(inner.batch, m)
        for value, slot in taken:
            inner.values[slot] = _spread(value, m.values[slot], owner)
            doubt = m.doubts[slot]
            inner.doubts[slot] = None if doubt is None else _spread_doubt(doubt, owner)
        run(steps, inner)
        end_groups(op, inner)

    return step


def _from_outside(op: Operation) -> list[Value]:
    """Scalars and memrefs that a thread's program takes from the one around it."""
    inside = {value for inner in op.walk() if inner is not op for value in inner.results}
    inside.update(a for inner in op.walk() for region in inner.regions for b in region.blocks for a in b.arguments)
    used = {value: None for inner in op.walk() if inner is not op for value in inner.operands}
    return [value for value in used if value not in inside]


def threads_of(op: Operation, m: State) -> State:
    """The state of the threads of those who execute `op`, whose program stands in it. Raises `EvaluationError`."""
    part = part_around(op)
    if part is not None and m.batch.geometry.subgroup_size is None:
        raise failure(op, "is in a part of the workgroup, and needs a subgroup size")
    inner = _of_threads(m)
    if part is not None:
        members = inner.batch.of_part(part)
        inner.active = members if inner.active is None else members & inner.active
    return inner


def _owners_of(batch: Batch, m: State) -> Array:
    """Each thread's owner, in whose name it reads and writes."""
    of = {"workgroup": batch.workgroup, "subgroup": batch.subgroup}
    return of[m.batch.geometry.scope]


def _of_threads(m: State) -> State:
    """The state of the owners' threads."""
    geometry = replace(m.batch.geometry, scope="thread")
    batch = Batch(geometry, m.batch.first, m.batch.workgroups)
    owner = _owners_of(batch, m)
    inner = State(batch, list(m.values), m.run)
    inner.counters = m.counters
    inner.active = None if m.active is None else m.active[owner]
    for space, clock in inner.clocks.items():
        clock.stamps = m.clocks[space].stamps[owner]
    return inner


def _spread(value: Value, outer: Any, owner: Array) -> Any:
    """A value of owners as one of their threads."""
    if value.type.is_memref:
        return _spread_memref(outer, owner)
    array = np.asarray(outer)
    return array[owner] if array.ndim else array


def _spread_memref(memref: MemRef, owner: Array) -> MemRef:
    def each(number: Number) -> Number:
        return number if isinstance(number, int) else np.asarray(number[owner])

    sizes, strides = tuple(map(each, memref.sizes)), tuple(map(each, memref.strides))
    offset, origin, elsewhere = map(each, (memref.offset, memref.origin, memref.elsewhere))
    return replace(memref, offset=offset, sizes=sizes, strides=strides, origin=origin, elsewhere=elsewhere)


def _spread_doubt(doubt: Uncertainty, owner: Array) -> Uncertainty:
    return doubt.moved(lambda part: part[owner] if part.ndim else part)
