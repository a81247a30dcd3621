"""lanewise: programs of parts of the workgroup stay programs of their own, with ids and scratch memory of their own."""

from __future__ import annotations

from ...ir.core import Block, Operation, Region
from ...ir.dialects.lanewise import CountOp, SplitOp, ThreadsOp
from ...ir.dialects.lanewise_tcgen05 import Tcgen05Op
from ...layout.teams import programs
from ..context import DISTRIBUTE, Distribution, distributes
from ..driver import distribute_block
from ..scratch import Scratch
from .gpu import distribute_scalar

DISTRIBUTE.set(CountOp, distribute_scalar)
DISTRIBUTE.needless("thread-level operation: programs in the thread stage have it", Tcgen05Op)


@distributes(SplitOp)
def _split(d: Distribution, op: SplitOp) -> None:
    made = d.build.op(SplitOp, regions=[Region([Block()]) for _ in op.regions], subgroups=op.attributes["subgroups"])
    d.scratch.hold(_programs(d, op, made))


@distributes(ThreadsOp)
def _threads(d: Distribution, op: ThreadsOp) -> None:
    _programs(d, op, d.build.op(ThreadsOp, regions=[Region([Block()])]))


def _programs(d: Distribution, op: Operation, made: Operation) -> list[Scratch]:
    """Fills the regions of `made`; gives the scratch memory of each."""
    found: list[Scratch] = []
    for team, region in zip(programs(op, d.workgroup), made.regions, strict=True):
        with d.program(team.workgroup, region.block) as scratch:
            for block in team.blocks:
                distribute_block(d, block)
        found.append(scratch)
    return found
