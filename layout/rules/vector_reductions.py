"""vector.multi_reduction and contract: what is kept has the operands' layout, what is joined may be anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import gcd, prod

from ...ir.dialects import vector
from ...ir.dialects.lanewise_dot import BYTES
from ...ir.types import Attribute, element_type, memory_bits, shape_of
from ..byte_products import multiplies_bytes
from ..coalescing import coalesced
from ..contraction import MMA, Contraction, Iterators
from ..dimension import Dimension, LayoutError
from ..instruction_choice import find_tiling, recorded, tilings
from ..nested import NestedLayout
from ..plan import Cost
from ..tiling import Tiling
from ..transfer import TRANSFER, Assignment, Known, Layouts, TransferRule, is_vector
from ..workgroup import Workgroup, fits
from .moves import spread

_MOST_OWN = 8
_MULTIPLY_ADDS_A_CYCLE = {"mma.sync": 256, "mfma": 256, "wmma": 256, "wgmma": 413}
"""The multiply-adds a cycle of a matrix unit, for one subgroup; its lanes do one each. mma.sync reaches 62 % of wgmma
on the same chip."""
_ISSUE = 1
"""Cycles of each matrix instruction in which nothing else is issued: of two sizes at one rate the larger is better."""
_WIDE_BITS = 128


class MultiReductionRule(TransferRule[vector.MultiReductionOp]):
    """The kept dimensions of the source are the result's; the reduced ones may be anywhere."""

    joins = 3

    def forward(self, op: vector.MultiReductionOp, known: Known) -> Layouts:
        source = known(op.source)
        if not is_vector(op.dest):
            return [None]
        return [source.project(op.reduction_dims) if source is not None else known(op.acc)]

    def backward(self, op: vector.MultiReductionOp, results: Layouts, known: Known) -> Layouts:
        """The source as it is known, if its kept dimensions agree; else reduced dimensions go to unused lanes."""
        (result,) = results
        shape, dims, source = shape_of(op.source.type), op.reduction_dims, known(op.source)
        if result is None:
            whole = len(dims) == len(shape)
            return [
                source
                if source is not None and whole
                else spread_over_lanes(None, shape, dims, known)
                if whole
                else None,
                None,
            ]
        if source is not None and source.project(dims) == result:
            return [source, result]
        return [spread_over_lanes(result, shape, dims, known), result]

    def work(self, op: vector.MultiReductionOp, operands: Layouts, results: Layouts, known: Known) -> int:
        source = operands[0]
        if source is None:
            return 0
        kept = source.project(op.reduction_dims).registers
        return source.registers + kept * crossing_cycles(source, op.reduction_dims, known.workgroup)


class ScanRule(TransferRule[vector.ScanOp]):
    """The result has the source's layout; the initial value and the last part have it without the scanned dimension."""

    joins = 3

    def own(self, op: vector.ScanOp, known: Known) -> Iterable[Assignment]:
        """Lines in threads each their own, as far as there are so many; else neighbours in neighbouring threads."""
        shape, dim = shape_of(op.source.type), op.reduction_dim
        others = coalesced((*shape[:dim], *shape[dim + 1 :]), known.threads, 1).dimensions
        lines = NestedLayout.of_dimensions([*others[:dim], Dimension(element=shape[dim]), *others[dim:]])
        for layout in (lines, spread(op.source.type, known.workgroup)):
            yield self._around(op, layout)

    def alternatives(self, op: vector.ScanOp, results: Layouts, known: Known) -> Iterable[Assignment]:
        layout = results[0] or known(op.source)
        if layout is None and results[1] is not None:
            layout = spread_over_lanes(results[1], shape_of(op.source.type), [op.reduction_dim], known)
        return [] if layout is None else [self._around(op, layout)]

    def backward(self, op: vector.ScanOp, results: Layouts, known: Known) -> Layouts:
        return [None, None] if results[0] is None else self._around(op, results[0])[0]

    def _around(self, op: vector.ScanOp, layout: NestedLayout) -> Assignment:
        kept = layout.project([op.reduction_dim]) if is_vector(op.initial_value) else None
        return [layout, kept], [layout, kept]

    def work(self, op: vector.ScanOp, operands: Layouts, results: Layouts, known: Known) -> int:
        source = operands[0]
        if source is None:
            return 0
        tiles = source.registers // source.dimension(op.reduction_dim).element
        return 2 * source.registers + 2 * tiles * crossing_cycles(source, [op.reduction_dim], known.workgroup)


