"""affine: loops, branches and accesses, whose maps become operations on index values."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.affine import AffineExpr, AffineMap, AffineMapAttr, Constant, Dim, Symbol
from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.core import Builder, Region, Value
from ..ir.dialects import affine, arith, memref, scf, vector
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.memref import memref_type
from ..ir.dialects.memref_buffers import PrefetchOp
from ..ir.dialects.ub import PoisonOp
from ..ir.types import I1, INDEX, element_type, shape_of
from .dialects.affine_loops import AffineForOp, AffineIfOp, AffineYieldOp
from .dialects.affine_memory import (
    AffineAccess,
    AffineLoadOp,
    AffinePrefetchOp,
    AffineStoreOp,
    AffineVectorLoadOp,
    AffineVectorStoreOp,
)
from .legalisations import EXPAND, Place, end_anew, expands

EXPAND.needless("ends a region of an affine loop or branch, which is expanded", AffineYieldOp)


def number(build: Builder, value: int) -> Value:
    return build.value(arith.ConstantOp, types=[INDEX], value=IntegerAttr(value, INDEX))


def expression(build: Builder, expr: AffineExpr, dims: Sequence[Value], symbols: Sequence[Value]) -> Value:
    """An affine expression of values, as a value."""
    match expr:
        case Constant(value):
            return number(build, value)
        case Dim(index):
            return dims[index]
        case Symbol(index):
            return symbols[index]
        case _:
            map = AffineMapAttr(AffineMap(len(dims), len(symbols), (expr,)))
            return build.value(affine.ApplyOp, [*dims, *symbols], map=map)


def values_of(build: Builder, map: AffineMap, operands: Sequence[Value]) -> list[Value]:
    """The results of a map."""
    dims, symbols = operands[: map.dims], operands[map.dims :]
    return [expression(build, expr, dims, symbols) for expr in map.results]


def bound(build: Builder, map: AffineMap, operands: Sequence[Value], several: type[affine.MapOp]) -> Value:
    """The only result, else what `several` makes of all."""
    if len(map.results) == 1:
        return values_of(build, map, operands)[0]
    return build.value(several, operands, map=AffineMapAttr(map))


@expands(AffineForOp)
def _for(place: Place, op: AffineForOp) -> Sequence[Value]:
    lower = bound(place, op.lowerBoundMap.map, op.lowerBoundOperands, affine.MaxOp)
    upper = bound(place, op.upperBoundMap.map, op.upperBoundOperands, affine.MinOp)
    step = number(place, op.step.value)
    end_anew(op.body, scf.YieldOp)
    body = op.regions.pop()
    return place.op(scf.ForOp, lower, upper, step, op.inits, regions=[body]).results


@expands(AffineIfOp)
def _if(place: Place, op: AffineIfOp) -> Sequence[Value]:
    condition = _holds(place, op)
    for block in filter(None, (op.then_region.block, op.else_block)):
        end_anew(block, scf.YieldOp)
    otherwise = op.regions.pop() if op.else_block is not None else Region()
    then = op.regions.pop(0)
    return place.op(scf.IfOp, condition, types=[r.type for r in op.results], regions=[then, otherwise]).results


def _holds(place: Place, op: AffineIfOp) -> Value:
    """Whether all constraints do."""
    set, zero = op.condition.set, number(place, 0)
    dims, symbols = op.operands_[: set.dims], op.operands_[set.dims :]
    all_hold: Value | None = None
    for expr, equal in zip(set.constraints, set.equalities, strict=True):
        value = expression(place, expr, dims, symbols)
        predicate = IntegerPredicateAttr("eq" if equal else "sge")
        holds = place.value(arith.CmpIOp, value, zero, predicate=predicate)
        all_hold = holds if all_hold is None else place.value(arith.AndIOp, all_hold, holds)
    if all_hold is None:
        return place.value(arith.ConstantOp, types=[I1], value=IntegerAttr(1, I1))
    return all_hold


def _indices(place: Place, op: AffineAccess) -> list[Value]:
    return values_of(place, op.map.map, op.indices)


@expands(AffineLoadOp)
def _load(place: Place, op: AffineLoadOp) -> Sequence[Value]:
    return place.op(memref.LoadOp, op.memref, _indices(place, op), types=[op.moved.type]).results


@expands(AffineStoreOp)
def _store(place: Place, op: AffineStoreOp) -> Sequence[Value]:
    return place.op(memref.StoreOp, op.moved, op.memref, _indices(place, op)).results


@expands(AffinePrefetchOp)
def _prefetch(place: Place, op: AffinePrefetchOp) -> Sequence[Value]:
    indices = values_of(place, op.map.map, op.indices)
    how = {"isWrite": op.isWrite, "localityHint": op.localityHint, "isDataCache": op.isDataCache}
    return place.append(PrefetchOp([op.memref, *indices], (), how, location=op)).results


def _everywhere(op: AffineAccess) -> tuple[AffineMapAttr, ArrayAttr]:
    """The map and the promise of a transfer that is nowhere outside."""
    rank = len(shape_of(op.moved.type))
    map = AffineMap.minor_identity(memref_type(op.memref).rank, rank)
    return AffineMapAttr(map), ArrayAttr(tuple(IntegerAttr(1, I1) for _ in range(rank)))


@expands(AffineVectorLoadOp)
def _vector_load(place: Place, op: AffineVectorLoadOp) -> Sequence[Value]:
    """A transfer, since layouts are chosen for these."""
    padding = place.value(PoisonOp, types=[element_type(op.moved.type)])
    operands = (op.memref, _indices(place, op), padding, list[Value]())
    map, inside = _everywhere(op)
    types = [op.moved.type]
    return place.op(vector.TransferReadOp, *operands, types=types, permutation_map=map, in_bounds=inside).results


@expands(AffineVectorStoreOp)
def _vector_store(place: Place, op: AffineVectorStoreOp) -> Sequence[Value]:
    operands = (op.moved, op.memref, _indices(place, op), list[Value]())
    map, inside = _everywhere(op)
    return place.op(vector.TransferWriteOp, *operands, types=[], permutation_map=map, in_bounds=inside).results
