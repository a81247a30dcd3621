"""Programs that are written while they run: each operation is executed when it comes, by the rules of the reference.

An owner's program runs to its end before the next one's begins, but for what owners do together: who gets to a barrier
or a shuffle lets the others run until all who meet there are there, and it is executed once for all of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..frontend.fold import folds_somewhere
from ..frontend.legalisations import is_expanded
from ..frontend.legalise import expanded
from ..frontend.written_out_types import element_shape
from ..ir.attributes import StringAttr, TypeAttr
from ..ir.cloning import clone
from ..ir.core import Block, Operation, Region, Value
from ..ir.define import is_memref, scalar_like
from ..ir.dialects import func, gpu, memref
from ..ir.dialects.lanewise import SplitOp
from ..ir.kernels import Kernel
from ..ir.numerics import Array
from ..ir.printing import Record
from ..ir.traits import SCOPES, Scope
from ..ir.types import FunctionType, MemRefType, shape_of
from ..support.dataclasses import replace
from ..support.limits import GENEROUS, Limits, Meter
from .arguments import box_of
from .batch_state import Findings, Number, State
from .buffers import Coverage
from .closures import Compiler, Step, run
from .errors import EvaluationLimit, failure
from .evaluate import Launch, done_once
from .geometry import Batch, Geometry, triple
from .memory import MemRef, Site
from .races import MAX_OPERATIONS, Shadow
from .rules_async_groups import end_groups
from .rules_regions import KEPT, region_code
from .turns import Turns
from .value_rules import on_values

Program = Callable[["Owner"], None]
"""What an owner does: it hands its operations to the owner, one by one."""


class SteppedLaunch(Launch):
    """A run of a kernel whose function has arguments, and operations only while they are executed.

    Args:
        kernel: The function, empty.
        grid: Workgroups along x, y and z.
        arguments: As `run_kernel` takes them.
        subgroup_size: Counts where the kernel does not say it.
        tell: Gets what is printed, at once.
    """

    def __init__(
        self,
        kernel: Kernel,
        grid: int | Sequence[int],
        arguments: Sequence[Any],
        subgroup_size: int | None,
        tell: Callable[[Record], None],
    ) -> None:
        size = kernel.subgroup_size or subgroup_size
        extents = done_once(kernel, triple(grid))
        super().__init__(
            kernel, Geometry(extents, kernel.block_size, kernel.scope, size, kernel.cluster_size), arguments
        )
        self.tell = tell
        self.numbers: dict[tuple[type[Operation], object], int] = {}
        self.operations: list[Operation] = []
        """One for each class of operations that touch memory at each place of the user's text."""
        for buffer in self.buffers:
            buffer.written = Coverage(buffer.data.size)
            if kernel.scope != "workgroup" or kernel.clustered:
                buffer.shadow = Shadow(buffer.data.size, False, self.geometry)

    def step_through(self, program: Program, limits: Limits = GENEROUS, only: int | None = None) -> None:
        """Runs the program of every owner, cluster by cluster; or of the cluster of workgroup number `only`, whose
        others run where they have to meet. Raises `EvaluationError` and what the program raises."""
        together, meter = self.geometry.together, Meter(limits, self.geometry.workgroups)
        first = 0 if only is None else only // together * together
        for number in range(first, self.geometry.workgroups if only is None else first + 1, together):
            _Crew(self, Batch(self.geometry, number, together), meter).run(program)
            meter.finish(together)

    def unwritten(self, number: int) -> int:
        """How many elements of an argument that is an array nobody wrote."""
        if not is_memref.admits(self.kernel.arguments[number]):
            return 0
        value: MemRef = self.values[number]
        written = value.buffer.written
        return 0 if written is None or 0 in value.sizes else written.left(box_of(value), value.dtype.itemsize)

    def site_number(self, op: Operation) -> int:
        """The last number is shared where they run out."""
        number = self.numbers.setdefault((type(op), op.location), len(self.numbers))
        if number == len(self.operations) and number < MAX_OPERATIONS:
            self.operations.append(op)
        return min(number, MAX_OPERATIONS - 1)


class _SteppingCompiler(Compiler):
    """Compiles one operation, whose number is that of its place: a loop comes by again and again."""

    def __init__(self, launch: SteppedLaunch) -> None:
        super().__init__(on_values)
        self._launch = launch

    def site(self, op: Operation, verb: str) -> Site:
        return Site(op, self._launch.site_number(op), "writes" if verb == "writes" else "reads")


class _Crew:
    """The owners of one batch."""

    def __init__(self, launch: SteppedLaunch, batch: Batch, meter: Meter) -> None:
        self.launch, self.batch = launch, batch
        findings = Findings(launch.operations, meter, True, False, False, [])
        self.state = State(batch, [], findings)
        self.owners = [Owner(self, number) for number in range(batch.size)]
        self.allocated: list[tuple[MemRefType, MemRef]] = []
        """The memory of workgroups, in the order in which an owner allocates it."""
        self.waiting: dict[int, Operation] = {}
        """Who is at an operation that several do together."""

    def run(self, program: Program) -> None:
        if len(self.owners) == 1:
            self._run_one(program, self.owners[0])
        else:
            self.state.turns = Turns()
            for owner in self.owners:
                owner.state.turns = self.state.turns
            self.state.turns.run([partial(self._run_one, program, owner) for owner in self.owners])
        end_groups(self.launch.kernel.op, self.state)

    def _run_one(self, program: Program, owner: Owner) -> None:
        program(owner)
        owner.ended = True


