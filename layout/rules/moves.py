"""Operations that only move elements, whatever they are called: any layouts will do, the movement is planned later.

Proposed are layouts in which nothing has to move.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ...ir.core import Operation, Value
from ...ir.element_moves import moves_all, reindexes
from ...ir.types import Type, element_type, memory_bits, shape_of
from ...support.reindex import Reindex, row_major
from ..coalescing import coalesced
from ..conversion import plan_in
from ..dimension import Dimension, Level
from ..estimate import ROUND_TRIP
from ..nested import NestedLayout
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule, is_vector
from ..workgroup import Workgroup

_ACCESS_BITS = 128
_SCALAR = NestedLayout.of_dimensions([])
"""A scalar is a vector of no dimensions that every thread has."""


class MoveRule(TransferRule[Operation]):
    """Proposed are the result where an operand has its elements, and neighbours in neighbouring threads."""

    joins = 3

    def alternatives(self, op: Operation, results: Layouts, known: Known) -> Iterable[Assignment]:
        (given,) = results
        wanted = [given] if given is not None or not is_vector(op.results[0]) else self._results(op, known)
        for result in wanted:
            yield [self._operand(v, f, result, known) for v, f in _moved(op)], [result]

    def needs(self, op: Operation, results: Layouts, known: Known) -> Layouts:
        """An operand whose elements keep their places has the result's layout."""
        return [results[0] if f is not None and f.keeps_places else None for _, f in _moved(op)]

    def work(self, op: Operation, operands: Layouts, results: Layouts, known: Known) -> int:
        target = results[0] or _SCALAR
        return target.registers + sum(
            _movement_cycles(operand or _SCALAR, target, f, value.type, known.workgroup)
            for operand, (value, f) in zip(operands, _moved(op), strict=True)
            if f is not None
        )

    def _results(self, op: Operation, known: Known) -> Iterable[NestedLayout]:
        value = op.results[0]
        found = [carried(layout, f) for v, f in _moved(op) if (layout := known(v)) is not None and f is not None]
        return dict.fromkeys([*(layout for layout in found if layout is not None), spread(value.type, known.workgroup)])

    def _operand(
        self, value: Value, f: Reindex | None, result: NestedLayout | None, known: Known
    ) -> NestedLayout | None:
        if not is_vector(value):
            return None
        if f is not None and f.keeps_places and result is not None:
            return result
        return known(value) or spread(value.type, known.workgroup)


def _moved(op: Operation) -> Iterable[tuple[Value, Reindex | None]]:
    return zip(op.operands, reindexes(op), strict=True)


def spread(type: Type, workgroup: Workgroup) -> NestedLayout:
    """Neighbouring elements in neighbouring threads; all in one thread where there is one."""
    shape = shape_of(type)
    if workgroup.scope == "thread":
        return NestedLayout.of_dimensions([Dimension(element=n) for n in shape])
    return coalesced(shape, workgroup.threads, max(1, _ACCESS_BITS // memory_bits(element_type(type))))


def _movement_cycles(source: NestedLayout, target: NestedLayout, f: Reindex, type: Type, workgroup: Workgroup) -> int:
    plan = plan_in(workgroup, source, target, f, type)
    return plan.cost.cycles + (ROUND_TRIP if plan.cost.barriers else 0)


def carried(layout: NestedLayout, f: Reindex) -> NestedLayout | None:
    """The layout of the target in which every thread has the elements that it has in `layout`; None where none is."""
    if not f.is_affine:
        return None
    steps = _steps(f.source)
    parts: list[Dimension] = []
    for extent, weight in zip(f.target, f.weights, strict=True):
        dim = steps.get(weight) if weight else None
        if extent == 1 or not weight:
            parts.append(Dimension(batch=extent))
            continue
        part = None if dim is None else _window(layout.dimension(dim), f.offset // weight % f.source[dim], extent)
        if part is None:
            return None
        parts.append(part)
    return NestedLayout.of_dimensions(parts)


def _steps(shape: tuple[int, ...]) -> dict[int, int]:
    """The dimension of more than one element that each step passes along."""
    return {step: dim for dim, step in enumerate(row_major(shape)) if shape[dim] > 1}


def _window(part: Dimension, start: int, extent: int) -> Dimension | None:
    """`extent` elements of a dimension from `start` on, where they are whole register tiles of all threads."""
    if extent >= part.size:
        return part if (start, extent) == (0, part.size) else None
    for level, name in ((Level.BATCH, "batch"), (Level.OUTER, "outer"), (Level.ELEMENT, "element")):
        weight = part.weight(level)
        if extent % weight == 0 and start % weight == 0 and prod(part.tiles[:level]) == 1:
            return part._replace(**{name: extent // weight})
    return None


TRANSFER.family(moves_all, MoveRule())
