"""Contractions on matrix instructions: which instruction fits which iterators."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod

from ..ir.dialects.iree_gpu_config import lowering_config
from ..ir.dialects.vector_reductions import ContractionOp
from ..support.diagnostics import Report
from ..targets import MatrixInstruction, matrix_instructions, warpgroup_instructions
from .contraction import MMA, Contraction, Contractions
from .dimension import LayoutError
from .tiling import Tiling
from .transfer import Layouts
from .warpgroup_candidates import warpgroup_misfit, warpgroup_tilings
from .workgroup import Workgroup


@lru_cache(maxsize=1 << 10)
def tilings(what: Contraction, workgroup: Workgroup) -> tuple[Tiling, ...]:
    """Every instruction of the chip for the element types, and for subgroups as the workgroup has them, that divides a
    contraction; the largest first."""
    if what.obstacle:
        return ()
    found = [*warpgroup_tilings(what, workgroup), *_tilings(what, workgroup)]
    return tuple(sorted(found, key=lambda t: -prod(t.instruction.shape)))


def _tilings(what: Contraction, workgroup: Workgroup) -> Iterator[Tiling]:
    extents, roles = what.extents, what.roles
    for instruction, transposed in instructions_for(what, workgroup):
        m, n, k = instruction.shape
        rows, columns = (roles.columns, roles.rows) if transposed else (roles.rows, roles.columns)
        row = next((it for it in reversed(rows) if extents[it] % m == 0), None)
        column = next((it for it in reversed(columns) if extents[it] % n == 0), None)
        threads = instruction.a.thread[1]
        span = threads * prod(what.run or (1,))
        depth = next((it for it in reversed(roles.summed) if extents[it] % span == 0), None)
        divides = prod(extents[it] for it in roles.summed) % k == 0
        if row is not None and column is not None and depth is not None and divides:
            yield Tiling(what, instruction, transposed, row, column, depth)


def instructions_for(what: Contraction, workgroup: Workgroup) -> Iterator[tuple[MatrixInstruction, bool]]:
    """The chip's instructions for a contraction's element types, whatever its extents, and whether they exchange its
    operands."""
    for instruction, transposed in product(_instructions(what, workgroup), (False, True)):
        types = instruction.a_type, instruction.b_type, instruction.c_type
        if what.types_of(transposed) == types and what.allows(instruction, transposed):
            yield instruction, transposed


def _instructions(what: Contraction, workgroup: Workgroup) -> list[MatrixInstruction]:
    asked = None if what.asked is None else what.asked[0]
    return [i for i in _of_subgroups(workgroup) if _same_depth(i) and asked in (None, i)]


def _of_subgroups(workgroup: Workgroup) -> list[MatrixInstruction]:
    """The chip's instructions of a single product for subgroups of the workgroup's size."""
    every = matrix_instructions(workgroup.chip)
    return [i for i in every if i.blocks == 1 and i.subgroup_size == workgroup.subgroup_size]


def _same_depth(i: MatrixInstruction) -> bool:
    """Whether A and B have K in the same threads and registers."""
    a, b = i.a, i.b
    return (a.thread[1], a.thread_strides[1], a.outer[1], a.element[1]) == (
        b.thread[0],
        b.thread_strides[0],
        b.outer[0],
        b.element[0],
    )


def check_asked(op: ContractionOp, stage: str, report: Report) -> None:
    """Reports what a contraction asks for and cannot get, whatever the chip."""
    try:
        what = Contraction.of(op)
    except LayoutError as error:
        op.error(report, str(error))
        return
    if stage == "layout" and what.asked is not None and MMA not in op.attributes:
        asked = _as_written(op, what.asked[0])
        op.error(report, f"mma_kind asks for {asked}; in the layout stage '{MMA}' has to say so")


def check_fits(op: ContractionOp, workgroup: Workgroup, contractions: Contractions, report: Report) -> None:
    """Reports an instruction that is asked for and that the contraction, padded where that helps, cannot take."""
    what = contractions.of(op)
    if what.asked is not None and (why := why_not(op, workgroup, contractions)):
        chip = workgroup.chip
        is_there = what.asked[0] in (*matrix_instructions(chip), *warpgroup_instructions(chip))
        hint = "" if is_there else f"`lanewise targets --matrix --target {chip.name}` has the names of all"
        op.error(report, f"{_as_written(op, what.asked[0])} is asked for, which does not fit: {why}", hint)


def _as_written(op: ContractionOp, asked: MatrixInstruction) -> str:
    """The instruction's name today, and the program's own where that is another."""
    kind = lowering_config(op).get("mma_kind", op.attributes.get(MMA))
    written = getattr(kind, "name", asked.iree_name)
    return asked.iree_name if written == asked.iree_name else f"{written} (today {asked.iree_name})"


def find_tiling(what: Contraction, layouts: Layouts, workgroup: Workgroup) -> Tiling | None:
    """The chip's instruction whose fragments the layouts of lhs, rhs and accumulator are."""
    given = [layout for layout in layouts if layout is not None]
    if len(given) < 3:
        return None
    return next((t for t in tilings(what, workgroup) if t.matches(given)), None)


