"""Masks of single products taken apart: into those of rows and columns, and those of what is summed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...support.named_tuples import NamedTuple
from ..core import Builder, Operation, Value
from ..types import shape_of
from . import arith
from .longhand import broadcast, transpose
from .vector_masks import BoxOp
from .vector_shape import BroadcastOp, TransposeOp


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


def along(factor: Factor, dims: Sequence[int], extents: Sequence[int], build: Builder) -> Value:
    """A factor with an element for each place of the iterators `dims`, among which its own are."""
    order = [*(d for d in dims if d not in factor.dims), *factor.dims]
    full = broadcast(build, factor.mask, [extents[d] for d in order])
    return full if order == list(dims) else transpose(build, full, [order.index(d) for d in dims])
