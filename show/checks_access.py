"""What shows of a program's accesses and meetings before anything runs: bounds, barriers, who comes to a meeting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.thread_numbers import Threads
from ..distribute.synchronise import needless
from ..ir.core import Operation, Value
from ..ir.dialects import gpu
from ..ir.dialects.lanewise import SplitOp
from ..ir.dialects.memref import AllocOp
from ..ir.effects import accesses, viewed_first
from ..ir.kernels import Kernel
from ..ir.memory_spaces import is_workgroup
from ..ir.passes import Context
from ..ir.traits import finer
from ..ir.types import IndexType
from ..layout.workgroup import Workgroup
from .checks_numbers import PlacedOp, is_always_reached, numbers, sum_of
from .checks_parts import Finding
from .explain_places import line_of
from .explanation_parts import Memory, Step


def bounds(function: Operation) -> Iterator[Finding | str]:
    """Accesses that leave their buffers, and in words those of which that is not known."""
    for op in function.walk():
        if isinstance(op, PlacedOp):
            yield from _of_vector(op, line_of_buffer(function, op.memref))
        else:
            touches = any(access.reads or access.writes for access in accesses(op))
            is_view = bool(op.view_results) and any(isinstance(v.type, IndexType) for v in op.operands)
            if (touches or is_view) and not op.regions:
                yield f"line {line_of(op)} ({op.written.opname}) is looked at when it runs"


def _of_vector(op: PlacedOp, made: int) -> Iterator[Finding | str]:
    dims = op.map.result_dims() or ()
    along = {m: (n, inside) for n, m, inside in zip(op.shape, dims, op.in_bounds_flags, strict=True) if m is not None}
    for dim, index in enumerate(op.indices):
        extent, inside = along.get(dim, (1, True))
        if inside:  # elsewhere it is compared with the bounds
            yield from _inside(op, dim, index, extent, made)


def _inside(op: PlacedOp, dim: int, index: Value, extent: int, made: int) -> Iterator[Finding | str]:
    size, found = op.memref_type.shape[dim], sum_of(index)
    starts = numbers(found) if not found.axes else None
    if size is None or starts is None:
        yield f"line {line_of(op)} says that it is inside along dimension {dim}"
        return
    outside = next((s for s in (starts[0], starts[-1]) if s < 0 or s + extent > size), None)
    if outside is None:
        return
    if not is_always_reached(op):
        yield f"line {line_of(op)} is outside along dimension {dim}, if it is reached"
        return
    place = outside if outside < 0 else outside + extent - 1
    message = f"element {place} along dimension {dim} is accessed, which has {size}; it says that it is inside"
    along = next((n for n, m in enumerate(op.map.result_dims() or ()) if m == dim), None)
    element = tuple((place - outside if n == along else 0) for n in range(len(op.shape)))
    yield Finding("bounds", "WRONG", message, line_of(op), line_of(op), "proven", made, element)


def line_of_buffer(function: Operation, memref: Value) -> int:
    """The line that makes the memory behind views, of an argument the function's."""
    root = viewed_first(memref)
    return line_of(function if root.operation is None else root.operation)


# Meetings


def has_parts(function: Operation) -> bool:
    """Whether subgroups of a workgroup execute programs of their own."""
    return any(isinstance(op, SplitOp) for op in function.walk())


def uses_threads(function: Operation) -> bool:
    """Whether a number that differs within a workgroup is asked for."""
    return any(isinstance(op, gpu.IdOp) and finer(op.belongs_to, "workgroup") for op in function.walk())


def conditional_meetings(function: Operation) -> list[int]:
    """Lines of what all have to come to, and that stands in a loop or a branch."""
    meetings = [op for op in function.walk() if op.collective is not None and op is not function]
    return sorted({line_of(op) for op in meetings if _is_inside(op, function)})


def _is_inside(op: Operation, function: Operation) -> bool:
    return op.enclosing() is not function


def shared_buffers(function: Operation) -> list[Operation]:
    """Allocations in the workgroup's memory."""
    return [op for op in function.all_of(AllocOp) if is_workgroup(op.memref.type.memory_space)]


def needless_barriers(kernel: Kernel, context: Context) -> Iterator[Finding]:
    """Barriers of the program across which no threads of a workgroup meet, or that others make good; `kernel` is one
    thread's program in front of the compiler's own barriers. What waits for other workgroups is left alone."""
    if kernel.scope != "workgroup" or has_parts(kernel.op) or any(op.is_atomic for op in kernel.op.walk()):
        return
    threads = Threads(kernel.block_size, context.subgroup_size, Workgroup.of(kernel, context).threads)
    for op in needless(kernel.op, threads):
        if isinstance(op.written, gpu.BarrierOp):
            message = "without this barrier no more are needed: no threads meet across it that nothing else orders"
            yield Finding("barriers", "slow", message, line_of(op), line_of(op), "proven")


# Banks


def conflicts(steps: Sequence[Step]) -> Iterator[Finding]:
    """Accesses of shared memory that take more passes than they have to."""
    for step in steps:
        for memory in step.memory:
            if memory.space == "shared" and memory.degree > 1:
                line = step.place.line
                yield Finding("banks", "slow", _conflict(step, memory), line, line, "proven")


def _conflict(step: Step, memory: Memory) -> str:
    who = ""
    if memory.conflict:
        first, second, bank = memory.conflict
        who = f": lanes {first} and {second} want different words of bank {bank}"
    return f"{step.op} takes {memory.taken} wavefronts of a subgroup where {memory.least} would do{who}"
