"""Rules for loads, stores and allocations, of single elements and of packs."""

from __future__ import annotations

import numpy as np

from ...ir.dialects import memref, nvgpu, vector
from ...ir.dialects.gpu import AddressSpaceAttr
from ...ir.numerics import wrapped
from ...ir.types import VectorType
from .accesses import loaded, read, stored, write
from .buffers import Buffer, Space
from .compile import Compiler, Step, interprets
from .errors import failure
from .machine import Machine
from .memory import (
    ALLOCATION_ALIGNMENT,
    INSTANCE_ALIGNMENT,
    POISON,
    MemRef,
    locate,
    row_major,
)
from .races import Shadow
from .rules_views import element_dtype, extents_of

# -- elements and packs ---------------------------------------------------------------------------------------------


@interprets(memref.LoadOp)
def _load(c: Compiler, op: memref.LoadOp) -> Step:
    site, source, indices, out = c.site(op, "reads"), c.slot(op.memref), c.slots(op.indices), c.slot(op.result_)
    element = op.result_.type

    def step(m: Machine) -> None:
        access = locate(m, site, m.values[source], [m.values[i] for i in indices])
        m.values[out] = loaded(m, access, wrapped(read(m, access), element))

    return step


@interprets(memref.StoreOp)
def _store(c: Compiler, op: memref.StoreOp) -> Step:
    site, value, target, indices = c.site(op, "writes"), c.slot(op.value), c.slot(op.memref), c.slots(op.indices)

    def step(m: Machine) -> None:
        access = locate(m, site, m.values[target], [m.values[i] for i in indices])
        write(m, access, stored(access, m.values[value]))

    return step


@interprets(vector.LoadOp)
def _load_pack(c: Compiler, op: vector.LoadOp) -> Step:
    site, source, indices, out = c.site(op, "reads"), c.slot(op.memref), c.slots(op.indices), c.slot(op.result_)
    pack, alignment, element = _pack(op), op.alignment, op.vector_type.element

    def step(m: Machine) -> None:
        access = locate(m, site, m.values[source], [m.values[i] for i in indices], pack, None, alignment)
        m.values[out] = loaded(m, access, wrapped(read(m, access), element))

    return step


@interprets(vector.StoreOp)
def _store_pack(c: Compiler, op: vector.StoreOp) -> Step:
    site, value, target, indices = c.site(op, "writes"), c.slot(op.value), c.slot(op.memref), c.slots(op.indices)
    pack, alignment = _pack(op), op.alignment

    def step(m: Machine) -> None:
        access = locate(m, site, m.values[target], [m.values[i] for i in indices], pack, None, alignment)
        write(m, access, stored(access, m.values[value]))

    return step


@interprets(vector.MaskedLoadOp)
def _masked_load(c: Compiler, op: vector.MaskedLoadOp) -> Step:
    site, source, indices, out = c.site(op, "reads"), c.slot(op.memref), c.slots(op.indices), c.slot(op.result_)
    mask, otherwise = c.slots([op.mask, op.pass_thru])
    pack, alignment, element = _pack(op), op.alignment, op.vector_type.element

    def step(m: Machine) -> None:
        values = m.values
        access = locate(m, site, values[source], [values[i] for i in indices], pack, values[mask], alignment)
        values[out] = loaded(m, access, wrapped(read(m, access), element), values[otherwise])

    return step


@interprets(vector.MaskedStoreOp)
def _masked_store(c: Compiler, op: vector.MaskedStoreOp) -> Step:
    site, value, target, indices = c.site(op, "writes"), c.slot(op.value), c.slot(op.memref), c.slots(op.indices)
    mask, pack, alignment = c.slot(op.mask), _pack(op), op.alignment

    def step(m: Machine) -> None:
        values = m.values
        access = locate(m, site, values[target], [values[i] for i in indices], pack, values[mask], alignment)
        write(m, access, stored(access, values[value]))

    return step


def _pack(op: vector.LoadOp | vector.StoreOp | vector.MaskedLoadOp | vector.MaskedStoreOp) -> int:
    type = op.vector_type
    if type.rank != 1 or isinstance(op.memref_type.element, VectorType):
        raise failure(op, f"moves {type}, one thread's program has packs of rank 1 from memrefs of scalars")
    return type.elements


# -- buffers --------------------------------------------------------------------------------------------------------

_SPACES: dict[str, Space] = {
    **dict.fromkeys(nvgpu.SHARED_MEMORY, "workgroup"),
    str(AddressSpaceAttr("private")): "private",
}


@interprets(memref.AllocOp)
def _alloc(c: Compiler, op: memref.AllocOp) -> Step:
    """A static buffer of the workgroup (or thread): the first execution makes it, later ones undefine its contents."""
    type, out, dynamic = op.memref.type, c.slot(op.memref), c.slots(op.dynamic_sizes)
    space = _SPACES.get(str(type.memory_space))
    if space is None:
        found = f"found {type.memory_space or 'no address space'}"
        raise failure(op, f"needs #gpu.address_space<workgroup> or <private> in its type, {found}")
    dtype, base = element_dtype(op, op.memref), op.alignment.value if op.alignment is not None else ALLOCATION_ALIGNMENT

    def step(m: Machine) -> None:
        sizes = extents_of(type.shape, [m.values[d] for d in dynamic])
        count = int(np.max(np.prod(np.broadcast_arrays(1, *sizes), axis=0)))
        buffer = m.buffers.get(op)
        if buffer is None or buffer.instance_bytes < count * dtype.itemsize:
            buffer = m.buffers[op] = _new_buffer(m, op, space, count * dtype.itemsize, base)
        else:
            _undefine(m, buffer)
        m.values[out] = MemRef(buffer, dtype, 0, sizes, row_major(sizes))

    return step


def _new_buffer(m: Machine, op: memref.AllocOp, space: Space, size: int, base: int) -> Buffer:
    each = -(-max(size, 1) // INSTANCE_ALIGNMENT) * INSTANCE_ALIGNMENT
    data = np.full(each * (m.batch.workgroups if space == "workgroup" else m.batch.size), POISON, np.uint8)
    shadow = Shadow(data.size, True, m.batch.geometry) if m.checks else None
    hint = f"%{op.memref.hint}" if op.memref.hint else "the buffer"
    return Buffer(f"{hint} ({space} memory)", space, data, each, shadow, base)


def _undefine(m: Machine, buffer: Buffer) -> None:
    owners = m.batch.workgroup if buffer.space == "workgroup" else m.batch.everyone
    for owner in np.unique(owners if m.active is None else owners[m.active]):
        first, last = int(owner) * buffer.instance_bytes, (int(owner) + 1) * buffer.instance_bytes
        buffer.data[first:last] = POISON
        if buffer.shadow is not None:
            buffer.shadow.forget(first, last)


@interprets(memref.DeallocOp)
def _dealloc(_: Compiler, __: memref.DeallocOp) -> None:
    """Buffers are static: nothing happens."""
