"""Subgroups besides those of the program copy for its loop, and the program's do nothing but multiply.

    scf.for %k .. {                                %landed, %freed = barrier objects, one each for every slot
      %a = vector.transfer_read %A[%k]             lanewise.split {
      vector.transfer_write %a, %tile                scf.for %k .. iter_args(%slot = 0, %last = n - 1) {
      .. what reads the tile ..                        wait until ring[%slot] has landed
    }                                                  .. what reads ring[%slot] ..
                                                       tell that ring[%last] is free
                                                       scf.yield (%slot + 1) mod n, %slot }
                                                   } {
                                                     scf.for %k .. iter_args(%slot = 0) {
                                                       wait until ring[%slot] is free
                                                       copy A[%k] -> ring[%slot]
                                                       scf.yield (%slot + 1) mod n } }

It is what `ring.py` makes of a loop, but that nobody who multiplies issues copies, and that subgroups wait for tiles,
not for each other. An iteration frees the tile of the one before: its own product may still be under way. So n - 1
tiles are copied before anything is freed, and the n-th waits for the first iteration.

Registers that threads do not need that only copy go to those that multiply. A workgroup has more threads than its
program says, whose own are the first.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.analyses import Analyses
from ..ir.core import Operation
from ..ir.dialects import gpu
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.nvvm_cluster import ClusterBarrierOp
from ..ir.kernels import block_size
from ..ir.passes import Outcome
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass
from ..targets.wgmma import REGISTERS_BESIDE
from .loops import loops_around
from .multicast import Multicast, multicast
from .producer_consumer import TOGETHER, Roles, registers_to_multiply, sources
from .ring import Plan, plans
from .ring_stages import carried, resident
from .shared_rings import shared_rings
from .tma import are_boxes

_FEATURE = "setmaxnreg"
_NOBODY = "no subgroups of their own copy for a loop"
_MOST_THREADS = 1024


@dataclass(frozen=True)
class Specialise:
    """The pass. `stages` as in `Ring`. `asked`: whether the kernel wants it, None where it does not say."""

    stages: int | None = None
    asked: bool | None = None

    def __call__(self, function: FunctionLike, workgroup: Workgroup, analyses: Analyses) -> Outcome:
        """Rewrites a function in the vector stage, in place."""
        outcome = Outcome()
        if not workgroup.chip.supports(_FEATURE) or self.asked is False:
            if self.asked:
                outcome.leave(function, f"{_NOBODY}: {workgroup.chip.name} has no {_FEATURE}")
            return outcome
        untold = Outcome()  # what these leave alone is the ring's to tell
        found = list(plans(function, workgroup, self.stages, untold, analyses))
        of_boxes = [plan for plan in found if are_boxes(plan.found, function, workgroup)]
        if of_boxes:
            self._rewrite(of_boxes, found, function, workgroup, outcome)
        elif self.asked:
            outcome.leave(function, f"{_NOBODY}: the chip copies the tiles of no loop by itself")
        return outcome

    def _rewrite(
        self,
        of_boxes: Sequence[Plan],
        found: Sequence[Plan],
        function: FunctionLike,
        workgroup: Workgroup,
        outcome: Outcome,
    ) -> None:
        """All loops or none: beside subgroups that copy no others make rings."""
        first = of_boxes[-1].loop
        why = _why_not_at_all(found, of_boxes, function, workgroup, is_asked=bool(self.asked))
        if why:
            outcome.leave(first, f"{_NOBODY}: {why}")
            return
        left = [(plan, why) for plan in of_boxes if (why := _why_not(plan, function))]
        for plan, why in left:
            outcome.leave(plan.loop, f"{_NOBODY}: {why}")
        rings = None if left else shared_rings(of_boxes, function, workgroup, fewest=self.stages or 2)
        if rings:
            cluster = multicast(function, [(plan.loop, plan.found) for plan in of_boxes])
            if isinstance(cluster, str):
                outcome.leave(first, f"no tile is copied for several workgroups: {cluster}")
            Roles(rings, function, workgroup, cluster if isinstance(cluster, Multicast) else None).rewrite()
            outcome.changed = True
        elif not left:
            outcome.leave(first, f"{_NOBODY}: the rings of all its loops do not fit into shared memory at once")


def _why_not_at_all(
    found: Sequence[Plan], of_boxes: Sequence[Plan], function: FunctionLike, workgroup: Workgroup, *, is_asked: bool
) -> str:
    """Why a kernel's threads copy for themselves, in words; empty where others can do it, and it pays."""
    size, threads = block_size(function), workgroup.threads
    inside = list(function.walk())
    if len(of_boxes) < len(found) or any(plan.rest for plan in found):
        return "the kernel makes other copies in loops"
    if any(isinstance(op, gpu.IdOp) and op.counts_threads for op in inside):
        return "the kernel asks how many threads the workgroup has"
    if any(op.holds_programs for op in inside):
        return "the kernel divides its subgroups itself"
    if any(_meets_a_cluster(op) for op in inside):
        return "its threads meet those of other workgroups"
    if size[0] != threads or threads % (TOGETHER * workgroup.subgroup_size) or threads >= _MOST_THREADS:
        words = "x".join(map(str, size))
        return f"it takes whole groups of {TOGETHER} subgroups along x, and room for another, found {words} threads"
    if not is_asked and min(resident(plan.loop, workgroup) for plan in found) > 1:
        return "a multiprocessor has room for two workgroups, of which one copies while the other multiplies"
    sums, given = max(carried(plan.loop, workgroup) for plan in found), registers_to_multiply(workgroup)
    if sums + REGISTERS_BESIDE > given:
        return f"what a loop carries takes {sums} registers of a thread, which would have {given}"
    if any(op.awaits_grids and _comes_in_between(op, of_boxes, function) for op in inside):
        return "the kernel waits for other grids in a loop or a branch, or between loops"
    return ""


def _meets_a_cluster(op: Operation) -> bool:
    """All threads of its workgroups would have to."""
    wide = isinstance(op, gpu.BarrierOp) and op.scope.value == "cluster"
    return wide or isinstance(op, ClusterBarrierOp)


def _comes_in_between(op: Operation, plans: Sequence[Plan], function: FunctionLike) -> bool:
    """Whether it stands in a loop or a branch, or between loops: those that copy would not pass it."""
    loops, body = {plan.loop for plan in plans}, function.body
    of_loops = [n for n, each in enumerate(body.operations) if any(inner in loops for inner in each.walk())]
    return op.parent is not body or of_loops[0] < body.position(op) < of_loops[-1]


def _why_not(plan: Plan, function: FunctionLike) -> str:
    """Why nobody else can copy for a loop, in words; empty where somebody can."""
    if loops_around(plan.loop) is None:
        return "it stands in a branch"
    if sources(plan, function) is None:
        return "where it copies from is computed from memory or vectors, or carried by a loop"
    return ""
