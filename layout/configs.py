"""What a contraction's `lowering_config` says besides its instruction is said in layouts of its operands.

`subgroup_basis = [[counts], [places]]`: iterator i is divided among `counts[places[i]]` subgroups, the last count
fastest; `subgroup_m_count` and `subgroup_n_count` are the counts of rows and columns. `promote_operands`: those
operands (0, 1) go through shared memory, by a conversion where no loop brought them there (`schedule/promote.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from ..ir.attributes import ArrayAttr, DictAttr, UnitAttr, int_array, is_int_array, number_of
from ..ir.core import Operation, Value
from ..ir.diagnostics import CompileError, Report
from ..ir.dialects.iree_gpu_config import LoweringConfigAttr
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import ContractionOp
from ..ir.entry_place import entry_place
from ..ir.rewriter import Rewriter
from ..ir.types import Attribute
from .contraction import tilings
from .dimension import LayoutError
from .pressure import is_loaded_as_used
from .product import Product
from .rules.iree_vector_ext import attribute_of
from .teams import teams
from .tiling import Grid, Tiling
from .workgroup import Workgroup

_CONFIG, _KIND, _BASIS, _PROMOTED = "lowering_config", "mma_kind", "subgroup_basis", "promote_operands"
_COUNTS = ("subgroup_m_count", "subgroup_n_count")


def anchor_configs(function: Operation, workgroup: Workgroup) -> None:
    """Rewrites a function in the vector stage, in place. Raises CompileError for what does not fit."""
    report, rewriter = Report(), Rewriter(function)
    for team in teams(function, workgroup):
        for op in team.operations:
            config = op.attributes.get(_CONFIG)
            if isinstance(op, ContractionOp) and isinstance(config, LoweringConfigAttr):
                given = dict(config.entries.entries)
                try:
                    if given.keys() - {_KIND} and not _is_done(op, given):
                        _anchor(rewriter, op, given, team.workgroup)
                except LayoutError as error:
                    asked = min((name for name in given if name in str(error)), key=str(error).index, default=_CONFIG)
                    where = entry_place(op, rf"{asked}\s*=")
                    report.error(f"'{op.opname}' op lowering_config: {error}", where)
    if report.diagnostics:
        raise CompileError(report.diagnostics)


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


def _anchor(rewriter: Rewriter, op: ContractionOp, given: Mapping[str, Attribute], workgroup: Workgroup) -> None:
    if set(given) == {_PROMOTED}:
        operand = next(number for number in _promoted(given) if not _is_promoted(op.operands[number]))
        raise LayoutError(
            f"{_PROMOTED} without {_KIND} promotes tiles that a loop of the workgroup reads, always at other places, "
            f"from memory that it does not write; operand {operand} is none, or has no room in shared memory"
        )
    if _KIND not in given:
        raise LayoutError(f"{', '.join(sorted(given))} without {_KIND}: fragments are an instruction's")
    tiling = tilings(Product.of(op), workgroup)[0]
    counts = _counts(given, tiling)
    grid = next(tiling.grids(workgroup.subgroups, lines=False)) if counts is None else _grid(counts, tiling, workgroup)
    promoted = _promoted(given)
    op.attributes[_CONFIG] = LoweringConfigAttr(DictAttr.of({_KIND: given[_KIND]}))
    for number, layout in enumerate(tiling.layouts(grid, next(tiling.depths()))):
        if not layout.is_held:
            continue
        attributes: dict[str, Attribute] = {"layout": attribute_of(layout)}
        if number in promoted and not _is_promoted(op.operands[number]):
            attributes["shared_memory_conversion"] = UnitAttr()
        value: Value = op.operands[number]
        anchor = ToLayoutOp([value], [value.type], attributes, location=op.location)
        op.set_operand(number, rewriter.insert_before(op, anchor).results[0])


def _counts(given: Mapping[str, Attribute], tiling: Tiling) -> list[tuple[int, int]] | None:
    """(iterator, subgroups) from the slowest to the fastest; None where nothing is said."""
    if _BASIS in given and any(name in given for name in _COUNTS):
        raise LayoutError(f"{_BASIS} beside {' or '.join(_COUNTS)}")
    if _BASIS in given:
        return _of_basis(given[_BASIS], len(tiling.product.extents))
    if not any(name in given for name in _COUNTS):
        return None
    rows, columns = (_number(name, given.get(name)) for name in _COUNTS)
    iterators = (tiling.column, tiling.row) if tiling.transposed else (tiling.row, tiling.column)
    return list(zip(iterators, (rows, columns), strict=True))


def _number(name: str, value: Attribute | None) -> int:
    number = number_of(value)
    if number is None or number < 1:
        raise LayoutError(f"{name} must be a positive number, found {value}")
    return number


def _of_basis(basis: Attribute, iterators: int) -> list[tuple[int, int]]:
    lists = [int_array(part) for part in getattr(basis, "values", ()) if is_int_array(part)]
    if len(lists) != 2 or not isinstance(basis, ArrayAttr) or len(lists[1]) != iterators:
        raise LayoutError(f"{_BASIS} must be [[counts], [{iterators} places]], found {basis}")
    counts, places = lists
    if min(counts, default=0) < 1 or len(set(places)) < len(places) or not set(places) <= set(range(len(counts))):
        raise LayoutError(f"{_BASIS} must place iterators at different positive counts, found {basis}")
    unplaced = [number for number in range(len(counts)) if number not in places and counts[number] > 1]
    if unplaced:
        raise LayoutError(f"{_BASIS} has counts that no iterator takes, which lanewise does not obey: {basis}")
    return [(places.index(number), count) for number, count in enumerate(counts) if number in places]


def _grid(counts: Sequence[tuple[int, int]], tiling: Tiling, workgroup: Workgroup) -> Grid:
    total = prod(count for _, count in counts)
    if total != workgroup.subgroups:
        words = " * ".join(str(count) for _, count in counts)
        raise LayoutError(f"{words} = {total} subgroups, the workgroup has {workgroup.subgroups}")
    m, n, _ = tiling.instruction.shape
    sizes = {tiling.row: m, tiling.column: n}
    grid: dict[int, tuple[int, int]] = {}
    stride = 1
    for it, count in reversed(counts):
        extent = tiling.product.extents[it]
        if count > 1 and it in tiling.summed:
            raise LayoutError(f"{count} subgroups along iterator d{it}, which is summed: lanewise does not obey that")
        step = sizes.get(it, 1)
        if extent % (step * count):
            raise LayoutError(f"{count} subgroups do not divide {extent} of iterator d{it} in steps of {step}")
        grid[it] = count, stride
        stride *= count
    return {it: part for it, part in grid.items() if it not in tiling.summed}


def _promoted(given: Mapping[str, Attribute]) -> tuple[int, ...]:
    value = given.get(_PROMOTED)
    found = () if value is None else int_array(value) if is_int_array(value) else (-1,)
    if not set(found) <= {0, 1} or len(set(found)) < len(found):
        raise LayoutError(f"{_PROMOTED} names operands 0 (lhs) and 1 (rhs), each once, found {value}")
    return found
