"""How many registers a thread may have where shared memory admits few workgroups at once.

A SIMD of CDNA has 512 registers of 64 lanes for all its subgroups, and since gfx90a one subgroup may have them all
(LLVM, IsaInfo: vector registers of chips with a unified file). `pressure.budget` leaves half of them to a second
subgroup; where no second one has room in shared memory, nobody takes that half.
"""

from __future__ import annotations

from ..ir.core import Operation
from ..ir.types import element_type, memory_bits
from .exchanges import exchanges, loop_of
from .plan import SharedMemory
from .workgroup import Workgroup

_UNIFIED = "unified_registers"
_FILE, _SIMDS, _GIVEN = 512, 4, 256
"""Registers of a SIMD, SIMDs of a compute unit, and what a thread is given where two subgroups share a SIMD."""


def spare_registers(function: Operation, workgroup: Workgroup) -> int:
    """Registers of a thread beyond the budget that cost no subgroup that could run, in a kernel of the layout stage."""
    if not workgroup.chip.supports(_UNIFIED):
        return 0
    most = workgroup.chip.shared_memory_bytes
    resident = max(1, most // max(1, _shared_bytes(function, workgroup)))
    together = -(-resident * workgroup.subgroups // _SIMDS)
    return max(0, _FILE // together - _GIVEN)


def _shared_bytes(function: Operation, workgroup: Workgroup) -> int:
    """What buffers take, and exchanges: those of an epilogue lie where a loop's tiles were."""
    taken = workgroup.chip.shared_memory_bytes - workgroup.shared_bytes
    found = [
        (plan.elements * memory_bits(element_type(op.output.type)) // 8, loop_of(op) is not None)
        for op, plan in exchanges(function, workgroup)
        if isinstance(plan, SharedMemory)
    ]
    largest = max((size for size, _ in found), default=0)
    return taken + largest if any(in_loop for _, in_loop in found) else max(taken, largest)
