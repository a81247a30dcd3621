"""Remarks about a kernel in the layout stage, read off its operations: a stage that was edited has its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..ir.core import Operation
from ..ir.dialects.iree_gpu_config import lowering_config
from ..ir.dialects.vector import ContractionOp
from ..ir.remarks import Remark
from ..support.dataclasses import replace
from ..targets import find_matrix_instruction, tcgen05, warpgroup_instructions
from .contraction import MMA, Contractions
from .exchanges import exchanges, loop_of, maker
from .instruction_choice import why_not
from .padding import without_zeros
from .teams import teams
from .warpgroup_candidates import why_without
from .workgroup import Workgroup


def layout_remarks(kernel: Operation, workgroup: Workgroup, contractions: Contractions) -> Iterator[Remark]:
    """Remarks of every source, for the function of a kernel in the layout stage."""
    for source in _SOURCES:
        yield from source(kernel, workgroup, contractions)


def _conversions_in_loops(kernel: Operation, workgroup: Workgroup, contractions: Contractions) -> Iterator[Remark]:
    for op, plan in exchanges(kernel, workgroup):
        loop = loop_of(op)
        if loop is not None:
            way = "through shared memory" if plan.cost.barriers else "by shuffles"
            message = f"{op.output.type} changes its layout in every iteration of a loop {way}: {plan.cost} a thread"
            user = next(user for user in kernel.walk() if op.output in user.operands)
            notes = (("for this use", user.location), ("in this loop", loop.location))
            hint = "an anchor on what the loop carries, or on what it reads, may spare the conversion"
            yield Remark(message, maker(op.input).location, notes, hint, kind="loop-conversion")


def _unused_matrix_units(kernel: Operation, workgroup: Workgroup, contractions: Contractions) -> Iterator[Remark]:
    for op, owner in ((op, team.workgroup) for team in teams(kernel, workgroup) for op in team.all_of(ContractionOp)):
        if MMA not in op.attributes:
            why = why_not(op, owner, contractions) or "the layouts around it are none of an instruction's"
            message = f"{_operand_types(op)} is multiplied without the matrix unit: {why}"
            yield Remark(message, op.location, kind="matrix-unit")


def _unused_fours(kernel: Operation, workgroup: Workgroup, contractions: Contractions) -> Iterator[Remark]:
    """Products of one subgroup each on chips where four do them together."""
    if not warpgroup_instructions(workgroup.chip):
        return
    for op, owner in ((op, team.workgroup) for team in teams(kernel, workgroup) for op in team.all_of(ContractionOp)):
        name = getattr(op.attributes.get(MMA), "name", "")
        if name and find_matrix_instruction(name).subgroups == 1:
            given = replace(contractions.of(op), asked=None)
            why = (
                _asked_for(op)
                or why_without(given, owner)
                or "fragments of one subgroup cost less with the layouts around it"
            )
            message = f"{_operand_types(op)} is multiplied by {name}, not by wgmma: {why}"
            yield Remark(message, op.location, kind="matrix-unit")


def _unused_tensor_memory(kernel: Operation, workgroup: Workgroup, contractions: Contractions) -> Iterator[Remark]:
    """Products that tcgen05 has, on chips with it: only programs that name it get it (decision 0064)."""
    if not workgroup.chip.supports(tcgen05.FEATURE):
        return
    for op in (op for team in teams(kernel, workgroup) for op in team.all_of(ContractionOp)):
        name = getattr(op.attributes.get(MMA), "name", "")
        if not name:
            continue
        used = find_matrix_instruction(name)
        if tcgen05.shapes_of(used.a_type, used.b_type, used.c_type):
            what = f"{_operand_types(op)} is multiplied by {name}, not by tcgen05"
            message = f"{what}: contractions do not choose tensor memory, lanewise.tcgen05 operations name it"
            yield Remark(message, op.location, kind="matrix-unit")


def _operand_types(op: ContractionOp) -> str:
    """What is multiplied, as the author has it, and what that is with zeros around it (`padding.py`)."""
    given = [without_zeros(operand).type for operand in (op.lhs, op.rhs)]
    found = [op.lhs.type, op.rhs.type]
    around = "" if given == found else f", with zeros around them {' * '.join(map(str, found))},"
    return " * ".join(map(str, given)) + around


def _asked_for(op: ContractionOp) -> str:
    return "its mma_kind asks for that" if "mma_kind" in lowering_config(op) else ""


_SOURCES: tuple[Callable[[Operation, Workgroup, Contractions], Iterator[Remark]], ...] = (
    _conversions_in_loops,
    _unused_matrix_units,
    _unused_fours,
    _unused_tensor_memory,
)
"""Each looks for one kind of remark; it has the stage alone to look at, since the stage may have been edited."""
