"""The passes from the layout stage to one thread's program as it runs: distribution, and what threads wait for.

Behind distribution every operation is done in all threads before the next begins; what depends on that, and which
values threads have in common, is said by marks (`ir/thread_marks.py`) until barriers are there.
"""

from __future__ import annotations

from ..analysis.buffers import Buffers
from ..analysis.shared_places import SharedBytes
from ..analysis.thread_numbers import Threads
from ..ir.kernels import SCOPE, Kernel, in_stage
from ..ir.passes import Context, Outcome, Pass, Rewritten
from ..ir.thread_marks import MARKS, clear
from ..layout.workgroup import Workgroup
from ..support.dataclasses import replace
from .async_proxy_fences import fence_proxies
from .batch_exchanges import batch_exchanges
from .driver import distribute
from .fragments_ahead import load_fragments_ahead
from .loop_invariants import move_invariants
from .overlapped_wgmma import overlap_products
from .reuse import reuse_buffers
from .sink_shared_loads import sink_loads
from .synchronise import require_order, synchronise


def _distribute(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten(distribute(kernel, context), Outcome(changed=True))


def _overlap(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten(kernel, Outcome(overlap_products(kernel.op, context.analyses)))


def _batch(kernel: Kernel, context: Context) -> Rewritten:
    if kernel.scope != "workgroup":
        return Rewritten(kernel, Outcome())
    return Rewritten(kernel, Outcome(batch_exchanges(kernel.op, kernel.threads, context.chip, context.analyses)))


def _sink(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten(kernel, Outcome(sink_loads(kernel.op)))


def _ahead(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten(kernel, Outcome(load_fragments_ahead(kernel.op, context.chip)))


def _reuse(kernel: Kernel, context: Context) -> Rewritten:
    if kernel.scope != "workgroup":
        return Rewritten(kernel, Outcome())
    return Rewritten(kernel, Outcome(reuse_buffers(kernel.op, kernel.threads, context.chip, context.analyses)))


def _synchronise(kernel: Kernel, context: Context) -> Rewritten:
    if kernel.scope == "thread":
        return Rewritten(kernel, Outcome())
    threads = Workgroup.of(kernel, context).threads
    order = {"workgroup": synchronise, "subgroup": require_order}[kernel.scope]
    order(kernel.op, Threads(kernel.block_size, context.subgroup_size, threads), context.analyses)
    clear(kernel.op)
    kernel.op.attributes.pop(SCOPE, None)
    return Rewritten(replace(kernel, scope="thread"), Outcome(changed=True))


def _fence(kernel: Kernel, context: Context) -> Rewritten:
    changed = fence_proxies(kernel.op, context.analyses)
    return Rewritten(in_stage(kernel, "thread", context.chip), Outcome(changed))


def _move(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten(kernel, Outcome(move_invariants(kernel.op, context.chip.vendor)))


DISTRIBUTE = Pass(
    "distribute", "makes one thread's program of the kernel", _distribute, is_needed=True, leads_to="distributed"
)
OVERLAP = Pass(
    "overlap-products",
    "lets products of four subgroups go on while their threads begin the next iteration",
    _overlap,
    preserves=[Buffers, SharedBytes],
)
BATCH = Pass(
    "batch-exchanges",
    "lets exchanges through shared memory that do not depend on each other share a barrier",
    _batch,
)
REUSE = Pass(
    "reuse-buffers",
    "puts barriers between buffers that may have the same bytes, where more workgroups fit",
    _reuse,
    preserves=[Buffers, SharedBytes],
)
BARRIERS = Pass(
    "barriers",
    "puts barriers where one thread's access to memory may meet another's",
    _synchronise,
    is_needed=True,
    marks=MARKS,
    preserves=[Buffers, SharedBytes],
)
SINK = Pass(
    "sink-loads",
    "moves loads from shared memory to their first uses, where they take many registers",
    _sink,
    preserves=[Buffers, SharedBytes],
)
FRAGMENTS_AHEAD = Pass(
    "fragments-ahead",
    "loads fragments of products from shared memory some products before they are needed",
    _ahead,
    preserves=[Buffers, SharedBytes],
)
FENCES = Pass(
    "proxy-fences",
    "puts fences where the async proxy reads what threads wrote",
    _fence,
    is_needed=True,
    leads_to="thread",
    preserves=[Buffers, SharedBytes],
)
MOTION = Pass(
    "loop-invariant-code-motion",
    "computes integers before the loops of products in which they stay the same",
    _move,
    preserves=[Buffers],
)
