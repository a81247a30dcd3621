"""lanewise: programs within a program, each of a part of the workgroup; and numbers that count on.

A region's program belongs to fewer threads than the program around it. It sees numbers and buffers from outside, which
all of its threads have in common, and no vectors, whose elements lie in threads that are not its own.
"""

from __future__ import annotations

from collections.abc import Callable

from ...support.diagnostics import Report
from ..attributes import StringAttr
from ..core import Block, Operation, Value
from ..define import int_array_attribute, int_attribute, is_index, region, regions, result
from ..stages import OF_THREADS, STAGE


class SplitOp(Operation, opname="lanewise.split"):
    """Divides the owner's subgroups, in order: at once, the first `subgroups[0]` run the first region, and so on.

    Each part is a group of threads of its own: it has vectors, a barrier and scratch memory of its own. All of the
    owner's subgroups belong to a part. Parts end together only where something needs it.
    """

    pure = False
    holds_programs = True
    subgroups = int_array_attribute()
    parts = regions()
    assembly = "attr-dict $parts"

    def verify(self, report: Report) -> None:
        counts = self.subgroups
        if len(counts) != len(self.regions) or not counts:
            self.error(report, f"has {len(self.regions)} regions for parts of {list(counts)} subgroups")
        elif min(counts) < 1:
            self.error(report, f"has a part of {min(counts)} subgroups, each has at least one")
        for part in self.parts:
            _check_program(self, part.block, report)


HINT_ALONE = "lanewise.threads holds what each thread does alone; threads meet outside of it"


def check_alone(inner: Operation, report: Report) -> None:
    """Reports what waits for other threads in the program of each thread."""
    if inner.collective is not None:
        inner.error(report, "waits for other threads inside 'lanewise.threads'", HINT_ALONE)


class ThreadsOp(Operation, opname="lanewise.threads"):
    """Every thread of the owner runs the region by itself, as a program of its own."""

    pure = False
    holds_programs = True
    body_region = region()
    assembly = "$body_region attr-dict"

    def verify(self, report: Report) -> None:
        _check_program(self, self.body, report)


class CountOp(Operation, opname="lanewise.count"):
    """A number of its owner that starts at 0 and goes up by `by` each time the owner gets here: what it was before.

    Operations with one number for a `counter` share it, and stand in one program.
    """

    pure = False
    counter = int_attribute()
    by = int_attribute()
    result_ = result(is_index)
    assembly = "$counter `by` $by attr-dict"

    def verify(self, report: Report) -> None:
        if self.counter < 0 or self.by < 0:
            self.error(report, f"counts counter {self.counter} on by {self.by}, expected numbers of at least 0")


def _check_program(op: Operation, block: Block, report: Report) -> None:
    if block.arguments:
        op.error(report, "regions take no arguments")
    if _of_threads(op):
        return
    own = _defined_in(block)
    for inner in (inner for first in block.operations for inner in first.walk()):
        check_operands(op, inner, lambda value: value not in own, report)


def check_operands(around: Operation, inner: Operation, is_outside: Callable[[Value], bool], report: Report) -> None:
    """Reports vectors that an operation takes from outside of the program that it stands in, which `around` holds."""
    for number, value in enumerate(inner.operands):
        if value.type.is_vector and is_outside(value):
            hint = "hand it on through a buffer: its elements lie in threads of the program around this one"
            inner.error(report, f"takes operand {number}, a {value.type}, from outside of '{around.opname}'", hint)


def _of_threads(op: Operation) -> bool:
    """Whether the program is in the stage in which every vector is one thread's own."""
    outermost, around = op, op.enclosing()
    while around is not None:
        outermost, around = around, around.enclosing()
    return outermost.attributes.get(STAGE) in _OF_THREADS


_OF_THREADS = tuple(map(StringAttr, OF_THREADS))


def _defined_in(block: Block) -> set[Value]:
    found = set(block.arguments)
    for first in block.operations:
        for op in first.walk():
            found.update(op.results)
            found.update(a for r in op.regions for b in r.blocks for a in b.arguments)
    return found
