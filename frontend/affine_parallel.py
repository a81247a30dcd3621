"""affine.parallel: an `scf.parallel` that begins with what its kinds of joining do not notice."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.affine import AffineMap
from ..ir.core import Block, Region, Value
from ..ir.dialects import affine, scf
from ..ir.dialects.longhand import join, neutral
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.types import Type
from .affine import bound, number
from .dialects.affine_parallel import AS_VECTOR_KINDS, AffineParallelOp, grouped
from .legalisations import Inside, Place, expands


def _bounds(place: Place, op: AffineParallelOp) -> list[list[Value]]:
    """The lower ones, then the upper ones."""
    lower, upper = op.sides
    return [_side(place, lower, affine.MaxOp), _side(place, upper, affine.MinOp)]


def _side(
    place: Place, side: tuple[AffineMap, Sequence[Value], Sequence[int]], several: type[affine.MapOp]
) -> list[Value]:
    map, values, groups = side
    maps = [AffineMap(map.dims, map.symbols, tuple(group)) for group in grouped(map.results, groups)]
    return [bound(place, each, values, several) for each in maps]


@expands(AffineParallelOp)
def _parallel(place: Place, op: AffineParallelOp) -> Sequence[Value]:
    lower, upper = _bounds(place, op)
    steps = [number(place, n) for n in op.steps]
    kinds = [AS_VECTOR_KINDS[kind] for kind in op.kinds]
    inits = [neutral(place, kind, r.type) for kind, r in zip(kinds, op.results, strict=True)]
    last = op.body.terminator
    assert last is not None
    yielded = last.operands
    op.body.erase(last)
    joins = [_join(place, kind, r.type) for kind, r in zip(kinds, op.results, strict=True)]
    op.body.append(scf.ReduceOp(yielded, (), None, joins, op))
    body = op.regions.pop()
    types = [r.type for r in op.results]
    return place.op(scf.ParallelOp, lower, upper, steps, inits, types=types, regions=[body]).results


def _join(place: Place, kind: CombiningKindAttr, type: Type) -> Region:
    block = Block([type, type])
    build = Inside(place, block)
    build.op(scf.ReduceReturnOp, join(build, kind, *block.arguments))
    return Region([block])
