"""A kernel as plain Python: each operation is computed when it is written, by the rules of the reference.

`print`, `assert` and pdb have numbers; branches and loops go the way that these say.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..ir.builder import FoldingBuilder
from ..ir.core import Block, Builder, Operation, OpT, UnregisteredOp, Value
from ..ir.define import scalar_like
from ..ir.dialects.constants import constant_array
from ..ir.dialects.lanewise import ThreadsOp, check_alone, check_operands
from ..ir.kernels import find_kernel, kernel_module
from ..ir.narrow_arguments import on_numbers
from ..ir.numerics import Array
from ..ir.printing import Record
from ..ir.types import INDEX, Attribute, Type
from ..ir.verify import verify_one
from ..jit.grid_uses import Use
from ..reference.stepping import Owner, SteppedLaunch
from ..support.diagnostics import Report, VerifyError
from ..support.limits import Limits
from ..support.named_tuples import NamedTuple
from .dtypes import DType
from .grids import Cover
from .operands import bits_of, is_float
from .options import Options
from .program import call, machine_type, options_of_kernel
from .signature import ParameterType
from .trace import Delayed, Places, Trace
from .trace import Written as Within
from .under_way import TRACE


class Written(NamedTuple):
    """A function for types of arguments and for constants.

    Attributes:
        places: Those of the user's code, which are kept from one run to the next.
        prepared: What is called: the function with hooks.
        name: The kernel's.
        file: Where the function stands.
        line: Its first line.
        names: Of the arguments.
        types: Of the arguments.
        constants: By name.
        options: What the decorator says.
    """

    places: Places
    prepared: Callable[..., Any]
    name: str
    file: str
    line: int
    names: Sequence[str]
    types: Sequence[ParameterType]
    constants: Mapping[str, Any]
    options: Options


class Ran(NamedTuple):
    """What a run found.

    Attributes:
        cover: Which arguments the workgroups went along.
        unwritten: Of each argument that is an array, how many elements nobody wrote.
    """

    cover: Cover
    unwritten: Mapping[str, int]


def run_eagerly(
    written: Written,
    grid: tuple[int, int, int],
    arguments: Sequence[Any],
    subgroup_size: int,
    tell: Callable[[Record], None],
    limits: Limits,
    only: int | None = None,
) -> Ran:
    """Runs a kernel on numpy arrays, in place, workgroup by workgroup.

    Args:
        written: The function.
        grid: Workgroups along x, y and z.
        arguments: Arrays and numbers.
        subgroup_size: Counts where the kernel does not say it.
        tell: Gets what the kernel prints, at once.
        limits: When it is stopped.
        only: The number of the only workgroup that runs; None is all.

    Raises:
        EvaluationError: Something is undefined.
        TraceError: Something has no meaning.
    """
    places, root = written.places, inspect.unwrap(written.prepared).__code__
    location = places.line(written.file, written.line)
    body = Block([machine_type(t) for t in written.types])
    for argument, name in zip(body.arguments, written.names, strict=True):
        argument.hint = name
    options = written.options
    module = kernel_module(
        written.name, body, options.threads(written.constants), **options_of_kernel(options, location)
    )
    Block.erase_all(body.operations)  # its end: what is written comes and goes
    view = find_kernel(module)
    uses: dict[Use, None] = {}

    def launch(kernel: Any, extents: Any, given: Sequence[Any]) -> Ran:
        made = SteppedLaunch(kernel, extents, given, subgroup_size, tell)

        def program(owner: Owner) -> None:
            current = EagerTrace(owner, body, places, root)
            current.build.location = location
            try:
                call(current, written.prepared, body, written.names, written.types, written.constants)
            finally:
                uses.update(dict.fromkeys(current.uses))
                current.build.clear()

        made.step_through(program, limits, only)
        left = {name: made.unwritten(number) for number, name in enumerate(written.names)}
        return Ran(Cover(uses), left)

    return on_numbers(launch)(view, grid, arguments)


class EagerTrace(Trace):
    """One owner's program."""

    computes = True
    build: EagerBuilder

    def __init__(
        self, owner: Owner, body: Block, places: Places, root: types.CodeType, within: Operation | None = None
    ) -> None:
        super().__init__(EagerBuilder(owner, body, within), places, root)
        self._owner = owner

    def number(self, value: Value, dtype: DType) -> Any:
        array = _read_as(self._owner.value(value), dtype)
        if array.ndim:
            return array
        return float(array) if is_float(dtype) else array.item()

    def contents(self, memory: Value, dtype: DType) -> Array:
        return _read_as(self._owner.memory(memory), dtype)

    def rename(self, memory: Value, name: str) -> None:
        self._owner.rename(memory, name)

    def suggest(self, value: Value, name: str) -> None:
        value.hint = value.hint or name

    def delay(self, value: Delayed) -> None:
        """What is never used is never computed, but before programs within: they are to find it."""
        self._delayed = [known for known in self._delayed if known() is not None]  # loops make many
        super().delay(value)

    def parts(self, op: Operation, programs: Sequence[Within]) -> None:
        """The programs take turns where they wait for each other."""
        self._hold(op)
        self._owner.run_parts([partial(self._run_within, op, program) for program in programs])
        self.build.entry.remove(op)

    def threads(self, op: Operation, program: Within) -> None:
        self._hold(op)
        self._owner.run_threads(op, partial(self._run_within, op, program))
        self.build.entry.remove(op)

    def _hold(self, op: Operation) -> None:
        """What holds programs stands in the function while they run, so that operations know whose they are."""
        self.write_delayed()
        verify_one(op)
        self.build.entry.append(op)

    def _run_within(self, op: Operation, program: Within, owner: Owner) -> None:
        assert isinstance(program.write, types.FunctionType)
        root = program.write.__code__  # which another thread of Python may call
        inner = EagerTrace(owner, program.block, self.places, root, op)
        inner.build.location = op.location
        inner.missing_source = self.missing_source
        before = TRACE.set(inner)
        try:
            program.write()
            inner.write_delayed()
        finally:
            TRACE.reset(before)
            self.uses += inner.uses
            inner.build.clear()

    def counter(self, number: int) -> Value:
        value = Value(INDEX, self.build.entry, -1)
        self._owner.enter(value, np.asarray(number, np.int64))
        return value


