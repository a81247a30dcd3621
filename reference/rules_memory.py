"""Rules for loads, stores and allocations: of single elements, of slices, and of transfers that may leave a memref."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..ir.core import Operation, Value
from ..ir.dialects import memref, nvgpu, vector
from ..ir.dialects.amdgpu_schedule import SchedBarrierOp
from ..ir.dialects.indexed_transfers import IndexedTransfer, TransferGatherOp, TransferScatterOp
from ..ir.dialects.memref_buffers import PrefetchOp
from ..ir.dialects.vector_gather import GatherScatterOp
from ..ir.dialects.vector_memory import MemoryOp
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.numerics import Array, wrapped
from ..ir.types import element_type, shape_of
from .accesses import leave_undecided, read, read_doubt, write, write_doubt
from .batch_state import State
from .buffers import Buffer, Errors, Space
from .closures import EVALUATE, Compiler, Step
from .layout import dtype_and_shape
from .memory import (
    ALLOCATION_ALIGNMENT,
    ELEMENT,
    FILL,
    INSTANCE_ALIGNMENT,
    Access,
    MemRef,
    Site,
    Window,
    locate,
    locate_each,
    row_major,
)
from .races import Shadow
from .rules_views import extents_of
from .uncertainty import Maybe

Masked = Callable[[Array], Array]
Find = Callable[[State, Site, MemRef, Sequence[Array], "Array | None"], Access]
"""The access to a memref at some indices, under a mask."""


def _box(window: Window, alignment: int | None) -> Find:
    return lambda m, site, memref, indices, mask: locate(m, site, memref, indices, window, mask, alignment)


def loads(
    c: Compiler,
    op: Operation,
    memref: Value,
    at: Sequence[Value],
    window: Window = ELEMENT,
    mask: Value | None = None,
    otherwise: Value | None = None,
    alignment: int | None = None,
    seen: Masked = np.asarray,
    find: Find | None = None,
) -> Step:
    """A read of a window, or of what is found; `seen`: the mask from there; `otherwise`: an element or a vector."""
    site, source, indices, out = c.site(op, "reads"), c.slot(memref), c.slots(at), c.slot(op.result)
    condition = None if mask is None else c.slot(mask)
    rest = None if otherwise is None else c.slot(otherwise)
    missing = 0 if otherwise is None else len(shape_of(op.result.type)) - len(shape_of(otherwise.type))
    element = element_type(op.result.type)
    found_at = find or _box(window, alignment)
    follows, inner = c.machine is not None, 0 if otherwise is None else len(shape_of(otherwise.type))

    def step(m: State) -> None:
        values = m.values
        enabled = None if condition is None else seen(values[condition])
        places = [values[i] for i in indices]
        access = found_at(m, site, values[source], places, enabled)
        found = read(m, access, None if rest is None else _for_elements(values[rest], inner, missing))
        values[out] = wrapped(found, element)
        if follows:
            outside = None if rest is None else _moved(m.doubts[rest], lambda a: _for_elements(a, inner, missing))
            open_ = None if condition is None else _moved(m.doubts[condition], seen)
            m.doubts[out] = read_doubt(m, access, outside, open_, m.is_settled(indices))

    return step


def _for_elements(value: Array, inner: int, missing: int) -> Array:
    """A value of one element, with axes for the window."""
    if not missing or not value.ndim:
        return value
    lead = value.ndim - inner
    return value.reshape(value.shape[:lead] + (1,) * missing + value.shape[lead:])


def _moved(doubt: Maybe, move: Masked) -> Maybe:
    return None if doubt is None else doubt.moved(move)


def stores(
    c: Compiler,
    op: Operation,
    stored: Value,
    memref: Value,
    at: Sequence[Value],
    window: Window = ELEMENT,
    mask: Value | None = None,
    alignment: int | None = None,
    seen: Masked = np.asarray,
    find: Find | None = None,
) -> Step:
    site, value, target, indices = c.site(op, "writes"), c.slot(stored), c.slot(memref), c.slots(at)
    condition = None if mask is None else c.slot(mask)
    found_at, follows = find or _box(window, alignment), c.machine is not None

    def step(m: State) -> None:
        values = m.values
        places = [values[i] for i in indices]

        def located(enabled: Array | None) -> Access:
            return found_at(m, site, values[target], places, enabled)

        access = located(None if condition is None else seen(values[condition]))
        write(m, access, values[value])
        if follows:
            m.settle(op, indices)
            write_doubt(access, m.doubts[value], values[value].shape)
            open_ = None if condition is None else m.doubts[condition]
            if open_ is not None:
                leave_undecided(located(seen(open_.undecided)))

    return step


@EVALUATE.of(memref.LoadOp)
def _load(op: memref.LoadOp, c: Compiler) -> Step:
    return loads(c, op, op.memref, op.indices)


@EVALUATE.of(memref.StoreOp)
def _store(op: memref.StoreOp, c: Compiler) -> Step:
    return stores(c, op, op.value, op.memref, op.indices)


# -- slices -----------------------------------------------------------------------------------------------------------


def _slice(op: MemoryOp) -> Window:
    """Contiguous accesses run along the last dims of the memref."""
    memory, shape = op.memref_type, op.vector_type.shape
    shape = shape[: len(shape) - len(shape_of(memory.element))]
    return Window(shape, tuple(range(memory.rank - len(shape), memory.rank)), contiguous=bool(shape))


@EVALUATE.of(vector.LoadOp)
def _load_slice(op: vector.LoadOp, c: Compiler) -> Step:
    return loads(c, op, op.memref, op.indices, _slice(op), alignment=op.alignment)


@EVALUATE.of(vector.MaskedLoadOp)
def _load_masked(op: vector.MaskedLoadOp, c: Compiler) -> Step:
    return loads(c, op, op.memref, op.indices, _slice(op), op.mask, op.pass_thru, op.alignment)


@EVALUATE.of(vector.StoreOp)
def _store_slice(op: vector.StoreOp, c: Compiler) -> Step:
    return stores(c, op, op.value, op.memref, op.indices, _slice(op), alignment=op.alignment)


@EVALUATE.of(vector.MaskedStoreOp)
def _store_masked(op: vector.MaskedStoreOp, c: Compiler) -> Step:
    return stores(c, op, op.value, op.memref, op.indices, _slice(op), op.mask, op.alignment)


@EVALUATE.of(vector.TransferReadOp)
def _transfer_read(op: vector.TransferReadOp, c: Compiler) -> Step:
    return loads(c, op, op.memref, op.indices, _transfer(op), op.mask, op.padding, seen=op.vector_mask)


@EVALUATE.of(vector.TransferWriteOp)
def _transfer_write(op: vector.TransferWriteOp, c: Compiler) -> Step:
    return stores(c, op, op.value, op.memref, op.indices, _transfer(op), op.mask, seen=op.vector_mask)


def _transfer(op: TransferOp) -> Window:
    return Window(op.shape, op.memory_dims, op.promise)


# -- looked up --------------------------------------------------------------------------------------------------------


@EVALUATE.of(TransferGatherOp)
def _gather(op: TransferGatherOp, c: Compiler) -> Step:
    window, find = Window(op.vector_type.shape), _looked_up(op)
    return loads(c, op, op.memref, op.indices, window, op.mask, op.padding, seen=op.seen_mask, find=find)


@EVALUATE.of(TransferScatterOp)
def _scatter(op: TransferScatterOp, c: Compiler) -> Step:
    find = _looked_up(op)

    def apart(m: State, site: Site, memref: MemRef, indices: Sequence[Array], mask: Array | None) -> Access:
        return _require_apart(m, find(m, site, memref, indices, mask))

    return stores(c, op, op.value, op.memref, op.indices, mask=op.mask, seen=op.seen_mask, find=apart)


@EVALUATE.of(vector.GatherOp)
def _gather_elements(op: vector.GatherOp, c: Compiler) -> Step:
    return loads(c, op, op.memref, op.indices, Window(op.vector_type.shape), op.mask, op.pass_thru, find=anywhere(op))


@EVALUATE.of(vector.ScatterOp)
def _scatter_elements(op: vector.ScatterOp, c: Compiler) -> Step:
    """Elements are written in their order."""
    find = anywhere(op)

    def in_order(m: State, site: Site, memref: MemRef, indices: Sequence[Array], mask: Array | None) -> Access:
        access = find(m, site, memref, indices, mask).in_order()
        return _require_apart(m, access) if op.is_distinct else access

    return stores(c, op, op.value, op.memref, op.indices, mask=op.mask, find=in_order)


def anywhere(op: GatherScatterOp) -> Find:
    """Each element where its index says."""
    shape, alignment = op.vector_type.shape, op.alignment

    def find(m: State, site: Site, memref: MemRef, indices: Sequence[Array], mask: Array | None) -> Access:
        access = locate_each(m, site, memref, op.places(indices), shape, mask)
        if alignment is not None and m.run.checks:
            _check_alignment(m, access, alignment)
        return access

    return find


def _check_alignment(m: State, access: Access, alignment: int) -> None:
    """Checks the alignment of each element."""
    addresses = access.memref.buffer.base + access.positions.reshape(-1) * access.memref.dtype.itemsize
    wrong = addresses % alignment != 0
    if wrong.any():
        raise access.failure(m, int(np.argmax(wrong)), f"at an address that is no multiple of {alignment} bytes")


def _require_apart(m: State, access: Access) -> Access:
    """Raises `EvaluationError` where two elements of an owner go to one place."""
    positions = access.positions.reshape(-1)
    owners = (np.arange(positions.size) if access.selected is None else access.selected) // access.width
    order = np.lexsort((positions, owners))
    same = (np.diff(positions[order]) == 0) & (np.diff(owners[order]) == 0)
    if same.any():
        message = f"of {access.memref.buffer.name}, where another element of the vector goes, too"
        raise access.failure(m, int(order[1:][same][0]), message)
    return access


def _looked_up(op: IndexedTransfer) -> Find:
    count, shape = len(op.offsets), op.vector_type.shape

    def find(m: State, site: Site, memref: MemRef, indices: Sequence[Array], mask: Array | None) -> Access:
        return locate_each(m, site, memref, op.places(indices[:count], indices[count:]), shape, mask)

    return find


# -- buffers ----------------------------------------------------------------------------------------------------------

_SHARED = frozenset(nvgpu.SHARED_MEMORY)


@EVALUATE.of(memref.AllocOp)
def _alloc(op: memref.AllocOp, c: Compiler) -> Step:
    """A buffer of the workgroup, or of the owner; in a thread's program later executions undefine its contents."""
    type, out, dynamic = op.memref.type, c.slot(op.memref), c.slots(op.dynamic_sizes)
    space: Space = "workgroup" if str(type.memory_space) in _SHARED else "private"
    dtype, inner = dtype_and_shape(type)
    base = op.alignment.value if op.alignment is not None else ALLOCATION_ALIGNMENT
    unit = math.prod(inner)

    def step(m: State) -> None:
        sizes = extents_of(m, op, type.shape, [m.values[d] for d in dynamic])
        size = int(np.max(np.prod(np.broadcast_arrays(unit, *sizes), axis=0))) * dtype.itemsize
        buffer = m.buffers.get(op) if m.run.static else None
        if buffer is None or buffer.instance_bytes < size:
            buffer = m.buffers[op] = _new_buffer(m, op, space, size, base)
        else:
            _undefine(m, buffer)
        m.values[out] = MemRef(buffer, dtype, 0, sizes, row_major(sizes, unit), inner)

    return step


