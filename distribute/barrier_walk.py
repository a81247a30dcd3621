"""A walk through one thread's program that finds where it needs barriers.

It goes in order, with a ledger of what was done to every buffer since the last barrier. Before an access that needs an
order with something in its ledger stands a barrier, and all ledgers are empty again: on a straight line that is the
fewest barriers there can be. The body of a loop that takes few iterations is walked as often, with what its counter
decides; that of another a second time, as its next iteration. Branches that not all threads take have their barriers in
front.

Accesses are *issued* when the walk comes to them, and have *arrived* at once. What an asynchronous copy writes arrives
at a wait of its kind instead: any one, since it is not followed which copies are under way there. When it is issued it
needs an order with what was before it like any write; afterwards nobody touches the place until it has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any

import numpy as np

from ..analysis.iteration_numbers import Iteration
from ..analysis.iterations import counted, is_inside
from ..ir.builder import constant_int
from ..ir.core import Block, Operation, Value
from ..ir.dialects import gpu, scf
from ..ir.dialects.lanewise import SplitOp, ThreadsOp
from ..ir.dialects.memref import memref_type
from ..ir.thread_marks import UNIFORM, is_taken_alike, scratch_among
from ..support.dataclasses import dataclass
from ..support.diagnostics import About, CompileError, Diagnostic
from .events import Event, Events
from .footprints import Footprint, Footprints, Kind, Ledger
from .from_outside import seen_from_outside

State = dict[Value, Ledger]
"""By buffer."""
_MOST_VISITS = 16
"""As often a block is walked with the numbers of its loops' iterations known."""


