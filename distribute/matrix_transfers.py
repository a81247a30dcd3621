"""What instructions need that read a matrix from shared memory: where it lies, and how its rows are aligned."""

from __future__ import annotations

from ..ir.memory_spaces import is_workgroup
from ..ir.types import bit_width
from .context import Distribution
from .packing import Transfer


def dims_of(d: Distribution, t: Transfer) -> tuple[int, int] | None:
    """The vector's dimensions of which the second is contiguous in shared memory; None where a transfer is no whole
    matrix there."""
    type, dims = t.buffer.type, t.vector_dim
    assert type.is_memref
    if d.workgroup.scope != "workgroup" or not is_workgroup(type.memory_space):
        return None
    if t.layout.rank != 2 or len(dims) != 2 or not all(t.in_bounds) or t.mask is not None:
        return None
    strides, _ = type.strides_and_offset()
    if strides[-1] != 1 or type.rank - 1 not in dims:
        return None
    column = dims[type.rank - 1]
    return 1 - column, column


def aligned_rows(d: Distribution, t: Transfer, row: int, bytes: int) -> bool:
    """Whether what begins at a multiple of so many bytes of the vector's row does so in memory."""
    known, buffer, rank = d.divisibility, t.buffer, len(t.indices)
    assert buffer.type.is_memref
    if known.base(buffer) < 8 * bytes:
        return False
    moving = next(m for m, i in t.vector_dim.items() if i == row)
    outer = [known.stride(buffer, m) * (1 if m == moving else known.of(t.indices[m])) for m in range(rank - 1)]
    return min([known.of(t.indices[rank - 1]), *outer]) * bit_width(buffer.type.element) // 8 >= bytes
