"""The layout stage: the same program, every vector value with its layout, conversions where layouts meet.

Results' layouts are the attribute `lanewise.layout` (one layout, or a list with `unit` for scalars), so the stage is
text that can be read, edited and resumed from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..ir.attributes import ArrayAttr, UnitAttr
from ..ir.core import Block, Operation, Region, Value
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import TransferReadOp
from ..ir.sinking import blocks_in, sink
from ..ir.types import Attribute
from ..support.deep_recursion import deep
from ..support.named_tuples import NamedTuple
from .candidates import default
from .contraction import Contractions
from .nested import NestedLayout
from .rules.iree_vector_ext import LayoutAttr, attribute_of, layout_of
from .search import Choice
from .teams import Team, own, programs, teams
from .transfer import is_vector, rule_of
from .workgroup import Workgroup

LAYOUT = "lanewise.layout"


class Assigned(NamedTuple):
    """A kernel in the layout stage, and how many registers more are alive at once than `pressure.budget` has."""

    function: FunctionLike
    lacking: int


def assign_layouts(function: FunctionLike, workgroup: Workgroup, contractions: Contractions) -> Assigned:
    """A copy of `function` in the layout stage. Raises CompileError where no layout fits."""
    writer = _Writer(next(teams(function, workgroup)), contractions)
    return Assigned(writer.function(function), writer.lacking)


def read_late(function: FunctionLike) -> None:
    """Where registers are short, reads stand where they are first needed."""
    for block in blocks_in(function):
        sink(block, lambda op: isinstance(op, TransferReadOp))


def result_layouts(op: Operation) -> list[NestedLayout | None]:
    """The layouts of an operation's results in the layout stage, None for scalars."""
    attribute = op.attributes.get(LAYOUT)
    entries = attribute.values if isinstance(attribute, ArrayAttr) else (attribute,) * len(op.results)
    return [layout_of(e) if isinstance(e, LayoutAttr) else None for e in entries]


