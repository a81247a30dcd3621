"""lanewise.async_copy and groups of copies: each thread copies its pieces, and waits for its own groups.

Where a piece has no size or alignment that an instruction copies, or the chip has no such instruction, the tile is
copied at once, through registers: a copy may take place as soon as it is issued.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...analysis.divisibility import element_bits
from ...ir.attributes import IntegerAttr, UnitAttr
from ...ir.builder import constant_int
from ...ir.cache_hints import NOT_KEPT, cache_hints, evict_priority
from ...ir.core import Block, Operation, Region, Value
from ...ir.dialects import amdgpu_barriers, amdgpu_tensor, arith, scf
from ...ir.dialects.amdgpu_lds import GatherToLDSOp, GlobalLoadAsyncToLDSOp, MemoryCounterWaitOp
from ...ir.dialects.lanewise_async import AsyncCopyOp
from ...ir.dialects.nvgpu_async import (
    BYPASS_BYTES,
    COPY_BYTES,
    TOKEN,
    DeviceAsyncCopyOp,
    DeviceAsyncCreateGroupOp,
    DeviceAsyncWaitOp,
)
from ...ir.dialects.rocdl_waits import WaitAsynccntOp, WaitTensorcntOp
from ...ir.types import I32, INDEX
from ...layout.nested import NestedLayout
from ...layout.rules.iree_vector_ext import anchored
from ..context import DISTRIBUTE, Distribution, distributes
from ..gathers import GATHERS, gather, gathers_of
from ..indexing import elected
from ..packing import Access, Transfer, plan_accesses
from ..transfers import read, write
from .gpu import distribute_scalar

DISTRIBUTE.of(
    DeviceAsyncCopyOp,
    GatherToLDSOp,
    GlobalLoadAsyncToLDSOp,
    MemoryCounterWaitOp,
    WaitAsynccntOp,
    WaitTensorcntOp,
    *amdgpu_barriers.ON_BARRIERS,
    *amdgpu_barriers.PARTS,
    *amdgpu_tensor.BASES,
    *amdgpu_tensor.COPIES,
)(distribute_scalar)  # a thread's own, in a program of threads


_COPIES = "cp.async"


@distributes(AsyncCopyOp)
def _copy_tile(d: Distribution, op: AsyncCopyOp) -> None:
    layout = _layout(d, op)
    source, target = _source(d, op, layout), _target(d, op, layout)
    if d.chip.supports(GATHERS) and gathers_of(op, d.workgroup):
        gather(d, op, source, target)
        d.set_tokens(op.asyncToken, [])
        return
    from_, to = list(plan_accesses(d, source)), list(plan_accesses(d, target))
    size = element_bits(source.buffer)
    alike = [a.registers for a in from_] == [a.registers for a in to]
    sizes = (BYPASS_BYTES,) if evict_priority(op) == NOT_KEPT else COPY_BYTES
    if d.chip.supports(_COPIES) and alike and all(a.width * size in [8 * n for n in sizes] for a in from_):
        d.set_tokens(op.asyncToken, _issue(d, layout, source, target, list(zip(from_, to, strict=True))))
        return
    zero = d.build.constant(0, source.buffer.type.element)
    write(d, target, read(d, source, [zero] * layout.registers))
    d.set_tokens(op.asyncToken, [])


def _layout(d: Distribution, op: AsyncCopyOp) -> NestedLayout:
    assert op.layout is not None, "the layout stage has said who copies what"
    layout = anchored(op.layout, d.subgroup_size).wrapped(d.subgroups)
    layout.check(shape=op.shape, threads=d.threads, subgroup_size=d.subgroup_size)
    return layout


def _source(d: Distribution, op: AsyncCopyOp, layout: NestedLayout) -> Transfer:
    dims = {m: i for i, m in enumerate(op.dims(op.src.type))}
    indices = tuple(d.scalar(i) for i in op.srcIndices)
    mask = None if op.condition is None else [d.scalar(op.condition)] * layout.registers
    return Transfer(d.scalar(op.src), indices, dims, op.in_bounds_flags, layout, mask, hints=cache_hints(op))


def _target(d: Distribution, op: AsyncCopyOp, layout: NestedLayout) -> Transfer:
    dims = {m: i for i, m in enumerate(op.dims(op.dst.type))}
    indices = tuple(d.scalar(i) for i in op.dstIndices)
    return Transfer(d.scalar(op.dst), indices, dims, (True,) * len(op.shape), layout, None)


def _issue(
    d: Distribution, layout: NestedLayout, source: Transfer, target: Transfer, pairs: Sequence[tuple[Access, Access]]
) -> list[Value]:
    """Issues a copy; of the threads that have the same piece, one does."""
    writer = elected(d, layout)
    if constant_int(writer) == 1:
        return [_copy(d, source, target, *pair) for pair in pairs]
    block = Block()
    d.build.op(scf.IfOp, writer, types=[], regions=[Region([block]), Region()])
    with d.build.scope(block):
        for pair in pairs:
            _copy(d, source, target, *pair)
        d.build.op(scf.YieldOp, [])
    return []


def _copy(d: Distribution, source: Transfer, target: Transfer, origin: Access, place: Access) -> Value:
    build, whole = d.build, constant_int(origin.condition) == 1
    read_ = [] if whole else [_elements_where(d, origin)]
    bytes_ = origin.width * element_bits(source.buffer) // 8
    return build.op(
        DeviceAsyncCopyOp,
        target.buffer,
        place.indices,
        source.buffer,
        origin.indices,
        read_,
        types=[TOKEN],
        dstElements=IntegerAttr(origin.width, INDEX),
        bypassL1=UnitAttr() if bytes_ == BYPASS_BYTES else None,
        **origin.hints,
    ).result


def _elements_where(d: Distribution, access: Access) -> Value:
    known = constant_int(access.condition)
    if known is not None:
        return d.build.constant(access.width * known)
    return d.build.value(arith.SelectOp, access.condition, d.build.constant(access.width), d.build.constant(0))


@distributes(DeviceAsyncCreateGroupOp)
def _end_group(d: Distribution, op: DeviceAsyncCreateGroupOp) -> None:
    if not d.chip.supports(_COPIES):
        d.set_tokens(op.asyncToken, [])  # waits count copies, or there are none
        return
    tokens = [token for value in op.inputTokens for token in d.registers(value).reshape(-1).tolist()]
    d.set_scalar(op.asyncToken, d.build.op(DeviceAsyncCreateGroupOp, tokens, types=[TOKEN]).asyncToken)


@distributes(DeviceAsyncWaitOp)
def _wait(d: Distribution, op: DeviceAsyncWaitOp) -> None:
    if d.chip.supports(GATHERS):
        left = IntegerAttr(op.groups_left * _fewest_gathers(d, op), I32)
        d.build.op(MemoryCounterWaitOp, types=[], load=left)
    elif d.chip.supports(_COPIES):
        groups = op.attributes.get("numGroups")
        d.build.op(DeviceAsyncWaitOp, d.scalar(op.asyncDependencies), numGroups=groups)


def _fewest_gathers(d: Distribution, wait: DeviceAsyncWaitOp) -> int:
    """Instructions of the smallest group of the program: no more than so many are sure to be in any."""
    function: Operation = wait
    while (around := function.enclosing()) is not None:
        function = around
    groups = function.all_of(DeviceAsyncCreateGroupOp)
    copies = ([v.operation for v in group.inputTokens] for group in groups)
    return min(sum(gathers_of(c, d.workgroup) for c in some if isinstance(c, AsyncCopyOp)) for some in copies)
