"""Workgroups along one axis of the grid share out the iterations of a loop whose sums join memory by addition.

    gpu.func @f(..) kernel                            %part = gpu.block_id z;  %parts = gpu.grid_dim z
        attributes {lanewise.split_k = "z"} {         %low, %high = bounds of this part
      %sum = scf.for %k = 0 to %depth step 32         %sum = scf.for %k = %low to %high step 32
          iter_args(%acc = %zero) {                       iter_args(%acc = %zero) {
        .. vector.contract .. %acc .. }                 .. vector.contract .. %acc .. }
      lanewise.update addf %sum, %C[..]               lanewise.update addf %sum, %C[..]

With the attribute a program says what the workgroups along that axis do together, once: the reference runs it as if
there were one of them. So a launch chooses how many parts there are, and a grid of one part is the program as it
stands. A part has neighbouring iterations, so that the step stays the constant that rings need; parts that are left
without any add nothing to memory that changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ..analysis.buffers import Buffers
from ..frontend.legalisations import copy_of
from ..ir.analyses import Analyses
from ..ir.attributes import number_of
from ..ir.core import Before, Builder, Operation, Value
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.constants import constant_attribute, constant_int
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.lanewise_update import UpdateOp
from ..ir.dialects.longhand import constant
from ..ir.dialects.nvvm import GriddepcontrolOp
from ..ir.dialects.vector import ContractionOp
from ..ir.effects import accesses
from ..ir.entry_place import entry_place
from ..ir.kernels import Axis, Kernel
from ..ir.split_axis import SPLIT, SPLIT_AXIS
from ..ir.types import INDEX
from ..support.diagnostics import CompileError, Diagnostic
from .pipeline_options import refuse_clusters

_ADDITIONS = ("add", "addf", "addi")


def split(kernel: Kernel, analyses: Analyses) -> Kernel:
    """The kernel whose loops are shared out along the axis that it names; itself where it names none. Raises
    CompileError where its workgroups could not do that."""
    axis = SPLIT_AXIS.value(kernel.op)
    if axis is None:
        return kernel
    refuse_clusters(kernel, SPLIT_AXIS)
    copy = copy_of(kernel)
    del copy.op.attributes[SPLIT]
    _Splitting(kernel, copy.op, axis, analyses.get(Buffers, copy.op)).rewrite()
    return copy


class _Splitting:
    def __init__(self, kernel: Kernel, function: Operation, axis: Axis, buffers: Buffers) -> None:
        self._kernel, self._function = kernel, function
        self._dimension = DimensionAttr(axis)
        self._buffers = buffers

    def rewrite(self) -> None:
        updates = self._function.all_of(UpdateOp)
        if not updates:
            self._refuse("nothing is added to memory", None, "let sums join memory by lanewise.update addf")
        loops = dict.fromkeys(self._summed(op) for op in updates)
        self._check_rest(set(updates))
        for loop in loops:
            self._share_out(loop)

    def _refuse(self, why: str, op: Operation | None, hint: str = "") -> NoReturn:
        notes = () if op is None else ((f"'{op.written.opname}'", op.location),)
        where = entry_place(self._kernel.op, rf"{SPLIT}\s*=")
        raise CompileError([Diagnostic(f"kernel '@{self._kernel.name}' has {SPLIT}: {why}", where, notes, hint)])

    def _summed(self, update: UpdateOp) -> scf.ForOp:
        """The loop whose sums are added, which is one that parts can share."""
        loop = update.value.operation
        if update.kind.value not in _ADDITIONS:
            self._refuse(f"parts of a sum do not join by '{update.kind.value}'", update)
        if not isinstance(loop, scf.ForOp) or loop.parent is not update.parent or loop.parent is not self._body:
            self._refuse("what is added to memory is not what a loop of the kernel's own sums up", update)
        step, low = constant_int(loop.step), constant_int(loop.lower_bound)
        plain = loop.step.type == INDEX and not loop.is_unsigned
        if not plain or step is None or step < 1 or low is None or low < 0:
            self._refuse("a loop that is shared out counts indices from a constant, 0 or more, by a constant", loop)
        for number in range(len(loop.results)):
            self._check_is_a_sum(loop, number)
        return loop

    @property
    def _body(self) -> object:
        return self._function.regions[0].block

    def _check_is_a_sum(self, loop: scf.ForOp, number: int) -> None:
        """Whether what is carried is only added to: then parts that begin at zero add up to the whole."""
        last = loop.body.terminator
        assert last is not None
        value: Value = loop.body.arguments[1 + number]
        while True:
            uses = list(value.uses)
            user, position = uses[0] if len(uses) == 1 else (None, 0)
            if user is last and position == number:
                break
            if user is None or user.parent is not loop.body or not _adds(user, position):
                self._refuse("what the loop carries is not a sum that is only added to", user or loop)
            value = user.results[0]
        others = [user for user in loop.results[number].users if not isinstance(user, UpdateOp)]
        if others:
            self._refuse("a sum is used otherwise than being added to memory", others[0])

    def _check_rest(self, updates: set[UpdateOp]) -> None:
        """All else is done in every part: it must change nothing, and be the same."""
        changed = {b for op in updates for b in self._buffers.of(op.base)}
        for op in self._function.walk():
            if isinstance(op, gpu.DimensionOp) and op.dimension == self._dimension and op.of_grid:
                self._refuse(f"workgroups along {self._dimension.value} do the same, but one asks which it is", op)
            if op in updates or op is self._function or op.terminator:
                continue
            found = list(accesses(op))
            if any((access.effect and not access.reads) or access.writes for access in found):
                self._refuse("every part would do what only one should", op)
            if any(not changed.isdisjoint(self._buffers.of(access.memref)) for access in found):
                self._refuse("what is added to is read, too", op)
            if not (op.pure or op.regions or found or isinstance(op, GriddepcontrolOp)):
                self._refuse("every part would do what only one should", op)

    def _share_out(self, loop: scf.ForOp) -> None:
        build = Before(loop)
        part = build.value(gpu.BlockIdOp, dimension=self._dimension)
        parts = build.value(gpu.GridDimOp, dimension=self._dimension)
        part.hint, parts.hint = "part", "parts"
        low, high = _bounds(build, loop, part, parts)
        starts = [self._start(build, value, part) for value in loop.init_args]
        loop.set_operands([low, high, loop.step, *starts])

    def _start(self, build: Builder, value: Value, part: Value) -> Value:
        """What is there before the first iteration is added by one part."""
        if constant_attribute(value) is not None and _is_zero(value):
            return value
        first = build.value(arith.CmpIOp, part, constant(build, 0, INDEX), predicate=IntegerPredicateAttr("eq"))
        return build.value(arith.SelectOp, first, value, constant(build, 0, value.type))


def _adds(op: Operation, position: int) -> bool:
    if isinstance(op, ContractionOp):
        return position == 2 and op.kind.value == "add" and not op.masks
    return isinstance(op, (arith.AddFOp, arith.AddIOp))


def _is_zero(value: Value) -> bool:
    given = constant_attribute(value)
    numbers: Sequence[object] = getattr(given, "values", (number_of(given) if given is not None else None,))
    return all(str(number) in ("0", "0.0") for number in numbers)


def _bounds(build: Builder, loop: scf.ForOp, part: Value, parts: Value) -> tuple[Value, Value]:
    """The bounds of the iterations of a part: in each as many, rounded up, as the parts make of them."""
    step, low = loop.step, loop.lower_bound
    end = build.value(arith.MaxSIOp, loop.upper_bound, low)
    trips = build.value(arith.CeilDivUIOp, build.value(arith.SubIOp, end, low), step)
    each = build.value(arith.CeilDivUIOp, trips, parts)
    first = build.value(arith.MinUIOp, build.value(arith.MulIOp, part, each), trips)
    last = build.value(arith.MinUIOp, build.value(arith.AddIOp, first, each), trips)

    def place(number: Value) -> Value:
        return build.value(arith.AddIOp, low, build.value(arith.MulIOp, number, step))

    return place(first), build.value(arith.MinSIOp, place(last), end)