def _read_as(array: Array, dtype: DType) -> Array:
    """The same bits, as numbers that are not negative where the type has none."""
    if not dtype.unsigned or dtype.kind != "integer":
        return array
    whole = array.view(f"u{array.itemsize}")
    return np.asarray(whole & np.asarray((1 << bits_of(dtype)) - 1, whole.dtype))


class EagerBuilder(FoldingBuilder):
    """Executes what is appended to the function's body, and forgets it: its results have numbers. What is appended to
    the block of a region belongs to the operation that has the region."""

    def __init__(self, owner: Owner, entry: Block, within: Operation | None = None) -> None:
        """`within` is what holds the program, where it is one within the kernel's."""
        super().__init__(entry)
        self.entry = entry
        self._owner = owner
        self._within = within
        self._outside: frozenset[Value] = frozenset() if within is None else owner.vectors()

    def op(
        self,
        cls: type[OpT],
        *operands: Value | Sequence[Value],
        types: Sequence[Type] | None = None,
        **attributes: Any,
    ) -> OpT:
        if self.block is not self.entry:
            return super().op(cls, *operands, types=types, **attributes)
        return Builder.op(self, cls, *operands, types=types, **attributes)

    def each(
        self,
        cls: type[OpT],
        rows: Iterable[Sequence[Value]],
        types: Sequence[Type],
        attributes: Mapping[str, Attribute],
    ) -> list[OpT]:
        return [self.op(cls, *row, types=types, **attributes) for row in rows]

    def once(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        return super().once(key, make) if self.block is not self.entry else make()

    def bound(self, value: Value, limit: int) -> Value:
        return value

    def append(self, op: OpT) -> OpT:
        super().append(op)
        if self.block is self.entry:
            try:
                verify_one(op)
                if self._within is not None:
                    self._check_within(op, self._within)
                self._owner.execute(op)
            finally:
                self.entry.remove(op)
            _forget(op)
        return op

    def _check_within(self, op: Operation, around: Operation) -> None:
        """Raises VerifyError where an operation takes what is not its program's."""
        report = Report()
        check_operands(around, op, self._outside.__contains__, report)
        if isinstance(around, ThreadsOp):
            check_alone(op, report)
        if report.diagnostics:
            raise VerifyError(report.diagnostics)

    def constant_of(self, attribute: Attribute) -> Value:
        value = super().constant_of(attribute)
        self._owner.enter(value, constant_array(value))
        return value

    def clear(self) -> None:
        """Takes the constants out of the body, which is another owner's next."""
        for value in self._constants.values():
            assert value.operation is not None
            self.entry.remove(value.operation)


def _forget(op: Operation) -> None:
    """Lets numbers know the place where they were made, and nothing of what they were made of: who holds one holds no
    other. What memory a view is of stays known."""
    if op.operands and all(map(scalar_like.admits, op.results)):
        made = UnregisteredOp(op.opname, location=op.location)
        for result in op.results:
            result.owner = made
