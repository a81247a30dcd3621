"""All passes in their order: what a kernel goes through from the program as it is written to one thread's program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..distribute.passes import DISTRIBUTE
from ..frontend.passes import DEAD, LEGALISE
from ..ir.kernels import STAGES, Stage
from ..ir.passes import Pass
from ..layout.passes import ANCHORS, IN_ELEMENTS, KINDS, LAYOUTS, PADDING, PRECISION, UNIT_PADDING
from ..schedule.passes import ORDER, PERSISTENCE, PREFETCH, PROMOTE, RING, SPECIALISATION, SPLIT_K, TENSOR_TILES, TILE

GRID: Sequence[Pass] = (LEGALISE, DEAD, KINDS, IN_ELEMENTS, TILE, SPLIT_K, ORDER, PERSISTENCE)
"""What becomes of the program whatever is known of its arguments. These give a kernel of their own."""
LOOPS: Sequence[Pass] = (PRECISION, PROMOTE, TENSOR_TILES, SPECIALISATION, RING, PREFETCH)
"""What depends on facts of arguments. From here on passes rewrite a copy in place."""
CHOICE: Sequence[Pass] = (PADDING, UNIT_PADDING, ANCHORS, LAYOUTS)
BY_STAGE: Mapping[Stage, Sequence[Pass]] = {"vector": (*GRID, *LOOPS, *CHOICE), "layout": (DISTRIBUTE,), "thread": ()}
"""Which a kernel of each stage is to go through before it is in the next."""
PASSES: Mapping[str, Pass] = {p.name: p for stage in STAGES for p in BY_STAGE[stage]}
