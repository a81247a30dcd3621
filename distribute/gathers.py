"""Tiles that subgroups copy to shared memory with an instruction that writes what its lanes read one after another.

Which lane copies what follows from where it lies in memory: where rows of a buffer change places, a lane reads what
belongs where it writes. So all must be inside of memory, and each lane must have a piece.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ..ir.attributes import TypeAttr, UnitAttr
from ..ir.builder import constant_int
from ..ir.core import Value
from ..ir.dialects import arith
from ..ir.dialects.amdgpu_lds import GatherToLDSOp
from ..ir.dialects.iree_codegen import SwizzleAttr
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.memref import AllocOp
from ..ir.dialects.nvgpu_async import BYPASS_BYTES
from ..ir.element_orders import order_of
from ..ir.types import MemRefType, VectorType, memory_bits
from ..layout.nested import NestedLayout
from ..layout.rules.iree_vector_ext import anchored
from ..layout.workgroup import Workgroup
from .context import Distribution
from .indexing import digits_offset
from .packing import Transfer, plan_accesses

GATHERS = "global_load_lds.16"
"""The feature of chips whose instruction copies 16 bytes a lane."""


def gathers_of(op: AsyncCopyOp, workgroup: Workgroup) -> int:
    """How many instructions of a thread copy the tile; 0 where it is not copied so."""
    assert op.layout is not None, "the layout stage has said who copies what"
    layout = anchored(op.layout, workgroup.subgroup_size).wrapped(workgroup.subgroups)
    count = 8 * BYPASS_BYTES // memory_bits(op.dst.type.element)
    whole = op.condition is None and all(op.in_bounds_flags)
    alone = not layout.unused_digits(workgroup.threads, workgroup.subgroup_size)
    fits = whole and alone and _lies_whole(op, count) and _follow(op, layout, workgroup, count)
    return layout.registers // count if fits else 0


def _lies_whole(op: AsyncCopyOp, count: int) -> bool:
    """Whether the tile is all of what it is copied to, and the buffer's order one that changes back what it changes."""
    type, tile = op.dst.type, op.dst.operation
    rank = len(op.shape)
    if not isinstance(tile, AllocOp) or type.shape[type.rank - rank :] != tuple(op.shape):
        return False
    if any(constant_int(i) != 0 for i in op.dstIndices[type.rank - rank :]):
        return False
    order = order_of(tile)
    if order is None:
        return True
    mixed = order.swizzle
    period, _ = order.period
    is_pair = mixed is not None and order.boxes is None and not mixed.rotates and mixed.access % count == 0
    if not is_pair or mixed is None:
        return False
    return op.shape[-1] % mixed.row == 0 == mixed.repeated % op.shape[-1] and prod(op.shape) % period == 0


def _follow(op: AsyncCopyOp, layout: NestedLayout, workgroup: Workgroup, count: int) -> bool:
    """Whether the lanes of a subgroup hold pieces of `count` elements that follow each other in the tile."""
    steps = np.array([prod(op.shape[d + 1 :]) for d in range(len(op.shape))], np.int64)
    lanes = workgroup.subgroup_size
    firsts = layout.thread_offsets(lanes, lanes) @ steps
    held = np.sort(layout.register_offsets() @ steps).reshape(-1, count) if layout.registers % count == 0 else None
    follow = np.array_equal(firsts, np.arange(lanes) * count)
    return held is not None and follow and bool((held - held[:, :1] == np.arange(count)).all())


def gather(d: Distribution, op: AsyncCopyOp, source: Transfer, target: Transfer) -> None:
    """The thread's copies. `source`, `target`: as `gathers_of` has found them to fit."""
    layout, build = source.layout, d.build
    rank = op.dst.type.rank - layout.rank
    offsets = layout.register_offsets().tolist()
    subgroup = [digits_offset(d, layout, dim, at_least=d.subgroup_size) for dim in range(layout.rank)]
    for origin, place in zip(list(plan_accesses(d, source)), list(plan_accesses(d, target)), strict=True):
        held = offsets[place.registers[0][0]]
        assert held == offsets[origin.registers[0][0]], "both sides have pieces of 16 bytes"
        first = [build.add(part, int(held[dim])) for dim, part in enumerate(subgroup)]
        column = _mixed(d, op, place.indices, rank)
        from_ = [*origin.indices[:-1], build.add(d.scalar(op.srcIndices[-1]), column)]
        type = VectorType((place.width,), op.dst.type.element)
        build.op(
            GatherToLDSOp,
            source.buffer,
            from_,
            target.buffer,
            [*target.indices[:rank], *first],
            types=[],
            transferType=TypeAttr(type),
            **{"async": UnitAttr(), **source.hints},
        )


def _mixed(d: Distribution, op: AsyncCopyOp, indices: tuple[Value, ...], rank: int) -> Value:
    """The column of the tile that belongs where a lane writes as if nothing changed places."""
    tile = op.dst.operation
    assert isinstance(tile, AllocOp)
    order = order_of(tile)
    column = indices[-1]
    if order is None or order.swizzle is None:
        return column
    row = _row(d, op, indices[rank:])
    mixed = d.build.value(arith.XOrIOp, column, _mix(d, order.swizzle, row, op.dst.type))
    return d.build.bound(mixed, op.shape[-1])


def _row(d: Distribution, op: AsyncCopyOp, indices: tuple[Value, ...]) -> Value:
    """The number of the row in the tile: others are whole periods away."""
    build, total = d.build, d.build.constant(0)
    for index, extent in zip(indices[:-1], op.shape[:-1], strict=True):
        total = build.add(build.mul(total, extent), index)
    return total


def _mix(d: Distribution, swizzle: SwizzleAttr, row: Value, type: MemRefType) -> Value:
    """What the numbers of columns are joined with by xor."""
    build, length = d.build, type.shape[-1]
    assert length is not None
    rows, pieces = swizzle.repeated // length, swizzle.row // swizzle.access
    return build.mul(build.rem(build.div(row, rows), pieces), swizzle.access)
