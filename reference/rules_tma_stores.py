"""Rules for boxes that go from workgroup memory to tensors: they are there when their owner waits for them.

Until then nobody touches the place; until they have been read, nobody writes what they are of.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..ir.dialects.nvgpu_tma_store import TmaAsyncStoreOp
from ..ir.numerics import Array
from ..ir.traits import BULK_GROUPS
from .accesses import (
    check_write,
    clear_flight,
    clear_leaving,
    enter_flight,
    enter_leaving,
    gather,
    read,
    read_doubt,
    write,
    write_doubt,
)
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .memory import Access, MemRef, Window, locate
from .rules_async_groups import groups_of
from .rules_tma import acting, need_aligned, of_each


@EVALUATE.of(TmaAsyncStoreOp)
def _store(op: TmaAsyncStoreOp, c: Compiler) -> Step:
    box, rank = op.tensorMapDescriptor.type.box, op.src.type.rank
    source, target = c.site(op, "reads"), c.site(op, "writes")
    map, from_ = c.slots([op.tensorMapDescriptor, op.src])
    corner, indices = c.slots(list(reversed(op.coordinates))), c.slots(op.srcIndices)
    window = Window(box, tuple(range(rank - len(box), rank)))
    there = Window(box, tuple(range(len(box))), lambda dim: "")
    predicate = None if op.predicate is None else c.slot(op.predicate)
    zero = np.zeros((), np.int64)

    def end_reading(m: State, reading: Access, _: Array) -> None:
        gather(m, reading)
        clear_leaving(reading)

    def step(m: State) -> None:
        owners, stores = acting(m, predicate), groups_of(m, op, BULK_GROUPS)
        origin = [m.values[i] for i in indices] or [zero] * rank
        place = [m.values[i] for i in corner]
        need_aligned(m, op, owners, op.tensorMapDescriptor.type, corner[-1])
        _need_whole(m, op, owners, m.values[map], corner[-1])
        m.settle(op, [*corner, *indices])
        for owner in owners:
            one = np.array([owner])
            reading = locate(m, source, m.values[from_], origin, window, None, None, one)
            values = read(m, reading)
            doubt = read_doubt(m, reading, None, None, True) if m.run.follows else None
            enter_leaving(m, reading)
            writing = locate(m, target, m.values[map], place, there, None, None, one)
            check_write(m, writing)
            enter_flight(m, writing)

            def land(_: Array, writing: Access = writing, values: Array = values, doubt: object = doubt) -> None:
                clear_flight(writing)
                write(m, writing, values)
                if m.run.follows:
                    write_doubt(writing, doubt, values.shape)  # type: ignore[arg-type]

            stores.begin_leaving(one, partial(end_reading, m, reading), land)

    return step


def _need_whole(m: State, op: TmaAsyncStoreOp, owners: Array, tensor: MemRef, first: int) -> None:
    """No box writes further than the tensor reaches: see `whole_extents`."""
    wide = op.tensorMapDescriptor.type.box[-1]
    for _, dim, divisor in op.whole_extents():
        for owner, number in zip(owners.tolist(), of_each(m, owners, first), strict=True):
            extent = int(np.broadcast_to(tensor.sizes[dim], m.batch.size)[owner])
            behind = -extent % divisor
            if behind and number < extent < number + wide:
                words = f"writes {behind} elements behind the {extent} of the tensor: the chip stores whole 16 bytes"
                raise failure(op, f"{m.at(owner)}{words}")
