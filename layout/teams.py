"""The programs in a kernel, each with the operations that are its own and the threads that it is laid out on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.shared_places import LEAST_ALIGNMENT
from ..ir.core import Block, Operation, OpT
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from ..ir.program_parts import Part, parts_of
from ..support.dataclasses import dataclass, replace
from .workgroup import Workgroup


@dataclass(frozen=True, eq=False)
class Team:
    """`workgroup` are the threads of one program; vectors do not leave it."""

    workgroup: Workgroup
    blocks: Sequence[Block]

    @property
    def operations(self) -> list[Operation]:
        """In program order, without those of the programs inside of this one."""
        found: list[Operation] = []
        for block in self.blocks:
            for op in block.operations:
                found += own(op) if op.regions else (op,)
        return found

    def all_of(self, cls: type[OpT]) -> list[OpT]:
        """Its operations of a class, in program order."""
        return [op for op in self.operations if isinstance(op, cls)]


def teams(kernel: Operation, workgroup: Workgroup) -> Iterator[Team]:
    """The kernel's own program, then those inside of it in program order."""
    yield from _teams(Team(workgroup, [block for region in kernel.regions for block in region.blocks]))


def _teams(team: Team) -> Iterator[Team]:
    yield team
    for op in team.operations:
        for inner in programs(op, team.workgroup):
            yield from _teams(inner)


def programs(op: Operation, around: Workgroup) -> list[Team]:
    """The programs that an operation of a program holds, one a region; none for loops and branches."""
    if isinstance(op, SplitOp):
        owners = [part_of(around, part) for part in parts_of(op)]
    elif isinstance(op, ThreadsOp):
        owners = [
            replace(around, threads=1, scope="thread", shared_bytes=0, launched=around.launched or around.threads)
        ]
    else:
        return []
    return [Team(owner, region.blocks) for owner, region in zip(owners, op.regions, strict=True)]


def with_matrix_units(kernel: Operation, workgroup: Workgroup) -> frozenset[Operation]:
    """The operations of those programs whose threads can use matrix instructions."""
    return frozenset(
        op for team in teams(kernel, workgroup) if team.workgroup.has_matrix_units for op in team.operations
    )


def part_of(around: Workgroup, part: Part) -> Workgroup:
    """A part's threads. Its share of what shared memory is left is as large as its share of the subgroups."""
    share = around.shared_bytes * part.count // around.subgroups
    threads = part.count * around.subgroup_size
    shared = share // LEAST_ALIGNMENT * LEAST_ALIGNMENT
    return replace(
        around,
        threads=threads,
        first_subgroup=part.first,
        shared_bytes=shared,
        launched=around.launched or around.threads,
    )


def own(op: Operation) -> Iterator[Operation]:
    """An operation, then those inside it that are of the same program."""
    pending = [op]
    while pending:
        found = pending.pop()
        yield found
        if not found.holds_programs:
            pending += [i for r in reversed(found.regions) for b in reversed(r.blocks) for i in reversed(b.operations)]
