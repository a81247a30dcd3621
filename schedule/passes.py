"""The passes, in the order in which a kernel goes through them before its layouts are chosen, and who may choose them.

`prefetch_num_stages` of IREE's pipeline options says how many tiles of a loop there are at once: 0 or 1, which are read
when they are needed; 2 to 4, of which all but one are read ahead, into buffers where the chip copies asynchronously,
else into registers. Without it that depends on the chip, and on the registers and the shared memory that are left.
`lanewise.specialise = false` on a kernel leaves the copies to the threads that multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ..ir.core import Operation
from ..ir.remarks import Remark
from ..layout.workgroup import Workgroup
from .options import pipeline_options
from .outcome import Outcome
from .prefetch import Prefetch
from .promote import promote
from .ring import Ring
from .specialise import Specialise
from .tensor_tiles import order_tiles

Pass: TypeAlias = Callable[[Operation, Workgroup], Outcome]
"""Rewrites a function in the vector stage, in place."""


class Passes(NamedTuple):
    """Those that a kernel gets, and those that it gets where the registers of a thread do not suffice for them."""

    first: Sequence[Pass]
    with_fewer_registers: Sequence[Pass]


def passes_of(function: Operation) -> Passes:
    stages = _stages(function)
    if stages is None:
        rings: Sequence[Pass] = Specialise(), Ring()
        return Passes((promote, order_tiles, *rings, Prefetch()), (promote, order_tiles, *rings))
    ahead: Sequence[Pass] = (Specialise(stages), Ring(stages), Prefetch(stages - 1)) if stages > 1 else ()
    asked = (promote, order_tiles, *ahead)
    return Passes(asked, asked)


def _stages(function: Operation) -> int | None:
    options = pipeline_options(function)
    return None if options is None else options.prefetch_num_stages


class Scheduled(NamedTuple):
    """The passes that did something, and what all of them left alone."""

    done: Sequence[Pass]
    remarks: Sequence[Remark]


def schedule(function: Operation, workgroup: Workgroup, passes: Sequence[Pass]) -> Scheduled:
    """Applies passes to a function in the vector stage, in place."""
    outcomes = [(rewrite, rewrite(function, workgroup)) for rewrite in passes]
    done = [rewrite for rewrite, outcome in outcomes if outcome.changed]
    return Scheduled(done, [remark for _, outcome in outcomes for remark in outcome.remarks])