class Owner:
    """One workgroup, subgroup or thread while its program is written.

    Attributes:
        kernel: Its function.
        arguments: The function's, by number.
    """

    def __init__(self, crew: _Crew, number: int) -> None:
        self._crew, self._number = crew, number
        self.kernel = crew.launch.kernel
        self.state = crew.state
        if crew.batch.size > 1:
            self.state = copy.copy(crew.state)
            self.state.active = crew.batch.everyone == number
        self.ended = False
        self._allocations = 0
        self._values: WeakKeyDictionary[Value, Any] = WeakKeyDictionary(
            zip(crew.launch.kernel.arguments, crew.launch.values, strict=True)
        )

    @property
    def words(self) -> str:
        """Which one it is, as messages say it."""
        return self._crew.batch.who(self._number)

    # Values

    def value(self, value: Value) -> Array:
        """What a number or a vector is."""
        return np.asarray(self._values[value])

    def memory(self, value: Value) -> Array:
        """What is in a memref now."""
        found: MemRef = self._values[value]
        first = found.buffer.starts(self._crew.batch, found.dtype.itemsize)
        box = box_of(replace(found, offset=found.offset + _own_number(first, self._number)))
        return box.take(found.buffer.typed(found.dtype))

    def enter(self, value: Value, number: Array) -> None:
        """Says what a value is that no operation makes."""
        self._values[value] = number

    # Operations

    def execute(self, op: Operation) -> None:
        """Raises `EvaluationError` for what is undefined."""
        meter = self.state.run.meter
        reached = meter.spend(1)
        if reached:
            raise EvaluationLimit(failure(op, reached).diagnostic)
        with np.errstate(all="ignore"):
            if self._crew.batch.size == 1:
                self._alone(op)
            elif isinstance(op, memref.AllocOp) and op.memref.type.memory_space is not None:
                self._allocate(op)
            elif (members := self._members(op)) is None or len(members) == 1:
                self._alone(op)
            else:
                self._meet(op, members)
        self._tell()

    def _tell(self) -> None:
        printed = self.state.run.printed
        for record in printed:
            self._crew.launch.tell(record)
        printed.clear()

    def _alone(self, op: Operation) -> None:
        results = self._executed(op, self.state, self._values.get)
        for result, found in zip(op.results, results, strict=True):
            self._values[result] = _own(found, result, self._number)

    def _executed(self, op: Operation, m: State, known: Callable[[Value], Any]) -> list[Any]:
        c = _SteppingCompiler(self._crew.launch)
        steps, slots = _code(op, self.kernel, c)
        m.values = c.fill(known)
        m.doubts = [None] * len(m.values)
        run(steps, m)
        return [m.values[slot] for slot in slots]

    def _allocate(self, op: memref.AllocOp) -> None:
        """One buffer for all owners of a workgroup: each allocates in its order."""
        crew, number = self._crew, self._allocations
        self._allocations += 1
        type = op.memref.type
        if number == len(crew.allocated):
            (found,) = self._executed(op, self.state, self._values.get)
            crew.allocated.append((type, found))
        known, memory = crew.allocated[number]
        if known != type:
            words = f"is allocation number {number + 1} of {self.words}, where another has {known}"
            raise failure(op, f"{words}: all owners of a workgroup allocate the same memory")
        self._values[op.memref] = memory

    # Together

    def _members(self, op: Operation) -> list[int] | None:
        """Who executes an operation together, by number; None for each on its own."""
        scope = _meeting_of(op)
        batch, me = self._crew.batch, self._number
        if scope is None:
            return None
        if scope == "grid":
            return list(range(batch.size))
        of = batch.workgroup if scope == "workgroup" or batch.geometry.scope != "thread" else batch.subgroup
        if scope == "subgroup" and batch.geometry.scope != "thread":
            return None
        return [int(n) for n in np.flatnonzero(of == of[me])]

    def _meet(self, op: Operation, members: Sequence[int]) -> None:
        waiting, turns = self._crew.waiting, self.state.turns
        assert turns is not None
        waiting[self._number] = op
        if all(n in waiting for n in members):
            self._together([(self._crew.owners[n], waiting[n]) for n in members])
            for n in members:
                del waiting[n]
        elif not turns.wait_until(lambda: self._number not in waiting):
            raise self._missing(op, members)

    def _missing(self, op: Operation, members: Sequence[int]) -> Exception:
        crew = self._crew
        absent = next(crew.owners[n] for n in members if n not in crew.waiting)
        there = "has ended" if absent.ended else "is elsewhere"
        count = sum(n in crew.waiting for n in members)
        words = f"is reached by {count} of {len(members)} {crew.batch.geometry.scope}s that meet there"
        hint = "barriers and shuffles must not stand inside a condition that differs between those who meet there"
        return failure(op, f"{words}: {self.words} is here, {absent.words} {there}", hint=hint)

    def _together(self, those: Sequence[tuple[Owner, Operation]]) -> None:
        """One operation for all of them: their operands become one array each, with an axis over owners."""
        first, size = those[0][1], self._crew.batch.size
        for owner, op in those:
            if type(op) is not type(first) or op.attributes != first.attributes or op.location != first.location:
                note = [(f"{owner.words} is here", op.location)]
                raise failure(first, f"is where {those[0][0].words} is, and another is at '{op.opname}'", note)
        operands = {v: n for n, v in enumerate(first.operands)}
        members = np.zeros(size, np.bool_)
        members[[owner._number for owner, _ in those]] = True

        def known(value: Value) -> Any:
            if value not in operands:
                return those[0][0]._values.get(value)
            column = [(owner._number, owner._values[op.operands[operands[value]]]) for owner, op in those]
            return _stacked(size, column) if scalar_like.admits(value) else column[0][1]

        state = copy.copy(self._crew.state)
        state.active = None if members.all() else members
        found = self._executed(first, state, known)
        for owner, op in those:
            for result, value in zip(op.results, found, strict=True):
                owner._values[result] = _own(value, result, owner._number)


