"""Rules for memrefs that share memory: views, casts, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir.core import Operation, Value
from ...ir.dialects import memref
from ...ir.dialects.memref import memref_type
from ...ir.numerics import Array, dtype_of
from ...ir.types import VectorType
from .compile import Compiler, Step, interprets
from .errors import failure
from .machine import Machine, Number, number
from .memory import MemRef, row_major


def element_dtype(op: Operation, value: Value) -> np.dtype[Any]:
    element = memref_type(value).element
    if isinstance(element, VectorType):
        raise failure(op, f"has elements {element}, one thread's program has memrefs of scalars")
    return dtype_of(element)


def extents_of(shape: Sequence[int | None], dynamic: Sequence[Array]) -> tuple[Number, ...]:
    """The extents of a type, with values where it leaves them open."""
    remaining = iter(dynamic)
    return tuple(number(next(remaining)) if n is None else n for n in shape)


def require(m: Machine, op: Operation, holds: Array | bool, words: str, found: Number) -> None:
    """Raises `InterpretError` with the first active thread for which something does not hold."""
    wrong = ~np.asarray(holds)
    if wrong.ndim and m.active is not None:
        wrong = wrong & m.active
    if wrong.any():
        thread = int(np.argmax(wrong)) if wrong.ndim else m.someone()
        text = found if isinstance(found, int) else int(found[thread])
        raise failure(op, f"in {m.batch.who(thread)} {words}: {text}")


@interprets(memref.ViewOp)
def _view(c: Compiler, op: memref.ViewOp) -> Step:
    source, shift, out = c.slots([op.source, op.byte_shift, op.result_])
    sizes_of, type, dtype = c.slots(op.sizes), op.result_.type, element_dtype(op, op.result_)

    def step(m: Machine) -> None:
        bytes_, start = m.values[source], number(m.values[shift])
        sizes = extents_of(type.shape, [m.values[s] for s in sizes_of])
        size: Number = dtype.itemsize
        for extent in sizes:
            size = size * extent
        begin = bytes_.offset + start
        require(m, op, start >= 0, "begins before its buffer", start)
        require(m, op, start + size <= bytes_.sizes[0], "ends after its buffer, at byte", start + size)
        require(m, op, begin % dtype.itemsize == 0, f"of {type.element} begins at a byte that is no multiple", begin)
        m.values[out] = MemRef(bytes_.buffer, dtype, begin // dtype.itemsize, sizes, row_major(sizes))

    return step


@interprets(memref.SubViewOp)
def _subview(c: Compiler, op: memref.SubViewOp) -> Step:
    source, out, kept = c.slot(op.source), c.slot(op.result_), op.kept_dims()
    offsets_of, sizes_of, strides_of = ([_reader(c, e) for e in entries] for entries in op.mixed())

    def step(m: Machine) -> None:
        whole: MemRef = m.values[source]
        offsets, sizes, strides = ([get(m) for get in part] for part in (offsets_of, sizes_of, strides_of))
        start = whole.offset
        for dim, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
            last = offset + (size - 1) * stride
            inside = (np.asarray(size) <= 0) | ((np.asarray(offset) >= 0) & (last < np.asarray(whole.sizes[dim])))
            require(m, op, inside, f"leaves its source in dimension {dim}, at index", last)
            start = start + offset * whole.strides[dim]
        steps = [a * b for a, b in zip(strides, whole.strides, strict=True)]
        m.values[out] = replace(
            whole, offset=start, sizes=tuple(sizes[d] for d in kept), strides=tuple(steps[d] for d in kept)
        )

    return step


def _reader(c: Compiler, entry: int | Value) -> Callable[[Machine], Number]:
    """Gives an entry of a list that mixes numbers and values."""
    if isinstance(entry, int):
        return lambda m: entry
    slot = c.slot(entry)
    return lambda m: number(m.values[slot])


@interprets(memref.CastOp)
def _cast(c: Compiler, op: memref.CastOp) -> Step:
    """What the result's type states has to be so."""
    source, out, type = c.slot(op.source), c.slot(op.result_), op.result_.type
    strides, offset = type.strides_and_offset()
    stated = [*type.shape, *strides, offset]
    words = [f"{part} {dim}" for part in ("extent", "stride") for dim in range(type.rank)] + ["offset"]

    def step(m: Machine) -> None:
        value: MemRef = m.values[source]
        found = [*value.sizes, *value.strides, value.offset]
        for name, expected, number_ in zip(words, stated, found, strict=True):
            if expected is not None:
                require(m, op, np.asarray(number_ == expected), f"states {expected} as {name}, but it is", number_)
        m.values[out] = value

    return step


@interprets(memref.AssumeAlignmentOp)
def _assume_alignment(c: Compiler, op: memref.AssumeAlignmentOp) -> Step:
    source, out, alignment = c.slot(op.memref), c.slot(op.result_), op.alignment

    def step(m: Machine) -> None:
        value: MemRef = m.values[source]
        address = value.buffer.base + value.offset * value.dtype.itemsize
        if m.checks:
            require(m, op, np.asarray(address % alignment) == 0, f"states {alignment}, the address ends in", address)
        m.values[out] = value

    return step


@interprets(memref.DimOp)
def _dim(c: Compiler, op: memref.DimOp) -> Step:
    source, index, out = c.slots([op.memref, op.index, op.result_])

    def step(m: Machine) -> None:
        value: MemRef = m.values[source]
        which = number(m.values[index])
        rank = len(value.sizes)
        require(m, op, (np.asarray(which) >= 0) & (np.asarray(which) < rank), f"of rank {rank} has no dimension", which)
        sizes = [np.asarray(s, np.int64) for s in value.sizes]
        m.values[out] = sizes[which] if isinstance(which, int) else np.choose(np.clip(which, 0, rank - 1), sizes)

    return step
