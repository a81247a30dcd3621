"""Fragments are loaded from shared memory some products before the one that takes them, not right before it.

    load %a0, %b0; product 0, 1, 2, 3                 load %a0, %b0, %a1, %b1; product 0, 1, 2, 3
    load %a1, %b1; product 4, 5, 6, 7                 load %a2, %b2; product 4, 5, 6, 7
    load %a2, %b2; ..                                 load %a3, %b3; ..

A subgroup issues in order, so that a product whose operands are under way stops it; its own products before that are
what passes the time. The loads of a step stand as many products ahead as take that time. The scheduler of machine
instructions, which would move loads to their uses, or all of them to the front, is kept from moving loads and products
past the end of such a group (`amdgpu.sched_barrier`). Decision 0155 has what was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.attributes import IntegerAttr
from ..ir.core import Before, Block, Operation
from ..ir.dialects.amdgpu_schedule import KINDS, SchedBarrierOp, SchedBarrierOptAttr
from ..ir.sinking import blocks_in, sink
from ..targets import Chip
from .sink_shared_loads import is_shared_load, lets_shared_loads_pass

_CHIPS = "mfma"
_CYCLES = 128
"""Until what a subgroup loads from shared memory is there: 64 (LLVM's model), and as many behind others' loads."""
_FREE = KINDS["valu"] | KINDS["salu"] | KINDS["all_vmem"]
"""What may pass places where loads stand."""


def load_fragments_ahead(function: Operation, chip: Chip) -> bool:
    """Rewrites one thread's program in place. Whether there are products."""
    if not chip.supports(_CHIPS):
        return False
    blocks = [block for block in blocks_in(function) if any(op.multiplies_fragments for op in block.operations)]
    for block in blocks:
        _rewrite(block)
    return bool(blocks)


def _rewrite(block: Block) -> None:
    for op in reversed(list(block.operations)):
        if op.packs and not any(result.users for result in op.results):
            block.erase(op)  # which would keep a load where it is
    sink(block, lambda op: op.packs or is_shared_load(op), lets_shared_loads_pass)
    for run in _runs(block):
        _move_ahead(block, run)


Segment = list[Operation]
"""A product, and what stands before it and behind the product before."""


def _runs(block: Block) -> list[list[Segment]]:
    """Products between which nothing stands but loads of fragments, and what puts them together."""
    runs, segment = [list[Segment]()], Segment()
    for op in block.operations:
        segment.append(op)
        if op.multiplies_fragments:
            runs[-1].append(segment)
            segment = []
        elif not (op.packs or is_shared_load(op)):
            runs.append([])
            segment = []
    return [run for run in runs if len(run) > 1]


def _move_ahead(block: Block, run: Sequence[Segment]) -> None:
    """What products take that follow one another closely is loaded together, and what is needed first last: then there
    is one wait for all of it."""
    for start, loads in _groups(run):
        at = max(0, start - _ahead(run[start][-1]))
        first = next(op for op in run[at] if not is_shared_load(op))
        for op in reversed(loads):
            block.remove(op)
            block.insert(block.position(first), op)
        if start:
            Before(first).op(SchedBarrierOp, types=[], opts=SchedBarrierOptAttr(_FREE))


def _groups(run: Sequence[Segment]) -> Iterator[tuple[int, list[Operation]]]:
    """The first of products that follow one another closely, and the loads of what they take first."""
    loads_of = {at: loads for at, segment in enumerate(run) if (loads := [op for op in segment if is_shared_load(op)])}
    start, group = 0, list[Operation]()
    for at, loads in loads_of.items():
        if group and at >= start + _ahead(run[start][-1]):
            yield start, group
            group = []
        start = start if group else at
        group = group + loads
    if group:
        yield start, group


def _ahead(product: Operation) -> int:
    """Products that take as long as a load: one of 32x32 takes 32 cycles of a SIMD or more, of 16x16 16 (8 and 4
    passes of 4 cycles)."""
    rows = product.attributes["m"]
    assert isinstance(rows, IntegerAttr)
    return -(-_CYCLES // rows.value)