def _new_buffer(m: State, op: memref.AllocOp, space: Space, size: int, base: int) -> Buffer:
    each = -(-max(size, 1) // INSTANCE_ALIGNMENT) * INSTANCE_ALIGNMENT
    data = np.full(each * (m.batch.workgroups if space == "workgroup" else m.batch.size), FILL, np.uint8)
    shadow = Shadow(data.size, True, m.batch.geometry) if m.run.checks else None
    errors = Errors(data.size) if m.run.follows else None
    hint = f"%{op.memref.hint}" if op.memref.hint else "the buffer"
    return Buffer(f"{hint} ({space} memory)", space, data, each, shadow, errors, base)


def _undefine(m: State, buffer: Buffer) -> None:
    owners = m.batch.workgroup if buffer.space == "workgroup" else m.batch.everyone
    for owner in np.unique(owners if m.active is None else owners[m.active]):
        first, last = int(owner) * buffer.instance_bytes, (int(owner) + 1) * buffer.instance_bytes
        buffer.data[first:last] = FILL
        if buffer.shadow is not None:
            buffer.shadow.forget(first, last)


@EVALUATE.of(PrefetchOp)
def _prefetch(_: PrefetchOp, __: Compiler) -> None:
    """A hint: nothing happens."""


@EVALUATE.of(SchedBarrierOp)
def _sched_barrier(_: SchedBarrierOp, __: Compiler) -> None:
    """For machine instructions: nothing happens."""


@EVALUATE.of(memref.DeallocOp)
def _dealloc(_: memref.DeallocOp, __: Compiler) -> None:
    """Buffers live as long as the batch: nothing happens."""
