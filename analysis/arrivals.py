"""When what a thread's program has under way is over: copies, and products that read tiles by themselves.

Positions are those of operations in the function's own block; whatever stands in a loop or a branch has its position.
"""

from __future__ import annotations

from ..ir.core import Block, Operation, Value
from ..ir.dialects.amdgpu_lds import GatherToLDSOp, GlobalLoadAsyncToLDSOp, MemoryCounterWaitOp
from ..ir.dialects.lanewise_async import AsyncCopyOp
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaOp, WarpgroupWaitOp
from ..ir.dialects.nvgpu_async import DeviceAsyncCopyOp, DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from ..ir.dialects.nvgpu_mbarrier import MBarrierTestWaitOp, MBarrierTryWaitParityOp
from ..ir.dialects.nvgpu_tma import TmaAsyncLoadOp
from ..ir.dialects.rocdl_waits import WaitAsynccntOp
from ..support.dataclasses import dataclass, field

_GROUPED = (AsyncCopyOp, DeviceAsyncCopyOp)
"""Copies that a wait is for once their group has ended."""
_AWAITED = (*_GROUPED, GatherToLDSOp, GlobalLoadAsyncToLDSOp, WarpgroupMmaOp)


@dataclass
class Arrivals:
    """Meets all operations in program order; then tells where what each of them begins is over."""

    _last: int = 0
    """The last wait of any kind."""
    _objects: dict[Value, int] = field(default_factory=dict[Value, int])
    """The last wait for each group of barrier objects."""
    _open: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """What no wait for all of its kind has followed, to which everybody gets who began it."""
    _ungrouped: set[Operation] = field(default_factory=set[Operation])
    _ends: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def meet(self, op: Operation, position: int) -> None:
        if op.awaits_copies or isinstance(op, WarpgroupWaitOp):
            self._last = max(self._last, position)
        if isinstance(op, _AWAITED):
            self._open[op] = None
            self._ungrouped |= {op} if isinstance(op, _GROUPED) else set()
        elif isinstance(op, MBarrierTryWaitParityOp | MBarrierTestWaitOp):
            self._objects[op.barriers] = position
        elif isinstance(op, DeviceAsyncCreateGroupOp):
            self._ungrouped -= {copy for copy in self._ungrouped if _is_around(op.parent, copy)}
        elif kinds := _all_of(op):
            for begun in [b for b in self._open if isinstance(b, kinds) and b not in self._ungrouped]:
                if _is_around(op.parent, begun):
                    self._ends[begun] = position
                    del self._open[begun]

    def end_of(self, op: Operation, position: int) -> int:
        """Of one at a position: its object's last wait, the first wait for all, else the last wait that there is."""
        if isinstance(op, TmaAsyncLoadOp) and op.barriers in self._objects:
            return max(position, self._objects[op.barriers])
        if isinstance(op, WarpgroupMmaOp) and not op.groups_left:
            return position
        return self._ends.get(op, max(position, self._last))


def _all_of(op: Operation) -> tuple[type[Operation], ...]:
    """What it waits for, if that is all of a kind."""
    if isinstance(op, DeviceAsyncWaitOp):
        return () if op.groups_left else _GROUPED
    if isinstance(op, MemoryCounterWaitOp):
        return (GatherToLDSOp,) if op.load == 0 else ()
    if isinstance(op, WaitAsynccntOp):
        return () if op.count else (GlobalLoadAsyncToLDSOp,)
    return (WarpgroupMmaOp,) if isinstance(op, WarpgroupWaitOp) else ()


def _is_around(block: Block | None, op: Operation) -> bool:
    inner: Operation | None = op
    while inner is not None and inner.parent is not block:
        inner = inner.enclosing()
    return inner is not None
