"""What brings elements to other threads: conversions, operations that move, and who asked for the layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..distribute.reduce import Step as Digit
from ..distribute.reduce import split_at_subgroup
from ..ir.core import Operation, Value
from ..ir.dialects.arg_compare import ArgCompareOp
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import ContractionOp, MultiReductionOp, ReductionOp
from ..ir.element_moves import only_moves, reindexes
from ..layout.contraction import MMA
from ..layout.conversion import first_moved, plan_in
from ..layout.exchanges import layout_in_stage, loop_of, maker
from ..layout.nested import NestedLayout
from ..layout.plan import LaneProgram, Nothing, Plan, Rename, SharedMemory, Shuffle
from ..layout.teams import Team
from ..layout.transfer import Known, is_vector, rule_of
from ..layout.workgroup import Workgroup
from ..support.dataclasses import replace
from ..support.reindex import Reindex
from .explain_places import line_of
from .explanation_parts import Anchor, Combination, Crossing, Way

WAYS: dict[type[Plan], Way] = {
    Nothing: "nothing",
    Rename: "renamed",
    LaneProgram: "shuffles",
    Shuffle: "shuffles",
    SharedMemory: "shared memory",
}
Badge = Callable[[NestedLayout, Workgroup], str]


class Moves:
    """The movements of one program of a kernel in the layout stage."""

    def __init__(self, team: Team, known: Known, badge: Badge) -> None:
        self.team, self.known, self._badge = team, known, badge

    def conversion(self, op: ToLayoutOp, plan: Plan) -> Crossing:
        source, target = layout_in_stage(op.input), layout_in_stage(op.output)
        user = next((user for user in op.output.users), op)
        found = self._crossing(op, plan, source, target, Reindex.identity(source.shape), user)
        made, used = self._anchor(maker(op.input), op), self._anchor(user, op)
        return _with_anchors(found, tuple(a for a in (made, used) if a is not None))

    def within(self, op: Operation) -> Iterator[Crossing]:
        """An operation that only moves elements, as its operands go to where its result is."""
        if not only_moves(op) or not all(map(is_vector, (*op.operands, *op.results))):
            return
        target = layout_in_stage(op.results[0])
        for value, f in zip(op.operands, reindexes(op), strict=True):
            source = layout_in_stage(value)
            if f is not None and source.is_held and target.is_held:
                plan = plan_in(self.team.workgroup, source, target, f, value.type)
                if plan.cost.bytes:
                    yield self._crossing(op, plan, source, target, f, op)

    def _crossing(
        self, op: Operation, plan: Plan, source: NestedLayout, target: NestedLayout, f: Reindex, user: Operation
    ) -> Crossing:
        moved = first_moved(self.team.workgroup, source, target, f)
        return Crossing(
            str(op.results[0].type),
            WAYS[type(plan)],
            self._badge(source, self.team.workgroup),
            self._badge(target, self.team.workgroup),
            plan.cost.shuffles,
            plan.bytes if isinstance(plan, SharedMemory) else 0,
            plan.cost.barriers,
            plan.cost.cycles,
            self._why(plan),
            () if moved is None else moved.element,
            None if moved is None else moved.giver,
            None if moved is None else moved.taker,
            in_loop=loop_of(op) is not None,
            made_at=line_of(maker(op.operands[0])),
            used_at=line_of(user),
        )

    def _why(self, plan: Plan) -> str:
        if self.team.workgroup.exchanges or not plan.cost.bytes:
            return plan.reason
        return f"needs {plan.cost}; what a {self.team.workgroup.scope}'s program has moves by shuffles alone"

    # Who asks for a layout

    def _anchor(self, start: Operation, conversion: Operation) -> Anchor | None:
        """The nearest operation that asks for the layout, along values that are not converted."""
        before: dict[Operation, Operation | None] = {start: None}
        for op in (queue := [start]):
            why = self._asks(op)
            if why:
                return Anchor(line_of(op), op.written.opname, why, _chain(op, before))
            for near in self._beside(op):
                if near not in before and near is not conversion and self._is_unconverted(near):
                    before[near] = op
                    queue.append(near)
        return None

    def _asks(self, op: Operation) -> str:
        if isinstance(op, ToLayoutOp):
            return "the program says it"
        if MMA in op.attributes:
            return f"fragments of {getattr(op.attributes[MMA], 'name', op.attributes[MMA])}"
        memory = rule_of(op).memory(op, self.known) if not op.repeats else None
        if memory is None:
            return ""
        space = "shared" if memory.shared else "global"
        return f"accesses of {space} memory, {memory.widest * memory.element_bits // 8 or 1} bytes wide where they may"

    @staticmethod
    def _is_unconverted(op: Operation) -> bool:
        return not isinstance(op, ToLayoutOp) or op.origin is not None

    def _beside(self, op: Operation) -> Iterator[Operation]:
        yield from (maker(v) for v in op.operands if is_vector(v))
        for result in (*op.results, *self._carried(op)):
            if is_vector(result):
                yield from (user for user in result.users if not user.terminator)

    @staticmethod
    def _carried(op: Operation) -> Iterator[Value]:
        for position in op.carries():
            yield from (t for t in position.targets if t.operation is None)
            for value in position.values:
                if value.operation is not None:
                    yield from value.operation.results


def _chain(op: Operation, before: dict[Operation, Operation | None]) -> tuple[int, ...]:
    found: list[int] = []
    at: Operation | None = op
    while at is not None:
        found.append(line_of(at))
        at = before[at]
    return tuple(dict.fromkeys(found))


def _with_anchors(crossing: Crossing, anchors: tuple[Anchor, ...]) -> Crossing:
    return replace(crossing, anchors=anchors)


# Reductions


def combination(op: Operation, workgroup: Workgroup) -> Combination | None:
    """How threads put a reduction together; None of what reduces nothing, or in a matrix unit."""
    found = next((look(op) for cls, look in _REDUCED.items() if isinstance(op, cls)), None)
    if found is None or MMA in op.attributes:
        return None
    value, dims = found
    layout = layout_in_stage(value)
    if not layout.is_held:
        return None
    layout = layout.wrapped(workgroup.subgroups)
    size = workgroup.subgroup_size
    digits = [Digit(g.size, g.stride) for g in layout.thread_digits(size) if g.dim in dims]
    lanes, rest = split_at_subgroup(digits, size, workgroup.threads)
    elements = joined = across = 1
    steps = sum((digit.size - 1).bit_length() for digit in lanes)
    for dim in dims:
        elements *= layout.thread_shape[dim]
    for digit in lanes:
        joined *= digit.size
    for digit in rest:
        across *= digit.size
    return Combination(elements, joined, across, steps, _holders(op.results[0], workgroup))


def _holders(value: Value, workgroup: Workgroup) -> int:
    """How many threads have each element; all have a scalar."""
    if not is_vector(value):
        return workgroup.threads
    layout = layout_in_stage(value).wrapped(workgroup.subgroups)
    return layout.replication(workgroup.threads, workgroup.subgroup_size)


def _of_contraction(op: ContractionOp) -> tuple[Value, list[int]]:
    return op.lhs, [i for i, dim in enumerate(op.maps[0].result_dims() or ()) if dim in op.roles.summed]


def _of_multi(op: MultiReductionOp) -> tuple[Value, list[int]]:
    return op.source, sorted(op.reduction_dims)


def _of_reduction(op: ReductionOp) -> tuple[Value, list[int]]:
    return op.vector, [0]


def _of_comparison(op: ArgCompareOp) -> tuple[Value, list[int]]:
    return op.input_value, [op.dimension]


_REDUCED: dict[type[Operation], Callable[..., tuple[Value, list[int]]]] = {
    MultiReductionOp: _of_multi,
    ReductionOp: _of_reduction,
    ArgCompareOp: _of_comparison,
    ContractionOp: _of_contraction,
}
"""What a reduction reduces, and along which of its dimensions."""
