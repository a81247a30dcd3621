"""What an operation's `lowering_config` says besides its instruction is said in layouts of what it takes and makes.

Of a contraction with `mma_kind`: fragments, divided among subgroups by `subgroup_basis`, `subgroup`, or
`subgroup_m_count` and `subgroup_n_count`. Without, and of other operations: whatever `shares.py` reads of it.
`promote_operands`: those operands (0, 1) go through shared memory, by a conversion where no loop brought them there
(`schedule/promote.py`). `promotion_types`: how, one for each; threads that follow from what is copied, which is
`#iree_gpu.derived_thread_config`, are the only way here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from ..ir.attributes import ArrayAttr, DictAttr, UnitAttr, int_array, is_int_array, number_of
from ..ir.core import Operation, Value
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, DerivedThreadConfigAttr, LoweringConfigAttr
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import ContractionOp
from ..ir.entry_place import entry_place
from ..ir.rewriter import Rewriter
from ..ir.types import Attribute
from ..support.diagnostics import CompileError, Report
from .contraction import Contractions
from .dimension import LayoutError
from .instruction_choice import tilings
from .nested import NestedLayout
from .pressure import is_loaded_as_used
from .rules.iree_vector_ext import attribute_of
from .shares import COUNTS, OF_LANES, SUBGROUP, SUBGROUP_BASIS, Given, check_total, dimensions, strided, subgroup_counts
from .spaces import Space, space_of
from .teams import teams
from .tiling import Grid, Tiling
from .workgroup import MAX_ELEMENTS_OF_A_THREAD, Workgroup

_KIND, _PROMOTED, _HOW = "mma_kind", "promote_operands", "promotion_types"


def anchor_configs(function: Operation, workgroup: Workgroup, contractions: Contractions) -> bool:
    """Rewrites a function in the vector stage, in place; whether there was anything to do. Raises CompileError for what
    does not fit."""
    report, rewriter, changed = Report(), Rewriter(function), False
    for team in teams(function, workgroup):
        for op in team.operations:
            config = op.attributes.get(LOWERING_CONFIG)
            if isinstance(config, LoweringConfigAttr):
                given = dict(config.entries.entries)
                try:
                    _check_promotion(given.pop(_HOW, None), given)
                    changed |= _obey(rewriter, op, given, team.workgroup, contractions)
                except LayoutError as error:
                    asked = min(
                        (name for name in given if name in str(error)), key=str(error).index, default=LOWERING_CONFIG
                    )
                    where = entry_place(op, rf"{asked}\s*=")
                    report.error(f"{op.title} lowering_config: {error}", where)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    return changed


def _obey(rewriter: Rewriter, op: Operation, given: Given, workgroup: Workgroup, contractions: Contractions) -> bool:
    """Whether it says anything that is left to be done."""
    if not isinstance(op, ContractionOp):
        space = space_of(op)
        assert space is not None  # frontend/known_attributes.py lets no other have one
        del op.attributes[LOWERING_CONFIG]
        _spread(rewriter, op, space, given, workgroup)
    elif given.keys() - {_KIND} and not _is_done(op, given):
        _anchor(rewriter, op, given, workgroup, contractions)
    else:
        return False
    return True


def _spread(rewriter: Rewriter, op: Operation, space: Space, given: Given, workgroup: Workgroup) -> None:
    """What an operation takes and makes, each iterator of it shared out alike."""
    promoted = _promoted(given)
    parts = dimensions(given, space.extents, tuple(space.summed), workgroup)
    layout = {
        its: NestedLayout.of_dimensions([parts[it] for it in its]) for its in (*space.taken.values(), space.made) if its
    }
    held = max((found.registers for found in layout.values()), default=0)
    if held > MAX_ELEMENTS_OF_A_THREAD:
        asked = next(name for name in (*OF_LANES, SUBGROUP_BASIS, SUBGROUP) if name in given)
        raise LayoutError(f"{asked} gives a thread {held} elements, the limit is {MAX_ELEMENTS_OF_A_THREAD}")
    for number, iterators in space.taken.items():
        anchor = _anchored(rewriter, op, op.operands[number], layout[iterators])
        if number in promoted and not _is_promoted(op.operands[number]):
            anchor.attributes["shared_memory_conversion"] = UnitAttr()
        op.set_operand(number, anchor.results[0])
    if space.made is not None:
        (made,) = op.results
        uses = list(made.uses)
        anchor = rewriter.insert_after(op, _conversion(op, made, layout[space.made]))
        for user, position in uses:
            user.set_operand(position, anchor.results[0])


def _anchored(rewriter: Rewriter, op: Operation, value: Value, layout: NestedLayout) -> Operation:
    """A conversion in front of an operation."""
    return rewriter.insert_before(op, _conversion(op, value, layout))


def _conversion(op: Operation, value: Value, layout: NestedLayout) -> ToLayoutOp:
    return ToLayoutOp([value], [value.type], {"layout": attribute_of(layout)}, location=op)


def _is_done(op: ContractionOp, given: Mapping[str, Attribute]) -> bool:
    """Whether all that it says besides the instruction is that operands are promoted which were (`schedule/`)."""
    promoted = _promoted(given)
    return not given.keys() - {_KIND, _PROMOTED} and all(_is_promoted(op.operands[number]) for number in promoted)


def _is_promoted(value: Value) -> bool:
    """Whether its elements, maybe cast, were read from shared memory."""
    op = value.operation
    while op is not None and op.elementwise and len(op.operands) == 1:
        value = op.operands[0]
        op = value.operation
    return is_loaded_as_used(value)


def _anchor(
    rewriter: Rewriter, op: ContractionOp, given: Given, workgroup: Workgroup, contractions: Contractions
) -> None:
    if set(given) == {_PROMOTED}:
        operand = next(number for number in _promoted(given) if not _is_promoted(op.operands[number]))
        raise LayoutError(
            f"{_PROMOTED} without {_KIND} promotes tiles that a loop of the workgroup reads, always at other places, "
            f"from memory that it does not write; operand {operand} is none, or has no room in shared memory"
        )
    of_lanes = [name for name in OF_LANES if name in given]
    if _KIND not in given:
        if not of_lanes or any(name in given for name in COUNTS):
            names = ", ".join(sorted(given.keys() - {_PROMOTED}))
            raise LayoutError(f"{names} without {_KIND}: fragments are an instruction's")
        op.attributes[LOWERING_CONFIG] = LoweringConfigAttr(DictAttr.of({name: given[name] for name in of_lanes}))
        space = space_of(op)
        assert space is not None
        _spread(rewriter, op, space, given, workgroup)
        return
    assert not of_lanes, "check_fits refuses an instruction of what is shared out among lanes"
    _on_fragments(rewriter, op, given, workgroup, contractions)


def _on_fragments(
    rewriter: Rewriter, op: ContractionOp, given: Given, workgroup: Workgroup, contractions: Contractions
) -> None:
    tiling = tilings(contractions.of(op), workgroup)[0]
    counts = _counts(given, tiling)
    if counts is None:
        grid = next(tiling.grids(workgroup.subgroups, lines=False))
    else:
        grid = _grid(counts, tiling, workgroup, given)
    promoted = _promoted(given)
    op.attributes[LOWERING_CONFIG] = LoweringConfigAttr(DictAttr.of({_KIND: given[_KIND]}))
    for number, layout in enumerate(tiling.layouts(grid, next(tiling.depths()))):
        if layout.is_held:
            anchor = _anchored(rewriter, op, op.operands[number], layout)
            if number in promoted and not _is_promoted(op.operands[number]):
                anchor.attributes["shared_memory_conversion"] = UnitAttr()
            op.set_operand(number, anchor.results[0])


def _counts(given: Given, tiling: Tiling) -> list[tuple[int, int]] | None:
    """(iterator, subgroups) from the slowest to the fastest; None where nothing is said."""
    by_name = any(name in given for name in COUNTS)
    for name in (SUBGROUP_BASIS, SUBGROUP):
        if name in given and by_name:
            raise LayoutError(f"{name} beside {' or '.join(COUNTS)}")
    if not by_name:
        return subgroup_counts(given, tiling.product.extents)
    row, column = (tiling.column, tiling.row) if tiling.transposed else (tiling.row, tiling.column)
    rows, columns = (_number(name, given.get(name)) for name in COUNTS)
    roles = tiling.product.roles
    return [*_along(roles.rows, row, rows, tiling), *_along(roles.columns, column, columns, tiling)]


def _along(iterators: Sequence[int], innermost: int, count: int, tiling: Tiling) -> list[tuple[int, int]]:
    """Subgroups along rows or columns that are several iterators, as those of products of tiles: the one that fragments
    lie along takes as many as it can, then those before it."""
    order, left = [innermost, *(it for it in reversed(iterators) if it != innermost)], count
    found: list[tuple[int, int]] = []
    for it in order:
        taken = gcd(left, tiling.product.extents[it] // _step(tiling, it))
        left //= taken
        found += [(it, taken)] if taken > 1 else []
    return found[::-1] if left == 1 and len(found) > 0 else [(innermost, count)]


def _step(tiling: Tiling, it: int) -> int:
    """Elements of an iterator that one instruction takes."""
    m, n, _ = tiling.instruction.shape
    return {tiling.row: m, tiling.column: n}.get(it, 1)


def _number(name: str, value: Attribute | None) -> int:
    number = number_of(value)
    if number is None or number < 1:
        raise LayoutError(f"{name} must be a positive number, found {value}")
    return number


def _grid(counts: Sequence[tuple[int, int]], tiling: Tiling, workgroup: Workgroup, given: Given) -> Grid:
    check_total(counts, workgroup.subgroups, "subgroups", "workgroup", given)
    for it, count in counts:
        extent = tiling.product.extents[it]
        if count > 1 and it in tiling.summed:
            raise LayoutError(f"{count} subgroups along iterator d{it}, which is summed: lanewise does not obey that")
        step = _step(tiling, it)
        if extent % (step * count):
            raise LayoutError(f"{count} subgroups do not divide {extent} of iterator d{it} in steps of {step}")
    return {it: part for it, part in strided(counts).items() if it not in tiling.summed}


def _check_promotion(how: Attribute | None, given: Mapping[str, Attribute]) -> None:
    if how is None:
        return
    types = how.values if isinstance(how, ArrayAttr) else ()
    if not isinstance(how, ArrayAttr) or len(types) != len(_promoted(given)):
        raise LayoutError(f"{_HOW} must have an attribute for each of {_PROMOTED}, found {how}")
    other = next((type for type in types if type != DerivedThreadConfigAttr()), None)
    if other is not None:
        raise LayoutError(f"{_HOW} has {other}; lanewise promotes by {DerivedThreadConfigAttr()}")


def _promoted(given: Mapping[str, Attribute]) -> tuple[int, ...]:
    value = given.get(_PROMOTED)
    found = () if value is None else int_array(value) if is_int_array(value) else (-1,)
    if not set(found) <= {0, 1} or len(set(found)) < len(found):
        raise LayoutError(f"{_PROMOTED} names operands 0 (lhs) and 1 (rhs), each once, found {value}")
    return found
