"""What operations take of memory, which buffers of shared memory there are, and what loops became of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from ..analysis.shared_places import size_of
from ..ir.attributes import int_array, is_int_array
from ..ir.core import Operation
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.memref import AllocOp
from ..ir.dialects.nvgpu_tma import TensorMapType
from ..ir.effects import accesses, views
from ..ir.element_orders import BOX, SWIZZLE
from ..ir.memory_spaces import is_workgroup
from ..ir.remarks import Remark
from ..ir.types import MemRefType
from ..layout.coalescing import traffic
from ..layout.exchanges import layout_in_stage
from ..layout.nested import NestedLayout
from ..layout.rules.iree_vector_ext import layout_of
from ..layout.teams import Team
from ..layout.transfer import Known, is_vector, rule_of
from .explain_moves import Badge
from .explain_places import line_of, place_of
from .explanation_parts import Buffer, Loop, Memory


def traffic_of(op: Operation, known: Known, badge: Badge) -> Memory | None:
    """What a transfer between threads and memory takes; None of all other operations."""
    if op.regions:
        return None
    memory = rule_of(op).memory(op, known)
    layout = _layout(op)
    if memory is None or layout is None or not layout.is_held:
        return None
    counted = traffic(memory, layout, known.workgroup)
    copied = isinstance(op, AsyncCopyOp)
    return Memory(
        "shared" if memory.shared else "global",
        "copied" if copied else "written" if memory.written else "read",
        op.opname,
        counted.accesses,
        counted.bytes,
        counted.taken,
        counted.least,
        badge(layout, known.workgroup),
        () if counted.conflict is None else (*counted.conflict.lanes, counted.conflict.bank),
    )


def _layout(op: Operation) -> NestedLayout | None:
    if isinstance(op, AsyncCopyOp):
        return None if op.layout is None else layout_of(op.layout)
    value = next((v for v in (*op.results, *op.operands) if is_vector(v)), None)
    return None if value is None else layout_in_stage(value)


# Buffers


def buffers_of(teams: Sequence[Team]) -> Iterator[tuple[Buffer, Operation]]:
    """Those of shared memory, in program order, each with its allocation."""
    threads = {op: team.workgroup.threads for team in teams for op in team.operations}
    names: dict[str, int] = {}
    for op in threads:
        if isinstance(op, AllocOp) and is_workgroup(op.memref.type.memory_space):
            hint = op.results[0].hint or "buffer"
            names[hint] = names.get(hint, -1) + 1
            yield _buffer(op, hint if not names[hint] else f"{hint}.{names[hint]}", threads), op


def _buffer(op: AllocOp, name: str, threads: Mapping[Operation, int]) -> Buffer:
    buffer = op.memref
    touched = [a for view in views(buffer) for user in view.users for a in accesses(user) if a.memref is view]
    writers = list(dict.fromkeys(a.operation for a in touched if a.writes))
    readers = list(dict.fromkeys(a.operation for a in touched if a.reads))
    by = dict.fromkeys((user.opname, threads.get(user, 1) if _layout(user) is not None else 1) for user in writers)
    orders = [f"{name} = {op.attributes[name]}" for name in (SWIZZLE, BOX) if name in op.attributes]
    return Buffer(
        name,
        str(buffer.type),
        size_of(buffer.type),
        op.written.location is not None,
        _slots(buffer.type, writers),
        ", ".join(orders),
        tuple(by),
        _lines(writers),
        _lines(readers),
    )


def _slots(type: MemRefType, writers: Sequence[Operation]) -> int:
    """The leading extents of a buffer that copies of lower rank fill."""
    ranks = {len(shape) for op in writers if (shape := _copied_shape(op))}
    return prod(n or 1 for n in type.shape[: type.rank - min(ranks)]) if ranks else 1


def _copied_shape(op: Operation) -> Sequence[int]:
    """The extents that one copy says it has."""
    shape = op.attributes.get("shape")
    if shape is not None and is_int_array(shape):
        return int_array(shape)
    boxes = [v.type.tensor for v in op.operands if isinstance(v.type, TensorMapType)]
    return [n or 0 for n in boxes[0].shape] if boxes else ()


def _lines(operations: Sequence[Operation]) -> tuple[int, ...]:
    return tuple(sorted({line for op in operations if (line := line_of(op))}))


# Loops


def loops_of(
    operations: Sequence[Operation], buffers: Mapping[Operation, Buffer], remarks: Sequence[Remark]
) -> Iterator[Loop]:
    """Loops with vectors or buffers in them: what their iterations read of shared memory, and what was left alone."""
    for op in operations:
        if not op.repeats or not any(is_vector(v) for inner in op.walk() for v in (*inner.operands, *inner.results)):
            continue
        inside = set(op.walk())
        used = {a.memref for inner in inside for a in accesses(inner) if a.reads}
        read = [buffer.name for alloc, buffer in buffers.items() if used & set(views(alloc.results[0]))]
        lines = {line_of(inner) for inner in inside}
        left = [r.message for r in remarks if r.kind == "loop-reads" and r.location and _line(r) in lines]
        yield Loop(place_of(op), tuple(read), tuple(dict.fromkeys(left)))


def _line(remark: Remark) -> int:
    assert remark.location is not None
    return remark.location.source.position(remark.location.offset)[0]