class _Writer:
    def __init__(self, team: Team, contractions: Contractions) -> None:
        self.contractions = contractions
        self.choice = Choice(team, contractions)
        self.lacking = self.choice.lacking
        self.values: dict[Value, Value] = {}
        self.layouts: dict[Value, NestedLayout] = {}
        self.block = Block()
        self.made: list[dict[tuple[Value, NestedLayout], Value]] = [{}]

    @property
    def flexible(self) -> set[Value]:
        return self.choice.graph.flexible

    def function(self, kernel: FunctionLike) -> FunctionLike:
        regions = [self._region(r) for r in kernel.regions]
        return type(kernel)((), (), kernel.attributes, regions, kernel.location)

    @deep
    def _region(self, region: Region) -> Region:
        return Region([self._block(b) for b in region.blocks])

    def _program(self, team: Team) -> Region:
        """A program inside this one, whose layouts are chosen for themselves."""
        outer, self.choice = self.choice, Choice(team, self.contractions)
        self.lacking = max(self.lacking, self.choice.lacking)
        region = Region([self._block(b) for b in team.blocks])
        self.choice = outer
        return region

    def _block(self, source: Block) -> Block:
        outer, self.block = self.block, Block()
        self.made.append({})
        for argument in source.arguments:
            self.values[argument] = self.block.add_argument(argument.type, argument.hint)
        for op in source.operations:
            self._operation(op)
        self.made.pop()
        block, self.block = self.block, outer
        return block

    def _operation(self, op: Operation) -> None:
        if op.results and all(r in self.flexible for r in op.results):
            return
        required = self.choice.operands(op)
        operands = [self._use(v, layout) for v, layout in zip(op.operands, required, strict=True)]
        if isinstance(op, ToLayoutOp) and self._already_there(op, operands[0]):
            self.values[op.output] = operands[0]
            operands[0].hint = operands[0].hint or op.output.hint
            return
        beyond = self._wanted_instead(op) if isinstance(op, ToLayoutOp) else None
        if beyond is not None:
            attributes = {**op.attributes, "layout": attribute_of(beyond)}
            self._append(op, operands, [], [beyond], attributes)
            self.made[-1][op.results[0], beyond] = self.values[op.results[0]]
            return
        if op.repeats:
            self._hoist(op)
        inside = programs(op, self.choice.workgroup)
        regions = [self._program(t) for t in inside] if inside else [self._region(r) for r in op.regions]
        layouts = [self.choice.known(r) for r in op.results]
        extra = rule_of(op).attributes(op, required, self.choice.known)
        self._append(op, operands, regions, layouts, extra)

    def _hoist(self, loop: Operation) -> None:
        """What a loop converts of values from outside is converted before it."""
        inside = set(loop.walk())
        blocks = {block for op in inside for region in op.regions for block in region.blocks}
        for op in own(loop):
            if op is loop or (op.results and all(r in self.flexible for r in op.results)):
                continue
            for value, layout in zip(op.operands, self.choice.operands(op), strict=True):
                home = value.owner
                if value in self.values and home not in inside and home not in blocks and value not in self.flexible:
                    self._use(value, layout)

    def _already_there(self, op: ToLayoutOp, operand: Value) -> bool:
        return op.shared_memory_conversion is None and self.layouts.get(operand) == self.choice.known(op.output)

    def _wanted_instead(self, op: ToLayoutOp) -> NestedLayout | None:
        """The layout that all uses of what `op` converts are converted to: then nothing is held in its own."""
        uses = list(op.output.uses)
        users = [user for user, _ in uses]
        flexible = (op.output, *(r for user in users for r in user.results))
        if any(v in self.flexible for v in flexible) or any(user.parent is not op.parent for user in users):
            return None
        wanted = {self.choice.operands(user)[at] for user, at in uses}
        layout = next(iter(wanted)) if len(wanted) == 1 else None
        return None if layout == self.choice.known(op.output) else layout

    def _append(
        self,
        op: Operation,
        operands: list[Value],
        regions: list[Region],
        layouts: Sequence[NestedLayout | None],
        extra: Mapping[str, Attribute],
    ) -> Operation:
        attributes = {**op.attributes, **extra, **_layout_entry(layouts)}
        copy = type(op)(operands, [r.type for r in op.results], attributes, regions, op, op.segments)
        for old, new, layout in zip(op.results, copy.results, layouts, strict=True):
            new.hint = old.hint
            self.values[old] = new
            if layout is not None:
                self.layouts[new] = layout
        self.block.append(copy)
        return copy

    def _use(self, value: Value, layout: NestedLayout | None) -> Value:
        """`value` of the new program in `layout` (None: the one it has)."""
        if not is_vector(value):
            return self.values[value]
        if value in self.flexible:
            return self._make(value, layout or default(value, self.choice.workgroup))
        current = self.choice.known.layouts[value]
        mapped = self.values[value]
        self.layouts.setdefault(mapped, current)
        if layout is None or layout == current:
            return mapped
        return self._remember(value, layout, lambda: self._convert(mapped, layout))

    def _convert(self, value: Value, layout: NestedLayout) -> Value:
        attributes = {"layout": attribute_of(layout), **_layout_entry([layout])}
        maker = value.operation  # a loop's own values have none: the loop is not made yet
        before = self.block.operations[-1] if maker is None and self.block.operations else maker
        location = None if before is None else before.location
        return self.block.append(ToLayoutOp([value], [value.type], attributes, location=location)).result

    def _make(self, value: Value, layout: NestedLayout) -> Value:
        """A fresh copy of a flexible value in `layout`, after those that it is computed from, however many."""
        pending = [(value, layout)]
        while pending:
            wanted, place = pending[-1]
            missing = [pair for pair in self._sources(wanted, place) if self._found(*pair) is None]
            if missing and self._found(wanted, place) is None:
                pending += missing
            else:
                self._remember(wanted, place, partial(self._copy, wanted, place))
                pending.pop()
        return self._remember(value, layout, partial(self._copy, value, layout))

    def _sources(self, value: Value, layout: NestedLayout) -> list[tuple[Value, NestedLayout]]:
        """The flexible operands of a flexible value, and the layouts in which they are needed."""
        op = value.operation
        assert op is not None
        pairs = zip(op.operands, self.choice.operands_for(op, layout), strict=True)
        return [(v, wanted or default(v, self.choice.workgroup)) for v, wanted in pairs if v in self.flexible]

    def _copy(self, value: Value, layout: NestedLayout) -> Value:
        op = value.operation
        assert op is not None
        required = self.choice.operands_for(op, layout)
        operands = [self._use(v, wanted) for v, wanted in zip(op.operands, required, strict=True)]
        self._append(op, operands, [], [layout] * len(op.results), {})
        self.made[-1].update({(r, layout): self.values[r] for r in op.results})
        return self.values[value]

    def _found(self, value: Value, layout: NestedLayout) -> Value | None:
        return next((scope[value, layout] for scope in self.made if (value, layout) in scope), None)

    def _remember(self, value: Value, layout: NestedLayout, build: Callable[[], Value]) -> Value:
        found = self._found(value, layout)
        if found is None:
            found = self.made[-1][value, layout] = build()
            self.layouts[found] = layout
        return found


def _layout_entry(layouts: Sequence[NestedLayout | None]) -> dict[str, Attribute]:
    entries = [UnitAttr() if layout is None else attribute_of(layout) for layout in layouts]
    if not any(isinstance(e, LayoutAttr) for e in entries):
        return {}
    return {LAYOUT: entries[0] if len(entries) == 1 else ArrayAttr(tuple(entries))}
