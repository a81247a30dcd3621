"""Memory of single threads: a slot of the stack, which LLVM keeps in registers where the indices allow it."""

from __future__ import annotations

from ...ir.core import Operation
from ...ir.dialects import memref
from ...ir.types import memory_bits
from .descriptor import PRIVATE, Descriptor, pointer_type, row_major
from .emission import Emission
from .shared_memory import LEAST_ALIGNMENT, bytes_of_allocation
from .text import Ssa


def reserve(em: Emission, kernel: Operation) -> None:
    """Gives every private buffer its place, at the head of the kernel: one that loops allocate is one buffer."""
    for op in kernel.walk():
        if isinstance(op, memref.AllocOp) and op.is_private:
            em.op = op
            _bind(em, op, _slot(em, op))


def _slot(em: Emission, op: memref.AllocOp) -> Ssa:
    bytes = max(bytes_of_allocation(em, op), 1)
    alignment = max(op.alignment.value if op.alignment is not None else 1, LEAST_ALIGNMENT)
    space, type = em.machine.stack_space, pointer_type(PRIVATE)
    words = f"alloca [{bytes} x i8], align {alignment}"
    if space == PRIVATE:
        return em.w.fresh(f"{words}, addrspace({PRIVATE})", type)
    slot = em.w.fresh(words, "ptr")
    return em.w.fresh(f"addrspacecast {slot} to {type}", type)


def _bind(em: Emission, op: memref.AllocOp, pointer: Ssa) -> None:
    type = op.memref.type
    sizes = tuple(n or 0 for n in type.shape)
    em.allocated[op] = Descriptor(pointer, PRIVATE, memory_bits(type.element), 0, sizes, row_major(em.w, sizes))
