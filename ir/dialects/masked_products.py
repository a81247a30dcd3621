"""Masks of single products taken apart: into those of rows and columns, and those of what is summed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..attributes import dense_i64
from ..builder import constant_int
from ..core import Builder, Value
from ..types import I1, VectorType, shape_of
from . import arith
from .longhand import broadcast, transpose
from .vector_masks import ConstantMaskOp, CreateMaskOp
from .vector_shape import BroadcastOp, TransposeOp


class Factor(NamedTuple):
    """A mask along some iterators, `dims` in the order of its dimensions."""

    dims: tuple[int, ...]
    mask: Value


def factors(mask: Value, dims: Sequence[int], kept: Sequence[int], build: Builder) -> Iterator[Factor]:
    """Masks that are on together where `mask` is, whose dimensions are the iterators `dims`. Of a box, what is along
    `kept` iterators stays together, and so does the rest; what is on everywhere is left out."""
    op = mask.operation
    if isinstance(op, (CreateMaskOp, ConstantMaskOp)):
        for group in ([d for d in dims if d in kept], [d for d in dims if d not in kept]):
            part = projected(mask, [dims.index(d) for d in group], build)
            if part is not None and not _is_on(part):
                yield Factor(tuple(group), part)
    elif isinstance(op, arith.AndIOp):
        yield from factors(op.lhs, dims, kept, build)
        yield from factors(op.rhs, dims, kept, build)
    elif isinstance(op, TransposeOp):
        yield from factors(op.vector, [dims[op.permutation.index(d)] for d in range(len(dims))], kept, build)
    elif isinstance(op, BroadcastOp) and _repeats(op):
        yield from factors(op.source, dims[len(dims) - len(shape_of(op.source.type)) :], kept, build)
    else:
        yield Factor(tuple(dims), mask)


def _repeats(op: BroadcastOp) -> bool:
    """Whether it only adds leading dimensions."""
    source = shape_of(op.source.type)
    return shape_of(op.vector.type)[op.vector.type.rank - len(source) :] == source


def _is_on(mask: Value) -> bool:
    op, shape = mask.operation, shape_of(mask.type)
    if isinstance(op, CreateMaskOp):
        bounds = [constant_int(b) for b in op.bounds]
        return all(b is not None and b >= extent for b, extent in zip(bounds, shape, strict=True))
    return isinstance(op, ConstantMaskOp) and tuple(op.mask_dim_sizes) == shape


def projected(mask: Value, dims: Sequence[int], build: Builder) -> Value | None:
    """A mask that is a box, along some of its dims; None for any other, or along none."""
    op = mask.operation
    type = VectorType(tuple(shape_of(mask.type)[d] for d in dims), I1)
    if dims and isinstance(op, CreateMaskOp):
        return build.value(CreateMaskOp, [op.bounds[d] for d in dims], types=[type])
    if dims and isinstance(op, ConstantMaskOp):
        sizes = dense_i64([op.mask_dim_sizes[d] for d in dims])
        return build.value(ConstantMaskOp, types=[type], mask_dim_sizes=sizes)
    return None


def along(factor: Factor, dims: Sequence[int], extents: Sequence[int], build: Builder) -> Value:
    """A factor with an element for each place of the iterators `dims`, among which its own are."""
    order = [*(d for d in dims if d not in factor.dims), *factor.dims]
    full = broadcast(build, factor.mask, [extents[d] for d in order])
    return full if order == list(dims) else transpose(build, full, [order.index(d) for d in dims])
