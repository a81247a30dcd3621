"""The alternatives of every node of a graph: its own, and what its neighbours' would mean for it.

A work list carries each new layout along the uses, from the anchors first, then from the contractions, then from all
others, nearest first, so that a bound on the alternatives of a node keeps those of the strongest and nearest source.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..ir.core import Operation, Value
from ..ir.dialects import vector
from ..ir.types import shape_of
from ..support.diagnostics import CompileError, Diagnostic
from .dimension import LayoutError
from .graph import Alternative, Graph, Node
from .nested import NestedLayout
from .rules.moves import spread
from .rules.vector import in_thread, recast, reshapable
from .transfer import Assignment, Known, Layouts, is_vector
from .workgroup import Workgroup, fits, is_wasteful

T = TypeVar("T")
_MOST = 18
"""Alternatives of a node."""
_PARTNERS = 4
"""Layouts of another operand that a layout is tried together with."""


def _is_wasteful(layout: NestedLayout | None) -> bool:
    return layout is not None and is_wasteful(layout)


class Candidates:
    """Fills in `alternatives` of a graph's nodes. Raises CompileError where an anchor or a demand is impossible."""

    def __init__(self, graph: Graph, known: Known) -> None:
        self.graph = graph
        self.known = known
        self._queue: list[tuple[int, int, int, int, bool, int]] = []
        self._layouts: list[NestedLayout] = []
        self._offered: list[dict[tuple[bool, int], dict[NestedLayout, int]]] = [{} for _ in graph.nodes]
        self._held: list[set[tuple[Layouts, Layouts]]] = [set() for _ in graph.nodes]

    def run(self) -> None:
        for node in self.graph.nodes:
            self._own(node)
        self._spread()
        for node in self.graph.nodes:
            if not node.alternatives:
                self._fallback(node)
                self._spread()

    # -- sources ------------------------------------------------------------------------------------------------------

    def _own(self, node: Node) -> None:
        rule = node.rule
        if rule is None or (self.known.workgroup.scope == "thread" and not rule.anchors):
            return
        for assignment in guard(node.op, lambda: list(rule.own(node.op, self.known))):
            self._enter(node, assignment, rule.rank, 0)
        if rule.anchors:
            assert node.alternatives, f"{node.op.opname} anchors nothing"

    def _fallback(self, node: Node) -> None:
        """For an operation that nothing decides: its result, else its operand, in neighbouring threads; else all of it
        in every thread, which any operation can do with."""
        made = any(map(self.graph.is_decided, node.results))
        slot, value = next((i, v) for i, v in enumerate(node.results if made else node.operands) if is_vector(v))
        for layout in (default(value, self.known.workgroup), in_thread(shape_of(value.type))):
            for assignment in self._derived_or_none(node, made, slot, layout):
                self._enter(node, assignment, 3, 0, bounded=False)
            if node.alternatives:
                return
        guard(node.op, lambda: self._derived(node, made, slot, layout))
        raise AssertionError(f"no layouts for {node.op.opname}")

    # -- the work list ------------------------------------------------------------------------------------------------

    def _spread(self) -> None:
        while self._queue:
            rank, distance, number, at, made, slot = heapq.heappop(self._queue)
            node = self.graph.nodes[at]
            if len(node.alternatives) < _MOST:
                for assignment in self._derived_or_none(node, made, slot, self._layouts[number]):
                    self._enter(node, assignment, rank, distance)

    def _enter(self, node: Node, assignment: Assignment, rank: int, distance: int, *, bounded: bool = True) -> None:
        """Takes an alternative that is complete, possible and new, and tells the neighbours.

        `bounded`: none is taken of which a thread would hold far more than its share; these take longest to price.
        """
        operands, results = assignment
        found = tuple(operands), tuple(results)
        if len(node.alternatives) >= _MOST or found in self._held[node.index]:
            return
        if not self._possible(node, operands, results):
            return
        if (
            bounded
            and not (node.rule is not None and node.rule.anchors)
            and any(map(_is_wasteful, (*found[0], *found[1])))
        ):
            return
        self._held[node.index].add(found)
        work = 0 if node.rule is None else node.rule.work(node.op, operands, results, self.known)
        node.alternatives.append(Alternative(*found, work))
        for use in self.graph.needs_of[node.index]:
            self._push(rank, distance + 1, use.maker, True, use.made, operands[use.slot])
        for use in self.graph.uses_of[node.index]:
            self._push(rank, distance + 1, use.user, False, use.slot, results[use.made])

    def _push(self, rank: int, distance: int, at: int, made: bool, slot: int, layout: NestedLayout | None) -> None:
        node = self.graph.nodes[at]
        offered = self._offered[at].setdefault((made, slot), {})
        if layout is None or layout in offered or (node.rule is not None and node.rule.anchors):
            return
        offered[layout] = rank
        self._layouts.append(layout)
        heapq.heappush(self._queue, (rank, distance, len(self._layouts) - 1, at, made, slot))

    def _possible(self, node: Node, operands: Layouts, results: Layouts) -> bool:
        open_operands = node.rule is not None and node.rule.anchors
        for values, layouts, free in ((node.operands, operands, open_operands), (node.results, results, False)):
            for value, layout in zip(values, layouts, strict=True):
                if not is_vector(value):
                    continue
                if layout is None:
                    if free:
                        continue
                    return False
                if not fits(layout, shape_of(value.type), self.known.workgroup):
                    return False
        return True

    # -- from one layout to all of a node's ---------------------------------------------------------------------------

    def _derived_or_none(self, node: Node, made: bool, slot: int, layout: NestedLayout) -> list[Assignment]:
        try:
            return self._derived(node, made, slot, layout)
        except LayoutError:
            return []

    def _derived(self, node: Node, made: bool, slot: int, layout: NestedLayout) -> list[Assignment]:
        rule = node.rule
        if rule is None:
            return [([layout] * len(node.operands), [layout] * len(node.results))]
        results: list[NestedLayout | None] = [None] * len(node.results)
        layouts: dict[Value, NestedLayout] = {}
        if made:
            results[slot] = layout
        else:
            layouts[node.operands[slot]] = layout
        found = list(rule.alternatives(node.op, results, self.known.only(layouts)))
        return found + (self._joined(node, slot if not made else None, results, layouts) if rule.joins else [])

    def _joined(
        self, node: Node, slot: int | None, results: Sequence[NestedLayout | None], layouts: dict[Value, NestedLayout]
    ) -> list[Assignment]:
        """Together with what other operands have been offered."""
        rule, found = node.rule, list[Assignment]()
        assert rule is not None
        for (made, other), offered in self._offered[node.index].items():
            if made or other == slot:
                continue
            partners = [layout for layout, rank in offered.items() if rank < rule.joins]
            for layout in partners[:_PARTNERS]:
                both = self.known.only({node.operands[other]: layout, **layouts})
                try:
                    found += rule.alternatives(node.op, results, both)
                except LayoutError:
                    continue
        return found


def default(value: Value, workgroup: Workgroup) -> NestedLayout:
    """The layout of a value that nothing decides."""
    shape = shape_of(value.type)
    if workgroup.scope == "thread":
        return in_thread(shape)
    if isinstance(value.operation, vector.ShapeCastOp):
        found = reshapable(value.operation, workgroup.threads)
        if found.threads_used > 1:
            return recast(found, shape)
    return spread(value.type, workgroup)


def guard(op: Operation, action: Callable[[], T]) -> T:
    """Runs a layout computation; a layout error becomes a finding at `op`."""
    try:
        return action()
    except LayoutError as error:
        raise CompileError([Diagnostic(f"{op.title}: {error}", op.location)]) from error
