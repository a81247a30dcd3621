"""iree_vector_ext.arg_compare: elements compared in order, and whether any other order would give the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir.core import Value
from ..ir.dialects.arg_compare import ArgCompareOp
from ..ir.numerics import Array
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .uncertainty import doubtful


@EVALUATE.of(ArgCompareOp)
def _arg_compare(op: ArgCompareOp, c: Compiler) -> Step:
    inputs, captured = c.slots(op.operands), op.captured()
    outside_slots, results = c.slots(captured), c.slots(op.results)
    indices = None if op.input_index is None else c.slot(op.input_index)
    base = None if op.index_base is None else c.slot(op.index_base)
    source, init_value, init_index = c.slots([op.input_value, op.init_value, op.init_index])
    kept, follows = op.kept_shape, c.machine is not None

    def along(value: Array) -> Array:
        """With the dimension as the first axis."""
        return np.moveaxis(value, op.dimension - len(kept) - 1, 0)

    def index_at(m: State) -> Callable[[int], Array]:
        if indices is not None:
            return along(m.values[indices]).__getitem__
        first = np.zeros((), np.int64) if base is None else _for_elements(m.values[base], len(kept))
        return lambda position: op.numbered(first, position)

    def step(m: State) -> None:
        outside = {v: _for_elements(m.values[s], len(kept)) for v, s in zip(captured, outside_slots, strict=True)}
        values, start = along(m.values[source]), m.values[init_value]
        best = op.fold(values, index_at(m), (start, m.values[init_index]), outside)
        for slot, value in zip(results, best, strict=True):
            m.values[slot] = value
        if follows:
            settled = m.is_settled([*inputs, *outside_slots])
            open_ = ~wins_in_any_order(op, values, start, outside) if settled else np.True_
            for slot, value in zip(results, best, strict=True):
                m.doubts[slot] = doubtful(np.broadcast_to(open_, value.shape))

    return step


def _for_elements(value: Array, rank: int) -> Array:
    """A scalar of each owner against vectors."""
    array = np.asarray(value)
    return array.reshape(array.shape + (1,) * rank) if array.ndim else array


def wins_in_any_order(op: ArgCompareOp, values: Array, start: Array, outside: dict[Value, Array]) -> Array:
    """Whether all ways to compare, what is further on first and everything from the initial value on, leave the same.

    They do where the best one beats all before it and is beaten by none after it, but for those that beat nothing.
    """
    first = np.broadcast_to(start, np.broadcast_shapes(np.shape(start), values.shape[1:]))
    best, place = op.fold(values, np.asarray, (first, np.full(first.shape, -1)), outside)
    position = np.arange(len(values)).reshape(-1, *(1 for _ in best.shape))
    is_winner = position == place
    loses = np.where(position > place, ~op.beats(values, best, outside), op.beats(best, values, outside)) | is_winner
    for row in np.flatnonzero(~loses.reshape(len(values), -1).all(axis=1)):
        loses[row] |= ~op.beats(values[row], first, outside) & ~op.beats(values[row], values, outside).any(axis=0)
    return np.asarray(loses.all(axis=0) & ((place < 0) | op.beats(best, first, outside)))
