"""Checks that a kernel in the layout stage agrees with itself: the stage is text, and text can be edited."""

from __future__ import annotations

from ..ir.core import Operation, Value
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.types import shape_of
from ..support.diagnostics import Report, VerifyError
from .assign import LAYOUT, result_layouts
from .contraction import Contractions
from .dimension import LayoutError
from .nested import NestedLayout
from .teams import Team, teams
from .transfer import Known, is_vector, rule_of
from .workgroup import Workgroup


def check_layouts(function: Operation, workgroup: Workgroup, contractions: Contractions) -> None:
    """Raises VerifyError naming every operation whose operands do not have the layouts that it needs."""
    report = Report()
    for team in teams(function, workgroup):
        _check_team(team, contractions, report)
    if report.diagnostics:
        raise VerifyError(report.diagnostics)


def _check_team(team: Team, contractions: Contractions, report: Report) -> None:
    known, operations = Known(team.workgroup, {}, contractions), team.operations
    before = len(report.diagnostics)
    for op in operations:
        _learn(op, known, report)
    if len(report.diagnostics) == before:
        for op in operations:
            _check(op, known, report)


def _learn(op: Operation, known: Known, report: Report) -> None:
    layouts = result_layouts(op)
    if len(layouts) != len(op.results):
        op.error(report, f"'{LAYOUT}' has {len(layouts)} entries for {len(op.results)} results")
        return
    for result, layout in zip(op.results, layouts, strict=True):
        if is_vector(result):
            _enter(op, result, layout, known, report)
    for position in op.carries():
        found = next((layout for v in (*position.targets, *position.values) if (layout := known(v)) is not None), None)
        if found is not None:
            known.layouts.update((target, found) for target in position.targets if is_vector(target))


def _enter(op: Operation, result: Value, layout: NestedLayout | None, known: Known, report: Report) -> None:
    if layout is None:
        op.error(report, f"has a vector result and no '{LAYOUT}': the layout stage gives every vector one")
        return
    try:
        layout.wrapped(known.workgroup.subgroups).check(
            shape=shape_of(result.type), threads=known.threads, subgroup_size=known.subgroup_size
        )
    except LayoutError as error:
        op.error(report, str(error))
        return
    known.layouts[result] = layout


def _check(op: Operation, known: Known, report: Report) -> None:
    if isinstance(op, ToLayoutOp):
        return
    if rule_of(op).one_layout:
        _check_results(op, known, report)
    try:
        needed = rule_of(op).needs(op, [known(r) for r in op.results], known)
    except LayoutError as error:
        op.error(report, str(error))
        return
    for position, (operand, wanted) in enumerate(zip(op.operands, needed, strict=True)):
        found = known(operand)
        if wanted is not None and found is not None and wanted != found:
            hint = "convert it with iree_vector_ext.to_layout"
            op.error(report, f"needs operand {position} in layout {wanted}, it has {found}", hint)


def _check_results(op: Operation, known: Known, report: Report) -> None:
    first, *others = op.results
    for position, result in enumerate(others, 1):
        expected, found = known(first), known(result)
        if expected != found:
            message = f"has result 0 in layout {expected} and result {position} in layout {found}; all share one"
            op.error(report, message, "convert what uses the other with iree_vector_ext.to_layout")