def crossing_cycles(layout: NestedLayout, dims: Sequence[int], workgroup: Workgroup) -> int:
    """What joining one value over the threads along `dims` takes: shuffles in a subgroup, then shared memory."""
    lanes = subgroups = 1
    for dim in dims:
        part = layout.dimension(dim)
        lanes *= part.thread
        subgroups *= part.subgroup
    if lanes > workgroup.subgroup_size:
        lanes, subgroups = workgroup.subgroup_size, subgroups * -(-lanes // workgroup.subgroup_size)
    steps = (lanes - 1).bit_length() if lanes & (lanes - 1) == 0 else lanes
    across = Cost(stores=1, loads=subgroups, wavefronts=1 + subgroups, barriers=2).cycles if subgroups > 1 else 0
    return Cost(shuffles=steps, selects=steps).cycles + across


def spread_over_lanes(
    kept: NestedLayout | None, shape: tuple[int, ...], dims: Sequence[int], known: Known
) -> NestedLayout:
    """A source whose kept dimensions are `kept` and whose reduced ones go to the lanes that these leave, the last
    dimension to the lowest lanes; in registers where there are none."""
    free = [(known.subgroup_size, 1)] if kept is None else kept.unused_digits(known.threads, known.subgroup_size)
    lanes = [(size, stride) for size, stride in free if size * stride <= known.subgroup_size]
    parts: dict[int, Dimension] = {}
    for dim in sorted(dims, reverse=True):
        size, stride = lanes.pop(0) if lanes else (1, 0)
        thread = gcd(shape[dim], size & -size)
        parts[dim] = Dimension(batch=shape[dim] // thread, thread=thread, thread_stride=stride if thread > 1 else 0)
    rest = iter(() if kept is None else kept.dimensions)
    return NestedLayout.of_dimensions([parts[i] if i in parts else next(rest) for i in range(len(shape))])


class ContractionRule(TransferRule[vector.ContractionOp]):
    """Fragments of a matrix instruction, or every iterator distributed alike in all operands."""

    rank = 1
    joins = 2

    def own(self, op: vector.ContractionOp, known: Known) -> Iterable[Assignment]:
        what = _product(op, known)
        on_units = _fragments(what, known.workgroup) if known.workgroup.has_matrix_units else ()
        chosen: Sequence[Layouts] = on_units or list(_blocks(op, known))
        return [self._assignment(op, layouts) for layouts in chosen[:_MOST_OWN]]

    def _assignment(self, op: vector.ContractionOp, layouts: Layouts) -> Assignment:
        lhs, rhs, acc = layouts
        return [lhs, rhs, acc, *[lhs, rhs][: len(op.masks)]], [acc]

    def alternatives(self, op: vector.ContractionOp, results: Layouts, known: Known) -> Iterator[Assignment]:
        given = known(op.lhs), known(op.rhs), results[0] or known(op.acc)
        return (self._assignment(op, layouts) for layouts in self._around(op, given, known))

    def _around(
        self, op: vector.ContractionOp, given: Layouts, known: Known
    ) -> Iterator[Sequence[NestedLayout | None]]:
        what = _product(op, known)
        units = tilings(what, known.workgroup) if known.workgroup.has_matrix_units else ()
        for tiling in units:
            yield from tiling.around(given, known.workgroup.subgroups)
        if not units or (what.asked is None and sum(layout is not None for layout in given) > 1):
            yield from _alike(op, given, known)

    def needs(self, op: vector.ContractionOp, results: Layouts, known: Known) -> Layouts:
        """What the operands need in the layout stage, where the instruction is written on the contraction."""
        lhs, rhs, acc = known(op.lhs), known(op.rhs), results[0]
        tiling = recorded(op, known.workgroup, known.contractions)
        given = None if lhs is None or rhs is None or acc is None else [lhs, rhs, acc]
        if tiling is None:
            what = _product(op, known)
            dims = _iterators(what, (lhs, rhs, acc))
            wanted = [_layout_of(its, dims) for its in what.sides[:2]]
            other = find_tiling(what, given or [], known.workgroup) if wanted != [lhs, rhs] else None
            if other is not None:
                raise LayoutError(f"its operands are fragments of {other.attribute}, but no '{MMA}' says so")
            lhs, rhs = wanted
        elif given is None or not tiling.matches(given):
            raise LayoutError(_no_fragments(tiling, (lhs, rhs, acc), known))
        return [lhs, rhs, acc, *[lhs, rhs][: len(op.masks)]]

    def attributes(self, op: vector.ContractionOp, operands: Layouts, known: Known) -> Mapping[str, Attribute]:
        """The instruction, for all that comes later."""
        tiling = (
            find_tiling(_product(op, known), operands[:3], known.workgroup)
            if known.workgroup.has_matrix_units
            else None
        )
        return {} if tiling is None else {MMA: tiling.attribute}

    def work(self, op: vector.ContractionOp, operands: Layouts, results: Layouts, known: Known) -> int:
        lhs, rhs, acc = operands[:3]
        what = _product(op, known)
        units = known.workgroup.has_matrix_units
        tiling = find_tiling(what, (lhs, rhs, acc), known.workgroup) if units else None
        if tiling is not None and acc is not None:
            subgroups = prod(acc.wrapped(known.workgroup.subgroups).subgroup_tile)
            rate = _MULTIPLY_ADDS_A_CYCLE[tiling.instruction.family]
            cycles = max(1, prod(tiling.instruction.shape) // rate)
            return tiling.count * (cycles + _ISSUE) // subgroups
        dims = _iterators(what, (lhs, rhs, acc))
        steps = prod(part.size // (part.thread * part.subgroup) for part in dims.values())
        if multiplies_bytes(op, known.chip) and not _has_unit(op, known):
            steps = max(steps // BYTES, 1)
        if lhs is None:
            return steps
        summed = [i for i, it in enumerate(what.sides[0]) if it in what.roles.summed]
        held = 1 if acc is None else acc.registers
        return steps + held * crossing_cycles(lhs, summed, known.workgroup)


def _has_unit(op: vector.ContractionOp, known: Known) -> bool:
    """Whether there is a matrix instruction for it: to do without one is priced as if bytes went one by one."""
    return known.workgroup.has_matrix_units and bool(tilings(_product(op, known), known.workgroup))


def _product(op: vector.ContractionOp, known: Known) -> Contraction:
    return known.contractions.of(op)


def _no_fragments(tiling: Tiling, given: Layouts, known: Known) -> str:
    """What is wrong with layouts that are no fragments of a tiling, and what an operand would have to be."""
    subgroups = known.workgroup.subgroups
    grid = next(tiling.grids(subgroups, lines=False))
    around_acc = next(iter(tiling.around((None, None, given[2]), subgroups)), None)
    expected = around_acc or tiling.layouts(grid, next(tiling.depths()))
    text = f"the layouts of its operands are no fragments of {tiling.attribute}"
    for side in (2, 0, 1):
        if given[side] != expected[side]:
            name = ("lhs", "rhs", "the accumulator")[side]
            return f"{text}: {name} has {given[side]}, one that fits is {expected[side]}"
    return text


@lru_cache(maxsize=1 << 10)
def _fragments(what: Contraction, workgroup: Workgroup) -> Sequence[Layouts]:
    return tuple(_fragments_of(what, workgroup))


def _fragments_of(what: Contraction, workgroup: Workgroup) -> Iterator[Layouts]:
    """The largest instruction of each shape, both ways round: the squarest grid of subgroups first, its runs along K as
    the instruction has them and as wide as an access, then other grids."""
    best: dict[tuple[int, int, bool], Tiling] = {}
    for tiling in tilings(what, workgroup):
        best.setdefault((*tiling.instruction.shape[:2], tiling.transposed), tiling)
    subgroups = workgroup.subgroups
    for lines in (0, 1):
        for wide in (0, 1):
            for tiling in best.values():
                for depth in list(tiling.depths())[wide : wide + 1]:
                    for grid in list(tiling.grids(subgroups, lines=bool(lines)))[lines:]:
                        yield tiling.layouts(grid, depth)


def _blocks(op: vector.ContractionOp, known: Known) -> Iterator[Layouts]:
    """Without a matrix unit: blocks of the accumulator, then each operand coalesced."""
    threads = known.threads
    if is_vector(op.acc):
        shape = shape_of(op.acc.type)
        yield from _alike(op, (None, None, _block(shape, threads)), known)
    for side, value in enumerate((op.lhs, op.rhs)):
        wide = max(1, _WIDE_BITS // memory_bits(element_type(value.type)))
        given: list[NestedLayout | None] = [None, None, None]
        given[side] = coalesced(shape_of(value.type), threads, wide)
        yield from _alike(op, given, known)


def _block(shape: tuple[int, ...], threads: int) -> NestedLayout:
    """Threads along the last two dimensions, each with a block that is as square as can be."""
    parts, stride, remaining = [Dimension()] * len(shape), 1, threads & -threads
    whole = remaining
    for place, dim in enumerate(range(len(shape))[::-1]):
        extent = shape[dim]
        share = remaining if place or len(shape) == 1 else 1 << (whole.bit_length() // 2)
        thread = gcd(extent & -extent, min(share, remaining))
        rest = extent // thread
        element = gcd(rest & -rest, 4) if place == 0 else 1
        parts[dim] = Dimension(
            batch=rest // element, thread=thread, element=element, thread_stride=stride if thread > 1 else 0
        )
        stride, remaining = stride * thread, remaining // thread
    return NestedLayout.of_dimensions(parts)


def _alike(op: vector.ContractionOp, given: Layouts, known: Known) -> Iterator[Sequence[NestedLayout | None]]:
    found = _distributed_alike(_product(op, known), tuple(given), known.workgroup)
    if found is not None:
        yield found if is_vector(op.acc) else (*found[:2], None)


@lru_cache(maxsize=1 << 14)
def _distributed_alike(
    what: Contraction, given: tuple[NestedLayout | None, ...], workgroup: Workgroup
) -> Layouts | None:
    """Every iterator as the first operand has it that says so: accumulator, lhs, rhs. Summed iterators that none has
    stay inside a thread, and all do where lanes are short."""
    dims = _iterators(what, given)
    inside = {it: Dimension(batch=dims[it].size) for it in what.roles.summed}
    for distribution in (dims, {**dims, **inside}):
        layouts = [_layout_of(its, distribution) for its in what.sides]
        shapes = [tuple([what.extents[it] for it in its]) for its in what.sides]
        if all(x is not None and fits(x, shape, workgroup) for x, shape in zip(layouts, shapes, strict=True)):
            return layouts
    return None


def _iterators(what: Contraction, layouts: Layouts) -> dict[int, Dimension]:
    """The distribution of each iterator; `layouts` are of lhs, rhs and accumulator."""
    dims: dict[int, Dimension] = {}
    for operand in (2, 0, 1):
        layout = layouts[operand]
        if layout is not None:
            for it, part in zip(what.sides[operand], layout.dimensions, strict=True):
                dims.setdefault(it, part)
    for it in what.roles.summed:
        dims.setdefault(it, Dimension(batch=what.extents[it]))
    return dims


def _layout_of(iterators: Iterators, dims: dict[int, Dimension]) -> NestedLayout | None:
    return NestedLayout.of_dimensions([dims[it] for it in iterators]) if all(it in dims for it in iterators) else None


TRANSFER.set(vector.ContractionOp, ContractionRule())
TRANSFER.set(vector.MultiReductionOp, MultiReductionRule())
TRANSFER.set(vector.ScanOp, ScanRule())
