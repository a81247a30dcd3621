"""Which conversions of the layout stage bring data to other threads, and which of them do so in every iteration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..ir.core import Block, Operation, Value
from ..ir.dialects import scf
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from .assign import result_layouts
from .conversion import source_of
from .nested import NestedLayout
from .workgroup import Workgroup


def maker(value: Value) -> Operation:
    """The operation whose result a vector is, or the loop that carries it."""
    if not isinstance(value.owner, Block):
        return value.owner
    loop = value.owner.parent.parent if value.owner.parent is not None else None
    assert isinstance(loop, scf.ForOp), "kernels take no vectors"
    return loop


def layout_in_stage(value: Value) -> NestedLayout:
    """The layout of a vector of the layout stage."""
    owner = maker(value)
    index = value.index if value.owner is owner else value.index - 1  # the induction variable stands first
    layout = result_layouts(owner)[index]
    assert layout is not None, f"{owner.opname} has no layout for its result"
    return layout


def exchanges(kernel: Operation, workgroup: Workgroup) -> list[ToLayoutOp]:
    """Conversions after which some thread has an element that it did not have; renaming registers is none."""
    return [op for op in kernel.walk() if isinstance(op, ToLayoutOp) and _moves(op, workgroup)]


def loop_of(op: Operation) -> Operation | None:
    """The innermost loop around an operation."""
    return next((parent for parent in _enclosing(op) if isinstance(parent, scf.ForOp)), None)


def _moves(op: ToLayoutOp, workgroup: Workgroup) -> bool:
    subgroups = max(1, workgroup.threads // workgroup.subgroup_size)
    source, target = (layout_in_stage(v).wrapped(subgroups) for v in (op.input, op.output))
    thread, _ = source_of(source, target, workgroup.threads, workgroup.subgroup_size)
    return not bool((thread == np.arange(workgroup.threads)[:, None]).all())


def _enclosing(op: Operation) -> Iterator[Operation]:
    parent = op.enclosing()
    while parent is not None:
        yield parent
        parent = parent.enclosing()
