"""Memory and counters of single threads: slots of the stack, which LLVM keeps in registers where indices allow it."""

from __future__ import annotations

from ...ir.core import Operation
from ...ir.dialects import memref
from ...ir.dialects.lanewise import CountOp
from ...ir.types import memory_bits
from . import integers
from .descriptor import PRIVATE, Descriptor, pointer_type, row_major
from .emission import Emission
from .emit_rules import EMIT
from .shared_memory import size_of_allocation
from .text import Ssa, integer


def reserve(em: Emission, kernel: Operation) -> None:
    """Gives every private buffer its place, at the head of the kernel: one that loops allocate is one buffer."""
    for counter in sorted({op.counter for op in em.all_of(CountOp)}):
        em.counters[counter] = _stack(em, "i64", 8)
        em.w.do(f"store i64 0, {em.counters[counter]}, align 8")
    for op in em.all_of(memref.AllocOp):
        if op.is_private:
            em.op = op
            _bind(em, op, _slot(em, op))


def _slot(em: Emission, op: memref.AllocOp) -> Ssa:
    bytes, alignment = size_of_allocation(em, op)
    slot = _stack(em, f"[{max(bytes, 1)} x i8]", alignment)
    type = pointer_type(PRIVATE)
    return slot if slot.type == type else em.w.fresh(f"addrspacecast {slot} to {type}", type)


def _stack(em: Emission, type: str, alignment: int) -> Ssa:
    """A slot, in the machine's own address space for the stack."""
    space = em.machine.stack_space
    words = f", addrspace({space})" if space else ""
    return em.w.fresh(f"alloca {type}, align {alignment}{words}", pointer_type(space) if space else "ptr")


def _bind(em: Emission, op: memref.AllocOp, pointer: Ssa) -> None:
    type = op.memref.type
    sizes = tuple(n or 0 for n in type.shape)
    em.allocated[op] = Descriptor(pointer, PRIVATE, memory_bits(type.element), 0, sizes, row_major(em.w, sizes))


@EMIT.of(CountOp)
def _count(em: Emission, op: CountOp) -> None:
    """LLVM makes a register of it."""
    slot = em.counters[op.counter]
    before = em.w.fresh(f"load i64, {slot}, align 8", "i64")
    after = integers.add(em.w, before, integer(op.by))
    em.w.do(f"store {after}, {slot}, align 8")
    em.set(op.result_, before)
