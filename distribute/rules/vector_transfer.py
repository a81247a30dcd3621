"""vector.transfer_read and transfer_write: one access per pack of registers that are neighbours in memory."""

from __future__ import annotations

import numpy as np

from ...ir.core import Value
from ...ir.dialects import vector
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
    padding = d.scalar(op.padding)
    scalars: list[Value] = [padding] * transfer.layout.registers
    for access in list(plan_accesses(d, transfer)):
        for registers, value in zip(access.registers, load(d, transfer.buffer, access, padding), strict=True):
            for register in registers:
                scalars[register] = value
    d.set_like(op.vector, scalars)


@distributes(vector.TransferWriteOp)
def _write(d: Distribution, op: vector.TransferWriteOp) -> None:
    """Of the threads that hold the same element, one writes it."""
    transfer = _transfer(d, op, op.value)
    writer = elected(d, transfer.layout)
    flat = d.registers(op.value).reshape(-1)
    for access in plan_accesses(d, transfer):
        condition = d.build.conjunction([access.condition, writer])
        chosen = Access(access.registers, access.indices, condition)
        store(d, transfer.buffer, chosen, [flat[registers[0]] for registers in access.registers])


def _transfer(d: Distribution, op: vector.TransferReadOp | vector.TransferWriteOp, value: Value) -> Transfer:
    layout = d.layout(value)
    indices = tuple(d.scalar(i) for i in op.indices)
    mask = None if op.mask is None else _mask_of_registers(d, op, value)
    return Transfer(d.scalar(op.memref), indices, op.map, op.in_bounds_flags, layout, mask)


def _mask_of_registers(
    d: Distribution, op: vector.TransferReadOp | vector.TransferWriteOp, value: Value
) -> list[Value]:
    """The mask is in memory order without broadcast dimensions; its scalar for every register of the vector."""
    assert op.mask is not None
    mask, layout = d.registers(op.mask), d.layout(value)
    dims = mask_dims(op.map)
    rank = layout.rank
    return [
        mask.item(tuple(place[level * rank + dim] for level in range(3) for dim in dims))
        for place in np.ndindex(layout.distributed_shape)
    ]
