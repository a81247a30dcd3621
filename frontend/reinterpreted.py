"""Views of the same memory under other extents, strides and orders of dimensions are `memref.reinterpret_cast`, which
says these outright, of a source whose own are read by `memref.extract_strided_metadata` where its type does not state
them."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Builder, Value
from ..ir.dialects import arith
from ..ir.dialects.longhand import constant
from ..ir.dialects.memref import DimOp, LoadOp, memref_type
from ..ir.dialects.memref_buffers import DistinctObjectsOp
from ..ir.dialects.memref_views import (
    CollapseShapeOp,
    ExpandShapeOp,
    ExtractStridedMetadataOp,
    Mixed,
    RankOp,
    ReinterpretCastOp,
    ReshapeOp,
    TransposeOp,
    last_of,
)
from ..ir.dynamic_index_list import merge, static_attr
from ..ir.types import INDEX, MemRefType
from .legalisations import Place, expands


def reinterpreted(
    build: Builder, source: Value, type: MemRefType, offset: Mixed, sizes: Sequence[Mixed], strides: Sequence[Mixed]
) -> Value:
    """The view of a source's buffer that `type` and these numbers describe; where the type has a number it counts."""
    step, start = type.strides_and_offset()
    groups = list(zip(([offset], sizes, strides), ((start,), type.shape, step), strict=True))
    values = [[_index(build, v) for v, n in zip(*group, strict=True) if n is None] for group in groups]
    names = ("static_offsets", "static_sizes", "static_strides")
    attributes = {name: static_attr(stated) for name, (_, stated) in zip(names, groups, strict=True)}
    return build.value(ReinterpretCastOp, source, *values, types=[type], **attributes)


def _index(build: Builder, number: Mixed) -> Value:
    return number if isinstance(number, Value) else constant(build, number, INDEX)


def metadata(build: Builder, source: Value) -> tuple[Mixed, list[Mixed], list[Mixed]]:
    """Offset, sizes and strides of a memref: numbers where its type has them."""
    type = memref_type(source)
    steps, start = type.strides_and_offset()
    sizes: list[Mixed] = [_size(build, source, dim) if n is None else n for dim, n in enumerate(type.shape)]
    if type.layout is None:
        return 0, sizes, row_major(build, sizes)
    if start is not None and None not in steps:
        return start, sizes, [n for n in steps if n is not None]
    op = build.op(ExtractStridedMetadataOp, source)
    strides: list[Mixed] = [value if n is None else n for n, value in zip(steps, op.strides, strict=True)]
    return op.offset if start is None else start, sizes, strides


def _size(build: Builder, source: Value, dim: int) -> Value:
    return build.value(DimOp, source, constant(build, dim, INDEX))


def times(build: Builder, a: Mixed, b: Mixed) -> Mixed:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 or b == 1:
        return b if a == 1 else a
    return build.value(arith.MulIOp, _index(build, a), _index(build, b))


def row_major(build: Builder, sizes: Sequence[Mixed], step: Mixed = 1) -> list[Mixed]:
    """Strides of dimensions that lie in each other without gaps, the last one's being `step`."""
    strides: list[Mixed] = []
    for size in reversed(sizes):
        strides.append(step)
        step = times(build, step, size)
    return strides[::-1]


@expands(ExpandShapeOp)
def _expand(place: Place, op: ExpandShapeOp) -> Sequence[Value]:
    offset, _, steps = metadata(place, op.src)
    sizes = merge(op.static_output_shape, op.output_shape)
    strides = [
        stride
        for dims, step in zip(op.groups, steps, strict=False)
        for stride in row_major(place, [sizes[d] for d in dims], step)
    ]
    strides += [1] * (len(sizes) - len(strides))
    return [reinterpreted(place, op.src, op.result_.type, offset, sizes, strides)]


@expands(CollapseShapeOp)
def _collapse(place: Place, op: CollapseShapeOp) -> Sequence[Value]:
    offset, sizes, strides = metadata(place, op.src)
    target = op.result_.type
    joined: list[Mixed] = []
    for dims in op.groups[: target.rank]:
        total: Mixed = 1
        for dim in dims:
            total = times(place, total, sizes[dim])
        joined.append(total)
    steps = [strides[last_of(op.src.type, dims)] for dims in op.groups[: target.rank]]
    return [reinterpreted(place, op.src, target, offset, joined, steps)]


@expands(TransposeOp)
def _transpose(place: Place, op: TransposeOp) -> Sequence[Value]:
    order = op.order
    assert order is not None
    offset, sizes, strides = metadata(place, op.in_)
    moved = ([numbers[d] for d in order] for numbers in (sizes, strides))
    return [reinterpreted(place, op.in_, op.result_.type, offset, *moved)]


@expands(ReshapeOp)
def _reshape(place: Place, op: ReshapeOp) -> Sequence[Value]:
    target = op.result_.type
    sizes = [_extent(place, op, dim) if n is None else n for dim, n in enumerate(target.shape)]
    offset, _, _ = metadata(place, op.source)
    return [reinterpreted(place, op.source, target, offset, sizes, row_major(place, sizes))]


def _extent(build: Builder, op: ReshapeOp, dim: int) -> Value:
    extent = build.value(LoadOp, op.shape, [constant(build, dim, INDEX)])
    return extent if extent.type == INDEX else build.value(arith.IndexCastOp, extent, types=[INDEX])


@expands(RankOp)
def _rank(place: Place, op: RankOp) -> Sequence[Value]:
    return [constant(place, op.memref.type.rank, INDEX)]


@expands(DistinctObjectsOp, first=True)
def _distinct(place: Place, op: DistinctObjectsOp) -> Sequence[Value]:
    return op.objects
