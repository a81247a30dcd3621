"""What the threads of a part do to memory, as threads of other parts have to see it: at any time, in no order.

A place inside of the part may depend on the part's loops. Those that run a known number of times are gone through; of
others all that is left is that the buffer is touched.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..analysis.iterations import counted, is_inside
from ..ir.core import Operation, Value
from ..ir.dialects import scf
from ..support.dataclasses import replace
from .footprints import Footprint

_LARGEST = 1 << 20
"""Touches of one access that are looked at; beyond, the place counts as unknown."""


def seen_from_outside(footprint: Footprint, loops: Sequence[Operation]) -> Footprint:
    """The footprint in all iterations of the part's loops that it is in, the innermost first."""
    for loop in loops:
        footprint = _in_loop(footprint, loop)
    return footprint


def _in_loop(footprint: Footprint, loop: Operation) -> Footprint:
    counter = loop.induction_variable if isinstance(loop, scf.ForOp) else None
    inside = {value for terms in footprint.signature or () for value, _ in terms if is_inside(value, loop)}
    if not inside:
        return footprint
    numbers = counted(loop) if isinstance(loop, scf.ForOp) and inside == {counter} else None
    if numbers is None or len(numbers) * footprint.threads.size > _LARGEST:
        return replace(footprint, signature=None, cells=np.zeros((0, footprint.threads.size), np.int64))
    assert counter is not None
    return _in_all(footprint, counter, numbers)


def _in_all(footprint: Footprint, counter: Value, numbers: range) -> Footprint:
    assert footprint.signature is not None
    factors = [sum(factor for value, factor in terms if value is counter) for terms in footprint.signature]
    steps = np.array(factors, np.int64)[:, None, None] * np.array(numbers, np.int64)[:, None]
    cells = (footprint.cells[:, None, :] + steps).reshape(len(factors), -1)
    signature = tuple(frozenset(t for t in terms if t[0] is not counter) for terms in footprint.signature)
    return replace(footprint, signature=signature, cells=cells, threads=np.tile(footprint.threads, len(numbers)))
