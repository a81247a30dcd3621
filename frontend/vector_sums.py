"""vector.reduction is a multi_reduction, an outer product two broadcasts and a multiplication, matrix_multiply a
contraction between casts of shape."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr, dense_i64
from ..ir.core import Builder, Value
from ..ir.dialects.elementwise import NO_FASTMATH
from ..ir.dialects.longhand import broadcast, cast_shape, constant, extract, join, multiply, neutral, select
from ..ir.dialects.vector_kind import ADD, IteratorTypeAttr
from ..ir.dialects.vector_products import MatrixMultiplyOp, OuterProductOp
from ..ir.dialects.vector_reduction import ReductionOp
from ..ir.dialects.vector_reductions import ContractionOp, MultiReductionOp
from ..ir.dialects.vector_shape import FMAOp
from ..ir.types import Attribute, VectorType
from .legalisations import Place, expands


@expands(ReductionOp)
def _reduction(place: Place, op: ReductionOp) -> Sequence[Value]:
    return reduction_under(op, None, place)


def reduction_under(op: ReductionOp, mask: Value | None, build: Builder) -> Sequence[Value]:
    """What is off is what changes nothing."""
    source: Value = op.vector
    acc = op.acc or neutral(build, op.kind, op.dest.type)
    if mask is not None:
        source = select(build, mask, source, neutral(build, op.kind, source.type))
    if not op.vector.type.rank:  # upstream's multi_reduction takes none of rank 0
        return [join(build, op.kind, extract(build, source, []), acc)]
    attributes: dict[str, Attribute] = {"kind": op.kind, "reduction_dims": dense_i64([0])}
    if op.fastmath != NO_FASTMATH:
        attributes["fastmath"] = op.fastmath
    return [build.value(MultiReductionOp, source, acc, types=[op.dest.type], **attributes)]


@expands(OuterProductOp)
def _outer_product(place: Place, op: OuterProductOp) -> Sequence[Value]:
    return [outer_product(op, place)]


def outer_product(op: OuterProductOp, build: Builder) -> Value:
    """Both operands along the other's dim, multiplied and joined with the accumulator."""
    shape = op.result_.type.shape
    columns = cast_shape(build, op.lhs, (shape[0], *[1] * (len(shape) - 1)))
    lhs, rhs = broadcast(build, columns, shape), broadcast(build, op.rhs, shape)
    if op.acc is None:
        return multiply(build, lhs, rhs)
    if op.kind == ADD and op.lhs.type.element.is_float:
        return build.value(FMAOp, lhs, rhs, op.acc)
    return join(build, op.kind, multiply(build, lhs, rhs), op.acc)


@expands(MatrixMultiplyOp)
def _matrix_multiply(place: Place, op: MatrixMultiplyOp) -> Sequence[Value]:
    """Column after column, a matrix is its transpose row after row."""
    rows, inner, columns = op.lhs_rows, op.lhs_columns, op.rhs_columns
    lhs = cast_shape(place, op.lhs, (inner, rows))
    rhs = cast_shape(place, op.rhs, (columns, inner))
    element = op.lhs.type.element
    zero = -0.0 if element.is_float else 0
    start = constant(place, zero, VectorType((columns, rows), element))
    maps = ArrayAttr(tuple(AffineMapAttr(AffineMap(3, 0, (Dim(a), Dim(b)))) for a, b in ((2, 0), (1, 2), (1, 0))))
    words = ArrayAttr(tuple(IteratorTypeAttr(w) for w in ("parallel", "parallel", "reduction")))
    product = place.value(ContractionOp, lhs, rhs, start, [], indexing_maps=maps, iterator_types=words, kind=ADD)
    return [cast_shape(place, product, (columns * rows,))]