def recorded(op: ContractionOp, workgroup: Workgroup, contractions: Contractions) -> Tiling | None:
    """The tiling that the layout stage has written on a contraction; LayoutError where it is none of the chip's."""
    attribute = op.attributes.get(MMA)
    if attribute is None:
        return None
    found = next(iter(tilings(contractions.of(op), workgroup)), None)
    if found is None:
        raise LayoutError(f"{MMA} is {attribute}, which is no matrix instruction for it on {workgroup.chip.name}")
    return found


def why_not(op: ContractionOp, workgroup: Workgroup, contractions: Contractions) -> str:
    """Why no matrix instruction can do a contraction; empty where one can."""
    what, chip = contractions.of(op), workgroup.chip
    if what.obstacle:
        return what.obstacle
    if workgroup.scope == "thread":
        return "each thread is a program of its own, and a subgroup executes a matrix instruction together"
    if not workgroup.has_matrix_units:
        return f"{workgroup.threads} threads are no whole number of subgroups of {workgroup.subgroup_size}"
    a, b, c = what.types
    if why := warpgroup_misfit(what, workgroup):
        is_there = what.asked is not None and what.asked[0] in warpgroup_instructions(chip)
        names = "" if is_there else ", ".join(_names(what, workgroup))
        return f"{why}; for {a} * {b} + {c} it has {names}" if names else why
    if what.asked is not None and what.asked[0].subgroups > 1:
        return ""
    there = [i for i in _of_subgroups(workgroup) if (i.a_type, i.b_type, i.c_type) == what.types]
    if not there:
        others = any((i.a_type, i.b_type, i.c_type) == what.types for i in matrix_instructions(chip))
        size = f" in subgroups of {workgroup.subgroup_size} threads" if others else ""
        return f"{chip.title} has no matrix instruction for {a} * {b} + {c}{size}"
    if what.asked is not None and what.asked[0] not in there:
        return f"for {a} * {b} + {c} {chip.title} has {', '.join(_names(what, workgroup))}"
    found = [i for i in there if what.allows(i, False) or what.allows(i, True)]
    if not tilings(what, workgroup):
        return "; ".join(dict.fromkeys(_misfit(what, i) for i in found))
    return ""


def _names(what: Contraction, workgroup: Workgroup) -> Iterator[str]:
    """What `mma_kind` may ask for, for the element types; those of four subgroups by their widths."""
    yield from (i.iree_name for i in _of_subgroups(workgroup) if (i.a_type, i.b_type, i.c_type) == what.types)
    wide = [i for i in warpgroup_instructions(workgroup.chip) if (i.a_type, i.b_type, i.c_type) == what.types]
    if wide:
        first, last = (i.shape[1] for i in (wide[0], wide[-1]))
        yield f"{wide[0].iree_name.replace(f'x{first}x', 'xNx')} with N from {first} to {last}"


def _misfit(what: Contraction, instruction: MatrixInstruction) -> str:
    """Which extents an instruction does not divide: one of the rows, one of the columns, all that is summed."""
    rows, columns, summed = ([what.extents[it] for it in its] for its in what.roles[1:])
    m, n, k = instruction.shape
    parts = [
        f"{name} {found} by {size}"
        for name, found, size in (("rows", rows, m), ("columns", columns, n))
        if all(e % size for e in found)
    ]
    threads = instruction.a.thread[1]
    if prod(summed) % k:
        parts.append(f"summed {summed} by {k}")
    elif all(extent % (threads * prod(what.run or (1,))) for extent in summed):
        parts.append(f"any of summed {summed} by its {threads} threads{_run_words(what)}")
    return f"{instruction.iree_name} does not divide {', '.join(parts)}"


def _run_words(what: Contraction) -> str:
    return "" if what.run is None else f" with {' * '.join(map(str, what.run))} elements each"
