"""rocdl: waits for what a wave of gfx1250 has begun and goes on without, in upstream's names.

Each counter counts what the wave has under way of one kind, which ends in the order in which it began (CDNA5 ISA,
"Asynchronous copies", "Tensor operations"): a wait that leaves n leaves the n newest.
"""

from __future__ import annotations

from ...support.diagnostics import Report
from ..core import Operation
from ..define import int_attribute
from ..traits import ASYNC_COUNTER, TENSOR_COUNTER
from ..types import I16


class CounterWaitOp(Operation):
    """`2`: goes on once no more than so many of the newest are under way, of this thread and those of its wave
    together: there may be fewer of this thread's."""

    pure = False
    belongs_to = "thread"
    count = int_attribute(number=I16)
    assembly = "$count attr-dict"

    @property
    def groups_left(self) -> int:
        return self.count

    def verify(self, report: Report) -> None:
        if self.count < 0:
            self.error(report, f"leaves at least 0, found {self.count}")


class WaitAsynccntOp(CounterWaitOp, opname="rocdl.s.wait.asynccnt"):
    """The wait for copies into shared memory: for the ends of `amdgpu.global_load_async_to_lds` and
    `amdgpu.ds_async_barrier_arrive`."""

    awaits = (ASYNC_COUNTER,)


class WaitTensorcntOp(CounterWaitOp, opname="rocdl.s.wait.tensorcnt"):
    """Waits for `amdgpu.tensor_load_to_lds` and `tensor_store_from_lds`, as `memory_counter_wait tensor(2)` does."""

    awaits = (TENSOR_COUNTER,)
