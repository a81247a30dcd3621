"""Runs kernels and functions on numpy arrays: what a program means.

A kernel is one program of each workgroup, subgroup or thread (its scope). Workgroups run one after the other; within
one, owners run in turns and meet at barriers and shuffles.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ..core import Operation
from ..decompose import decomposed
from ..diagnostics import Diagnostic
from ..dialects import gpu
from ..dialects.func import FunctionLike
from ..expand.whole import expanded
from ..kernels import Kernel
from ..limits import GENEROUS, Limits, Meter
from ..narrow_arguments import on_numbers
from ..numerics import Array, dtype_of
from ..types import MemRefType, Type, VectorType
from . import access, control, programs, propagation_floats, propagation_scan, propagation_sums
from .errors import EvaluationError, EvaluationLimit, failure
from .exchange import exchange
from .memory import Errors, View, scalar_dtype, suffix_shape
from .program import OWNER, Code, Compiler, Frame, Meeting, Owner, Waiting, index_value
from .propagation import Machine
from .regions import KEPT, code_of

_RULES = (access, control, programs, propagation_floats, propagation_scan, propagation_sums)
assert all(_RULES)  # importing them fills the tables
Ids = dict[tuple[type[Operation], int], Array]
Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Doubts:
    """How far a right execution on some machine may be from what the reference left.

    `bounds` has, by argument, the absolute error that is allowed of each element: infinite where it is undecided, that
    is where it depends on a comparison that may fall either way. None: the same bits. `unsettled` are operations whose
    branch, length or address depended on something undecided: if there are any, nothing can be said.
    """

    bounds: tuple[Array | None, ...]
    unsettled: tuple[Operation, ...]


@on_numbers
def run_kernel(
    kernel: Kernel,
    grid: Dim3,
    arguments: Sequence[Any],
    subgroup_size: int | None = None,
    machine: Machine | None = None,
    *,
    limits: Limits = GENEROUS,
) -> Doubts:
    """Runs `kernel` on `grid` workgroups (x, y, z), in place on the arrays among `arguments`.

    One argument per parameter: an array of the memref's extents, element type and stated strides, or a number.
    `subgroup_size` counts where the kernel does not say it. Raises `EvaluationError` for what is undefined: accesses
    outside a memref, reading what was not written, barriers that not all threads reach; and where a limit is reached.
    What executions on `machine` may differ by is given back; without a machine, nothing is followed.
    """
    kernel = decomposed(expanded(kernel, KEPT))
    size = kernel.subgroup_size or subgroup_size
    if kernel.scope == "subgroup" and size is None:
        raise EvaluationError(Diagnostic(f"kernel '@{kernel.name}' needs a subgroup size", kernel.op.location))
    compiler = Compiler(machine)
    code = code_of(kernel.op.body_region, compiler)
    template = compiler.frame()
    values = _values(kernel.op, arguments, with_errors=machine is not None)
    for slot, value in zip(code.arguments, values, strict=True):
        template[slot] = value
    unsettled: list[Operation] = []
    meter = Meter(limits, math.prod(grid))
    program = _Program(kernel, code, template, size, _launch_ids(kernel, grid, size), meter, unsettled)
    for z, y, x in product(*(range(n) for n in reversed(grid))):
        program.workgroup((x, y, z))
    views = [value if isinstance(value, View) else None for value in values]
    bounds = tuple(v.errors.bound() if v is not None and v.errors is not None else None for v in views)
    return Doubts(bounds, tuple(dict.fromkeys(unsettled)))


def evaluate(function: FunctionLike, *arguments: Any) -> list[Any]:
    """The results of a function that is not a kernel, on arrays (memrefs, vectors) and numbers."""
    compiler = Compiler()
    code = code_of(function.body_region, compiler)
    frame = compiler.frame()
    frame[OWNER] = Owner({}, {})
    for slot, value in zip(code.arguments, _values(function, arguments), strict=True):
        frame[slot] = value
    if code.waits:
        raise EvaluationError(Diagnostic("a function that waits for other threads is no kernel", function.location))
    code.run(frame)
    return [frame[slot].data if isinstance(frame[slot], View) else frame[slot] for slot in code.yielded]


# -- arguments --------------------------------------------------------------------------------------------------------


def _values(function: FunctionLike, arguments: Sequence[Any], *, with_errors: bool = False) -> list[View | Array]:
    parameters = function.arguments
    if len(arguments) != len(parameters):
        message = f"'@{function.name}' takes {len(parameters)} arguments, found {len(arguments)}"
        raise EvaluationError(Diagnostic(message, function.location))
    values = [
        _value(p.type, f"argument {i} of '@{function.name}'", a)
        for i, (p, a) in enumerate(zip(parameters, arguments, strict=True))
    ]
    if not with_errors:
        return values
    errors: dict[int, Errors] = {}
    for i, (value, argument) in enumerate(zip(values, arguments, strict=True)):
        if isinstance(value, View):
            values[i] = replace(value, errors=errors.setdefault(id(argument), Errors.of(value.data.shape)))
    return values


def _value(type: Type, name: str, argument: Any) -> View | Array:
    if isinstance(type, MemRefType):
        return _view(type, name, np.asarray(argument))
    element, shape = (type.element, type.shape) if isinstance(type, VectorType) else (type, ())
    value = np.asarray(argument)
    if value.shape != shape:
        raise EvaluationError(Diagnostic(f"{name}: expected {type}, found an array of shape {list(value.shape)}"))
    return value.astype(dtype_of(element))


def _view(type: MemRefType, name: str, array: Array) -> View:
    """The caller's array, which must have the type's extents, elements and stated strides."""
    expected = (*type.shape, *suffix_shape(type))
    wrong = ""
    if array.dtype != scalar_dtype(type):
        wrong = f"elements of {array.dtype}"
    elif array.ndim != len(expected) or any(n not in (None, m) for n, m in zip(expected, array.shape, strict=True)):
        wrong = f"shape {list(array.shape)}"
    elif not _strides_agree(type, array):
        wrong = f"strides {[s // array.itemsize for s in array.strides]}"
    if wrong:
        raise EvaluationError(Diagnostic(f"{name}: expected {type}, found an array of {wrong}"))
    return View(array, type.rank)


def _strides_agree(type: MemRefType, array: Array) -> bool:
    """Strides along extents of 1 do not matter."""
    stated, _ = type.strides_and_offset()
    unit = array.itemsize * math.prod(suffix_shape(type))
    return array.size == 0 or all(
        s is None or n == 1 or s * unit == found
        for s, n, found in zip(stated, array.shape, array.strides, strict=False)
    )


# -- owners -----------------------------------------------------------------------------------------------------------


def _launch_ids(kernel: Kernel, grid: Dim3, subgroup_size: int | None) -> Ids:
    """Ids that all owners share."""
    ids: Ids = {(gpu.GridDimOp, i): index_value(n) for i, n in enumerate(grid)}
    ids |= {(gpu.BlockDimOp, i): index_value(n) for i, n in enumerate(kernel.block_size)}
    if subgroup_size is not None:
        ids[gpu.SubgroupSizeOp, 0] = index_value(subgroup_size)
        ids[gpu.NumSubgroupsOp, 0] = index_value(-(-kernel.threads // subgroup_size))
    return ids


@dataclass(frozen=True)
class _Program:
    kernel: Kernel
    code: Code
    template: Frame
    subgroup_size: int | None
    launch_ids: Ids
    meter: Meter
    unsettled: list[Operation]

    def workgroup(self, block: Dim3) -> None:
        ids = self.launch_ids | {(gpu.BlockIdOp, i): index_value(n) for i, n in enumerate(block)}
        owners = [
            (name, Owner(ids | extra, {}, self.meter, unsettled=self.unsettled)) for name, extra in self._owners()
        ]
        shared = owners[0][1].shared
        try:
            if not self.code.waits or self.kernel.scope == "workgroup":
                for name, owner in owners:
                    owner.shared = shared
                    self._alone(name, owner)
            else:
                for _, owner in owners:
                    owner.shared = shared
                _Together(self, owners).run()
            reached = self.meter.spend(len(owners) * len(self.code.steps))
            if reached:
                raise EvaluationLimit(failure(self.kernel.op, reached).diagnostic)
            self.meter.finish(1)
        except EvaluationError as error:
            raise error.within(f"workgroup {block}") from None

    def frame(self, owner: Owner) -> Frame:
        frame = self.template.copy()
        frame[OWNER] = owner
        return frame

    def _alone(self, name: str, owner: Owner) -> None:
        """An owner that waits for nobody; a workgroup meets only itself at its barriers."""
        try:
            for _ in self.code.run_waiting(self.frame(owner)):
                pass
        except EvaluationError as error:
            raise (error.within(name) if name else error) from None

    def _owners(self) -> Iterator[tuple[str, Ids]]:
        """Name and ids of each owner in a workgroup."""
        if self.kernel.scope == "workgroup":
            yield "", {}
        elif self.kernel.scope == "subgroup":
            assert self.subgroup_size is not None
            for number in range(-(-self.kernel.threads // self.subgroup_size)):
                yield f"subgroup {number}", {(gpu.SubgroupIdOp, 0): index_value(number)}
        else:
            for number in range(self.kernel.threads):
                yield self._thread(number)

    def _thread(self, number: int) -> tuple[str, Ids]:
        width, height, _ = self.kernel.block_size
        place = (number % width, number // width % height, number // (width * height))
        ids: Ids = {(gpu.ThreadIdOp, i): index_value(n) for i, n in enumerate(place)}
        if self.subgroup_size is not None:
            ids[gpu.SubgroupIdOp, 0] = index_value(number // self.subgroup_size)
            ids[gpu.LaneIdOp, 0] = index_value(number % self.subgroup_size)
        return f"thread {place}", ids


class _Together:
    """The owners of one workgroup, run in turns: each goes on until it has to wait."""

    def __init__(self, program: _Program, owners: Sequence[tuple[str, Owner]]) -> None:
        self.names = [name for name, _ in owners]
        self.programs: list[Waiting] = [program.code.run_waiting(program.frame(owner)) for _, owner in owners]
        self.waiting: dict[int, Meeting] = {}
        self.finished: list[int] = []
        self.lanes = program.subgroup_size or len(owners)

    def run(self) -> None:
        for number in range(len(self.programs)):
            self._resume(number, None)
        while self.waiting:
            if not (self._subgroups_meet() or self._all_meet()):
                raise self._stuck()

    def _resume(self, number: int, received: Any) -> None:
        try:
            self.waiting[number] = self.programs[number].send(received)
        except StopIteration:
            self.waiting.pop(number, None)
            self.finished.append(number)
        except EvaluationError as error:
            raise error.within(self.names[number]) from None

    def _subgroups_meet(self) -> bool:
        """Lets every subgroup go on whose lanes are all at one shuffle or reduction."""
        met = False
        for first in range(0, len(self.programs), self.lanes):
            lanes = range(first, first + self.lanes)
            meetings = [self.waiting[n] for n in lanes if n in self.waiting]
            op = meetings[0].op if len(meetings) == self.lanes else None
            if op is not None and not isinstance(op, gpu.BarrierOp) and all(m.op is op for m in meetings):
                met = True
                for number, received in zip(lanes, exchange(meetings), strict=True):
                    self._resume(number, received)
        return met

    def _all_meet(self) -> bool:
        """Lets everyone go on when all owners are at one barrier."""
        ops = {meeting.op for meeting in self.waiting.values()}
        if self.finished or len(ops) > 1 or not isinstance(next(iter(ops)), gpu.BarrierOp):
            return False
        for number in list(self.waiting):
            self._resume(number, None)
        return True

    def _stuck(self) -> EvaluationError:
        """Not everyone who is needed arrives."""
        places = Counter(meeting.op for meeting in self.waiting.values())
        (op, count), *others = places.most_common()
        message = (
            f"'{op.opname}' op is reached by {count} of {len(self.programs)} owners and waits for the others for ever"
        )
        notes = [(f"{n} wait at '{other.opname}' here", other.location) for other, n in others]
        if self.finished:
            notes.append((f"{len(self.finished)} have finished, first {self.names[min(self.finished)]}", None))
        hint = "barriers and shuffles must be reached by all threads: not inside a condition that differs between them"
        return EvaluationError(Diagnostic(message, op.location, tuple(notes), hint))
