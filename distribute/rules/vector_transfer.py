"""vector.transfer_read and transfer_write: one access per pack of registers that are neighbours in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ir.cache_hints import cache_hints
from ...ir.core import Value
from ...ir.dialects import vector
from ...ir.dialects.vector_transfer import TransferOp
from ...layout.nested import NestedLayout
from ...layout.rules.vector import mask_dims
from ..context import Distribution, Lying, distributes
from ..ldmatrix import load_matrices
from ..packing import Transfer
from ..transfers import read, write
from ..transposed_reads import load_columns


@distributes(vector.TransferReadOp)
def _read(d: Distribution, op: vector.TransferReadOp) -> None:
    if not d.layout(op.vector).is_held:
        indices = tuple(d.scalar(i) for i in op.indices)
        contiguous = op.memory_dims.index(op.memref_type.rank - 1)
        d.set_lying(op.vector, Lying(d.scalar(op.memref), indices, contiguous))
        return
    transfer = _transfer(d, op, op.vector)
    matrices = load_matrices(d, transfer) or load_columns(d, transfer)
    if matrices is not None:
        d.set_like(op.vector, matrices)
        return
    d.set_like(op.vector, read(d, transfer, [d.scalar(op.padding)] * transfer.layout.registers))


@distributes(vector.TransferWriteOp)
def _write(d: Distribution, op: vector.TransferWriteOp) -> None:
    write(d, _transfer(d, op, op.value), d.registers(op.value).reshape(-1).tolist())


def _transfer(d: Distribution, op: TransferOp, value: Value) -> Transfer:
    layout = d.layout(value)
    indices = tuple(d.scalar(i) for i in op.indices)
    mask = None if op.mask is None else _mask_of_registers(d, op, value)
    vector_dim = {m: i for i, m in enumerate(op.memory_dims) if m is not None}
    buffer, hints = d.scalar(op.memref), cache_hints(op)
    return Transfer(buffer, indices, vector_dim, op.in_bounds_flags, layout, mask, hints=hints)


def _mask_of_registers(d: Distribution, op: TransferOp, value: Value) -> list[Value]:
    """The mask is in memory order without broadcast dimensions."""
    assert op.mask is not None
    return seen_from(d, op.mask, mask_dims(op.map), d.layout(value))


def seen_from(d: Distribution, part: Value, dims: Sequence[int], layout: NestedLayout) -> list[Value]:
    """The scalars of a vector that has some dimensions of another, one for every register of the other."""
    registers, rank = d.registers(part), layout.rank
    return [
        registers.item(tuple(place[level * rank + dim] for level in range(3) for dim in dims))
        for place in np.ndindex(layout.distributed_shape)
    ]
