"""Values crossing threads through shared memory.

All exchanges of a kernel use one scratch buffer: each begins with a barrier, which ends every earlier use of it, and
has one between its stores and its loads. So the buffer is as large as the largest exchange, not as their sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.attributes import IntegerAttr
from ..ir.builder import constant_int
from ..ir.core import Value
from ..ir.dialects import arith, gpu, memref
from ..ir.dialects.gpu import AddressSpaceAttr
from ..ir.divisibility import SHARED_ALIGNMENT
from ..ir.types import I1, I8, I64, MemRefType, Type, bit_width
from ..layout.conversion import SharedMemory
from ..layout.dimension import LayoutError
from ..layout.nested import NestedLayout
from ..layout.plan import Swizzle, vector_groups
from .context import Distribution
from .indexing import elected, thread_offset
from .packing import Access, load, store

WORKGROUP = AddressSpaceAttr("workgroup")


def scratch(d: Distribution, elements: int, element: Type) -> Value[MemRefType]:
    """A view of the scratch buffer as `elements` of a type."""
    if not d.exchanges:
        scope = d.workgroup.scope
        raise LayoutError(f"it needs shared memory and barriers, which belong to more than the {scope} of this program")
    if d.scratch_buffer is None:
        op = memref.AllocOp((), [_bytes_type(0)], {"alignment": IntegerAttr(SHARED_ALIGNMENT, I64)})
        d.entry.insert(0, op)
        d.scratch_buffer = op.result
    type = MemRefType((elements,), element, None, WORKGROUP)
    view = d.build.op(memref.ViewOp, d.scratch_buffer, d.build.constant(0), (), types=[type]).result_
    d.scratch_bytes = max(d.scratch_bytes, elements * max(1, _element_bytes(type)))
    d.scratch_buffer.type = _bytes_type(d.scratch_bytes)
    return view


def _bytes_type(size: int) -> MemRefType:
    return MemRefType((size,), I8, None, WORKGROUP)


def _element_bytes(type: MemRefType) -> int:
    return max(8, bit_width(type.element)) // 8


def barrier(d: Distribution) -> None:
    d.build.op(gpu.BarrierOp)


def exchange(
    d: Distribution, plan: SharedMemory, source: NestedLayout, target: NestedLayout, scalars: Sequence[Value]
) -> list[Value]:
    """Carries out a shared-memory conversion: the target's registers."""
    element = scalars[0].type
    stored = _as_stored(d, scalars)
    buffer = scratch(d, plan.elements, stored[0].type)
    barrier(d)
    writer = elected(d, source)
    for group, index in _places(d, source, plan, plan.write_dim, plan.write_vector):
        store(d, buffer, Access(tuple((r,) for r in group), (index,), writer), [stored[r] for r in group])
    barrier(d)
    results: list[Value] = [stored[0]] * target.registers
    always, padding = d.build.constant(True, I1), d.build.constant(0, stored[0].type)
    for group, index in _places(d, target, plan, plan.read_dim, plan.read_vector):
        loaded = load(d, buffer, Access(tuple((r,) for r in group), (index,), always), padding)
        for register, value in zip(group, loaded, strict=True):
            results[register] = value
    return _as_computed(d, results, element)


def _as_stored(d: Distribution, scalars: Sequence[Value]) -> list[Value]:
    """Memory holds whole bytes: i1 goes as i8."""
    if scalars[0].type != I1:
        return list(scalars)
    return [d.build.value(arith.ExtUIOp, s, types=[I8]) for s in scalars]


def _as_computed(d: Distribution, scalars: list[Value], element: Type) -> list[Value]:
    if element != I1:
        return scalars
    return [d.build.value(arith.TruncIOp, s, types=[element]) for s in scalars]


def _places(
    d: Distribution, layout: NestedLayout, plan: SharedMemory, dim: int, vector: int
) -> list[tuple[tuple[int, ...], Value]]:
    """Groups of registers that lie side by side in the buffer, and the index of the first."""
    build = d.build
    base = build.constant(0)
    for i, stride in enumerate(plan.strides):
        base = build.add(base, build.mul(thread_offset(d, layout, i), stride))
    offsets = layout.register_offsets() @ np.array(plan.strides, np.int64)
    return [
        (group, swizzled(d, build.add(base, int(offsets[group[0]])), plan.swizzle))
        for group in vector_groups(layout, dim, vector)
    ]


def swizzled(d: Distribution, offset: Value, swizzle: Swizzle | None) -> Value:
    """`offset ^ (((offset >> (base + shift)) & mask) << base)`, in elements."""
    if swizzle is None:
        return offset
    number = constant_int(offset)
    if number is not None:
        return d.build.constant(swizzle.apply(number))
    build = d.build
    mask = (1 << swizzle.bits) - 1
    row = build.value(
        arith.AndIOp,
        build.value(arith.ShRUIOp, offset, build.constant(swizzle.base + swizzle.shift)),
        build.constant(mask),
    )
    return build.value(arith.XOrIOp, offset, build.value(arith.ShLIOp, row, build.constant(swizzle.base)))


def gather_from_threads(
    d: Distribution, scalars: Sequence[Value], peers: Sequence[Value], chunk_bytes: int = 16384
) -> list[list[Value]]:
    """For every scalar its values in all `peers` (flat thread ids), in their order.

    Every thread stores its own value to its own slot, so nothing is stored twice and the stores meet no bank conflict.
    """
    element = scalars[0].type
    stored = _as_stored(d, scalars)
    type = stored[0].type
    per_register = d.threads * max(1, _element_bytes(MemRefType((), type)))
    step = max(1, chunk_bytes // per_register)
    results: list[list[Value]] = []
    for start in range(0, len(stored), step):
        part = stored[start : start + step]
        results += _gather(d, part, peers, scratch(d, len(part) * d.threads, type))
    return [_as_computed(d, row, element) for row in results]


def _gather(d: Distribution, part: Sequence[Value], peers: Sequence[Value], buffer: Value) -> list[list[Value]]:
    build = d.build

    def slot(register: int, thread: Value) -> Value:
        return build.add(thread, register * d.threads)

    barrier(d)
    for register, value in enumerate(part):
        build.op(memref.StoreOp, value, buffer, [slot(register, d.thread_id())])
    barrier(d)
    return [
        [build.value(memref.LoadOp, buffer, [slot(r, peer)], types=[value.type]) for peer in peers]
        for r, value in enumerate(part)
    ]
