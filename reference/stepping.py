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
from ..ir.attributes import IntegerAttr, StringAttr, TypeAttr
from ..ir.cloning import clone
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.define import is_memref, scalar_like
from ..ir.dialects import func, gpu
from ..ir.dialects.arith import ConstantOp
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.lanewise import SplitOp
from ..ir.kernels import Kernel
from ..ir.numerics import Array
from ..ir.printing import Record
from ..ir.traits import SCOPES, Scope
from ..ir.types import INDEX, FunctionType, shape_of
from ..support.dataclasses import replace
from ..support.diagnostics import About
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
from .rules_programs import threads_of
from .rules_regions import KEPT, region_code
from .tensor_memory import TensorMemory
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
            batch = Batch(self.geometry, number, together)
            state = State(batch, [], Findings(self.operations, meter, True, False, False, []))
            if batch.size > 1:
                state.tensor_memory = TensorMemory(batch.workgroups)
            _Crew(self, state).run(program)
            meter.finish(together)

    def unwritten(self, number: int) -> int:
        """How many elements of an argument that is an array nobody wrote."""
        if not is_memref.admits(self.kernel.arguments[number]):
            return 0
        value: MemRef = self.values[number]
        written = value.buffer.written
        return 0 if written is None or 0 in value.sizes else written.left(box_of(value), value.dtype.itemsize).number

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
        self.operations = launch.operations

    def site(self, op: Operation, verb: str) -> Site:
        return Site(op, self._launch.site_number(op), "writes" if verb == "writes" else "reads")


class _Crew:
    """The owners of one batch."""

    def __init__(self, launch: SteppedLaunch, state: State) -> None:
        self.launch, self.batch, self.state = launch, state.batch, state
        batch = state.batch
        self.owners = [Owner(self, number) for number in range(batch.size)]
        self.made: list[tuple[Operation, list[Any]]] = []
        """The memory and barriers of workgroups, in the order in which an owner makes them."""
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
        self._made = 0
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

    def rename(self, memory: Value, name: str) -> None:
        """What messages call memory that was made here."""
        found: MemRef = self._values[memory]
        found.buffer.name = f"%{name} ({found.buffer.space} memory)"

    def enter(self, value: Value, number: Array) -> None:
        """Says what a value is that no operation makes."""
        self._values[value] = number

    # Programs within the program

    def vectors(self) -> frozenset[Value]:
        """The vectors that the owner has now."""
        return frozenset(value for value in self._values if value.type.is_vector)

    def run_parts(self, programs: Sequence[Program]) -> None:
        """Runs programs of parts of the workgroup, each of which takes operations by an owner of its own: one after
        the other, but for what waits for barrier objects, which lets others go on."""
        before = self.state.turns
        turns = self.state.turns = before or Turns()
        parts: list[Owner] = []
        for _ in programs:
            parts.append(copy.copy(self))
            parts[-1].state = copy.copy(self.state)
        turns.run([partial(program, part) for program, part in zip(programs, parts, strict=True)])
        self.state.turns = before

    def run_threads(self, op: Operation, program: Program) -> None:
        """Runs the program of each thread, which stands in `op`, one after the other."""
        if self._crew.batch.geometry.scope == "thread":
            raise failure(op, "stands in the program of a thread already")
        inner = threads_of(op, self.state)
        crew = _Crew(self._crew.launch, inner)
        for owner in crew.owners:
            if inner.active is None or inner.active[owner._number]:
                owner._values = WeakKeyDictionary(self._values)
                program(owner)
        end_groups(op, inner)

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
            elif _is_of_workgroup(op):
                self._take_part(op)
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

    def _take_part(self, op: Operation) -> None:
        """Memory and barriers are one for all owners of a workgroup: each makes them in its order."""
        crew, number = self._crew, self._made
        self._made += 1
        if number == len(crew.made):
            crew.made.append((op, self._executed(op, self.state, self._values.get)))
        first, found = crew.made[number]
        types = [result.type for result in op.results]
        if type(first) is not type(op) or [result.type for result in first.results] != types:
            words = f"is number {number + 1} of what {self.words} makes of the workgroup, and another's is elsewhere"
            note = [
                (f"there it is '{first.opname}' of {', '.join(str(r.type) for r in first.results)}", first.location)
            ]
            raise failure(op, words, note, hint="all owners of a workgroup make the same memory and barriers")
        for result, value in zip(op.results, found, strict=True):
            self._values[result] = value

    # Together

    def _members(self, op: Operation) -> list[int] | None:
        """Who executes an operation together, by number; None for each on its own."""
        scope = _meeting_of(op, self.kernel)
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
        return failure(op, f"{words}: {self.words} is here, {absent.words} {there}", hint=hint, about=About("meeting"))

    def _together(self, those: Sequence[tuple[Owner, Operation]]) -> None:
        """One operation for all of them: their operands become one array each, with an axis over owners."""
        first, size = those[0][1], self._crew.batch.size
        for owner, op in those:
            if type(op) is not type(first) or op.attributes != first.attributes or op.location != first.location:
                note = [(f"{owner.words} is here", op.location)]
                raise failure(
                    first,
                    f"is where {those[0][0].words} is, and another is at '{op.opname}'",
                    note,
                    about=About("meeting"),
                )
        members = np.zeros(size, np.bool_)
        members[[owner._number for owner, _ in those]] = True
        joint, columns = _joint(first, [op for _, op in those])

        def known(value: Value) -> Any:
            column = columns.get(value)
            if column is None:
                return None
            return _stacked(first, size, [(o._number, o._values[v]) for (o, _), v in zip(those, column, strict=True)])

        state = copy.copy(self._crew.state)
        state.active = None if members.all() else members
        try:
            found = self._executed(joint, state, known)
        finally:
            assert joint.parent is not None
            joint.parent.remove(joint)
        for owner, op in those:
            for result, value in zip(op.results, found, strict=True):
                owner._values[result] = _own(value, result, owner._number)


