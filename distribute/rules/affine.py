"""affine: maps become index arithmetic."""

from __future__ import annotations

from ...ir.core import Value
from ...ir.dialects import affine
from ..context import Distribution, distributes
from ..indexing import delinearize, expand, linearize, maximum, minimum


def _results(d: Distribution, op: affine.MapOp) -> list[Value]:
    map = op.map.map
    operands = [d.scalar(v) for v in op.operands]
    return [expand(d.build, e, operands[: map.dims], operands[map.dims :]) for e in map.results]


@distributes(affine.ApplyOp)
def _apply(d: Distribution, op: affine.ApplyOp) -> None:
    (result,) = _results(d, op)
    d.set_scalar(op.result_, result)


@distributes(affine.MinOp)
def _min(d: Distribution, op: affine.MinOp) -> None:
    d.set_scalar(op.result_, minimum(d.build, _results(d, op)))


@distributes(affine.MaxOp)
def _max(d: Distribution, op: affine.MaxOp) -> None:
    d.set_scalar(op.result_, maximum(d.build, _results(d, op)))


def _basis(d: Distribution, op: affine.BasisOp) -> list[Value]:
    dynamic = iter(op.dynamic_basis)
    return [d.scalar(next(dynamic)) if n is None else d.build.constant(n) for n in op.static_basis]


@distributes(affine.LinearizeIndexOp)
def _linearize(d: Distribution, op: affine.LinearizeIndexOp) -> None:
    indices = [d.scalar(v) for v in op.multi_index]
    d.set_scalar(op.linear_index, linearize(d.build, indices, _basis(d, op)))


@distributes(affine.DelinearizeIndexOp)
def _delinearize(d: Distribution, op: affine.DelinearizeIndexOp) -> None:
    """The first number of the basis, where it is given, bounds the first result and is not divided by."""
    basis = _basis(d, op)
    inner = basis[len(basis) - (len(op.results) - 1) :]
    parts = delinearize(d.build, d.scalar(op.linear_index), inner)
    for old, new in zip(op.results, parts, strict=True):
        d.set_scalar(old, new)
