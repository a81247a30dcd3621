"""iree_linalg_ext.map_store: its region is computed for all elements at once, and says where a scatter puts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.affine import AffineExpr, AffineMap, AffineMapAttr, Binary, Constant, Dim, Symbol
from ..ir.attributes import ArrayAttr
from ..ir.cloning import clone
from ..ir.core import Block, Operation, Value
from ..ir.define import is_vector
from ..ir.dialects import affine, arith
from ..ir.dialects.constants import constant_int
from ..ir.dialects.indexed_transfers import TransferScatterOp
from ..ir.dialects.longhand import broadcast, cast_shape
from ..ir.dialects.vector_shape import StepOp
from ..ir.types import INDEX, VectorType, element_type
from .affine import number
from .dialects.iree_linalg_ext import MapStoreOp, YieldOp
from .legalisations import EXPAND, Place, expands, refuse

EXPAND.needless("ends the region of iree_linalg_ext.map_store, which is expanded", YieldOp)


@expands(MapStoreOp)
def _map_store(place: Place, op: MapStoreOp) -> Sequence[Value]:
    region = AllIndices(place, op.body, op.input.type.shape)
    *places, mask = region.results
    rank, zero = op.input.type.rank, number(place, 0)
    offsets: list[Value] = []
    vectors: list[Value] = []
    along: list[AffineExpr] = []
    for value, dim in zip(places, region.dims, strict=True):
        differs = is_vector.admits(value)
        offsets.append(zero if differs else value)
        if dim is not None and Dim(dim) not in along:
            along.append(Dim(dim))
        elif differs:
            along.append(Symbol(len(vectors)))
            vectors.append(value)
        else:
            along.append(Constant(0))
    always = constant_int(mask) not in (None, 0)
    masks = [] if always else [broadcast(place, mask, op.input.type.shape)]
    each = tuple(Dim(d) for d in range(rank))
    maps = [tuple(along), *[each] * (len(vectors) + len(masks))]
    attribute = ArrayAttr(tuple(AffineMapAttr(AffineMap(rank, len(vectors), results)) for results in maps))
    operands = (op.output, op.input, offsets, vectors, masks)
    return place.op(TransferScatterOp, *operands, types=[], indexing_maps=attribute).results


class AllIndices:
    """What a region makes of all indices: a scalar where it is the same for all elements, else a vector."""

    def __init__(self, place: Place, body: Block, shape: tuple[int, ...]) -> None:
        self.place, self.shape = place, shape
        self.values: dict[Value, Value] = {a: self._counted(d) for d, a in enumerate(body.arguments)}
        *operations, last = body.operations
        for inner in operations:
            self._operation(inner)
        self.results = [self._of(v) for v in last.operands]
        arguments = body.arguments
        self.dims = [arguments.index(v) if v in arguments else None for v in last.operands[:-1]]
        """For each dimension of the memref, the vector's dim that moves along it, where one does."""

    def _of(self, value: Value) -> Value:
        return self.values.get(value, value)

    def _counted(self, dim: int) -> Value:
        extent = self.shape[dim]
        steps = self.place.value(StepOp, types=[VectorType((extent,), INDEX)])
        lined = cast_shape(self.place, steps, [extent if d == dim else 1 for d in range(len(self.shape))])
        return broadcast(self.place, lined, self.shape)

    def _operation(self, op: Operation) -> None:
        operands = [self._of(v) for v in op.operands]
        if not any(map(is_vector.admits, operands)):
            self.place.append(clone(op, self.values))
            return
        rule = _AFFINE.get(type(op))
        if rule is not None:
            found = rule(self, op, operands)
        elif op.elementwise:
            types = [VectorType(self.shape, element_type(r.type)) for r in op.results]
            wide = [broadcast(self.place, v, self.shape) for v in operands]
            found = self.place.append(type(op)(wide, types, op.attributes, location=op)).results
        else:
            around = op.enclosing()
            where = "a region" if around is None else around.opname
            raise refuse(op, f"is computed of an element's indices in {where}", "use arith and affine")
        self.values.update(zip(op.results, found, strict=True))

    def binary(self, cls: type[Operation], a: Value, b: Value) -> Value:
        """An operation on two indices; its result is a vector where one of the two is."""
        if is_vector.admits(a) or is_vector.admits(b):
            a, b = (broadcast(self.place, v, self.shape) for v in (a, b))
        return self.place.value(cls, a, b)

    def modulo(self, a: Value, b: Value) -> Value:
        """From 0 to b - 1."""
        whole = self.binary(arith.MulIOp, self.binary(arith.FloorDivSIOp, a, b), b)
        return self.binary(arith.SubIOp, a, whole)

    def expression(self, expr: AffineExpr, dims: Sequence[Value], symbols: Sequence[Value]) -> Value:
        match expr:
            case Constant(value):
                return number(self.place, value)
            case Dim(index):
                return dims[index]
            case Symbol(index):
                return symbols[index]
            case Binary(operator, lhs, rhs):
                a, b = (self.expression(e, dims, symbols) for e in (lhs, rhs))
                return self.modulo(a, b) if operator == "mod" else self.binary(_OPERATORS[operator], a, b)
            case _:
                raise AssertionError(expr)

    def map_results(self, op: affine.MapOp, operands: Sequence[Value]) -> list[Value]:
        map = op.map.map
        return [self.expression(e, operands[: map.dims], operands[map.dims :]) for e in map.results]

    def basis(self, static: Sequence[int | None], dynamic: Sequence[Value]) -> list[Value]:
        given = iter(dynamic)
        return [next(given) if n is None else number(self.place, n) for n in static]


_OPERATORS: Mapping[str, type[Operation]] = {
    "+": arith.AddIOp,
    "*": arith.MulIOp,
    "floordiv": arith.FloorDivSIOp,
    "ceildiv": arith.CeilDivSIOp,
}


def _apply(region: AllIndices, op: affine.ApplyOp, operands: Sequence[Value]) -> list[Value]:
    return region.map_results(op, operands)


def _extreme(cls: type[Operation]) -> Callable[[AllIndices, affine.MapOp, Sequence[Value]], list[Value]]:
    def rule(region: AllIndices, op: affine.MapOp, operands: Sequence[Value]) -> list[Value]:
        total, *others = region.map_results(op, operands)
        for value in others:
            total = region.binary(cls, total, value)
        return [total]

    return rule


def _linearize(region: AllIndices, op: affine.LinearizeIndexOp, operands: Sequence[Value]) -> list[Value]:
    count = len(op.multi_index)
    basis = region.basis(op.static_basis, operands[count:])
    total, *others = operands[:count]
    for index, extent in zip(others, basis[len(basis) - count + 1 :], strict=True):
        total = region.binary(arith.AddIOp, region.binary(arith.MulIOp, total, extent), index)
    return [total]


def _delinearize(region: AllIndices, op: affine.DelinearizeIndexOp, operands: Sequence[Value]) -> list[Value]:
    basis = region.basis(op.static_basis, operands[1:])
    rest, found = operands[0], list[Value]()
    for extent in reversed(basis[len(basis) - len(op.results) + 1 :]):
        found.append(region.modulo(rest, extent))
        rest = region.binary(arith.FloorDivSIOp, rest, extent)
    return [rest, *reversed(found)]


_AFFINE: Mapping[type[Operation], Callable[..., list[Value]]] = {
    affine.ApplyOp: _apply,
    affine.MinOp: _extreme(arith.MinSIOp),
    affine.MaxOp: _extreme(arith.MaxSIOp),
    affine.LinearizeIndexOp: _linearize,
    affine.DelinearizeIndexOp: _delinearize,
}
