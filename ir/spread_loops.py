"""Loops spread over threads (`scf.forall` with a mapping) as all that a function does: then it is a thread's program.

Upstream's functions do not say to whom their values belong. Where nothing outside of such loops differs between a
workgroup that does it once and threads that all do it, the function is one program of each thread, in which threads may
also wait for each other. Elsewhere such a loop is a thread's program within the one around it (`expand/mapping.py`).
"""

from __future__ import annotations

from .core import Operation, Value
from .dialects import gpu, memref
from .dialects.bufferization import TensorStoreOp, ToTensorOp
from .dialects.gpu_mapping import MappingAttr
from .dialects.scf_forall import ForallOp
from .effects import accesses
from .traits import READS


def ids_of(op: Operation) -> MappingAttr | None:
    """The first of the ids over which the iterations of a loop are spread; None where they are not, and for other
    operations."""
    entries = op.mapping.values if isinstance(op, ForallOp) and op.mapping is not None else ()
    return next((entry for entry in entries if isinstance(entry, MappingAttr) and entry.spreads), None)


def is_of_threads(op: Operation) -> bool:
    """Whether what an operation holds is done by threads, in loops spread over them, and at least something is."""
    return any(_is_spread(inner) for inner in op.walk()) and all(map(_is_alike, _operations(op)))


def _operations(op: Operation) -> list[Operation]:
    return [inner for region in op.regions for block in region.blocks for inner in block.operations]


def _is_spread(op: Operation) -> bool:
    ids = ids_of(op)
    return ids is not None and ids.scope == "thread"


def _is_alike(op: Operation) -> bool:
    """Whether each thread may do it by itself, where a workgroup's program does it once."""
    if _is_spread(op):
        return True
    if any(v.type.is_vector for v in (*op.results, *_arguments(op))):
        return op.constant_like
    if op.regions:
        return all(map(_is_alike, _operations(op)))
    if isinstance(op, memref.AllocOp):
        return op.is_private or op.memref.type.memory_space is not None
    if isinstance(op, TensorStoreOp):
        return _ends_a_loop(op)
    reads = [access.effect for access in accesses(op)]
    only_reads = bool(reads) and all(not effect & ~READS for effect in reads)
    return op.pure or op.terminator or only_reads or isinstance(op, (gpu.BarrierOp, memref.DeallocOp))


def _arguments(op: Operation) -> list[Value]:
    return [argument for region in op.regions for block in region.blocks for argument in block.arguments]


def _ends_a_loop(op: TensorStoreOp) -> bool:
    """Whether it writes what threads put together to where that lies already."""
    made, buffer = op.operands[0].operation, op.operands[1]
    if made is None or not _is_spread(made):
        return False
    began = [value.operation for value in made.operands]
    return any(isinstance(op, ToTensorOp) and op.writable is not None and op.buffer is buffer for op in began)
