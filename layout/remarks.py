"""Remarks about a kernel in the layout stage, read off its operations: a stage that was edited has its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..ir.core import Operation
from ..ir.remarks import Remark
from .analysis import Workgroup
from .exchanges import exchanges, loop_of, maker


def layout_remarks(kernel: Operation, workgroup: Workgroup) -> Iterator[Remark]:
    """Remarks of every source, for the function of a kernel in the layout stage."""
    for source in _SOURCES:
        yield from source(kernel, workgroup)


def _conversions_in_loops(kernel: Operation, workgroup: Workgroup) -> Iterator[Remark]:
    for op in exchanges(kernel, workgroup):
        loop = loop_of(op)
        if loop is not None:
            message = f"{op.output.type} changes its layout in every iteration of a loop"
            user = next(user for user in kernel.walk() if op.output in user.operands)
            notes = (("for this use", user.location), ("in this loop", loop.location))
            hint = "an anchor on what the loop carries, or on what it reads, may spare the conversion"
            yield Remark(message, maker(op.input).location, notes, hint, kind="loop-conversion")


_SOURCES: tuple[Callable[[Operation, Workgroup], Iterator[Remark]], ...] = (_conversions_in_loops,)
"""Each looks for one kind of remark; it has the stage alone to look at, since the stage may have been edited."""
