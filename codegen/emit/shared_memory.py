"""Workgroup memory of one kernel: which buffers there are, where they lie, and whether they fit."""

from __future__ import annotations

from ...analysis.lifetimes import Lifetimes
from ...analysis.shared_places import Extent, extent_of, placed
from ...ir.core import Operation
from ...ir.dialects import gpu, memref
from ...ir.dialects.nvgpu_mbarrier import MBarrierCreateOp
from ...ir.element_orders import order_of
from ...ir.memory_spaces import is_workgroup
from ...ir.types import I64, MemRefType, memory_bits
from ...support.dataclasses import dataclass, replace
from ...support.diagnostics import CompileError, Diagnostic
from .descriptor import SHARED, Descriptor, pointer_type, row_major
from .emission import Emission
from .text import Ssa

EXCHANGE = Ssa("@exchange", pointer_type(SHARED))


@dataclass(frozen=True)
class SharedMemory:
    """The globals to declare, and how many bytes are static or asked for at launch."""

    globals: tuple[str, ...]
    static_bytes: int
    dynamic_bytes: int


@dataclass(frozen=True)
class _Buffer:
    op: Operation
    type: MemRefType
    """What it is, or is as large as."""
    bytes: int
    alignment: int
    offset: int

    @property
    def name(self) -> str:
        hint = self.op.result.hint
        return f"%{hint}" if hint else str(self.op.result.type)


def plan(em: Emission, kernel: Operation) -> SharedMemory:
    """Gives every allocation its place. Static while the chip allows it, else all of it in one dynamic buffer."""
    wanted: list[tuple[Operation, MemRefType, Extent]]
    wanted = [(op, op.memref.type, _size(em, op)) for op in em.all_of(memref.AllocOp) if not op.is_private]
    wanted += [_of_barriers(op) for op in em.all_of(MBarrierCreateOp)]
    sizes = {op: extent for op, _, extent in wanted}
    places = placed(sizes, lambda a, b: em.analyses.get(Lifetimes, em.kernel.op).apart(a, b))
    buffers = [_Buffer(op, type, *extent, places[op]) for op, type, extent in wanted]
    end = max((b.offset + b.bytes for b in buffers), default=0)
    _check_fits(em, buffers, end, kernel)
    if places == placed(sizes, lambda a, b: False) and end <= em.chip.static_shared_memory_bytes:
        return SharedMemory(tuple(_static(em, i, b) for i, b in enumerate(buffers)), end, 0)
    alignment = max(b.alignment for b in buffers)
    for buffer in buffers:
        _bind(em, buffer, _at("@shared", buffer.offset))
    if end <= em.chip.static_shared_memory_bytes:
        return SharedMemory((_global("@shared", end, alignment),), end, 0)
    return SharedMemory((f"@shared = external addrspace({SHARED}) global [0 x i8], align {alignment}",), 0, end)


def with_exchange(em: Emission, shared: SharedMemory) -> SharedMemory:
    """With the buffer that the rules asked for while the kernel was written."""
    if not em.exchange_bytes:
        return shared
    total = shared.static_bytes + em.exchange_bytes
    if total > em.chip.shared_memory_bytes:
        parts = f"{shared.static_bytes} + {em.exchange_bytes} for shuffles = {total} bytes"
        message = f"workgroup memory {parts}; {em.chip.title} has {em.chip.shared_memory_bytes} for a workgroup"
        raise CompileError([Diagnostic(message, em.kernel.op.location)])
    return replace(shared, globals=(*shared.globals, _global(EXCHANGE.text, em.exchange_bytes, 4)), static_bytes=total)


def _global(symbol: str, bytes: int, alignment: int) -> str:
    return f"{symbol} = internal addrspace({SHARED}) global [{bytes} x i8] poison, align {alignment}"


def _at(symbol: str, offset: int) -> str:
    return f"getelementptr (i8, {pointer_type(SHARED)} {symbol}, i64 {offset})" if offset else symbol


def _of_barriers(op: MBarrierCreateOp) -> tuple[Operation, MemRefType, Extent]:
    return op, MemRefType((op.barriers.type.count,), I64), extent_of(op)


def _size(em: Emission, op: memref.AllocOp) -> Extent:
    em.op = op
    type = op.memref.type
    if not is_workgroup(type.memory_space):
        message = f"allocates {type}; a kernel allocates a workgroup's or a thread's memory only"
        raise em.error(message, hint=f"the memory space {gpu.WORKGROUP}")
    return size_of_allocation(em, op)


def size_of_allocation(em: Emission, op: memref.AllocOp) -> Extent:
    if None in op.memref.type.shape:
        raise em.error(f"allocates {op.memref.type}; memory in a kernel has static extents")
    return extent_of(op)


def _static(em: Emission, number: int, buffer: _Buffer) -> str:
    symbol = f"@shared{number}"
    _bind(em, buffer, symbol)
    return _global(symbol, buffer.bytes, buffer.alignment)


def _bind(em: Emission, buffer: _Buffer, pointer: str) -> None:
    type, op = buffer.type, buffer.op
    sizes = tuple(n or 0 for n in type.shape)
    em.allocated[buffer.op] = Descriptor(
        base=Ssa(pointer, pointer_type(SHARED)),
        space=SHARED,
        element_bits=memory_bits(type.element),
        offset=0,
        sizes=sizes,
        strides=row_major(em.w, sizes),
        order=order_of(op) if isinstance(op, memref.AllocOp) else None,
    )


def _check_fits(em: Emission, buffers: list[_Buffer], total: int, kernel: Operation) -> None:
    limit = em.chip.shared_memory_bytes
    if total <= limit:
        return
    parts = " + ".join(f"{b.name} {b.bytes}" for b in buffers)
    message = f"workgroup memory {parts} = {total} bytes; {em.chip.title} has {limit} for a workgroup"
    notes = tuple((f"{b.name} is {b.bytes} bytes", b.op.location) for b in buffers)
    raise CompileError([Diagnostic(message, kernel.location, notes)])
