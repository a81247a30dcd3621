"""Rules for operations that end groups of copies, and wait for them: what they end and await their classes say."""

from __future__ import annotations

import numpy as np

from ..ir.core import Operation
from ..ir.numerics import Array
from ..ir.program_parts import part_around
from ..ir.traits import Completion
from .async_groups import AsyncGroups
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure

TOKEN: Array = np.zeros((), np.int64)
"""What the results of operations are that no more than order others."""


def groups_of(m: State, op: Operation, completion: Completion) -> AsyncGroups:
    """Those of the program that the operation stands in: a part's are its own."""
    part = part_around(op) if m.batch.geometry.scope == "workgroup" else None
    return m.under_way.setdefault((completion, part), AsyncGroups(m.batch.size))


def end_groups(kernel: Operation, m: State) -> None:
    """The program is over. Raises `EvaluationError` where something is still read that is another's then."""
    for groups in m.under_way.values():
        if (left := groups.read_from).size:
            words = "ends, and nobody has waited until what it stores was read: its memory is another's then"
            raise failure(kernel, f"{m.at(int(left[0]))}{words}")
        groups.end()


def wait_for_groups(m: State, op: Operation, owners: Array) -> None:
    """What an operation `awaits` in the name of these owners. In a part, that is what they began before it, too."""
    for completion in op.awaits:
        own, left = groups_of(m, op, completion), op.groups_left_of(completion)
        if left is None:
            continue
        own.wait(owners, left, reads_only=op.awaits_reads_only)
        before = m.under_way.get((completion, None), own)
        if before is not own:
            before.wait(owners, max(0, left - own.ended(owners)), reads_only=op.awaits_reads_only)


def _commit(op: Operation, c: Compiler) -> Step:
    completion, outs = op.commits, c.slots(op.results)
    assert completion is not None

    def step(m: State) -> None:
        groups_of(m, op, completion).end_group(m.present())
        for out in outs:
            m.values[out] = TOKEN

    return step


def _wait(op: Operation, _: Compiler) -> Step:
    return lambda m: wait_for_groups(m, op, m.present())


def _commits_groups(cls: type[Operation]) -> bool:
    return cls.commits is not None and cls.commits.copies


def _awaits_groups(cls: type[Operation]) -> bool:
    return cls.awaits_copies and not any(completion.by_object for completion in cls.awaits)


EVALUATE.family(_commits_groups, _commit)
EVALUATE.family(_awaits_groups, _wait)
