"""vector.transfer_read and transfer_write: one access per pack of registers that are neighbours in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ir.core import Value
from ...ir.dialects import vector
from ...layout.nested import NestedLayout
from ...layout.rules.vector import mask_dims
from ..context import Distribution, distributes
from ..indexing import elected
from ..ldmatrix import load_matrices
from ..packing import Access, Transfer, load, plan_accesses, store


@distributes(vector.TransferReadOp)
def _read(d: Distribution, op: vector.TransferReadOp) -> None:
    transfer = _transfer(d, op, op.vector)
    matrices = load_matrices(d, transfer)
    if matrices is not None:
        d.set_like(op.vector, matrices)
        return
    read(d, transfer, d.scalar(op.padding), op.vector)


def read(d: Distribution, transfer: Transfer, padding: Value, result: Value) -> None:
    scalars: list[Value] = [padding] * transfer.layout.registers
    for access in list(plan_accesses(d, transfer)):
        for registers, value in zip(access.registers, load(d, transfer.buffer, access, padding), strict=True):
            for register in registers:
                scalars[register] = value
    d.set_like(result, scalars)


@distributes(vector.TransferWriteOp)
def _write(d: Distribution, op: vector.TransferWriteOp) -> None:
    write(d, _transfer(d, op, op.value), op.value)


def write(d: Distribution, transfer: Transfer, value: Value) -> None:
    """Of the threads that hold the same element, one writes it."""
    writer = elected(d, transfer.layout)
    flat = d.registers(value).reshape(-1)
    for access in plan_accesses(d, transfer):
        condition = d.build.conjunction([access.condition, writer])
        chosen = Access(access.registers, access.indices, condition)
        store(d, transfer.buffer, chosen, [flat[registers[0]] for registers in access.registers])


def _transfer(d: Distribution, op: vector.TransferReadOp | vector.TransferWriteOp, value: Value) -> Transfer:
    layout = d.layout(value)
    indices = tuple(d.scalar(i) for i in op.indices)
    mask = None if op.mask is None else _mask_of_registers(d, op, value)
    vector_dim = {m: i for i, m in enumerate(op.memory_dims) if m is not None}
    return Transfer(d.scalar(op.memref), indices, vector_dim, op.in_bounds_flags, layout, mask)


def _mask_of_registers(
    d: Distribution, op: vector.TransferReadOp | vector.TransferWriteOp, value: Value
) -> list[Value]:
    """The mask is in memory order without broadcast dimensions."""
    assert op.mask is not None
    return seen_from(d, op.mask, mask_dims(op.map), d.layout(value))


def seen_from(d: Distribution, part: Value, dims: Sequence[int], layout: NestedLayout) -> list[Value]:
    """Of a vector that has some dimensions of another its scalar for every register of the other."""
    registers, rank = d.registers(part), layout.rank
    return [
        registers.item(tuple(place[level * rank + dim] for level in range(3) for dim in dims))
        for place in np.ndindex(layout.distributed_shape)
    ]
