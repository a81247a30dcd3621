"""Exchanges through shared memory that do not depend on each other share a barrier.

    store a -> scratch[0]                 store a -> scratch[0]
    load  b <- scratch[0]                 store c -> scratch[64]
    store c -> scratch[0]                 load  b <- scratch[0]
    load  d <- scratch[0]                 load  d <- scratch[64]

An exchange is a run of stores to the scratch buffer and the loads behind it. Stores of a later one, and what they are
computed from, move before the loads of an earlier one where nothing of that is loaded there; each has bytes of its own.
Exchanges that depend on each other take bytes in turns: then no barrier has to stand between the loads of one and the
stores of the next. What is stored twice in the same places is stored once. All of that may take as much shared memory
as leaves room for as many workgroups as before, or for half of the threads that a multiprocessor runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.lifetimes import Lifetimes
from ..analysis.shared_places import LEAST_ALIGNMENT, Extent, bytes_taken, extents_of, size_of
from ..ir.analyses import Analyses
from ..ir.attributes import IntegerAttr
from ..ir.core import Before, Block, Operation, Value
from ..ir.dialects import arith, memref
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from ..ir.effects import accesses, viewed_first
from ..ir.sinking import blocks_in
from ..ir.thread_marks import ORIGIN, origin, scratch_among
from ..ir.types import INDEX
from ..support.dataclasses import dataclass, field, replace
from ..targets import Chip
from .reuse import resident

_ENOUGH_THREADS = 1024
"""Threads of a multiprocessor: more workgroups than have so many are no reason to keep a barrier."""


def batch_exchanges(function: FunctionLike, threads: int, chip: Chip, analyses: Analyses) -> bool:
    """Rewrites a distributed function in place; whether there was anything to do."""
    buffer = next((op for op in function.all_of(memref.AllocOp) if scratch_among([op.memref])), None)
    if buffer is None or function.all_of(SplitOp) != [] or function.all_of(ThreadsOp) != []:
        return False
    if not all(isinstance(user, memref.ViewOp) for user in buffer.memref.users):
        return False
    found = {block: list(_runs(block, buffer.memref)) for block in blocks_in(function)}
    if sum(len(run) for runs in found.values() for run in runs) < 2:
        return False
    turns = _Turns(_room(function, buffer, threads, chip, analyses))
    groups: list[list[_Exchange]] = []
    for block, runs in found.items():
        order = _Order(block)
        for run in runs:
            groups += _groups(run, order, turns.limit)
        order.settle()
    for group in groups:
        turns.place(group)
    if turns.moved:
        buffer.memref.type = replace(buffer.memref.type, shape=(max(turns.end, size_of(buffer.memref.type)),))
    return turns.moved


@dataclass(eq=False)
class _Exchange:
    """Stores to the scratch buffer and the loads of what they stored, in one block."""

    stores: list[Operation] = field(default_factory=list[Operation])
    loads: list[Operation] = field(default_factory=list[Operation])
    same: _Exchange | None = None
    """One before it in its group that stores the same: this one has no stores."""

    @property
    def bytes(self) -> int:
        if self.same is not None:
            return 0
        size = max(size_of(_scratch_view(op).result_.type) for op in (*self.stores, *self.loads))
        return -(-size // LEAST_ALIGNMENT) * LEAST_ALIGNMENT

    @property
    def is_whole(self) -> bool:
        """Whether nothing that it loads was stored by another one."""
        return bool(self.stores and self.loads) and {*map(origin, self.loads)} <= {*map(origin, self.stores)}


def _runs(block: Block, scratch: Value) -> Iterator[list[_Exchange]]:
    """Exchanges of a block with nothing between them that orders memory or whose regions touch the scratch buffer."""
    run: list[_Exchange] = []
    for op in block.operations:
        touched = [a for a in accesses(op) if viewed_first(a.memref) is scratch] if op.has_accesses else []
        if touched and len(touched) == 1 and not touched[0].atomic and touched[0].reads != touched[0].writes:
            if not run or (touched[0].writes and run[-1].loads):
                run.append(_Exchange())
            (run[-1].stores if touched[0].writes else run[-1].loads).append(op)
        elif touched or not _is_passed(op, scratch):
            yield run
            run = []
    yield run


def _is_passed(op: Operation, scratch: Value) -> bool:
    """Whether accesses to the scratch buffer may pass an operation."""
    if any(viewed_first(access.memref) is scratch for access in accesses(op)):
        return False
    inner = (one for region in op.regions for block in region.blocks for one in block.operations)
    return all(_is_passed(one, scratch) for one in inner) and (
        op.pure or op.terminator or bool(op.memory_groups or op.regions)
    )


class _Order:
    """The operations of a block in an order that changes."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self._operations = list(block.operations)
        self._dropped: list[Operation] = []
        self._renumber()

    def _renumber(self) -> None:
        self._number = {op: at for at, op in enumerate(self._operations)}

    def first(self, operations: Sequence[Operation]) -> Operation:
        return min(operations, key=self._number.__getitem__)

    def bring(self, stores: Sequence[Operation], before: Operation, behind: Sequence[Operation]) -> bool:
        """Moves stores, and what they are computed from, in front of `before`; False, and nothing is moved, where that
        takes one of `behind`, or reads memory that may have changed."""
        first, last = self._number[before], self._number[stores[-1]]
        taken, stay, moved, left = set(stores), set(behind), list[Operation](), list[Operation]()
        for op in reversed(self._operations[first : last + 1]):
            if op not in taken:
                left.append(op)
                continue
            if op in stay or op.regions or not (op.pure or op in stores or _only_reads(op)):
                return False
            moved.append(op)
            taken.update(v.operation for v in op.operands if v.operation is not None and v.block is self.block)
        reads = any(not op.pure and op not in stores for op in moved)
        if reads and any(_writes(inner) for op in left for inner in op.walk()):
            return False
        self._operations[first : last + 1] = [*reversed(moved), *reversed(left)]
        self._renumber()
        return True

    def drop(self, stores: Sequence[Operation]) -> None:
        self._dropped += stores

    def settle(self) -> None:
        """Gives the block its operations in this order."""
        if list(self.block.operations) != self._operations:
            self.block.reorder(self._operations)
        Block.erase_all(self._dropped)


