"""Rules for memrefs that share memory: views, casts, and what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects import iree_vector_ext, memref, vector
from ..ir.numerics import Array
from ..ir.types import scalar_type, shape_of
from ..support.dataclasses import replace
from .batch_state import Number, State, number
from .closures import EVALUATE, Compiler, Step
from .errors import EvaluationError, failure
from .layout import dtype_and_shape
from .memory import MemRef, row_major


def extents_of(m: State, op: Operation, shape: Sequence[int | None], dynamic: Sequence[Array]) -> tuple[Number, ...]:
    """The extents of a type, with values where it leaves them open."""
    remaining = iter(dynamic)
    sizes = tuple(number(next(remaining)) if n is None else n for n in shape)
    for size in sizes:
        require(m, op, np.asarray(size) >= 0, "has a negative size", size)
    return sizes


def require(
    m: State,
    op: Operation,
    holds: Array | bool,
    words: str,
    found: Number,
    kind: type[EvaluationError] = EvaluationError,
) -> None:
    """Raises an error of the kind with the first active owner for which something does not hold."""
    wrong = ~np.asarray(holds)
    if wrong.ndim and m.active is not None:
        wrong = wrong & m.active
    if wrong.any():
        owner = int(np.argmax(wrong)) if wrong.ndim else m.someone()
        text = found if isinstance(found, int) else int(found[owner])
        raise failure(op, f"{m.at(owner)}{words}: {text}", kind=kind)


@EVALUATE.of(iree_vector_ext.ToLayoutOp)
def _same(op: iree_vector_ext.ToLayoutOp, c: Compiler) -> Step:
    source, out = c.slots([op.input, op.output])

    def step(m: State) -> None:
        m.values[out], m.doubts[out] = m.values[source], m.doubts[source]

    return step


@EVALUATE.of(memref.ViewOp)
def _view(op: memref.ViewOp, c: Compiler) -> Step:
    source, shift, out = c.slots([op.source, op.byte_shift, op.result_])
    sizes_of, type = c.slots(op.sizes), op.result_.type
    dtype, inner = dtype_and_shape(type)

    def step(m: State) -> None:
        bytes_, start = m.values[source], number(m.values[shift])
        sizes = extents_of(m, op, type.shape, [m.values[s] for s in sizes_of])
        size: Number = dtype.itemsize * math.prod(inner)
        for extent in sizes:
            size = size * extent
        begin = bytes_.offset + start  # in bytes: such a buffer has elements of one byte
        require(m, op, start >= 0, "begins before its buffer", start)
        require(m, op, start + size <= bytes_.sizes[0], "ends after its buffer, at byte", start + size)
        words = f"of {scalar_type(type.element)} begins at a byte that is no multiple"
        require(m, op, begin % dtype.itemsize == 0, words, begin)
        strides = row_major(sizes, math.prod(inner))
        m.values[out] = MemRef(
            bytes_.buffer,
            dtype,
            begin // dtype.itemsize,
            sizes,
            strides,
            inner,
            begin // dtype.itemsize,
            bytes_.elsewhere // dtype.itemsize,
            bytes_.bounds,
        )

    return step


@EVALUATE.of(memref.SubViewOp)
def _subview(op: memref.SubViewOp, c: Compiler) -> Step:
    source, out, kept = c.slot(op.source), c.slot(op.result_), op.kept_dims()
    offsets_of, sizes_of, strides_of = ([reader(c, e) for e in entries] for entries in op.mixed())
    dynamic = c.slots(op.operands[1:])

    def step(m: State) -> None:
        m.settle(op, dynamic)
        whole: MemRef = m.values[source]
        offsets, sizes, strides = ([get(m) for get in part] for part in (offsets_of, sizes_of, strides_of))
        start = whole.offset
        for dim, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
            require(m, op, np.asarray(stride) > 0, f"needs a positive stride along dimension {dim}, found", stride)
            last = offset + (size - 1) * stride
            inside = (np.asarray(size) <= 0) | ((np.asarray(offset) >= 0) & (last < np.asarray(whole.sizes[dim])))
            require(m, op, inside, f"leaves its source in dimension {dim}, at index", last)
            start = start + offset * whole.strides[dim]
        steps = [a * b for a, b in zip(strides, whole.strides, strict=True)]
        m.values[out] = replace(
            whole, offset=start, sizes=tuple(sizes[d] for d in kept), strides=tuple(steps[d] for d in kept)
        )

    return step


def reader(c: Compiler, entry: int | Value) -> Callable[[State], Number]:
    """Gives an entry of a list that mixes numbers and values."""
    if isinstance(entry, int):
        return lambda m: entry
    slot = c.slot(entry)
    return lambda m: number(m.values[slot])


@EVALUATE.of(memref.CastOp)
def _cast(op: memref.CastOp, c: Compiler) -> Step:
    """What the result's type states has to be so; strides count elements, which may be vectors."""
    source, out, type = c.slot(op.source), c.slot(op.result_), op.result_.type
    strides, offset = type.strides_and_offset()
    unit = math.prod(shape_of(type.element))
    stated = [*type.shape, *(None if s is None else s * unit for s in (*strides, offset))]
    words = [f"{part} {dim}" for part in ("extent", "stride") for dim in range(type.rank)] + ["offset"]

    def step(m: State) -> None:
        value: MemRef = m.values[source]
        found = [*value.sizes, *value.strides, value.offset - value.origin]
        for name, expected, number_ in zip(words, stated, found, strict=True):
            if expected is not None:
                require(m, op, np.asarray(number_ == expected), f"states {expected} as {name}, but it is", number_)
        m.values[out] = value

    return step


@EVALUATE.of(vector.TypeCastOp)
def _type_cast(op: vector.TypeCastOp, c: Compiler) -> Step:
    source, out, type = c.slot(op.memref), c.slot(op.result_), op.result_.type
    sizes, inner = tuple(n or 0 for n in type.shape), shape_of(type.element)
    strides = row_major(sizes, math.prod(inner))

    def step(m: State) -> None:
        m.values[out] = replace(m.values[source], sizes=sizes, strides=strides, inner=inner)

    return step


@EVALUATE.of(memref.AssumeAlignmentOp)
def _assume_alignment(op: memref.AssumeAlignmentOp, c: Compiler) -> Step:
    source, out, alignment = c.slot(op.memref), c.slot(op.result_), op.alignment

    def step(m: State) -> None:
        value: MemRef = m.values[source]
        address = value.buffer.base + value.offset * value.dtype.itemsize
        if m.run.checks:
            require(m, op, np.asarray(address % alignment) == 0, f"states {alignment}, the address ends in", address)
        m.values[out] = value

    return step


@EVALUATE.of(memref.DimOp)
def _dim(op: memref.DimOp, c: Compiler) -> Step:
    source, index, out = c.slots([op.memref, op.index, op.result_])

    def step(m: State) -> None:
        value: MemRef = m.values[source]
        which = number(m.values[index])
        rank = len(value.sizes)
        require(m, op, (np.asarray(which) >= 0) & (np.asarray(which) < rank), f"of rank {rank} has no dimension", which)
        sizes = [np.asarray(s, np.int64) for s in value.sizes]
        m.values[out] = sizes[which] if isinstance(which, int) else np.choose(np.clip(which, 0, rank - 1), sizes)

    return step
