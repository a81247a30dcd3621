"""vector: transposes permute, reductions project, contractions recombine, transfers pass layouts to their masks."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ...ir.affine import AffineMap
from ...ir.core import Operation, Value
from ...ir.dialects import ub, vector
from ...ir.dialects.vector_transfer import TransferOp
from ...ir.types import bit_width, element_type, memory_bits, shape_of
from ..coalescing import Memory, coalesced, cycles, layouts, transposing
from ..dimension import Dimension, LayoutError
from ..nested import NestedLayout
from ..transfer import TRANSFER, AnyRule, Assignment, Known, Layouts, TransferRule, is_vector
from .moves import MoveRule, spread

_ACCESS_BITS = 128


class TransposeRule(TransferRule[vector.TransposeOp]):
    carries_any = True

    def forward(self, op: vector.TransposeOp, known: Known) -> Layouts:
        source = known(op.vector)
        return [None if source is None else source.permute(op.permutation)]

    def backward(self, op: vector.TransposeOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        inverse = sorted(range(len(op.permutation)), key=op.permutation.__getitem__)
        return [None if result is None else result.permute(inverse)]


class BroadcastRule(TransferRule[vector.BroadcastOp]):
    """The source has the trailing dimensions; stretched ones are units there."""

    carries_any = True

    def backward(self, op: vector.BroadcastOp, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        if result is None or not is_vector(op.source):
            return [None]
        source = shape_of(op.source.type)
        lead = result.rank - len(source)
        return [result.apply([None if n == 1 else lead + i for i, n in enumerate(source)])]


class ShapeCastRule(MoveRule):
    """No data move where the source's layout, or another, can be read in the new shape; else any two layouts do."""

    def alternatives(self, op: Operation, results: Layouts, known: Known) -> Iterable[Assignment]:
        try:
            return list(TransferRule[Operation].alternatives(self, op, results, known))
        except LayoutError:
            return super().alternatives(op, results, known)

    def forward(self, op: Operation, known: Known) -> Layouts:
        source, shape = known(op.operands[0]), shape_of(op.results[0].type)
        if source is None:
            return [None]
        try:
            return [recast(source, shape)]
        except LayoutError:
            other = reshapable(op, known.threads)
            if other.threads_used < min(2, known.threads):
                raise
            return [recast(other, shape)]

    def backward(self, op: Operation, results: Layouts, known: Known) -> Layouts:
        (result,) = results
        return [None if result is None else recast(result, shape_of(op.operands[0].type))]


class BitCastRule(TransferRule[vector.BitCastOp]):
    """All bits of an element of the wider type are in one thread."""

    joins = 3

    def own(self, op: vector.BitCastOp, known: Known) -> Iterable[Assignment]:
        wide = _is_wider(op.source, op.result_)
        layout = spread((op.source if wide else op.result_).type, known.workgroup)
        cut = _cut(layout, op.ratio)
        yield ([layout], [cut]) if wide else ([cut], [layout])

    def alternatives(self, op: vector.BitCastOp, results: Layouts, known: Known) -> Iterable[Assignment]:
        source, result = known(op.source), results[0]
        try:
            return [([_other(op, op.result_, result)], [result])] if result else self._forward(op, source)
        except LayoutError:
            return []

    def _forward(self, op: vector.BitCastOp, source: NestedLayout | None) -> Iterable[Assignment]:
        return [] if source is None else [([source], [_other(op, op.source, source)])]

    def backward(self, op: vector.BitCastOp, results: Layouts, known: Known) -> Layouts:
        return [None if results[0] is None else _other(op, op.result_, results[0])]


def _is_wider(value: Value, other: Value) -> bool:
    return bit_width(element_type(value.type)) > bit_width(element_type(other.type))


def _other(op: vector.BitCastOp, value: Value, layout: NestedLayout) -> NestedLayout:
    """The layout of the other side of a bitcast, given that of `value`."""
    other = op.source if value is op.result_ else op.result_
    return _joined(layout, op.ratio) if _is_wider(other, value) else _cut(layout, op.ratio)


def _cut(layout: NestedLayout, ratio: int) -> NestedLayout:
    """Each element of the last dimension cut into some."""
    if ratio == 1:
        return layout
    *first, last = layout.dimensions
    return NestedLayout.of_dimensions([*first, last._replace(element=last.element * ratio)])


