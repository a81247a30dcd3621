"""iree_vector_ext.transfer_gather and transfer_scatter: transfers whose registers have indices of their own.

Registers that are neighbours along the contiguous dimension and share what was looked up are one access.
"""

from __future__ import annotations

from ...ir.core import Value
from ...ir.dialects.indexed_transfers import IndexedTransfer, TransferGatherOp, TransferScatterOp
from ..context import Distribution, distributes
from ..packing import Transfer
from ..transfers import read, write
from .vector_transfer import seen_from


@distributes(TransferGatherOp)
def _gather(d: Distribution, op: TransferGatherOp) -> None:
    transfer = _transfer(d, op, op.vector)
    d.set_like(op.vector, read(d, transfer, [d.scalar(op.padding)] * transfer.layout.registers))


@distributes(TransferScatterOp)
def _scatter(d: Distribution, op: TransferScatterOp) -> None:
    write(d, _transfer(d, op, op.value), d.registers(op.value).reshape(-1).tolist())


def _transfer(d: Distribution, op: IndexedTransfer, value: Value) -> Transfer:
    layout = d.layout(value)
    columns = [seen_from(d, v, op.dims_of(number), layout) for number, v in enumerate(op.index_vecs)]
    mask = None if op.mask is None else seen_from(d, op.mask, op.mask_dims, layout)
    return Transfer(
        d.scalar(op.memref),
        tuple(d.scalar(offset) for offset in op.offsets),
        op.moving,
        (True,) * layout.rank,
        layout,
        mask,
        {m: columns[number] for m, number in op.looked_up.items()},
    )
