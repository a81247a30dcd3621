"""Barriers, where one thread's access to memory may meet another's.

The thread's program is walked in order with a ledger of what was done to every buffer since the last barrier. Before an
access that needs an order with something in its ledger stands a barrier, and all ledgers are empty again: on a straight
line that is the fewest barriers there can be. The body of a loop that takes few iterations is walked as often, that of
another a second time, as its next iteration. Branches that not all threads take have their barriers in front.

Accesses are *issued* when the walk comes to them, and have *arrived* at once: an asynchronous copy would stay in its
ledger until a wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.builder import constant_int
from ..ir.core import Block, Operation, Value
from ..ir.diagnostics import CompileError, Diagnostic
from ..ir.dialects import gpu, memref, scf
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from ..ir.dialects.memref import memref_type
from ..ir.effects import Buffers, accesses, viewed
from ..ir.iterations import counted, is_inside
from ..ir.numerics import Array
from ..ir.parts import Part, parts_of
from ..ir.printing import ARGUMENT
from ..ir.traits import Effect
from .footprints import Footprint, Footprints, Kind, Ledger, footprints
from .from_outside import seen_from_outside
from .places import Places
from .thread_numbers import ThreadNumbers

State = dict[Value, Ledger]
"""By buffer."""
_MOST_VISITS = 16
"""As often a block is walked with the numbers of its loops' iterations known."""


@dataclass(frozen=True, eq=False)
class _Event:
    """Accesses of one kind to one buffer (or one of several), which one vector operation became."""

    operations: list[Operation]
    kind: Kind
    buffers: frozenset[Value]

    def follows(self, other: _Event) -> bool:
        """Whether both became of one vector operation."""
        location = self.operations[0].location
        same = location is not None and location is other.operations[0].location
        return same and self.kind == other.kind and self.buffers == other.buffers


def synchronise(
    function: FunctionLike, numbers: ThreadNumbers, uniform: Collection[Operation], apart: Collection[Value]
) -> None:
    """Inserts the barriers that a distributed function needs. Loops and branches in `uniform` are taken by all threads
    of the program that they are in, or by none. Of the buffers in `apart` parts that run at once use different bytes.

    Raises CompileError where parts that run at once may meet in memory."""
    for op in _unordered(function, numbers, uniform, apart):
        assert op.parent is not None
        op.parent.insert(op.parent.position(op), gpu.BarrierOp(location=op.location))


def require_order(
    function: FunctionLike, numbers: ThreadNumbers, uniform: Collection[Operation], apart: Collection[Value]
) -> None:
    """Raises CompileError where lanes of a subgroup need an order, in a program of subgroups: no barrier is theirs."""
    for op in _unordered(function, numbers, uniform, apart):
        message = "touches memory that another lane touched, and nothing orders lanes of a subgroup's program"
        hint = "write a gpu.barrier before it, or the program for the workgroup, or anchor a layout without copies"
        raise CompileError([Diagnostic(message, op.location, hint=hint)])


def _unordered(
    function: FunctionLike, numbers: ThreadNumbers, uniform: Collection[Operation], apart: Collection[Value]
) -> list[Operation]:
    """What needs a barrier before it."""
    walk = _Walk(function, numbers, uniform, apart)
    if walk.met:
        walk.block(function.body, {})
    return list(walk.before)