def _joined(layout: NestedLayout, ratio: int) -> NestedLayout:
    *first, last = layout.dimensions
    if last.element % ratio:
        raise LayoutError(f"threads hold {last.element} neighbours, no whole number of elements made of {ratio}")
    return NestedLayout.of_dimensions([*first, last._replace(element=last.element // ratio)])


def in_thread(shape: tuple[int, ...]) -> NestedLayout:
    """Every thread holds the whole vector."""
    return NestedLayout.of_dimensions([Dimension(element=n) for n in shape])


def recast(layout: NestedLayout, shape: tuple[int, ...]) -> NestedLayout:
    """The same elements in the same threads, read in another shape. Raises LayoutError where no layout says that."""
    if shape == layout.shape:
        return layout
    return in_thread(shape) if layout.threads_used == 1 else layout.reshape(shape)


def reshapable(op: Operation, threads: int) -> NestedLayout:
    """A layout for the source of a shape_cast that can be read in the shape of its result."""
    source, result = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    bits = memory_bits(element_type(op.operands[0].type))
    while bits <= _ACCESS_BITS:
        try:
            layout = recast(coalesced((prod(source),), threads, _ACCESS_BITS // bits), source)
            recast(layout, result)
        except LayoutError:
            bits *= 2
        else:
            return layout
    return in_thread(source)


class TransferReadRule(TransferRule[vector.TransferReadOp]):
    def own(self, op: vector.TransferReadOp, known: Known) -> Iterable[Assignment]:
        for layout in layouts(_memory(op, known), known.workgroup):
            yield self.backward(op, [layout], known), [layout]

    def backward(self, op: vector.TransferReadOp, results: Layouts, known: Known) -> Layouts:
        mask = [] if op.mask is None else [mask_layout(op.map, results[0])]
        return [*[None] * (2 + len(op.indices)), *mask]

    def memory(self, op: vector.TransferReadOp, known: Known) -> Memory:
        return _memory(op, known)

    def work(self, op: vector.TransferReadOp, operands: Layouts, results: Layouts, known: Known) -> int:
        """Nothing, where an instruction reads it by itself."""
        if results[0] is None or not results[0].is_held:
            return 0
        return cycles(_memory(op, known), results[0], known.workgroup)


class TransferWriteRule(TransferRule[vector.TransferWriteOp]):
    def own(self, op: vector.TransferWriteOp, known: Known) -> Iterable[Assignment]:
        for layout in layouts(_memory(op, known), known.workgroup):
            yield self._taking(op, layout), ()

    def alternatives(self, op: vector.TransferWriteOp, results: Layouts, known: Known) -> Iterable[Assignment]:
        yield self.backward(op, results, known), results
        given = known(op.value)
        for layout in () if given is None else transposing(_memory(op, known), given):
            yield self._taking(op, layout), results

    def backward(self, op: vector.TransferWriteOp, results: Layouts, known: Known) -> Layouts:
        return self._taking(op, known(op.value))

    def _taking(self, op: vector.TransferWriteOp, layout: NestedLayout | None) -> Layouts:
        mask = [] if op.mask is None else [mask_layout(op.map, layout)]
        return [layout, *[None] * (1 + len(op.indices)), *mask]

    def memory(self, op: vector.TransferWriteOp, known: Known) -> Memory:
        return _memory(op, known)

    def work(self, op: vector.TransferWriteOp, operands: Layouts, results: Layouts, known: Known) -> int:
        return 0 if operands[0] is None else cycles(_memory(op, known), operands[0], known.workgroup)


def _memory(op: TransferOp, known: Known) -> Memory:
    def learn() -> Memory:
        written = isinstance(op, vector.TransferWriteOp)
        return Memory.of(op, op.memref, op.indices, known.divisibility, mask=op.mask, written=written)

    return known.once(op, learn)


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
TRANSFER.set(vector.ShapeCastOp, ShapeCastRule())
TRANSFER.set(vector.BitCastOp, BitCastRule())
TRANSFER.set(vector.TransferReadOp, TransferReadRule())
TRANSFER.set(vector.TransferWriteOp, TransferWriteRule())
TRANSFER.of(ub.PoisonOp, vector.StepOp, vector.CreateMaskOp, vector.ConstantMaskOp)(AnyRule())
