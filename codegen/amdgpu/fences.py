"""Whether a barrier has to order global memory too, or workgroup memory only.

Waiting for global accesses at a barrier costs a round trip, and cuts off loads that were issued ahead. It is not needed
where no thread can see at the barrier what another did to global memory: the kernel reads no buffer that it writes,
and writes none before the barrier.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...ir.core import Operation, Value
from ...ir.dialects import gpu, memref, scf, vector
from ...ir.kernels import Kernel
from ..emit.frame import argument_accesses

LOCAL_ONLY = "!mmra !2"
"""On a fence; the module's metadata defines it as `METADATA`."""
METADATA = '!2 = !{!"amdgpu-synchronize-as", !"local"}'

_ONLY_WRITES = (memref.StoreOp, vector.StoreOp, vector.MaskedStoreOp)


def orders_workgroup_memory_only(kernel: Kernel, barrier: gpu.BarrierOp) -> bool:
    """Whether fences of workgroup memory are enough around `barrier`."""
    if barrier.address_spaces is not None:
        return all(space == gpu.WORKGROUP for space in barrier.address_spaces.values)
    read: set[Value] = set()
    writers: dict[Operation, set[Value]] = {}
    for op, argument, writes in argument_accesses(kernel.op, kernel.arguments):
        if writes:
            writers.setdefault(op, set()).add(argument)
        if not isinstance(op, _ONLY_WRITES):
            read.add(argument)
    written = set[Value]().union(*writers.values())
    return not (read & written) and not any(op in writers for op in _before(kernel.op, barrier))


def _before(kernel: Operation, barrier: Operation) -> Iterator[Operation]:
    """Every operation that can run before the barrier: those above it, and all of the loops around it."""
    outermost: Operation | None = None
    around = barrier.enclosing()
    while around is not None and around is not kernel:
        outermost = around if isinstance(around, scf.ForOp) else outermost
        around = around.enclosing()
    for op in kernel.walk():
        if op is barrier and outermost is None:
            return
        if op is outermost:
            yield from op.walk()
            return
        yield op
