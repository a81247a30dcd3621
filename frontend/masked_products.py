"""Contractions under masks are contractions of all, with zeros where nothing is summed, where a mask comes apart into
those of rows and columns, and those of what is summed; else their products are taken one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..ir.attributes import dense_i64
from ..ir.core import Builder, Operation, Value
from ..ir.define import is_vector
from ..ir.dialects import arith
from ..ir.dialects.longhand import broadcast, cast_shape, constant, multiply, neutral, select, transpose
from ..ir.dialects.vector_kind import ADD
from ..ir.dialects.vector_masks import BoxOp
from ..ir.dialects.vector_reductions import ContractionOp, MultiReductionOp, extension
from ..ir.dialects.vector_shape import BroadcastOp, TransposeOp
from ..ir.types import VectorType, element_type, shape_of
from ..support.named_tuples import NamedTuple
from .legalisations import Place, expands


@expands(ContractionOp, below=True)
def _with_own_masks(place: Place, op: ContractionOp) -> Sequence[Value] | None:
    """Sums with masks of their own are those of all, with zeros where nothing is summed."""
    if not op.masks or op.kind != ADD:
        return None
    found: list[Factor] = []
    for mask, dims in zip(op.masks, op.iterator_dims, strict=False):
        found += factors(mask, dims, op.iterator_dims[2], place)
    total = _with_zeros(op, found, place)
    return None if total is None else [total]


def contraction_under(op: ContractionOp, mask: Value, build: Builder) -> Sequence[Value]:
    """Sums under a mask of places and of what is summed are sums of all, with zeros where nothing is summed. For
    other kinds a box is a box of each operand; of any other mask the products are taken one by one."""
    found = list(factors(mask, range(len(op.iterator_extents)), op.iterator_dims[2], build))
    if op.kind == ADD and (total := _with_zeros(op, found, build)) is not None:
        return [total]
    if isinstance(box := mask.operation, BoxOp):
        masks = [box.projected(dims, build) for dims in op.iterator_dims[:2]]
        return build.append(ContractionOp([*op.operands, *masks], [op.result_.type], op.attributes)).results
    operands = zip((op.lhs, op.rhs), op.iterator_dims, op.unsigned, strict=False)
    unrolled = [_unrolled(op, *operand, build) for operand in operands]
    off = neutral(build, op.kind, VectorType(op.iterator_extents, element_type(op.acc.type)))
    return [_summed(op, select(build, mask, multiply(build, *unrolled), off), build)]


def _with_zeros(op: ContractionOp, found: Sequence[Factor], build: Builder) -> Value | None:
    """None where a factor of the mask is neither one of places nor of what is summed. Of integers one operand's
    zero makes a product zero; floats need both, the other's elements being what they are, and a negative one
    changes no sum."""
    extents, places = op.iterator_extents, op.iterator_dims[2]
    operands: list[Value] = [op.lhs, op.rhs]
    needed = 2 if element_type(op.acc.type).is_float else 1
    inside = [f for f in found if not set(f.dims) <= set(places)]
    for factor in inside:
        sides = [side for side in (0, 1) if set(factor.dims) <= set(op.iterator_dims[side])]
        if len(sides) < needed:
            return None
        for side in sides:
            zero = constant(build, 0.0 if side else -0.0, operands[side].type)
            on = _along(factor, op.iterator_dims[side], extents, build)
            operands[side] = select(build, on, operands[side], zero)
    total: Value = build.append(ContractionOp([*operands, op.acc], [op.result_.type], op.attributes)).result_
    for factor in found:
        if factor not in inside:
            total = select(build, _along(factor, places, extents, build), total, op.acc)
    return total


def _unrolled(op: ContractionOp, value: Value, dims: Sequence[int], unsigned: bool, build: Builder) -> Value:
    """An operand, extended, with an element for each product."""
    element = element_type(op.acc.type)
    if element_type(value.type) != element:
        value = build.value(extension(element, unsigned), value, types=[VectorType(shape_of(value.type), element)])
    ordered = transpose(build, value, sorted(range(len(dims)), key=dims.__getitem__))
    shape = [extent if it in dims else 1 for it, extent in enumerate(op.iterator_extents)]
    return broadcast(build, cast_shape(build, ordered, shape), op.iterator_extents)


def _summed(op: ContractionOp, products: Value, build: Builder) -> Value:
    """Joined over the reduction iterators, and with the accumulator, in the order of its dims."""
    dims = op.iterator_dims[2]
    acc: Value = op.acc
    if is_vector.admits(acc):
        acc = transpose(build, acc, sorted(range(len(dims)), key=dims.__getitem__))
    attributes = {"kind": op.kind, "reduction_dims": dense_i64(op.roles.summed)}
    total: Value = build.append(MultiReductionOp([products, acc], [acc.type], attributes)).dest
    return transpose(build, total, [sorted(dims).index(d) for d in dims]) if dims else total


# -- masks ------------------------------------------------------------------------------------------------------------


class Factor(NamedTuple):
    """A mask along some iterators, `dims` in the order of its dimensions."""

    dims: tuple[int, ...]
    mask: Value


def factors(mask: Value, dims: Sequence[int], kept: Sequence[int], build: Builder) -> Iterator[Factor]:
    """Masks that are on together where `mask` is, whose dimensions are the iterators `dims`. Of a box, what is along
    `kept` iterators stays together, and so does the rest; what is on everywhere is left out."""
    op = mask.operation
    if isinstance(op, BoxOp):
        for group in ([d for d in dims if d in kept], [d for d in dims if d not in kept]):
            at = [dims.index(d) for d in group]
            if not op.covers(at):
                yield Factor(tuple(group), op.projected(at, build))
        return
    parts = None if op is None or type(op) not in _PARTS else _PARTS[type(op)](op, dims)
    if parts is None:
        yield Factor(tuple(dims), mask)
    for part in parts or ():
        yield from factors(part.mask, part.dims, kept, build)


def _both(op: arith.AndIOp, dims: Sequence[int]) -> list[Factor]:
    return [Factor(tuple(dims), op.lhs), Factor(tuple(dims), op.rhs)]


def _permuted(op: TransposeOp, dims: Sequence[int]) -> list[Factor]:
    return [Factor(tuple(dims[op.permutation.index(d)] for d in range(len(dims))), op.vector)]


def _repeated(op: BroadcastOp, dims: Sequence[int]) -> list[Factor] | None:
    """Along leading dimensions; what stretches others is no factor of fewer."""
    source, whole = shape_of(op.source.type), op.vector.type.shape
    new = len(whole) - len(source)
    return [Factor(tuple(dims[new:]), op.source)] if whole[new:] == source else None


_PARTS: dict[type[Operation], Callable[[Any, Sequence[int]], list[Factor] | None]] = {
    arith.AndIOp: _both,
    TransposeOp: _permuted,
    BroadcastOp: _repeated,
}
"""By the operation that makes a mask: the masks that it is made of, None where it is not so."""


def _along(factor: Factor, dims: Sequence[int], extents: Sequence[int], build: Builder) -> Value:
    """A factor with an element for each place of the iterators `dims`, among which its own are."""
    order = [*(d for d in dims if d not in factor.dims), *factor.dims]
    full = broadcast(build, factor.mask, [extents[d] for d in order])
    return full if order == list(dims) else transpose(build, full, [order.index(d) for d in dims])
