"""gpu's matrices of a subgroup are vectors, whose layouts the matrix instructions of the chip decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, scalar_attr
from ..ir.core import Operation, Value
from ..ir.define import is_vector
from ..ir.dialects import arith, vector
from ..ir.dialects.longhand import broadcast
from ..ir.dialects.memref import memref_type
from ..ir.dialects.memref_views import Mixed
from ..ir.dialects.ub import PoisonOp
from ..ir.kernels import Kernel
from ..ir.types import I1, MemRefType, StridedLayout, VectorType
from ..support.dataclasses import dataclass
from .affine import number
from .dialects.gpu_matrices import (
    ComputeOp,
    ConstantMatrixOp,
    LoadMatrixOp,
    MatrixAccess,
    MatrixElementwiseOp,
    MMAMatrixType,
    OfMatrices,
    StoreMatrixOp,
)
from .dma import sum_of
from .legalisations import Place, expands, refuse, values_of
from .reinterpreted import metadata, reinterpreted, times


def make_vectors(kernel: Kernel) -> None:
    """Gives every matrix of a kernel the type of a vector, in place. Raises CompileError where a thread has matrices,
    and for elements that memory has otherwise."""
    for op in kernel.op.walk():
        if isinstance(op, OfMatrices):
            _check(kernel, op)
            op.attributes |= {
                name: UnitAttr() for name, marked in zip(_UNSIGNED, op.unsigned(), strict=False) if marked
            }
    for value in values_of(kernel.op):
        if isinstance(value.type, MMAMatrixType):
            value.type = value.type.vector


def _check(kernel: Kernel, op: OfMatrices) -> None:
    if kernel.scope == "thread":
        message = "is of a subgroup's matrices, in the program of a thread"
        raise refuse(op, message, 'lanewise.scope = "subgroup" makes it the program of a subgroup')
    moved = op.moved()
    if moved is not None and moved[0].element != moved[1].vector.element:
        found = f"moves elements of {moved[1].element} as {moved[0].element}"
        raise refuse(op, f"{found}: lanewise moves elements as they are")


_UNSIGNED = ("lanewise.unsigned_lhs", "lanewise.unsigned_rhs")


# -- memory -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Window:
    """A view of where a matrix lies, in memory's order, and the map from it to rows and columns."""

    view: Value
    order: AffineMapAttr
    inside: ArrayAttr


def _window(place: Place, memory: Value, type: VectorType, op: MatrixAccess) -> _Window:
    offset, _, strides = metadata(place, memory)
    for index, stride in zip(op.indices, strides, strict=True):
        offset = sum_of(place, offset, times(place, index, stride))
    exchanged, lead = op.transpose is not None, op.leadDimension.value
    shape = type.shape[::-1] if exchanged else type.shape
    whole = memref_type(memory)
    seen = MemRefType(shape, whole.element, StridedLayout((lead, 1), None), whole.memory_space)
    sizes: list[Mixed] = [*shape]
    view = reinterpreted(place, memory, seen, offset, sizes, [lead, 1])
    order = (Dim(1), Dim(0)) if exchanged else (Dim(0), Dim(1))
    return _Window(view, AffineMapAttr(AffineMap(2, 0, order)), ArrayAttr((IntegerAttr(1, I1),) * 2))


@expands(LoadMatrixOp)
def _load(place: Place, op: LoadMatrixOp) -> Sequence[Value]:
    type = _vector_type(op.matrix)
    window = _window(place, op.source, type, op)
    padding, no_mask = place.value(PoisonOp, types=[type.element]), list[Value]()
    zeros = [_zero(place)] * 2
    operands = (window.view, zeros, padding, no_mask)
    read = place.op(
        vector.TransferReadOp, *operands, types=[type], permutation_map=window.order, in_bounds=window.inside
    )
    return read.results


@expands(StoreMatrixOp)
def _store(place: Place, op: StoreMatrixOp) -> Sequence[Value]:
    window = _window(place, op.target, _vector_type(op.matrix), op)
    operands = (op.matrix, window.view, [_zero(place)] * 2, list[Value]())
    return place.op(
        vector.TransferWriteOp, *operands, types=[], permutation_map=window.order, in_bounds=window.inside
    ).results


def _zero(place: Place) -> Value:
    return number(place, 0)


def _vector_type(value: Value) -> VectorType:
    assert is_vector.admits(value)
    return value.type


# -- arithmetic -------------------------------------------------------------------------------------------------------


@expands(ComputeOp)
def _compute(place: Place, op: ComputeOp) -> Sequence[Value]:
    rows, columns, summed = Dim(0), Dim(1), Dim(2)
    maps = [AffineMap(3, 0, results) for results in ((rows, summed), (summed, columns), (rows, columns))]
    kinds = ArrayAttr(tuple(map(StringAttr, ("parallel", "parallel", "reduction"))))
    product = place.op(
        vector.ContractionOp,
        *(op.a, op.b, op.c, list[Value]()),
        indexing_maps=ArrayAttr(tuple(map(AffineMapAttr, maps))),
        iterator_types=kinds,
    )
    product.attributes.update({name: op.attributes[name] for name in _UNSIGNED if name in op.attributes})
    return product.results


@expands(ConstantMatrixOp)
def _constant(place: Place, op: ConstantMatrixOp) -> Sequence[Value]:
    return [broadcast(place, op.value, _vector_type(op.matrix).shape)]


@expands(MatrixElementwiseOp)
def _elementwise(place: Place, op: MatrixElementwiseOp) -> Sequence[Value]:
    type, kind = _vector_type(op.matrix), op.opType.value
    if kind == "negates":
        zero = place.value(arith.ConstantOp, value=scalar_attr(0, type))
        return [place.value(arith.SubIOp, zero, *op.args)]
    return place.op(_ELEMENTWISE[kind], *op.args, types=[type]).results


_ELEMENTWISE: Mapping[str, type[Operation]] = {
    "addf": arith.AddFOp,
    "subf": arith.SubFOp,
    "mulf": arith.MulFOp,
    "divf": arith.DivFOp,
    "maxf": arith.MaximumFOp,
    "minf": arith.MinimumFOp,
    "negatef": arith.NegFOp,
    "extf": arith.ExtFOp,
    "truncf": arith.TruncFOp,
    "addi": arith.AddIOp,
    "subi": arith.SubIOp,
    "muli": arith.MulIOp,
    "divs": arith.DivSIOp,
    "divu": arith.DivUIOp,
}
"""As upstream lowers them: of two numbers with a NaN the larger and the smaller are NaN."""
