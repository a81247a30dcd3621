"""Rules for boxes that go from workgroup memory to tensors: they are there when their owner waits for them.

Until then nobody touches the place; until they have been read, nobody writes what they are of.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..ir.core import Operation
from ..ir.dialects.nvgpu_tma_store import BulkCommitGroupOp, BulkWaitGroupOp, TmaAsyncStoreOp
from ..ir.numerics import Array
from ..ir.parts import part_around
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
from .errors import failure
from .memory import Access, MemRef, Window, locate
from .program import EVALUATE, Compiler, Step
from .rules_boxes import acting, need_aligned, of_each
from .state import State, Stores


def _stores(m: State, op: Operation) -> Stores:
    """Those of the program that the operation stands in: a part's are its own."""
    part = part_around(op) if m.batch.geometry.scope == "workgroup" else None
    return m.stores.setdefault(part, Stores(m.batch.size))


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
        owners, stores = acting(m, predicate), _stores(m, op)
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

            stores.reading.begin(one, partial(end_reading, m, reading))
            stores.writing.begin(one, land)

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


@EVALUATE.of(BulkCommitGroupOp)
def _commit(op: BulkCommitGroupOp, _: Compiler) -> Step:
    def step(m: State) -> None:
        stores = _stores(m, op)
        stores.reading.end_group(m.present())
        stores.writing.end_group(m.present())

    return step


@EVALUATE.of(BulkWaitGroupOp)
def _wait(op: BulkWaitGroupOp, _: Compiler) -> Step:
    def step(m: State) -> None:
        stores = _stores(m, op)
        stores.reading.wait(m.present(), op.group)
        if op.read is None:
            stores.writing.wait(m.present(), op.group)

    return step


def end_stores(kernel: Operation, m: State) -> None:
    """The program is over, and with it what boxes are read from; what they write is there. Raises `EvaluationError`."""
    for stores in m.stores.values():
        left = stores.reading.left
        if left.size:
            words = "ends, and nobody has waited until what it stores was read: its memory is another's then"
            raise failure(kernel, f"{m.at(int(left[0]))}{words}")
        stores.writing.end()
