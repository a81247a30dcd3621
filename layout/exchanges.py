"""Which conversions of the layout stage bring data to other threads, and which of them do so in every iteration."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.core import Block, Operation, Value
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..support.reindex import Reindex
from .assign import result_layouts
from .conversion import plan_in
from .nested import NestedLayout
from .plan import Plan
from .teams import Team, teams
from .workgroup import Workgroup


def maker(value: Value) -> Operation:
    """The operation whose result a vector is, or the loop that carries it."""
    if not isinstance(value.owner, Block):
        return value.owner
    loop = value.owner.parent.parent if value.owner.parent is not None else None
    assert loop is not None and loop.repeats, "kernels take no vectors"
    return loop


def layout_in_stage(value: Value) -> NestedLayout:
    """The layout of a vector of the layout stage."""
    while (owner := value.operation) is None:
        value = _outside(value)
    layout = result_layouts(owner)[value.index]
    assert layout is not None, f"{owner.opname} has no layout for its result"
    return layout


def _outside(argument: Value) -> Value:
    """A value of the same layout that stands before a loop or is its result."""
    (position,) = (p for p in maker(argument).carries() if argument in p.targets)
    return next((t for t in position.targets if t.operation is not None), position.values[0])


def exchanges(kernel: Operation, workgroup: Workgroup) -> Iterator[tuple[ToLayoutOp, Plan]]:
    """Conversions after which some thread has an element that it did not have, and how they are carried out."""
    for team in teams(kernel, workgroup):
        for op, plan in conversions(team):
            if plan.cost.bytes:
                yield op, plan


def conversions(team: Team) -> Iterator[tuple[ToLayoutOp, Plan]]:
    """All conversions of a program, and how they are carried out."""
    for op in team.all_of(ToLayoutOp):
        yield op, plan_of(op, team.workgroup)


def loop_of(op: Operation) -> Operation | None:
    """The innermost loop around an operation."""
    return next((parent for parent in _enclosing(op) if parent.repeats), None)


def plan_of(op: ToLayoutOp, workgroup: Workgroup) -> Plan:
    """How a conversion is carried out."""
    source, target = (layout_in_stage(v) for v in (op.input, op.output))
    forced = op.shared_memory_conversion is not None
    return plan_in(workgroup, source, target, Reindex.identity(source.shape), op.output.type, force_shared=forced)


def _enclosing(op: Operation) -> Iterator[Operation]:
    parent = op.enclosing()
    while parent is not None:
        yield parent
        parent = parent.enclosing()
