"""All passes in their order: what a kernel goes through from the program as it is written to one thread's program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..distribute.passes import BARRIERS, BATCH, DISTRIBUTE, FENCES, FRAGMENTS_AHEAD, MOTION, OVERLAP, REUSE, SINK
from ..frontend.passes import DEAD, LEGALISE
from ..ir.passes import Declared, Pass
from ..ir.stages import STAGES, Stage
from ..layout.passes import ANCHORS, IN_ELEMENTS, KINDS, LAYOUTS, PADDING, PRECISION, UNIT_PADDING
from ..schedule.passes import ORDER, PERSISTENCE, PREFETCH, PROMOTE, RING, SPECIALISATION, SPLIT_K, TENSOR_TILES, TILE

GRID: Sequence[Pass] = (LEGALISE, DEAD, KINDS, IN_ELEMENTS, TILE, SPLIT_K, ORDER, PERSISTENCE)
"""What becomes of the program whatever is known of its arguments. These give a kernel of their own."""
LOOPS: Sequence[Pass] = (PRECISION, PROMOTE, TENSOR_TILES, SPECIALISATION, RING, PREFETCH)
"""What depends on facts of arguments. From here on passes rewrite a copy in place."""
CHOICE: Sequence[Pass] = (PADDING, UNIT_PADDING, ANCHORS, LAYOUTS)
BY_STAGE: Mapping[Stage, Sequence[Pass]] = {
    "vector": (*GRID, *LOOPS, *CHOICE),
    "layout": (DISTRIBUTE,),
    "distributed": (OVERLAP, BATCH, REUSE, BARRIERS, SINK, FRAGMENTS_AHEAD, FENCES),
    "thread": (MOTION,),
}
"""Which a kernel of each stage goes through; the last of them leads to the next stage."""
PASSES: Mapping[str, Pass] = {p.name: p for stage in STAGES for p in BY_STAGE[stage]}

DECLARED = Declared(
    {option.attribute: (stage, option) for stage in STAGES for p in BY_STAGE[stage] for option in p.options},
    {mark.name: stage for stage in STAGES for p in BY_STAGE[stage] for mark in p.marks},
)


def remaining(stage: Stage) -> Sequence[Pass]:
    """All that a kernel of a stage goes through, this one's and those of the stages after it."""
    return [p for later in STAGES[STAGES.index(stage) :] for p in BY_STAGE[later]]