def _stacked(size: int, column: Sequence[tuple[int, Array]]) -> Array:
    """The values of owners, by their number; zeros for the others."""
    first = np.asarray(column[0][1])
    whole = np.zeros((size, *first.shape), first.dtype)
    for number, value in column:
        whole[number] = value
    return whole


def _own(found: Any, value: Value, number: int) -> Any:
    """One owner's part of a result."""
    if is_memref.admits(value):
        return _own_memref(found, number)
    if not scalar_like.admits(value):
        return found
    array: Array = np.asarray(found)
    if array.ndim <= len(shape_of(value.type)):
        return array
    return np.asarray(array[number if len(array) > 1 else 0])


def _own_memref(found: MemRef, number: int) -> MemRef:
    def each(n: Number) -> Number:
        return _own_number(n, number)

    sizes, strides = tuple(map(each, found.sizes)), tuple(map(each, found.strides))
    offset, origin, elsewhere = map(each, (found.offset, found.origin, found.elsewhere))
    return replace(found, offset=offset, sizes=sizes, strides=strides, origin=origin, elsewhere=elsewhere)


def _own_number(n: Number, number: int) -> int:
    array = np.asarray(n).reshape(-1)
    return int(array[number if array.size > 1 else 0])


def _meeting_of(op: Operation) -> Scope | None:
    """The coarsest scope of those who do something together in it."""
    found = [scope for inner in op.walk() if (scope := _own_meeting(inner)) is not None]
    return next((scope for scope in SCOPES if scope in found), None)


def _own_meeting(op: Operation) -> Scope | None:
    if isinstance(op, gpu.BarrierOp) and op.scope.value == "cluster":
        return "grid"
    return "workgroup" if isinstance(op, SplitOp) else op.collective


# -- operations that are others ----------------------------------------------------------------------------------------


def _code(op: Operation, kernel: Kernel, c: Compiler) -> tuple[list[Step], list[int]]:
    """What an operation does, and where its results are."""
    if not (any(map(_may_be_others, op.walk())) if op.regions else _may_be_others(op)):
        step = c.step(op)
        return [] if step is None else [step], c.slots(op.results)
    outside = _used(op)
    function = expanded(replace(kernel, op=_function_of(op, kernel, outside)), KEPT).op
    steps, slots = region_code(function.body_region, c)
    known = dict(zip(function.arguments, outside, strict=True))
    copies = [(c.slot(inner), c.slot(outer)) for inner, outer in known.items()]

    def enter(m: State) -> None:
        for inner, outer in copies:
            m.values[inner] = m.values[outer]

    return [enter, *steps], slots


def _may_be_others(op: Operation) -> bool:
    if type(op) in KEPT:
        return any(len(region.blocks) > 1 for region in op.regions)
    if is_expanded(type(op)) or (op.folds and folds_somewhere(op)):
        return True
    return any(element_shape(value.type) is not None for value in (*op.operands, *op.results))


def _used(op: Operation) -> list[Value]:
    """What it takes from around it."""
    inside = {result for inner in op.walk() for result in inner.results}
    inside.update(a for inner in op.walk() for r in inner.regions for b in r.blocks for a in b.arguments)
    return list(dict.fromkeys(v for inner in op.walk() for v in inner.operands if v not in inside))


def _function_of(op: Operation, kernel: Kernel, outside: Sequence[Value]) -> func.FuncOp:
    """A function that does it alone, and returns its results."""
    body = Block([v.type for v in outside])
    values = dict(zip(outside, body.arguments, strict=True))
    made = body.append(clone(op, values))
    body.append(func.ReturnOp(made.results))
    kind = FunctionType(tuple(v.type for v in outside), tuple(r.type for r in op.results))
    attributes = {"sym_name": StringAttr(kernel.name), "function_type": TypeAttr(kind)}
    return func.FuncOp((), (), attributes, [Region([body])], op.location)
