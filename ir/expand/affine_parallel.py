"""affine.parallel: an `scf.parallel` that begins with what its kinds of joining do not notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..affine import AffineMap
from ..attributes import DenseElementsAttr, FloatAttr, IntegerAttr
from ..core import Block, Builder, Operation, Region, Value
from ..dialects import affine, arith, scf
from ..dialects.affine_parallel import AffineParallelOp, grouped
from ..types import FloatType, Type, VectorType, bit_width, element_type
from .affine import bound, number
from .table import EXPAND, Inside, Place

_JOINS: Mapping[str, type[Operation]] = {
    "addf": arith.AddFOp,
    "addi": arith.AddIOp,
    "andi": arith.AndIOp,
    "maximumf": arith.MaximumFOp,
    "maxnumf": arith.MaxNumFOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "minimumf": arith.MinimumFOp,
    "minnumf": arith.MinNumFOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "mulf": arith.MulFOp,
    "muli": arith.MulIOp,
    "ori": arith.OrIOp,
    "xori": arith.XOrIOp,
}
_ON_FLOATS: Mapping[str, float] = {
    "addf": -0.0,
    "mulf": 1.0,
    "maximumf": float("-inf"),
    "maxnumf": float("nan"),
    "minimumf": float("inf"),
    "minnumf": float("nan"),
}


def _neutral(kind: str, type: Type) -> float | int:
    """What joining leaves every value as it is with."""
    element = element_type(type)
    if isinstance(element, FloatType):
        return _ON_FLOATS[kind]
    least = -(1 << (bit_width(element) - 1))
    return {"muli": 1, "andi": -1, "minu": -1, "maxs": least, "mins": -(least + 1)}.get(kind, 0)


def _constant(build: Builder, value: float | int, type: Type) -> Value:
    element = element_type(type)
    attribute = (
        DenseElementsAttr((value,), type)
        if isinstance(type, VectorType)
        else FloatAttr(float(value), element)
        if isinstance(element, FloatType)
        else IntegerAttr(int(value), element)
    )
    return build.value(arith.ConstantOp, types=[type], value=attribute)


def _bounds(place: Place, op: AffineParallelOp) -> list[list[Value]]:
    """The lower ones, then the upper ones."""
    found = list[list[Value]]()
    for (map, values, groups), several in zip(op.sides, (affine.MaxOp, affine.MinOp), strict=True):
        maps = [AffineMap(map.dims, map.symbols, tuple(group)) for group in grouped(map.results, groups)]
        found.append([bound(place, each, values, several) for each in maps])
    return found


@EXPAND.of(AffineParallelOp)
def _parallel(place: Place, op: AffineParallelOp) -> Sequence[Value]:
    lower, upper = _bounds(place, op)
    steps = [number(place, n) for n in op.steps]
    inits = [_constant(place, _neutral(k, r.type), r.type) for k, r in zip(op.kinds, op.results, strict=True)]
    last = op.body.terminator
    assert last is not None
    yielded = last.operands
    op.body.erase(last)
    joins = [_join(place, kind, r.type) for kind, r in zip(op.kinds, op.results, strict=True)]
    op.body.append(scf.ReduceOp(yielded, (), None, joins, op))
    body = op.regions.pop()
    types = [r.type for r in op.results]
    return place.op(scf.ParallelOp, lower, upper, steps, inits, types=types, regions=[body]).results


def _join(place: Place, kind: str, type: Type) -> Region:
    block = Block([type, type])
    build = Inside(place, block)
    build.op(scf.ReduceReturnOp, build.value(_JOINS[kind], *block.arguments))
    return Region([block])
