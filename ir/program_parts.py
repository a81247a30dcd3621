"""Whose program an operation is in: of the whole workgroup, of a part of its subgroups, or of a thread."""

from __future__ import annotations

from ..support.dataclasses import dataclass
from ..support.deep_recursion import deep
from ..support.diagnostics import Report
from .core import Operation, Region
from .dialects.gpu_together import RotateOp
from .dialects.lanewise import SplitOp, ThreadsOp, check_alone
from .kernels import Kernel
from .spread_loops import ids_of
from .stages import OF_THREADS
from .traits import Scope, finer


@dataclass(frozen=True)
class Part:
    """Subgroups `first` to `first + count - 1` of a workgroup."""

    first: int
    count: int


def parts_of(split: SplitOp) -> list[Part]:
    """One a region, counted in the whole workgroup."""
    around = part_around(split)
    first = 0 if around is None else around.first
    found: list[Part] = []
    for count in split.subgroups:
        found.append(Part(first, count))
        first += count
    return found


def part_around(op: Operation) -> Part | None:
    """The part in whose program `op` stands; None where that is the kernel's own."""
    inner = op
    while (around := inner.enclosing()) is not None:
        if isinstance(around, SplitOp):
            assert inner.parent is not None
            return parts_of(around)[_number(around, inner.parent.parent)]
        inner = around
    return None


def scope_around(op: Operation, scope: Scope) -> Scope:
    """The scope of the program that an operation stands in, in a kernel whose own is of `scope`: loops that are spread
    over ids finer than the program around them hold programs of threads."""
    around = op.enclosing()
    if around is None:
        return scope
    outer = scope_around(around, scope)
    if isinstance(around, ThreadsOp):
        return "thread"
    if isinstance(around, SplitOp):
        part = part_around(op)
        return "subgroup" if part is not None and part.count == 1 else "workgroup"
    ids = ids_of(around)
    return "thread" if ids is not None and finer(ids.scope, outer) else outer


def _number(split: SplitOp, region: Region | None) -> int:
    return next(number for number, part in enumerate(split.regions) if part is region)


def verify_scope(kernel: Kernel, subgroup_size: int, report: Report) -> None:
    """Reports what is finer than the program that it stands in, and parts that are not all of their owner's subgroups;
    where each vector is one thread's own, the latter alone."""
    whole = kernel.threads / subgroup_size
    scope: Scope = "thread" if kernel.stage in OF_THREADS else kernel.scope
    _Checker(kernel, subgroup_size, report).program(kernel.op, scope, whole, f"'@{kernel.name}'")


def verify_rotations(kernel: Kernel, subgroup_size: int, report: Report) -> None:
    """Reports rotations among more lanes than a subgroup has; of the program as written, before they are expanded."""
    for op in kernel.op.all_of(RotateOp):
        if op.width.value > subgroup_size:
            op.error(report, f"rotates among {op.width.value} lanes, found subgroups of {subgroup_size}")


class _Checker:
    def __init__(self, kernel: Kernel, subgroup_size: int, report: Report) -> None:
        self.kernel, self.subgroup_size, self.report = kernel, subgroup_size, report
        self.lowered = kernel.stage in OF_THREADS

    @deep
    def program(self, op: Operation, scope: Scope, subgroups: float, whose: str) -> None:
        """What stands in the regions of `op`, whose values belong to a `scope` of so many subgroups."""
        for region in op.regions:
            for block in region.blocks:
                for inner in block.operations:
                    self._operation(inner, scope, subgroups, whose)

    def _operation(self, op: Operation, scope: Scope, subgroups: float, whose: str) -> None:
        if finer(op.belongs_to, scope):
            hint = 'layouts say which thread holds what; a program of one thread has lanewise.scope = "thread"'
            op.error(self.report, f"differs within a {scope}, to which the values of {whose} belong", hint)
        elif isinstance(op, SplitOp):
            self._split(op, scope, subgroups)
        elif isinstance(op, ThreadsOp):
            self._threads(op, scope)
        else:
            self.program(op, scope, subgroups, whose)

    def _split(self, op: SplitOp, scope: Scope, subgroups: float) -> None:
        total = sum(op.subgroups)
        if not self.lowered and (scope == "thread" or self.kernel.scope != "workgroup"):
            op.error(self.report, f"divides a workgroup's subgroups, and stands in the program of a {scope}")
        elif subgroups != total:
            words = " + ".join(map(str, op.subgroups))
            around = part_around(op)
            owner = f"the {'workgroup' if around is None else 'part around it'} has"
            found = f"{words} = {total} subgroups" if len(op.subgroups) > 1 else f"{total} subgroups"
            message = f"has parts of {found}, {owner} {subgroups:g} of {self.subgroup_size} threads"
            op.error(self.report, message, "every subgroup belongs to one part")
        else:
            self._parts(op, scope)

    def _parts(self, op: SplitOp, scope: Scope) -> None:
        for count, region in zip(op.subgroups, op.regions, strict=True):
            own: Scope = "thread" if self.lowered else "subgroup" if count == 1 else "workgroup"
            whose = f"a part of {count} subgroups" if count > 1 else "this part"
            for inner in region.block.operations:
                self._operation(inner, own, count, whose)

    def _threads(self, op: ThreadsOp, scope: Scope) -> None:
        if scope == "thread" and not self.lowered:
            op.error(self.report, "stands in the program of a thread already")
        for inner in op.walk():
            check_alone(inner, self.report)
        self.program(op, "thread", 0, "a thread")
