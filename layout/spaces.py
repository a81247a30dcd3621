"""What an operation iterates over, as a `lowering_config` speaks of it: extents of its iterators, and along which of
them each of its vectors lies. Of a contraction these are its own; of a reduction the dimensions of its source, of a
write those of what is written, of others those of the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..ir.core import Operation, Value
from ..ir.dialects.vector import ContractionOp, MultiReductionOp, TransferReadOp, TransferWriteOp, TransposeOp
from ..ir.types import shape_of
from ..support.dataclasses import dataclass

Along = tuple[int, ...]
"""The iterator of every dimension of a vector."""


@dataclass(frozen=True)
class Space:
    """`summed` are the iterators that the result does not have. `taken` has vectors by their positions among the
    operands; `made` is the result, None where there is none or it is no vector."""

    extents: tuple[int, ...]
    summed: Collection[int]
    taken: Mapping[int, Along]
    made: Along | None


def space_of(op: Operation) -> Space | None:
    """None for operations of which nothing is said, and for those of scalars."""
    rule = _SPACES.get(type(op), _elementwise if op.elementwise else None)
    space = None if rule is None else rule(op)
    return space if space is not None and space.extents else None


def _elementwise(op: Operation) -> Space:
    whole = _dims(op.results[0])
    vectors = [number for number, value in enumerate(op.operands) if value.type.is_vector]
    return Space(shape_of(op.results[0].type), (), dict.fromkeys(vectors, whole), whole)


def _contraction(op: ContractionOp) -> Space:
    lhs, rhs, acc = op.iterator_dims
    taken = {0: lhs, 1: rhs, **({2: acc} if acc else {})}
    return Space(op.iterator_extents, op.roles.summed, taken, acc or None)


def _reduction(op: MultiReductionOp) -> Space:
    kept = op.kept_dims
    taken = {0: _dims(op.source), **({1: kept} if kept else {})}
    return Space(shape_of(op.source.type), op.reduction_dims, taken, kept or None)


def _read(op: TransferReadOp) -> Space:
    return Space(shape_of(op.vector.type), (), {}, _dims(op.vector))


def _write(op: TransferWriteOp) -> Space:
    return Space(shape_of(op.value.type), (), {0: _dims(op.value)}, None)


def _transposed(op: TransposeOp) -> Space:
    """Iterators are the result's dimensions."""
    dims = _dims(op.result)
    return Space(shape_of(op.result.type), (), {0: tuple(map(op.permutation.index, dims))}, dims)


def _dims(value: Value) -> Along:
    return tuple(range(len(shape_of(value.type))))


_SPACES: Mapping[type[Operation], Callable[[Any], Space]] = {
    ContractionOp: _contraction,
    MultiReductionOp: _reduction,
    TransferReadOp: _read,
    TransferWriteOp: _write,
    TransposeOp: _transposed,
}
