"""Rules for programs of parts of the workgroup: one after the other, under the masks of their threads."""

from __future__ import annotations

from ...ir.dialects.lanewise import SplitOp, ThreadsOp
from ...ir.parts import parts_of
from .compile import Compiler, Step, interprets, run
from .machine import Machine


@interprets(SplitOp)
def _split(c: Compiler, op: SplitOp) -> Step:
    programs = [(part, c.block(region.block)[0]) for part, region in zip(parts_of(op), op.regions, strict=True)]

    def step(m: Machine) -> None:
        outer = m.active
        for part, steps in programs:
            members = m.batch.of_part(part)
            m.active = members if outer is None else members & outer
            if m.active.any():
                run(steps, m)
        m.active = outer

    return step


@interprets(ThreadsOp)
def _threads(c: Compiler, op: ThreadsOp) -> Step:
    steps, _ = c.block(op.body)

    def step(m: Machine) -> None:
        run(steps, m)

    return step