class Walk:
    """`before` are the operations that a barrier must stand before: those of `given`, and what meets something."""

    def __init__(
        self,
        events: Events,
        given: Iterable[Operation] = (),
    ) -> None:
        self.before = dict.fromkeys(given)
        self.meeting = set[Operation]()
        """Those of `before` that met something which no barrier before them orders."""
        self._counters: dict[Value, int] = {}
        """Induction variables of the loops that are walked iteration by iteration."""
        self._iteration = Iteration({})
        self._visits = 1
        self._events = events

    def block(self, block: Block, state: State) -> None:
        """Goes through a block; `state` is what it finds, then what it leaves."""
        for item in self._events.of(block):
            if self._events.matters(item):
                _VISITS.get(type(item), Walk.wait)(self, item, state)

    def barrier(self, op: gpu.BarrierOp, state: State) -> None:
        """One of the author's."""
        spaces = None if op.address_spaces is None else op.address_spaces.values
        for buffer in list(state):
            space = memref_type(buffer).memory_space or gpu.AddressSpaceAttr("global")
            if spaces is None or space in spaces:
                del state[buffer]

    def wait(self, op: Operation, state: State) -> None:
        """What copies read was read until now, and all that they write may be there, for who waited: it was not there
        for others before, see the head of the file. For what a barrier object counts all threads of the program wait:
        it is there for each of them."""
        assert op.awaits_copies, op.opname
        if op.counted_by is not None:
            return
        self._note_anywhere(Kind.READ, self._events.under_way(op, Kind.READ), state)
        if not op.awaits_reads_only:
            self._note_anywhere(Kind.WRITE, self._events.under_way(op, Kind.WRITE), state)

    def _note_anywhere(self, kind: Kind, buffers: Iterable[Value], state: State) -> None:
        everyone = np.arange(self._events.numbers.threads)
        anywhere = Footprint(kind, None, np.zeros((0, everyone.size), np.int64), everyone)
        for buffer in buffers:
            state.setdefault(buffer, Ledger()).note(kind, lambda: [anywhere])

    def touch(self, event: Event, state: State) -> None:
        first = event.operations[0]
        self._arrive(first, state, partial(self._meets, event, state))
        self._enter(event, state)

    def _meets(self, event: Event, state: State) -> bool:
        found = self._footprints_at(event)
        return any(state[b].meets(event.kind, found) for b in event.buffers & self._events.met if b in state)

    def _enter(self, event: Event, state: State) -> None:
        if event.arrives_later:
            return
        found = self._footprints_at(event)
        for buffer in event.buffers & self._events.met:
            state.setdefault(buffer, Ledger()).note(event.kind, found)

    def _arrive(self, op: Operation, state: State, meets: Callable[[], bool]) -> None:
        """Places a barrier before `op` where it meets something, and passes one that stands there."""
        if op not in self.meeting and meets():
            self.before[op] = None
            self.meeting.add(op)
        if op in self.before:
            state.clear()

    def _footprints_at(self, event: Event) -> Footprints:
        """In the iterations that are walked now, whenever they are asked for."""
        iteration, events = self._iteration, self._events
        return lambda: [f.at(iteration) for f in events.footprints(event)]

    def loop(self, op: scf.ForOp, state: State) -> None:
        """The body, then the body as the next iteration; where nothing in it orders iterations, as any later one."""
        _require_alike(op)
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
            self._counters[op.induction_variable] = number
            self._iteration = Iteration(self._counters)
            self.block(op.body, state)
            _rename(state, _Rename(op, None))
        self._visits = around
        self._counters.pop(op.induction_variable, None)
        self._iteration = Iteration(self._counters)

    def loop_while(self, op: scf.WhileOp, state: State) -> None:
        """Both regions, then both as any later iteration; the first decides, and is the last to run."""
        _require_alike(op)
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
        if not is_taken_alike(op):
            self._part(op, state)
            return
        taken = self._iteration.number(op.condition)
        if taken is not None:
            block = op.then_block if taken else op.else_block
            if block is not None:
                self.block(block, state)
            return
        skipped = _copied(state)
        self.block(op.then_block, state)
        if op.else_block is not None:
            self.block(op.else_block, skipped)
        _join(state, skipped)

    def switch(self, op: scf.IndexSwitchOp, state: State) -> None:
        _require_alike(op)
        found = _copied(state)
        self.block(op.default_block, state)
        for block in op.case_blocks:
            taken = _copied(found)
            self.block(block, taken)
            _join(state, taken)

    def _part(self, op: scf.IfOp, state: State) -> None:
        """A branch of some threads. Distribution makes these of single accesses, and of loops in which a thread tries
        an update until nobody came between: these need no order inside."""
        inside: State = {}
        for block, taking in zip((op.then_block, op.else_block), self._events.numbers.sides(op.condition), strict=True):
            for one in () if block is None else self._seen(block, ()):
                self._events.take(one.event, taking)
                assert not one.meets(inside, self._events.met), "accesses inside a branch of some threads meet"
                self._arrive(op, state, partial(one.meets, state, self._events.met))
                if not one.event.arrives_later:
                    one.enter(inside, self._events.met)
        _join(state, inside)

    # -- programs inside this one -------------------------------------------------------------------------------

    def split(self, op: SplitOp, state: State) -> None:
        """Each part has barriers of its own; those order its threads only. So what a part did is in no order for the
        others, and what meets something from before the split has the whole workgroup's barrier in front of it. A part
        of all subgroups is no more than its program."""
        if len(op.regions) == 1:
            self.block(op.body, state)
            return
        for region in op.regions:
            self.block(region.block, {})
        seen = [list(self._seen(region.block, ())) for region in op.regions]
        self._refuse_meeting(op, [[one for one in part if not one.event.is_counted] for part in seen])
        self._after(op, [one for part in seen for one in part], state)

    def threads(self, op: ThreadsOp, state: State) -> None:
        """Nothing is inferred in the programs of threads."""
        self._after(op, list(self._seen(op.body, ())), state)

    def _seen(self, block: Block, loops: tuple[Operation, ...]) -> Iterator[_Seen]:
        """All accesses of a program, as others see them."""
        for item in self._events.of(block):
            if isinstance(item, Event):
                yield _Seen(item, loops, self._footprints_at(item))
            else:
                around = (item, *loops) if item.repeats else loops
                for region in item.regions:
                    for inner in region.blocks:
                        yield from self._seen(inner, around)

    def _after(self, op: Operation, seen: Sequence[_Seen], state: State) -> None:
        self._arrive(op, state, lambda: any(one.meets(state, self._events.met) for one in seen))
        for one in seen:
            one.enter(state, self._events.met)

    def _refuse_meeting(self, op: SplitOp, parts: Sequence[Sequence[_Seen]]) -> None:
        """Raises CompileError for the first access that may meet one of a part before it. Barrier objects order copies
        that they count, which is the author's affair: executors report what they do not."""
        shared = self._events.met - scratch_among(self._events.met)
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

    event: Event
    loops: tuple[Operation, ...]
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


_VISITS: Mapping[type, Callable[[Walk, Any, State], None]] = {
    Event: Walk.touch,
    gpu.BarrierOp: Walk.barrier,
    scf.ForOp: Walk.loop,
    scf.IfOp: Walk.branch,
    scf.WhileOp: Walk.loop_while,
    scf.IndexSwitchOp: Walk.switch,
    SplitOp: Walk.split,
    ThreadsOp: Walk.threads,
}


def _require_alike(op: Operation) -> None:
    """Raises CompileError where threads may run a region differently often, in which an order of them is needed."""
    if not is_taken_alike(op):
        message = f"{op.title} touches memory that other threads touch, and may be taken by some threads only"
        hint = f"{UNIFORM} = array<i64> says that all take it"
        raise CompileError([Diagnostic(message, op.location, hint=hint, about=About("race"))])


def _flat(parts: Sequence[Sequence[_Seen]]) -> Iterator[_Seen]:
    return (one for part in parts for one in part)


def _parts_meet(one: _Seen, other: _Seen) -> CompileError:
    alike = {f.signature for f in one.footprints()} & {f.signature for f in other.footprints()} - {None}
    verb = "touches memory that" if alike else "may touch memory that"
    message = f"{verb} another part of the split touches at the same time, and nothing orders parts"
    notes = (("the other part's access", other.event.operations[0].location),)
    hint = "give each part memory of its own, or let one do it in a split after this one"
    return CompileError([Diagnostic(message, one.event.operations[0].location, notes, hint, About("race"))])


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
