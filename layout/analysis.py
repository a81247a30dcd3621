"""Gives every vector value of a kernel one layout: forward from the anchors, backward to what they need.

Constants, masks, steps and what is computed from these alone are *flexible*: they have no layout of their own and are
made anew in whatever layout a use needs. `assign.py` writes the answer into the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from ..ir.core import Operation, Value
from ..ir.diagnostics import CompileError, Diagnostic
from ..ir.dialects import arith, scf, vector
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.kernels import Kernel
from ..ir.targets import Chip
from ..ir.types import VectorType, bit_width
from .choose import coalesced, in_thread, matrix_layouts, recast, reshapable
from .dimension import LayoutError
from .nested import NestedLayout
from .rules.iree_vector_ext import layout_of
from .transfer import Known, Layouts, is_vector, rule_of

T = TypeVar("T")
_SOURCES = (arith.ConstantOp, vector.StepOp, vector.CreateMaskOp, vector.ConstantMaskOp)
_CARRIERS = (vector.BroadcastOp, vector.TransposeOp)


@dataclass(frozen=True)
class Workgroup:
    """What layouts are decoded against: the threads of one owner of the program's values."""

    threads: int
    subgroup_size: int
    chip: Chip
    scope: str = "workgroup"

    @classmethod
    def of(cls, kernel: Kernel, chip: Chip, subgroup_size: int) -> Workgroup:
        """Raises CompileError where a subgroup's program would run on a subgroup with lanes missing."""
        threads = {"workgroup": kernel.threads, "subgroup": subgroup_size, "thread": 1}[kernel.scope]
        if kernel.scope == "subgroup" and kernel.threads % subgroup_size and kernel.threads > subgroup_size:
            message = f"{kernel.threads} threads are no whole number of subgroups of {subgroup_size}"
            raise CompileError([Diagnostic(message, kernel.op.location)])
        return cls(min(threads, kernel.threads), subgroup_size, chip, kernel.scope)


