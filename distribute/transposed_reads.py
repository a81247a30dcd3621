"""Reads of matrix fragments from shared memory across its rows, where 16 lanes hold neighbouring columns.

One instruction gives each of them four elements of its column (`layout/matrix_loads.py`): of the four rows of 16
elements lane i reads elements 4 (i % 4) to 4 (i % 4) + 3 of row i / 4.
"""

from __future__ import annotations

from ..ir.core import Value
from ..ir.dialects.amdgpu_transposes import TransposeLoadOp
from ..ir.types import MemRefType, VectorType, bit_width
from ..layout.matrix_loads import TRANSPOSED_COLUMNS, TRANSPOSED_ROWS, holds_columns
from .context import Distribution
from .indexing import digits_offset
from .matrix_transfers import aligned_rows, dims_of
from .packing import Transfer

_BITS = 16
_PIECE = TRANSPOSED_ROWS
"""Elements that a lane reads."""


def load_columns(d: Distribution, transfer: Transfer) -> list[Value] | None:
    """All registers of the transfer; None where it does not apply."""
    dims, type = dims_of(d, transfer), transfer.buffer.type
    assert isinstance(type, MemRefType)
    if not d.chip.supports("ds_read_tr") or bit_width(type.element) != _BITS:
        return None
    if dims is None or d.threads % d.subgroup_size:
        return None
    row, column = dims
    if not holds_columns(transfer.layout, row, column) or not aligned_rows(d, transfer, row, 2 * _PIECE):
        return None
    return _registers(d, transfer, row, column)


def _registers(d: Distribution, transfer: Transfer, row: int, column: int) -> list[Value]:
    build, layout = d.build, transfer.layout
    memref_dims = {i: m for m, i in transfer.vector_dim.items()}
    lane = build.rem(d.thread_id(), TRANSPOSED_COLUMNS)
    across = layout.dimension(column)
    lanes_on = d.digit(across.thread // TRANSPOSED_COLUMNS, TRANSPOSED_COLUMNS)
    starts = {
        row: build.add(digits_offset(d, layout, row, at_least=TRANSPOSED_COLUMNS), build.div(lane, _PIECE)),
        column: build.add(
            build.add(
                digits_offset(d, layout, column, at_least=across.thread), build.mul(lanes_on, TRANSPOSED_COLUMNS)
            ),
            build.mul(build.rem(lane, _PIECE), _PIECE),
        ),
    }
    offsets = [tuple(place) for place in layout.register_offsets().tolist()]
    register_at = {place: register for register, place in enumerate(offsets)}
    scalars: list[Value] = [transfer.indices[0]] * layout.registers
    assert transfer.buffer.type.is_memref
    type = VectorType((_PIECE,), transfer.buffer.type.element)
    for place in offsets:
        if place[row] % _PIECE:
            continue
        indices = list(transfer.indices)
        for dim, start in starts.items():
            memref_dim = memref_dims[dim]
            indices[memref_dim] = build.add(build.add(indices[memref_dim], start), place[dim])
        pack = build.value(TransposeLoadOp, transfer.buffer, indices, types=[type])
        for element, value in enumerate(build.unpack(pack)):
            below = list(place)
            below[row] += element
            scalars[register_at[tuple(below)]] = value
    return scalars
