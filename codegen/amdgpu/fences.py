"""What a barrier orders, and how the waves are made to wait for it.

Waiting for global accesses at a barrier costs a round trip, and cuts off loads that were issued ahead. It is not needed
where no thread can see at the barrier what another did to global memory: the kernel reads no buffer that it writes,
and writes none before the barrier.

The fences around a barrier become waits that LLVM drops where it sees nothing outstanding. LLVM 22 looks for that
before it knows what comes over a loop's back edge, so a barrier in a loop has waits of its own, which stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...ir.core import Operation
from ...ir.dialects import gpu
from ...targets import Chip
from ..emit.emission import Emission
from ..emit.text import integer
from .waits import Kind

LOCAL_ONLY = "!mmra !2"
"""On a fence; the module's metadata defines it as `METADATA`."""
METADATA = '!2 = !{!"amdgpu-synchronize-as", !"local"}'


def orders_workgroup_memory_only(em: Emission, barrier: gpu.BarrierOp) -> bool:
    """Whether fences of workgroup memory are enough around `barrier`; one that orders nothing has these, too: accesses
    of workgroup memory are done soon."""
    if barrier.address_spaces is not None:
        return all(space == gpu.WORKGROUP for space in barrier.address_spaces.values)
    read, written, writers = em.passed
    return not (read & written) and not any(op in writers for op in _before(em.kernel.op, barrier))


def meet(emission: Emission) -> None:
    """The barrier itself, without fences. LLVM 22 puts a change of the bits of high registers that is due directly
    behind it before the instruction that stands before it, which needs the old ones (decision 0115): so there is
    something directly behind it that has no vector register, and nothing moves in between."""
    w, guards = emission.w, emission.chip.supports("high_registers")
    if guards:
        w.call_void("llvm.amdgcn.sched.barrier", integer(0, "i32"))
    w.call_void("llvm.amdgcn.s.barrier")
    if guards:
        w.call_void("llvm.amdgcn.s.nop", integer(0, "i16"))
        w.call_void("llvm.amdgcn.sched.barrier", integer(0, "i32"))


def kept_waits(emission: Emission, workgroup_only: bool) -> None:
    """Waits for what a barrier in a loop orders, but for gfx10's and gfx11's stores to global memory, for which no
    intrinsic waits: `needs_full_waits` is for these."""
    chip, w = emission.chip, emission.w
    if chip.supports("wait_counters"):
        for counter in ("ds",) if workgroup_only else ("ds", "load", "store"):
            w.call_void(f"llvm.amdgcn.s.wait.{counter}cnt", integer(0, "i16"))
    else:
        w.call_void("llvm.amdgcn.s.waitcnt", integer(_LGKMCNT_0["waitcnt.gfx11" in chip.feature_names], "i32"))


_LGKMCNT_0 = {False: 0xC07F, True: 0xFC07}
"""The operand of `s_waitcnt lgkmcnt(0)`, before gfx11 and on it; the other counters have their largest values."""


def needs_full_waits(emission: Emission) -> bool:
    """Whether LLVM has to wait for everything at every barrier of the kernel: one in a loop orders stores to global
    memory, which have a counter that only LLVM itself can wait for."""
    names = emission.chip.feature_names
    if "vscnt" not in names or "wait_counters" in names:
        return False
    return any(in_loop(barrier) and not local for barrier, local in emission.barriers.items())


def in_loop(op: Operation) -> bool:
    around = op.enclosing()
    while around is not None and not around.repeats:
        around = around.enclosing()
    return around is not None


def ordered_by_all(chip: Chip, barriers: Mapping[Operation, bool]) -> frozenset[Kind]:
    """What every barrier of a kernel orders, so that none of it may be outstanding at any barrier in its text.

    Before gfx10 the waves of a workgroup share a cache and see each other's accesses to global memory in order. A
    barrier that was found to order workgroup memory only has no stores before it. Copies to LDS are waited for where
    the program says so.
    """
    found: set[Kind] = {"lds"}
    if not chip.supports("vscnt"):
        return frozenset(found)
    explicit = any(getattr(barrier, "address_spaces", None) for barrier, local in barriers.items() if local)
    if not explicit and not all(barriers.values()):
        found.add("store")
    if not any(barriers.values()):
        found.add("load")
    return frozenset(found)


def _before(kernel: Operation, barrier: Operation) -> Iterator[Operation]:
    """Every operation that can run before the barrier: those above it, and all of the loops around it."""
    outermost: Operation | None = None
    around = barrier.enclosing()
    while around is not None and around is not kernel:
        outermost = around if around.repeats else outermost
        around = around.enclosing()
    for op in kernel.walk():
        if op is barrier and outermost is None:
            return
        if op is outermost:
            yield from op.walk()
            return
        yield op