def _joint(first: Operation, those: Sequence[Operation]) -> tuple[Operation, dict[Value, list[Value]]]:
    """A copy of an operation beside it, each of whose operands is a value of its own, since what is one value of one
    owner may be several of another; and for all that it takes from around it what that is to each of `those`."""
    assert first.parent is not None
    joint = clone(first, {})
    fresh = [Value(v.type, v.owner, v.index, v.hint) for v in first.operands]
    joint.set_operands(fresh)
    first.parent.append(joint)
    columns = {value: [op.operands[n] for op in those] for n, value in enumerate(fresh)}
    captured = [_captured(op) for op in (joint, *those)]
    columns |= {value: [each[n] for each in captured[1:]] for n, value in enumerate(captured[0])}
    return joint, columns


def _stacked(op: Operation, size: int, column: Sequence[tuple[int, Any]]) -> Any:
    """The values of owners, by their number, as one; zeros for the others."""
    first = column[0][1]
    if hasattr(first, "buffer"):
        return _stacked_memref(op, size, column)
    if not hasattr(first, "shape"):
        return first  # such as barrier objects, which all have
    whole = np.zeros((size, *first.shape), first.dtype)
    for number, value in column:
        whole[number] = value
    return whole


def _stacked_memref(op: Operation, size: int, column: Sequence[tuple[int, MemRef]]) -> MemRef:
    first = column[0][1]
    if any(memref.buffer is not first.buffer for _, memref in column):
        raise failure(op, "takes memory that each has for himself, of those who are at it together")

    def each(of: Callable[[MemRef], Number]) -> Number:
        given = [(number, int(of(memref))) for number, memref in column]
        return given[0][1] if len({n for _, n in given}) == 1 else np.asarray(_stacked(op, size, _as_arrays(given)))

    return replace(
        first,
        offset=each(lambda m: m.offset),
        sizes=tuple(each(lambda m, d=d: m.sizes[d]) for d in range(len(first.sizes))),  # type: ignore[misc]
        strides=tuple(each(lambda m, d=d: m.strides[d]) for d in range(len(first.strides))),  # type: ignore[misc]
        origin=each(lambda m: m.origin),
        elsewhere=each(lambda m: m.elsewhere),
    )


