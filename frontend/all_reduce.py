"""gpu.all_reduce: by subgroups where the threads fill them, else by halves, both through shared memory.

A barrier stands behind the last read, so that the buffer can serve again, in a loop for instance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..ir.cloning import clone
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, gpu, memref, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.gpu_together import AllReduceOp, YieldOp
from ..ir.dialects.lanewise import HINT_ALONE, ThreadsOp
from ..ir.dialects.longhand import join
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.types import INDEX, MemRefType
from .affine import number
from .legalisations import EXPAND, Inside, Place, expands, refuse

_MOST_LANES, _FEWEST_LANES = 64, 32
"""The most and the fewest lanes of a subgroup, where the kernel does not say how many."""

EXPAND.needless("ends the region of gpu.all_reduce, which is expanded", YieldOp)


@expands(AllReduceOp)
def _all_reduce(place: Place, op: AllReduceOp) -> Sequence[Value]:
    if _inside_threads(op):
        raise refuse(op, "waits for other threads inside 'lanewise.threads'", HINT_ALONE)
    threads, lanes = place.kernel.threads, place.kernel.subgroup_size
    if op.op is None or threads % (lanes or _MOST_LANES):
        return [_by_halves(place, op, threads)]
    own = place.value(gpu.SubgroupReduceOp, op.value, types=[op.value.type], op=op.op, uniform=op.uniform)
    return [own if threads == lanes else _across_subgroups(place, op, own, threads // (lanes or _FEWEST_LANES))]


def _inside_threads(op: Operation) -> bool:
    around = op.enclosing()
    return around is not None and (isinstance(around, ThreadsOp) or _inside_threads(around))


def _across_subgroups(place: Place, op: AllReduceOp, own: Value, most: int) -> Value:
    """The first lane of each subgroup stores what its lanes gave; everybody joins these in order."""
    parts = _buffer(place, op, most)
    zero, one = number(place, 0), number(place, 1)
    first = _compare(place, "eq", place.value(gpu.LaneIdOp), zero)
    _when(place, first, lambda inner: _store(inner, own, parts, inner.value(gpu.SubgroupIdOp)))
    place.op(gpu.BarrierOp)
    block = Block([INDEX, op.value.type])
    start, count = _load(place, parts, zero), place.value(gpu.NumSubgroupsOp)
    loop = place.op(scf.ForOp, one, count, one, [start], types=[start.type], regions=[Region([block])])
    inner, (index, total) = Inside(place, block), block.arguments
    inner.op(scf.YieldOp, [_combine(inner, op, total, _load(inner, parts, index))])
    place.op(gpu.BarrierOp)
    return loop.results[0]


def _by_halves(place: Place, op: AllReduceOp, threads: int) -> Value:
    """The upper half of what is left joins the lower, until one is left."""
    values, own = _buffer(place, op, threads), linear_thread(place)
    _store(place, op.value, values, own)
    place.op(gpu.BarrierOp)
    step = 1 << (threads - 1).bit_length() >> 1
    while step:
        below = _compare(place, "ult", own, number(place, min(step, threads - step)))
        _when(place, below, partial(_join_above, op=op, values=values, own=own, step=step))
        place.op(gpu.BarrierOp)
        step >>= 1
    total = _load(place, values, number(place, 0))
    place.op(gpu.BarrierOp)
    return total


def _join_above(build: Builder, op: AllReduceOp, values: Value, own: Value, step: int) -> None:
    above = build.value(arith.AddIOp, own, number(build, step))
    a, b = (_load(build, values, index) for index in (own, above))
    _store(build, _combine(build, op, a, b), values, own)


def _combine(build: Builder, op: AllReduceOp, a: Value, b: Value) -> Value:
    if op.op is not None:
        return join(build, CombiningKindAttr(op.op.value), a, b)
    body = op.combiner
    assert body is not None and body.terminator is not None
    values = dict(zip(body.arguments, (a, b), strict=True))
    for inner in body.operations[:-1]:
        build.append(clone(inner, values))
    (last,) = body.terminator.operands
    return values.get(last, last)


def _buffer(place: Place, op: AllReduceOp, count: int) -> Value:
    type = MemRefType((count,), op.value.type, None, gpu.WORKGROUP)
    return place.value(memref.AllocOp, [], types=[type])


def _load(build: Builder, buffer: Value, index: Value) -> Value:
    return build.value(memref.LoadOp, buffer, [index])


def _store(build: Builder, value: Value, buffer: Value, index: Value) -> None:
    build.op(memref.StoreOp, value, buffer, [index])


def _compare(build: Builder, predicate: str, a: Value, b: Value) -> Value:
    return build.value(arith.CmpIOp, a, b, predicate=IntegerPredicateAttr(predicate))


def _when(build: Builder, condition: Value, write: Callable[[Builder], None]) -> None:
    block = Block()
    build.op(scf.IfOp, condition, types=[], regions=[Region([block]), Region()])
    inner = Inside(build, block)
    write(inner)
    inner.op(scf.YieldOp, [])


def linear_thread(place: Place) -> Value:
    """The thread's number in its workgroup, x fastest."""
    total: Value | None = None
    for axis, extent in reversed(list(zip("xyz", place.kernel.block_size, strict=True))):
        if extent == 1:
            continue
        id = place.value(gpu.ThreadIdOp, dimension=DimensionAttr(axis))
        if total is not None:
            total = place.value(arith.MulIOp, total, number(place, extent))
        total = id if total is None else place.value(arith.AddIOp, total, id)
    return number(place, 0) if total is None else total
