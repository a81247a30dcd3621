"""vector: transposes permute, reductions project, contractions recombine, transfers pass layouts to their masks."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.affine import AffineMap
from ...ir.dialects import vector
from ...ir.types import VectorType, shape_of
from ..choose import recast, reshapable
from ..dimension import Dimension, LayoutError
from ..matrix import accumulator_layout, find_instruction
from ..nested import NestedLayout
from ..transfer import TRANSFER, Known, Layouts, TransferRule, is_vector


class TransposeRule(TransferRule[vector.TransposeOp]):
    def forward(self, op: vector.TransposeOp, known: Known) -> Layouts:
        source = known(op.vector)
        return [None if source is None else source.permute(op.permutation)]

    def backward(self, op: vector.TransposeOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        inverse = sorted(range(len(op.permutation)), key=op.permutation.__getitem__)
        return [None if result is None else result.permute(inverse)]


class BroadcastRule(TransferRule[vector.BroadcastOp]):
    """The source has the trailing dimensions; stretched ones are units there."""

    def backward(self, op: vector.BroadcastOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        if result is None or not is_vector(op.source):
            return [None]
        source = shape_of(op.source.type)
        lead = result.rank - len(source)
        return [result.apply([None if n == 1 else lead + i for i, n in enumerate(source)])]


class MultiReductionRule(TransferRule[vector.MultiReductionOp]):
    def forward(self, op: vector.MultiReductionOp, known: Known) -> Layouts:
        source = known(op.source)
        if source is not None:
            return [source.project(op.reduction_dims)]
        return [known(op.acc)]

    def backward(self, op: vector.MultiReductionOp, results: Layouts, known: Known) -> Layouts:
        """The source's kept dimensions are the result's; reduced ones stay as they are where lanes suffice."""
        (result,) = results
        shape, dims = shape_of(op.source.type), op.reduction_dims
        if result is None and len(dims) < len(shape):
            return [None, None]
        source = known(op.source)
        if source is None or result is None or source.project(dims) == result:
            inside = [Dimension(batch=n) for n in shape]
            wanted = source if source is not None or result is None else _rejoined(result, inside, dims)
            return [wanted, result]
        wanted = _rejoined(result, source.dimensions, dims)
        if wanted.problems(threads=known.threads, subgroup_size=known.subgroup_size):
            wanted = _rejoined(result, [Dimension(batch=n) for n in shape], dims)
        return [wanted, result]


def _rejoined(kept: NestedLayout, others: Sequence[Dimension], dims: Sequence[int]) -> NestedLayout:
    """The dimensions of `kept` in order, with those of `others` at the places `dims`."""
    rest = iter(kept.dimensions)
    return NestedLayout.of_dimensions([part if i in dims else next(rest) for i, part in enumerate(others)])


class ContractionRule(TransferRule[vector.ContractionOp]):
    """Fragments of a matrix instruction stay as they are.

    Otherwise every iteration dimension has one distribution: the accumulator's, else the lhs's, else the rhs's.
    """

    def forward(self, op: vector.ContractionOp, known: Known) -> Layouts:
        lhs, rhs, acc = (known(v) for v in (op.lhs, op.rhs, op.acc))
        if acc is not None:
            return [acc]
        if lhs is None or rhs is None:
            return [None]
        instruction = find_instruction(op, (lhs, rhs, None), known.chip) if known.whole_subgroups else None
        if instruction is not None:
            return [accumulator_layout(op, lhs, rhs, instruction)]
        recombined = _layout_of_map(op.maps[2], _iteration_dims(op, [lhs, rhs, None]))
        if recombined is None or recombined.problems(threads=known.threads, subgroup_size=known.subgroup_size):
            return [None]
        return [recombined]

    def backward(self, op: vector.ContractionOp, results: Layouts, known: Known) -> Layouts:
        lhs, rhs, acc = known(op.lhs), known(op.rhs), results[0]
        if is_vector(op.acc) and acc is None:
            return [None] * len(op.operands)
        if not known.whole_subgroups or find_instruction(op, (lhs, rhs, acc), known.chip) is None:
            lhs, rhs = _agreeing(op, _iteration_dims(op, [lhs, rhs, acc]), known)
        return [lhs, rhs, acc, *[lhs, rhs][: len(op.masks)]]


def _agreeing(op: vector.ContractionOp, dims: dict[int, Dimension], known: Known) -> Layouts:
    """Layouts of lhs and rhs in which every thread meets its factors; where lanes are short, reductions stay inside."""
    layouts = [_layout_of_map(m, dims) for m in op.maps[:2]]
    if any(x is not None and x.problems(threads=known.threads, subgroup_size=known.subgroup_size) for x in layouts):
        inside = {i: Dimension(batch=dims[i].size) for i, kind in enumerate(op.iterators) if kind == "reduction"}
        layouts = [_layout_of_map(m, {**dims, **inside}) for m in op.maps[:2]]
    return layouts


def _iteration_dims(op: vector.ContractionOp, layouts: Layouts) -> dict[int, Dimension]:
    """The distribution of each iteration dimension; `layouts` are of lhs, rhs and accumulator.

    A reduction that neither operand has decided stays inside the threads.
    """
    dims: dict[int, Dimension] = {}
    for operand in (2, 0, 1):
        layout = layouts[operand]
        if layout is not None:
            for position, dim in enumerate(op.maps[operand].result_dims() or ()):
                if dim is not None:
                    dims.setdefault(dim, layout.dimension(position))
    for dim, kind in enumerate(op.iterators):
        if kind == "reduction":
            dims.setdefault(dim, Dimension(batch=op.iterator_extents[dim]))
    return dims


def _layout_of_map(map: AffineMap, dims: dict[int, Dimension]) -> NestedLayout | None:
    results = map.result_dims() or ()
    if any(d is None or d not in dims for d in results):
        return None
    return NestedLayout.of_dimensions([dims[d] for d in results if d is not None])


class ShapeCastRule(TransferRule[vector.ShapeCastOp]):
    """No data move. Where the source's layout cannot be read in the new shape, another is chosen that can."""

    def forward(self, op: vector.ShapeCastOp, known: Known) -> Layouts:
        source, shape = known(op.source), shape_of(op.result_.type)
        if source is None:
            return [None]
        try:
            return [recast(source, shape)]
        except LayoutError:
            return [recast(reshapable(op, known.threads), shape)]

    def backward(self, op: vector.ShapeCastOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        return [None if result is None else recast(result, shape_of(op.source.type))]


class ExtractRule(TransferRule[vector.ExtractOp]):
    """The leading dimensions are brought into every thread; the rest keeps its distribution."""

    def forward(self, op: vector.ExtractOp, known: Known) -> Layouts:
        source = known(op.source)
        if source is None or not is_vector(op.result_):
            return [None]
        return [source.project(range(len(op.static_position)))]

    def backward(self, op: vector.ExtractOp, results: Layouts, known: Known) -> Layouts:
        assert isinstance(op.source.type, VectorType)
        lead = [Dimension(batch=n) for n in op.source.type.shape[: len(op.static_position)]]
        if is_vector(op.result_):
            (result,) = results
            if result is None:
                return [None] * len(op.operands)
            lead += result.dimensions
        return [NestedLayout.of_dimensions(lead), *[None] * len(op.dynamic_position)]


class InsertRule(TransferRule[vector.InsertOp]):
    def forward(self, op: vector.InsertOp, known: Known) -> Layouts:
        return [known(op.dest)]

    def backward(self, op: vector.InsertOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        lead = range(len(op.static_position))
        value = result.project(lead) if result is not None and is_vector(op.value) else None
        return [value, result, *[None] * len(op.dynamic_position)]


class TransferReadRule(TransferRule[vector.TransferReadOp]):
    def backward(self, op: vector.TransferReadOp, results: Layouts, known: Known) -> Layouts:
        mask = [] if op.mask is None else [mask_layout(op.map, results[0])]
        return [*[None] * (2 + len(op.indices)), *mask]


class TransferWriteRule(TransferRule[vector.TransferWriteOp]):
    def backward(self, op: vector.TransferWriteOp, results: Layouts, known: Known) -> Layouts:
        mask = [] if op.mask is None else [mask_layout(op.map, known(op.value))]
        return [*[None] * (2 + len(op.indices)), *mask]


def mask_layout(map: AffineMap, layout: NestedLayout | None) -> NestedLayout | None:
    """A transfer's mask is in memory order, without the broadcast dimensions; one element where nothing is left."""
    if layout is None:
        return None
    return layout.apply(mask_dims(map)) if mask_dims(map) else NestedLayout.of_dimensions([Dimension()])


def mask_dims(map: AffineMap) -> list[int]:
    """For every dimension of a transfer's mask, the vector dimension it belongs to."""
    dims = map.result_dims() or ()
    return [i for i, d in sorted(enumerate(dims), key=lambda p: -1 if p[1] is None else p[1]) if d is not None]


TRANSFER.set(vector.TransposeOp, TransposeRule())
TRANSFER.set(vector.BroadcastOp, BroadcastRule())
TRANSFER.set(vector.MultiReductionOp, MultiReductionRule())
TRANSFER.set(vector.ContractionOp, ContractionRule())
TRANSFER.set(vector.ShapeCastOp, ShapeCastRule())
TRANSFER.set(vector.ExtractOp, ExtractRule())
TRANSFER.set(vector.InsertOp, InsertRule())
TRANSFER.set(vector.TransferReadOp, TransferReadRule())
TRANSFER.set(vector.TransferWriteOp, TransferWriteRule())
for _flexible in (vector.StepOp, vector.CreateMaskOp, vector.ConstantMaskOp):
    TRANSFER.set(_flexible, TransferRule())
TRANSFER.needless(
    "thread-level operation: it appears after distribution",
    vector.LoadOp,
    vector.StoreOp,
    vector.MaskedLoadOp,
    vector.MaskedStoreOp,
    vector.FromElementsOp,
    vector.ToElementsOp,
)
