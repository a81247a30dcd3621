"""Memory that a kernel makes, and barriers."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.attributes import IntegerAttr
from ..ir.dialects import gpu, memref
from ..ir.dialects.memref_buffers import AllocaOp
from ..ir.types import I64, Attribute, MemRefType
from .arrays import Array
from .dtypes import DType, extents
from .operands import checked_dtype, element_of
from .trace import building, fail


def shared(shape: int | Sequence[int], dtype: DType, *, align: int | None = None) -> Array:
    """Memory of the workgroup; what is in it before it is written is undefined. `align` is of bytes."""
    return _allocated(memref.AllocOp, shape, dtype, gpu.WORKGROUP, align, "shared")


def private(shape: int | Sequence[int], dtype: DType, *, align: int | None = None) -> Array:
    """Memory of each thread; what is in it before it is written is undefined."""
    return _allocated(AllocaOp, shape, dtype, None, align, "private")


def _allocated(
    op: type[memref.AllocOp],
    shape: int | Sequence[int],
    dtype: DType,
    space: Attribute | None,
    align: int | None,
    name: str,
) -> Array:
    sizes = extents(shape)
    if any(n < 1 for n in sizes):
        fail(f"memory has constant extents above 0, found {sizes}")
    alignment = None if align is None else IntegerAttr(align, I64)
    type = MemRefType(sizes, element_of(checked_dtype(dtype)), None, space)
    made = building().op(op, [], types=[type], alignment=alignment)
    made.memref.hint = name
    return Array(made.memref, dtype, name, unnamed=True)


def barrier() -> None:
    """All threads of the workgroup wait for each other and see each other's writes. lanewise puts barriers where
    accesses of shared memory need them: this is for what it cannot see."""
    building().op(gpu.BarrierOp)