class Analysis:
    """The layouts of one kernel's values. `known` has them all after `run`, but for flexible ones."""

    def __init__(self, kernel: Operation, workgroup: Workgroup) -> None:
        self.operations = list(kernel.walk())[1:]
        self.workgroup = workgroup
        self.known = Known(workgroup.threads, workgroup.subgroup_size, workgroup.chip)
        self.flexible = _flexible_values(self.operations)
        self._tied = _tied_values(self.operations)

    def run(self) -> Analysis:
        self._anchor()
        while True:
            if self._sweep_forward() or self._sweep_backward():
                continue
            if not self._choose_one():
                return self

    def required(self, op: Operation) -> Layouts:
        """The layout each operand must have, None where any will do."""
        results = [self.known(r) for r in op.results]
        return self._guard(op, lambda: rule_of(op).backward(op, results, self.known))

    def settled(self, op: Operation) -> Layouts:
        """The same once all layouts are known: flexible operands that nothing decides have their default."""
        layouts = self.required(op)
        pairs = zip(op.operands, layouts, strict=True)
        free = {v: self.default(v) for v, layout in pairs if layout is None and v in self.flexible}
        if not free:
            return layouts
        known = replace(self.known, layouts={**self.known.layouts, **free})
        results = [self.known(r) for r in op.results]
        layouts = self._guard(op, lambda: rule_of(op).backward(op, results, known))
        return [layout or free.get(v) for v, layout in zip(op.operands, layouts, strict=True)]

    def required_for(self, op: Operation, layout: NestedLayout) -> Layouts:
        """The operands' layouts for making a flexible operation's result in `layout`."""
        return self._guard(op, lambda: rule_of(op).backward(op, [layout], self.known))

    def default(self, value: Value) -> NestedLayout:
        """The layout of a value that nothing decides."""
        assert isinstance(value.type, VectorType)
        if self.workgroup.scope == "thread":
            return in_thread(value.type.shape)
        if isinstance(value.operation, vector.ShapeCastOp):
            return recast(reshapable(value.operation, self.workgroup.threads), value.type.shape)
        return coalesced(value.type.shape, self.workgroup.threads, max(8, bit_width(value.type.element)))

    # -- steps --------------------------------------------------------------------------------------------------

    def _anchor(self) -> None:
        for op in self.operations:
            if isinstance(op, ToLayoutOp):
                self._assign(op, op.output, self._guard(op, partial(layout_of, op.layout)))

    def _sweep_forward(self) -> bool:
        changed = False
        for op in self.operations:
            if any(self._open(r) for r in op.results):
                found = self._guard(op, lambda: rule_of(op).forward(op, self.known))  # noqa: B023
                changed |= self._take(op, op.results, found)
        return changed

    def _sweep_backward(self) -> bool:
        changed = False
        for op in reversed(self.operations):
            if any(self._open(v) for v in op.operands):
                changed |= self._take(op, op.operands, self.required(op))
        return changed

    def _choose_one(self) -> bool:
        return self._choose_contraction() or self._choose_default()

    def _choose_contraction(self) -> bool:
        """Matrix fragments, for the first contraction that nothing has decided yet."""
        for op in self.operations:
            if not isinstance(op, vector.ContractionOp) or not self.known.whole_subgroups:
                continue
            operands = (op.lhs, op.rhs, op.acc)
            if any(v in self.known.layouts or (v in self.flexible and v is not op.acc) for v in operands):
                continue
            chosen = matrix_layouts(op, self.workgroup.chip, self.known.subgroups)
            if chosen is not None and self._open(op.result_):
                for value, layout in zip((op.lhs, op.rhs, op.result_), chosen, strict=True):
                    self._assign(op, value, layout)
                return True
        return False

    def _choose_default(self) -> bool:
        for op in self.operations:
            for value in op.results:
                if self._open(value):
                    self._assign(op, value, self.default(value))
                    return True
        return False

    def _take(self, op: Operation, values: Sequence[Value], layouts: Layouts) -> bool:
        changed = False
        for value, layout in zip(values, layouts, strict=True):
            if layout is not None and self._open(value) and self._can_be_made(value, layout):
                self._assign(op, value, layout)
                changed = True
        return changed

    def _open(self, value: Value) -> bool:
        return is_vector(value) and value not in self.flexible and value not in self.known.layouts

    def _can_be_made(self, value: Value, layout: NestedLayout) -> bool:
        """Not where the operation that makes the value has no operands for it: then what uses it converts."""
        op = value.operation
        if op is None:
            return True
        try:
            rule_of(op).backward(op, [layout if r is value else self.known(r) for r in op.results], self.known)
        except LayoutError:
            return False
        return True

    def _assign(self, op: Operation, value: Value, layout: NestedLayout) -> None:
        def check() -> None:
            assert isinstance(value.type, VectorType)
            layout.wrapped(self.known.subgroups).check(
                shape=value.type.shape, threads=self.workgroup.threads, subgroup_size=self.workgroup.subgroup_size
            )

        self._guard(op, check)
        for member in self._tied.get(value, (value,)):
            self.known.layouts[member] = layout

    @staticmethod
    def _guard(op: Operation, action: Callable[[], T]) -> T:
        """Runs a layout computation; a layout error becomes a finding at `op`."""
        try:
            return action()
        except LayoutError as error:
            raise CompileError([Diagnostic(f"'{op.opname}' op: {error}", op.location)]) from error


def _flexible_values(operations: list[Operation]) -> set[Value]:
    flexible: set[Value] = set()
    for op in operations:
        carries = op.elementwise or isinstance(op, _CARRIERS)
        if isinstance(op, _SOURCES) or (carries and all(v in flexible or not is_vector(v) for v in op.operands)):
            flexible.update(r for r in op.results if is_vector(r))
    return flexible


def _tied_values(operations: list[Operation]) -> dict[Value, tuple[Value, ...]]:
    """Values that always share a layout: a loop's argument and result of one position, what one thread computes
    together."""
    tied: dict[Value, tuple[Value, ...]] = {}
    for op in operations:
        if rule_of(op).one_layout:
            together = tuple(r for r in op.results if is_vector(r))
            tied.update(dict.fromkeys(together, together))
        if isinstance(op, scf.ForOp):
            for pair in zip(op.results, op.body.arguments[1:], strict=True):
                tied.update(dict.fromkeys(pair, pair))
    return tied
