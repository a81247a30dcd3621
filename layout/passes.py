"""The passes that prepare contractions for matrix units, and the one that chooses layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..analysis.buffers import Buffers
from ..analysis.divisibility import Divisibility
from ..analysis.integers import Integers
from ..analysis.shared_places import SharedBytes
from ..ir.analyses import Analysis
from ..ir.core import Operation
from ..ir.dialects.vector import ContractionOp
from ..ir.kernels import Kernel, in_module
from ..ir.passes import Context, Outcome, Pass, Rewritten
from ..support.dataclasses import replace
from ..support.diagnostics import CompileError, Report
from .assign import assign_layouts, read_late
from .configs import anchor_configs
from .contraction import Contractions
from .instruction_choice import check_fits
from .mma_kinds import with_kinds
from .occupancy import spare_registers
from .padding import pad_as_asked, pad_to_matrix_units
from .precision import fit_matrix_units, refuse_short
from .teams import teams
from .tile_units import in_elements
from .workgroup import Workgroup, most_elements


def _kinds(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten.of(kernel, with_kinds(kernel))


def _in_elements(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten.of(kernel, in_elements(kernel))


InPlace = Callable[[Operation, Workgroup, Contractions], bool]


def _in_place(rewrite: InPlace) -> Callable[[Kernel, Context], Rewritten]:
    def run(kernel: Kernel, context: Context) -> Rewritten:
        workgroup = Workgroup.of(kernel, context)
        contractions = context.analyses.get(Contractions, kernel.op)
        return Rewritten(kernel, Outcome(rewrite(kernel.op, workgroup, contractions)))

    return run


def _precision(kernel: Kernel, context: Context) -> Rewritten:
    changed = refuse_short(kernel.op, context.chip)
    if changed:
        context.analyses.forget(kernel.op, _KEPT)
    done = _in_place(fit_matrix_units)(kernel, context)
    done.outcome.changed |= changed
    return done


def _pad_as_asked(function: Operation, workgroup: Workgroup, contractions: Contractions) -> bool:
    return pad_as_asked(function, most_elements(workgroup.threads))


def _assign(kernel: Kernel, context: Context) -> Rewritten:
    workgroup = Workgroup.of(kernel, context)
    found = assign_layouts(kernel.op, workgroup, context.analyses.get(Contractions, kernel.op))
    is_tight = found.lacking > 0 and found.lacking > spare_registers(found.function, workgroup)
    if is_tight:
        read_late(found.function)
    lowered = in_module(replace(kernel, op=found.function, stage="layout", after=None), context.chip)
    return Rewritten(lowered, Outcome(changed=True), is_tight)


def _anchors(kernel: Kernel, context: Context) -> Rewritten:
    """Raises CompileError where an instruction that is asked for does not fit."""
    workgroup, report = Workgroup.of(kernel, context), Report()
    contractions = context.analyses.get(Contractions, kernel.op)
    for team in teams(kernel.op, workgroup):
        for op in team.all_of(ContractionOp):
            check_fits(op, team.workgroup, contractions, report)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    return Rewritten(kernel, Outcome(anchor_configs(kernel.op, workgroup, contractions)))


_KEPT: Sequence[Analysis[Any]] = (Buffers, Divisibility, Integers, SharedBytes)
"""What does not depend on vectors."""
KINDS = Pass("mma-kinds", "puts the matrix instructions that a program asks for on its contractions", _kinds)
IN_ELEMENTS = Pass("tile-units", "counts sizes of `lowering_config`s in elements", _in_elements, is_needed=True)
PRECISION = Pass(
    "precision",
    "extends operands to types that the chip's matrix units take",
    _precision,
    preserves=_KEPT,
)
PADDING = Pass(
    "padding", "fills contractions up to the `padding` that they ask for", _in_place(_pad_as_asked), preserves=_KEPT
)
UNIT_PADDING = Pass(
    "unit-padding",
    "fills contractions up to whole matrix instructions",
    _in_place(pad_to_matrix_units),
    preserves=_KEPT,
)
ANCHORS = Pass("anchors", "makes anchors of the layouts that `lowering_config`s ask for", _anchors, preserves=_KEPT)
LAYOUTS = Pass(
    "layouts",
    "chooses a layout for every vector, and converts where two meet",
    _assign,
    is_needed=True,
    leads_to="layout",
)