def _only_reads(op: Operation) -> bool:
    return bool(op.memory_groups) and not _writes(op) and all(access.reads for access in accesses(op))


def _writes(op: Operation) -> bool:
    return any(access.writes for access in accesses(op)) if op.has_accesses else False


def _groups(run: Sequence[_Exchange], order: _Order, limit: int) -> Iterator[list[_Exchange]]:
    """The exchanges of a run, those together that need one barrier: stores of all stand before the first's loads."""
    group: list[_Exchange] = []
    for one in run:
        whole = one.is_whole and all(other.is_whole for other in group)
        if group and whole and _joins(group, one, order, limit):
            group.append(one)
        else:
            if group:
                yield group
            group = [one]
    if group:
        yield group


def _joins(group: Sequence[_Exchange], one: _Exchange, order: _Order, limit: int) -> bool:
    loads = [load for other in group for load in other.loads]
    known = {_meaning(op) for op in one.stores}
    same = next((other for other in group if not other.same and {_meaning(op) for op in other.stores} == known), None)
    if same is not None:
        order.drop(one.stores)
        one.same = same
        return True
    if sum(other.bytes for other in group) + one.bytes > limit:
        return False
    return order.bring(one.stores, order.first(loads), loads)


def _meaning(op: Operation) -> object:
    """What is alike of stores that store the same in the same places."""
    return type(op), op.operands, tuple((name, value) for name, value in op.attributes.items() if name != ORIGIN)


class _Turns:
    """Bytes for each group: behind those of the group before it, where there are so many. `end`: behind all of them;
    `moved`: whether an exchange stands elsewhere, or takes other bytes, than before."""

    def __init__(self, limit: int) -> None:
        self.limit, self.end, self._last = limit, 0, 0
        self.moved = False

    def place(self, group: Sequence[_Exchange]) -> None:
        size = sum(one.bytes for one in group)
        moves = group[0].is_whole and self._last + size <= self.limit
        at = self._last if moves else 0
        self.moved |= len(group) > 1
        places: dict[_Exchange, int] = {}
        for one in group:
            places[one] = at if one.same is None else places[one.same]
            self.moved |= places[one] > 0
            _move(one, places[one])
            at += one.bytes
        self._last = at
        self.end = max(self.end, at)


def _move(one: _Exchange, by: int) -> None:
    """Lets an exchange use the bytes from there."""
    if not by:
        return
    accessing = [*([] if one.same else one.stores), *one.loads]
    views: dict[Value, Value] = {}
    build = Before(accessing[0])
    for op in accessing:
        view = _scratch_view(op)
        if view.result_ not in views:
            shift = build.value(arith.ConstantOp, types=[INDEX], value=IntegerAttr(by, INDEX))
            views[view.result_] = build.op(
                memref.ViewOp, view.source, shift, view.sizes, types=[view.result_.type]
            ).result_
        op.set_operands([views.get(v, v) for v in op.operands])


def _scratch_view(op: Operation) -> memref.ViewOp:
    [access] = accesses(op)
    maker = access.memref.operation
    assert isinstance(maker, memref.ViewOp)
    return maker


def _room(function: FunctionLike, buffer: Operation, threads: int, chip: Chip, analyses: Analyses) -> int:
    """Bytes that the scratch buffer may have."""
    lifetimes = analyses.get(Lifetimes, function)
    extents = dict(extents_of(function))
    own = extents[buffer]

    def total(size: int) -> int:
        sizes = extents | {buffer: Extent(size, own.alignment)}
        return bytes_taken(sizes, lambda a, b: lifetimes.apart(a, b, with_barrier=False))

    now = total(own.bytes)
    workgroups = min(resident(now, threads, chip), _ENOUGH_THREADS // threads)
    most = chip.shared_memory_bytes // max(1, workgroups)
    room = own.bytes + (most - now) // LEAST_ALIGNMENT * LEAST_ALIGNMENT
    return room if room > own.bytes and total(room) <= most else own.bytes
