"""Rules for views that say offset and strides outright, and for what programs state of memrefs and numbers."""

from __future__ import annotations

from math import prod

import numpy as np

from ..ir.dialects import memref_views, util
from ..ir.numerics import Array
from ..ir.types import shape_of
from ..support.dataclasses import replace
from .batch_state import Number, State, number
from .closures import EVALUATE, Compiler, Step
from .errors import UnmetAssumption
from .memory import MemRef
from .rules_views import reader, require


@EVALUATE.of(memref_views.ReinterpretCastOp)
def _reinterpret_cast(op: memref_views.ReinterpretCastOp, c: Compiler) -> Step:
    source, out = c.slot(op.source), c.slot(op.result_)
    offset_of, (sizes_of, strides_of) = reader(c, op.mixed()[0]), ([reader(c, n) for n in ns] for ns in op.mixed()[1:])
    dynamic, unit = c.slots(op.operands[1:]), prod(shape_of(op.result_.type.element))

    def step(m: State) -> None:
        m.settle(op, dynamic)
        whole: MemRef = m.values[source]
        sizes, strides = (tuple(get(m) for get in part) for part in (sizes_of, strides_of))
        offset = offset_of(m)
        lowest, highest, empty = _reach(offset, sizes, strides)
        for dim, size in enumerate(sizes):
            require(m, op, np.asarray(size) >= 0, f"needs a size along dimension {dim}, found", size)
        begins = (whole.origin - whole.elsewhere) // unit
        available = whole.buffer.instance_bytes // (whole.dtype.itemsize * unit) - begins
        require(m, op, empty | (np.asarray(lowest) >= 0), "begins before its buffer, at element", lowest)
        require(m, op, empty | (np.asarray(highest) < available), "reaches behind its buffer, to element", highest)
        steps = tuple(stride * unit for stride in strides)
        m.values[out] = replace(whole, offset=whole.origin + offset * unit, sizes=sizes, strides=steps)

    return step


def _reach(offset: Number, sizes: tuple[Number, ...], strides: tuple[Number, ...]) -> tuple[Number, Number, np.ndarray]:
    """The first and the last element that are seen, and whether none is."""
    lowest, highest = offset, offset
    for size, stride in zip(sizes, strides, strict=True):
        distance = (size - 1) * stride
        lowest = lowest + number(np.asarray(np.minimum(distance, 0)))
        highest = highest + number(np.asarray(np.maximum(distance, 0)))
    return lowest, highest, np.asarray(sum(np.asarray(size) == 0 for size in sizes) > 0)


@EVALUATE.of(memref_views.ExtractStridedMetadataOp)
def _extract_strided_metadata(op: memref_views.ExtractStridedMetadataOp, c: Compiler) -> Step:
    source, base, numbers = c.slot(op.source), c.slot(op.base_buffer), c.slots(op.results[1:])
    unit = prod(shape_of(op.source.type.element))

    def step(m: State) -> None:
        given: MemRef = m.values[source]
        m.values[base] = replace(given, offset=given.origin, sizes=(), strides=())
        found = [(given.offset - given.origin) // unit, *given.sizes, *(stride // unit for stride in given.strides)]
        for slot, value in zip(numbers, found, strict=True):
            m.values[slot] = np.asarray(value, np.int64)

    return step


@EVALUATE.of(memref_views.MemorySpaceCastOp)
def _memory_space_cast(op: memref_views.MemorySpaceCastOp, c: Compiler) -> Step:
    source, out = c.slots([op.source, op.dest])

    def step(m: State) -> None:
        m.values[out] = m.values[source]

    return step


@EVALUATE.of(util.AssumeIntOp)
def _assume_int(op: util.AssumeIntOp, c: Compiler) -> Step:
    sources, outs = c.slots(op.operands_), c.slots(op.results_)
    stated = [op.of_operand(i) for i in range(len(outs))]

    def step(m: State) -> None:
        for source, out, assumptions in zip(sources, outs, stated, strict=True):
            m.values[out], m.doubts[out] = m.values[source], m.doubts[source]
            given = np.asarray(m.values[source])
            unsigned = given.astype(np.int64) if given.dtype == np.bool_ else given.view(f"u{given.itemsize}")
            holds = sum(np.asarray(_holds(a, unsigned)) for a in assumptions) > 0
            words = "is none of the numbers that the program states"
            require(m, op, holds, words, number(m.values[source]), UnmetAssumption)

    return step


def _holds(stated: util.IntAssumptionAttr, value: Array) -> Array:
    inside = (value >= (stated.umin or 0)) & (value % (stated.udiv or 1) == 0)
    return np.asarray(inside if stated.umax is None else inside & (value <= stated.umax))
