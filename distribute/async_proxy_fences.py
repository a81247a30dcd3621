"""Fences where what threads write is read by itself: by instructions of four subgroups, through another way to memory.

A barrier orders a thread's writes for other threads' reads alone. What reads through the async proxy sees them where
each thread that wrote has made a fence before the barrier. It overwrites what they wrote in shared bytes, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import permutations

from ..analysis.buffers import Buffers
from ..analysis.lifetimes import Lifetimes
from ..ir.analyses import Analyses
from ..ir.core import Block, Operation, Value
from ..ir.dialects import gpu
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.nvvm import ASYNC_SHARED, OF_WORKGROUP, FenceProxyOp
from ..ir.effects import accesses
from ..ir.traits import Completion, Effect


def fence_proxies(function: FunctionLike, analyses: Analyses) -> bool:
    """Inserts the fences that a distributed function needs, before barriers; whether there were any."""
    products = [op for op in function.walk() if op.through_async_proxy]
    return bool(products) and _Walk(function, products, analyses).run()


class _Walk:
    """`fenced`: barriers that writes of buffers which products read may come before. `copied`: the completions of
    copies to some of them."""

    def __init__(self, function: FunctionLike, products: Iterable[Operation], analyses: Analyses) -> None:
        self._function, self._buffers = function, analyses.get(Buffers, function)
        self._lifetimes = analyses.get(Lifetimes, function)
        read = (access for op in products for access in accesses(op) if access.reads)
        self._read = {b for access in read for b in self._buffers.of(access.memref)}
        self._copied: set[Completion | None] = {
            op.begins
            for op in function.walk()
            for access in accesses(op)
            if not op.through_async_proxy
            and Effect.LATER in access.effect
            and self._is_read(self._buffers.of(access.memref))
        }
        self._fenced: dict[Operation, None] = {}

    def run(self) -> bool:
        self._block(self._function.body, False)
        self._between_buffers()
        for op in self._fenced:
            assert op.parent is not None
            fence = FenceProxyOp((), (), {"kind": ASYNC_SHARED, "space": OF_WORKGROUP}, location=op.location)
            op.parent.insert(op.parent.position(op), fence)
        return bool(self._fenced)

    def _between_buffers(self) -> None:
        """What only threads wrote may give its bytes to a buffer that is copied to, or read, without them."""
        lifetimes = self._lifetimes
        for early, late in permutations(lifetimes.of.values(), 2):
            if late.asynchronous and not early.asynchronous and (met := lifetimes.between(early, late)):
                self._fenced[self._function.body.operations[met[0]]] = None

    def _block(self, block: Block, written: bool) -> bool:
        """Goes through a block; whether something is written that no fence follows, before and after it."""
        for op in block.operations:
            if isinstance(op, gpu.BarrierOp):
                if written:
                    self._fenced[op] = None
                written = False
            elif op.regions:
                written = self._inside(op, written)
            else:
                written |= self._writes(op) or not self._copied.isdisjoint(op.awaits)
        return written

    def _inside(self, op: Operation, written: bool) -> bool:
        """A loop's next iteration finds what the one before has left."""
        ends = [written]
        for _ in range(1 + op.repeats):
            before = any(ends)
            ends = [before, *(self._block(block, before) for region in op.regions for block in region.blocks)]
        return any(ends)

    def _writes(self, op: Operation) -> bool:
        """What a copy writes is there at a wait of its kind, at any one: a fence before that says nothing of it."""
        return any(
            access.writes and Effect.LATER not in access.effect and self._is_read(self._buffers.of(access.memref))
            for access in accesses(op)
        )

    def _is_read(self, buffers: Collection[Value]) -> bool:
        return not self._read.isdisjoint(buffers)