class _Walk:
    """`before` are the operations that a barrier must stand before."""

    def __init__(
        self, function: FunctionLike, numbers: ThreadNumbers, uniform: Collection[Operation], apart: Collection[Value]
    ) -> None:
        self.before: dict[Operation, None] = {}
        self._known: dict[Value, int] = {}
        """Induction variables of the loops that are walked iteration by iteration."""
        self._visits = 1
        self._numbers, self._uniform, self._apart = numbers, uniform, apart
        self._function = function
        self._buffers: Buffers | None = None
        self._items: dict[Block, list[_Event | Operation]] = {}
        self._footprints: dict[_Event, list[Footprint]] = {}
        self._taking: dict[_Event, Array] = {}
        """The threads that get to an event, if not all do."""
        self._views: list[memref.ViewOp] = []
        self._collect(function.body, None)
        self._places = Places(numbers, self._views)
        self.met = self._needing_order()

    # -- what there is ------------------------------------------------------------------------------------------

    def _collect(self, block: Block, taking: Array | None) -> None:
        items: list[_Event | Operation] = []
        for op in block.operations:
            if op.memory_groups:
                items += self._events(op)
            if isinstance(op, memref.ViewOp):
                self._views.append(op)
            if isinstance(op, gpu.BarrierOp) or op.regions:
                items.append(op)
                for region, threads in zip(op.regions, self._threads_of(op, taking), strict=True):
                    for inner in region.blocks:
                        self._collect(inner, threads)
        self._items[block] = _together(items)
        if taking is not None:
            self._taking.update({item: taking for item in self._items[block] if isinstance(item, _Event)})

    def _threads_of(self, op: Operation, around: Array | None) -> Sequence[Array | None]:
        """Who may get to each region of an operation."""
        if not isinstance(op, SplitOp):
            return [around] * len(op.regions)
        size, ids = self._numbers.subgroup_size, np.arange(self._numbers.threads)
        return [_of_part(ids // size, part) for part in parts_of(op)]

    def _events(self, op: Operation) -> list[_Event]:
        return [
            _Event([op], _kind(access.effect), self._buffers_of(access.memref))
            for access in accesses(op)
            if access.effect & _TOUCHES
        ]

    def _buffers_of(self, buffer: Value) -> frozenset[Value]:
        while (source := viewed(buffer)) is not None:
            buffer = source
        if isinstance(buffer.owner, memref.AllocOp) or buffer.owner is self._function.body:
            return frozenset([buffer])
        self._buffers = self._buffers or Buffers(self._function)
        return frozenset(self._buffers.of(buffer))

    def _needing_order(self) -> frozenset[Value]:
        """The buffers that are written, and touched by another access or again in a loop."""
        touched: dict[Value, int] = {}
        written = set[Value]()
        for block, items in self._items.items():
            for event in items:
                if isinstance(event, _Event):
                    for buffer in event.buffers:
                        touched[buffer] = touched.get(buffer, 0) + 1 + _in_loop(block)
                    written |= event.buffers if event.kind != Kind.READ else set()
        return frozenset(buffer for buffer in written if touched[buffer] > 1 and not self._is_printed(buffer))

    def _is_printed(self, buffer: Value) -> bool:
        """Whether it is what prints write, each to places of its own."""
        is_argument = buffer.owner is self._function.body
        return is_argument and self._function.argument_attribute(buffer.index, ARGUMENT) is not None

    def _matters(self, op: Operation) -> bool:
        """Whether something inside needs order, or gives it."""
        items = (item for region in op.regions for block in region.blocks for item in self._items[block])
        return any(self._item_matters(item) for item in items)

    def _item_matters(self, item: _Event | Operation) -> bool:
        if isinstance(item, _Event):
            return not item.buffers.isdisjoint(self.met)
        return isinstance(item, gpu.BarrierOp) or self._matters(item)

    # -- the walk -----------------------------------------------------------------------------------------------

    def block(self, block: Block, state: State) -> None:
        """Goes through a block; `state` is what it finds, then what it leaves."""
        for item in self._items[block]:
            if self._item_matters(item):
                _VISITS[type(item)](self, item, state)

    def barrier(self, op: gpu.BarrierOp, state: State) -> None:
        """One of the author's."""
        spaces = None if op.address_spaces is None else op.address_spaces.values
        for buffer in list(state):
            space = memref_type(buffer).memory_space or gpu.AddressSpaceAttr("global")
            if spaces is None or space in spaces:
                del state[buffer]

    def touch(self, event: _Event, state: State) -> None:
        first = event.operations[0]
        if first in self.before or self._meets(event, state):
            self._stop(first, state)
        self._enter(event, state)

    def _meets(self, event: _Event, state: State) -> bool:
        found = self._footprints_at(event)
        return any(state[b].meets(event.kind, found) for b in event.buffers & self.met if b in state)

    def _enter(self, event: _Event, state: State) -> None:
        found = self._footprints_at(event)
        for buffer in event.buffers & self.met:
            state.setdefault(buffer, Ledger()).note(event.kind, found)

    def _stop(self, op: Operation, state: State) -> None:
        """A barrier before `op`."""
        self.before[op] = None
        state.clear()

    def _footprints_at(self, event: _Event) -> Footprints:
        """In the iterations that are walked now, whenever they are asked for."""
        known = dict(self._known)
        return lambda: [f.at(known) for f in self._footprints_of(event)]

    def _footprints_of(self, event: _Event) -> list[Footprint]:
        if event not in self._footprints:
            places = [self._places.of(op, event.buffers) for op in event.operations]
            together, taking = event.operations[0].collective is not None, self._taking.get(event)
            if taking is not None:
                places = [place._replace(threads=place.threads & taking) for place in places]
            self._footprints[event] = footprints(event.kind, places, together)
        return self._footprints[event]

    def loop(self, op: scf.ForOp, state: State) -> None:
        """The body, then the body as the next iteration; where nothing in it orders iterations, as any later one."""
        assert op in self._uniform, "a loop that threads take differently often is in a thread's own program"
        numbers = counted(op)
        if numbers is not None and len(numbers) * self._visits <= _MOST_VISITS:
            self._each(op, numbers, state)
            return
        trips = 0 if numbers is None else min(2, len(numbers))
        skipped = {} if trips else _copied(state)
        once = _Rename(op, constant_int(op.step))
        self.block(op.body, state)
        if trips != 1:
            self._again(op, state, once)
        _rename(state, _Rename(op, None))
        _join(state, skipped)

    def _each(self, op: scf.ForOp, numbers: range, state: State) -> None:
        around = self._visits
        self._visits *= len(numbers)
        for number in numbers:
            self._known[op.induction_variable] = number
            self.block(op.body, state)
            _rename(state, _Rename(op, None))
        self._visits = around
        self._known.pop(op.induction_variable, None)

    def loop_while(self, op: scf.WhileOp, state: State) -> None:
        """Both regions, then both as any later iteration; the first decides, and is the last to run."""
        assert op in self._uniform, "a loop that threads take differently often is in a thread's own program"
        self.block(op.before, state)
        left = _copied(state)
        self.block(op.after, state)
        _rename(state, _Rename(op, None))
        self.block(op.before, state)
        again = _copied(state)
        self.block(op.after, state)
        _rename(again, _Rename(op, None))
        _rename(left, _Rename(op, None))
        state.clear()
        _join(state, left)
        _join(state, again)

    def _again(self, op: scf.ForOp, state: State, once: _Rename) -> None:
        free = not self._stops_in(op.body)
        sliding = free and any(ledger.slides(once) for ledger in state.values())
        _rename(state, once)
        self.block(op.body, state)
        if sliding and not self._stops_in(op.body):
            _rename(state, _Rename(op, None))
            self.block(op.body, state)

    def _stops_in(self, block: Block) -> bool:
        return any(op in self.before or isinstance(op, gpu.BarrierOp) for op in block.operations)

    def branch(self, op: scf.IfOp, state: State) -> None:
        if op not in self._uniform:
            self._part(op, state)
            return
        skipped = _copied(state)
        self.block(op.then_block, state)
        if op.else_block is not None:
            self.block(op.else_block, skipped)
        _join(state, skipped)

    def switch(self, op: scf.IndexSwitchOp, state: State) -> None:
        assert op in self._uniform, "a switch that threads take differently is in a thread's own program"
        found = _copied(state)
        self.block(op.default_block, state)
        for block in op.case_blocks:
            taken = _copied(found)
            self.block(block, taken)
            _join(state, taken)

    def _part(self, op: scf.IfOp, state: State) -> None:
        """A branch of some threads. Distribution makes these of single accesses, which need no order inside."""
        inside: State = {}
        for block, taking in zip((op.then_block, op.else_block), self._numbers.sides(op.condition), strict=True):
            for item in () if block is None else self._items[block]:
                assert isinstance(item, _Event), "a branch of some threads has accesses only"
                self._taking[item] = taking & self._taking.get(item, True)
                assert not self._meets(item, inside), "accesses inside a branch of some threads meet"
                if op in self.before or self._meets(item, state):
                    self._stop(op, state)
                self._enter(item, inside)
        _join(state, inside)

    # -- programs inside this one -------------------------------------------------------------------------------

    def split(self, op: SplitOp, state: State) -> None:
        """Each part has barriers of its own; those order its threads only. So what a part did is in no order for the
        others, and what meets something from before the split has the whole workgroup's barrier in front of it."""
        for region in op.regions:
            self.block(region.block, {})
        seen = [list(self._seen(region.block, ())) for region in op.regions]
        self._refuse_meeting(op, seen)
        self._after(op, [one for part in seen for one in part], state)

    def threads(self, op: ThreadsOp, state: State) -> None:
        """Nothing is inferred in the programs of threads."""
        self._after(op, list(self._seen(op.body, ())), state)

    def _seen(self, block: Block, loops: tuple[scf.ForOp | scf.WhileOp, ...]) -> Iterator[_Seen]:
        """All accesses of a program, as others see them."""
        for item in self._items[block]:
            if isinstance(item, _Event):
                yield _Seen(item, loops, self._footprints_at(item))
            else:
                around = (item, *loops) if isinstance(item, (scf.ForOp, scf.WhileOp)) else loops
                for region in item.regions:
                    for inner in region.blocks:
                        yield from self._seen(inner, around)

    def _after(self, op: Operation, seen: Sequence[_Seen], state: State) -> None:
        if op in self.before or any(one.meets(state, self.met) for one in seen):
            self._stop(op, state)
        for one in seen:
            one.enter(state, self.met)

    def _refuse_meeting(self, op: SplitOp, parts: Sequence[Sequence[_Seen]]) -> None:
        """Raises CompileError for the first access that may meet one of a part before it."""
        shared = self.met.difference(self._apart)
        others: State = {}
        for number, part in enumerate(parts):
            clash = next((one for one in part if one.meets(others, shared)), None)
            if clash is not None:
                raise _parts_meet(clash, next(one for one in _flat(parts[:number]) if clash.meets_one(one, shared)))
            for one in part:
                one.enter(others, shared)


@dataclass(frozen=True, eq=False)
class _Seen:
    """An access in a program, inside of loops of this, as threads that do not run the program see it."""

    event: _Event
    loops: tuple[scf.ForOp | scf.WhileOp, ...]
    found: Footprints

    def footprints(self) -> list[Footprint]:
        return [seen_from_outside(f, self.loops) for f in self.found()]

    def meets(self, state: State, buffers: Set[Value]) -> bool:
        kind, found = self.event.kind, self.footprints
        return any(state[b].meets(kind, found) for b in self.event.buffers & buffers if b in state)

    def meets_one(self, other: _Seen, buffers: Set[Value]) -> bool:
        state: State = {}
        other.enter(state, buffers)
        return self.meets(state, buffers)

    def enter(self, state: State, buffers: Set[Value]) -> None:
        for buffer in self.event.buffers & buffers:
            state.setdefault(buffer, Ledger()).note(self.event.kind, self.footprints)


_VISITS: Mapping[type, Callable[[_Walk, Any, State], None]] = {
    _Event: _Walk.touch,
    gpu.BarrierOp: _Walk.barrier,
    scf.ForOp: _Walk.loop,
    scf.IfOp: _Walk.branch,
    scf.WhileOp: _Walk.loop_while,
    scf.IndexSwitchOp: _Walk.switch,
    SplitOp: _Walk.split,
    ThreadsOp: _Walk.threads,
}


def _of_part(subgroups: Array, part: Part) -> Array:
    return np.asarray((subgroups >= part.first) & (subgroups < part.first + part.count))


def _flat(parts: Sequence[Sequence[_Seen]]) -> Iterator[_Seen]:
    return (one for part in parts for one in part)


def _parts_meet(one: _Seen, other: _Seen) -> CompileError:
    alike = {f.signature for f in one.footprints()} & {f.signature for f in other.footprints()} - {None}
    verb = "touches memory that" if alike else "may touch memory that"
    message = f"{verb} another part of the split touches at the same time, and nothing orders parts"
    notes = (("the other part's access", other.event.operations[0].location),)
    hint = "give each part memory of its own, or let one do it in a split after this one"
    return CompileError([Diagnostic(message, one.event.operations[0].location, notes, hint)])


_TOUCHES = Effect.READS | Effect.WRITES


def _kind(effect: Effect) -> Kind:
    if Effect.ATOMIC in effect:
        return Kind.UPDATE
    return Kind.WRITE if Effect.WRITES in effect else Kind.READ


def _in_loop(block: Block) -> bool:
    around = block.parent.parent if block.parent is not None else None
    while around is not None and not around.repeats:
        around = around.enclosing()
    return around is not None


def _together(items: Sequence[_Event | Operation]) -> list[_Event | Operation]:
    """Neighbouring accesses that one vector operation became are one event: it does not meet itself."""
    merged: list[_Event | Operation] = []
    for item in items:
        last = merged[-1] if merged else None
        if isinstance(item, _Event) and isinstance(last, _Event) and item.follows(last):
            last.operations.extend(item.operations)
        else:
            merged.append(item)
    return merged


# -- states ------------------------------------------------------------------------------------------------------------


def _copied(state: State) -> State:
    return {buffer: ledger.copy() for buffer, ledger in state.items()}


def _join(state: State, other: State) -> None:
    for buffer, ledger in other.items():
        state.setdefault(buffer, Ledger()).join(ledger)


def _rename(state: State, rename: _Rename) -> None:
    for buffer, ledger in state.items():
        state[buffer] = ledger.renamed(rename)


class _Rename:
    """What values of a loop's body were, seen from the next iteration: the induction variable was less by `step`."""

    def __init__(self, loop: Operation, step: int | None) -> None:
        self._loop, self._step = loop, step
        self._counter = loop.induction_variable if isinstance(loop, scf.ForOp) else None

    def __call__(self, value: Value, factor: int) -> int | None:
        if value is self._counter:
            return None if self._step is None else -factor * self._step
        return None if is_inside(value, self._loop) else 0