def _as_arrays(given: Sequence[tuple[int, int]]) -> list[tuple[int, Array]]:
    return [(number, np.asarray(n, np.int64)) for number, n in given]


def _own(found: Any, value: Value, number: int) -> Any:
    """One owner's part of a result."""
    if is_memref.admits(value):
        return _own_memref(found, number)
    if not hasattr(found, "ndim"):
        return found  # such as barrier objects
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


def _is_of_workgroup(op: Operation) -> bool:
    """Whether it makes something of nothing that all owners of a workgroup have: shared memory, barrier objects."""
    if op.operands or not op.results or op.begins is not None or op.commits is not None:
        return False
    return not any(scalar_like.admits(result) or _is_private(result) for result in op.results)


def _is_private(value: Value) -> bool:
    return is_memref.admits(value) and value.type.memory_space is None


def _meeting_of(op: Operation, kernel: Kernel) -> Scope | None:
    """The coarsest scope of those who do something together in it, or in the operations that it stands for."""
    inside = list(op.walk())
    if any(map(_may_be_others, inside)):
        inside += _expanded(op, kernel, _used(op)).walk()
    found = [scope for inner in inside if (scope := _own_meeting(inner)) is not None]
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
    function = _expanded(op, kernel, outside)
    steps, slots = region_code(function.body_region, c)
    known = dict(zip(function.arguments, outside, strict=True))
    copies = [(c.slot(inner), c.slot(outer)) for inner, outer in known.items()]

    def enter(m: State) -> None:
        for inner, outer in copies:
            m.values[inner] = m.values[outer]

    return [enter, *steps], slots


def _expanded(op: Operation, kernel: Kernel, outside: Sequence[Value]) -> FunctionLike:
    """Raises `EvaluationError` where it is written out together with what is around it, such as matrices of subgroups:
    its values are of other types then."""
    function = expanded(replace(kernel, op=_function_of(op, kernel, outside)), KEPT).op
    last = function.body_region.blocks[-1].terminator
    given = [value.type for value in (*outside, *op.results)]
    if last is not None and [v.type for v in (*function.arguments, *last.operands)] != given:
        raise failure(op, "has no meaning operation by operation: it is written out with all that is around it")
    return function


def _may_be_others(op: Operation) -> bool:
    if type(op) in KEPT:
        return any(len(region.blocks) > 1 for region in op.regions)
    if is_expanded(type(op)) or (op.folds and folds_somewhere(op)):
        return True
    return any(element_shape(value.type) is not None for value in (*op.operands, *op.results))


def _used(op: Operation) -> list[Value]:
    """What it takes from around it."""
    return list(dict.fromkeys([*op.operands, *_captured(op)]))


def _captured(op: Operation) -> list[Value]:
    """What the operations inside of it take from around it."""
    if not op.regions:
        return []
    inside = {result for inner in op.walk() for result in inner.results}
    inside.update(a for inner in op.walk() for r in inner.regions for b in r.blocks for a in b.arguments)
    taken = (v for inner in op.walk() if inner is not op for v in inner.operands if v not in inside)
    return list(dict.fromkeys(taken))


def _function_of(op: Operation, kernel: Kernel, outside: Sequence[Value]) -> func.FuncOp:
    """A function that does it alone, and returns its results."""
    body = Block([v.type for v in outside])
    values = dict(zip(outside, body.arguments, strict=True))
    made = body.append(clone(op, values))
    Builder(body).op(ConstantOp, types=[INDEX], value=IntegerAttr(0, INDEX))  # something goes on behind it
    body.append(func.ReturnOp(made.results))
    kind = FunctionType(tuple(v.type for v in outside), tuple(r.type for r in op.results))
    attributes = {"sym_name": StringAttr(kernel.name), "function_type": TypeAttr(kind)}
    return func.FuncOp((), (), attributes, [Region([body])], op.location)
