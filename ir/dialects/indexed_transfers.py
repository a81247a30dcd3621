"""iree_vector_ext.transfer_gather and transfer_scatter: transfers whose places along some memref dims are looked up.

`indexing_maps` has, over the dims of the vector (d0, ..) and the index vectors (s0, ..): for each memref dim which of
them moves along it (0: none), then for each index vector, and for the mask, which dims of the vector they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...support.diagnostics import Report
from ..affine import AffineMap, AffineMapAttr, Constant, Dim, Symbol
from ..attributes import ArrayAttr
from ..core import Operation, Value
from ..define import (
    OperandField,
    attribute,
    instances_of,
    is_index,
    is_mask,
    is_memref,
    is_vector,
    operand,
    operands,
    optional_operand,
    result,
    scalar_like,
)
from ..numerics import Array
from ..traits import READS, WRITES
from ..types import I1, INDEX, IndexType, MemRefType, VectorType

is_index_or_vector = is_index | instances_of("a vector of index", VectorType)
_MAPS = "indexing_maps"


class IndexedTransfer(Operation):
    """What both have in common. All that is accessed lies inside the memref."""

    pure = False
    memref: ClassVar[OperandField[Value[MemRefType]]]
    offsets: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    index_vecs: ClassVar[OperandField[tuple[Value[IndexType | VectorType], ...]]]
    mask: ClassVar[OperandField[Value[VectorType] | None]]
    indexing_maps = attribute(ArrayAttr)

    @property
    def memref_type(self) -> MemRefType:
        return self.memref.type

    @property
    def vector_type(self) -> VectorType:
        """The type of the vector that moves."""
        raise AssertionError

    @property
    def maps(self) -> list[AffineMap]:
        return [a.map for a in self.indexing_maps.values if isinstance(a, AffineMapAttr)]

    @property
    def indices(self) -> tuple[Value, ...]:
        """All that a place depends on."""
        return (*self.offsets, *self.index_vecs)

    @property
    def moving(self) -> dict[int, int]:
        """The dim of the vector that moves along each memref dim, where one does."""
        return {m: e.index for m, e in enumerate(self.maps[0].results) if isinstance(e, Dim)}

    @property
    def looked_up(self) -> dict[int, int]:
        """The number of the index vector for each memref dim that has one."""
        return {m: e.index for m, e in enumerate(self.maps[0].results) if isinstance(e, Symbol)}

    def dims_of(self, number: int) -> list[int]:
        """The vector's dims that an index vector has; behind the index vectors, those of the mask."""
        return [dim for dim in self.maps[1 + number].result_dims() or () if dim is not None]

    def operand_dims(self) -> list[list[int] | None]:
        """For each operand which of the vector's dims it has; None for scalars and the memref."""
        raise AssertionError

    def index_dims(self) -> list[list[int] | None]:
        """For offsets and index vectors which of the vector's dims each has."""
        found = [self.dims_of(n) if v.type != INDEX else None for n, v in enumerate(self.index_vecs)]
        return [*[None] * len(self.offsets), *found]

    @property
    def mask_dims(self) -> list[int]:
        return self.dims_of(len(self.index_vecs))

    # -- meaning ------------------------------------------------------------------------------------------------

    def seen(self, value: Array, dims: Sequence[int]) -> Array:
        """A vector that has some of the dims, and perhaps an axis over owners first, with unit axes for the others."""
        rank, lead = self.vector_type.rank, value.ndim - len(dims)
        ordered = value.transpose([*range(lead), *(lead + dims.index(d) for d in sorted(dims))])
        extents = iter(ordered.shape[lead:])
        return ordered.reshape(ordered.shape[:lead] + tuple(next(extents) if d in dims else 1 for d in range(rank)))

    def seen_mask(self, mask: Array) -> Array:
        return np.broadcast_to(self.seen(mask, self.mask_dims), _lead(mask, self.mask_dims) + self.vector_type.shape)

    def places(self, offsets: Sequence[Array], vectors: Sequence[Array]) -> list[Array]:
        """The indices of every element, by memref dim; arrays that broadcast to [owners or 1, *vector]."""
        rank = self.vector_type.rank
        steps = [np.arange(n).reshape((-1,) + (1,) * (rank - 1 - d)) for d, n in enumerate(self.vector_type.shape)]
        looked_up = [self.seen(np.asarray(v), self.dims_of(n)) for n, v in enumerate(vectors)]
        starts = [np.asarray(offset).reshape((-1,) + (1,) * rank) for offset in offsets]
        return [start + more for start, more in zip(starts, self.maps[0].evaluate(steps, looked_up), strict=True)]

    # -- text ---------------------------------------------------------------------------------------------------

    # -- rules --------------------------------------------------------------------------------------------------

    def verify(self, report: Report) -> None:
        for rule in (self._check_memref, self._check_maps, self._check_along, self._check_vectors):
            if not rule(report):
                return

    def _check_memref(self, report: Report) -> bool:
        memory, vector = self.memref_type, self.vector_type
        if len(self.offsets) != memory.rank:
            self.error(report, f"needs {memory.rank} offsets for {memory}, found {len(self.offsets)}")
        elif memory.element != vector.element:
            self.error(report, f"element types differ: {memory} and {vector}")
        else:
            return True
        return False

    def _check_maps(self, report: Report) -> bool:
        expected = 1 + len(self.index_vecs) + (self.mask is not None)
        if len(self.maps) != len(self.indexing_maps.values) or len(self.maps) != expected:
            words = "one for the memref, one for each index vector, and one for the mask"
            self.error(report, f"needs {expected} affine maps in {_MAPS}, {words}, found {self.indexing_maps}")
            return False
        rank, count = self.vector_type.rank, len(self.index_vecs)
        for map in self.maps:
            if (map.dims, map.symbols) != (rank, count):
                self.error(
                    report, f"map {map} must have {rank} dims, as the vector, and {count} symbols, as index vectors"
                )
                return False
        return True

    def _check_along(self, report: Report) -> bool:
        map, memory, known = self.maps[0], self.memref_type, {*self.moving, *self.looked_up}
        if len(map.results) != memory.rank:
            self.error(report, f"map {map} has {len(map.results)} results, {memory} has {memory.rank} dims")
        elif odd := [e for m, e in enumerate(map.results) if m not in known and e != Constant(0)]:
            self.error(report, f"map {map} must have dims, symbols and 0 as results, found {odd[0]}")
        else:
            return True
        return False

    def _check_vectors(self, report: Report) -> bool:
        shape = self.vector_type.shape
        values = [*self.index_vecs, *([] if self.mask is None else [self.mask])]
        for number, (value, map) in enumerate(zip(values, self.maps[1:], strict=True)):
            dims = map.result_dims()
            if dims is None or None in dims or len(set(dims)) != len(dims):
                self.error(report, f"map {map} must name dims of the vector, each once")
                return False
            element = I1 if value is self.mask and number == len(self.index_vecs) else INDEX
            expected = tuple(shape[dim] for dim in self.dims_of(number))
            if value.type != VectorType(expected, element) and (value.type != element or expected):
                words = "mask" if element == I1 else f"index vector {number}"
                self.error(report, f"{words} must be {VectorType(expected, element)}, found {value.type}")
                return False
        return True


def _lead(value: Array, dims: Sequence[int]) -> tuple[int, ...]:
    return value.shape[: value.ndim - len(dims)]


_PLACE = "$memref `` `[` $offsets `]` (`[` $index_vecs^ `:` type($index_vecs) `]`)?"


class TransferGatherOp(IndexedTransfer, opname="iree_vector_ext.transfer_gather"):
    """Element (d0, ..) of the vector is what lies at the offsets plus what the maps say; the padding where the mask is
    false."""

    memref = operand(is_memref, READS)
    offsets = operands(is_index)
    index_vecs = operands(is_index_or_vector)
    padding = operand(scalar_like)
    mask = optional_operand(is_mask)
    vector = result(is_vector)
    assembly = (
        f"{_PLACE} `,` $padding (`,` $mask^)? prop-dict attr-dict `:` type($memref) `,` type($vector) (`,`"
        " type($mask)^)?"
    )

    @property
    def vector_type(self) -> VectorType:
        return self.vector.type

    def operand_dims(self) -> list[list[int] | None]:
        mask = [] if self.mask is None else [self.mask_dims]
        return [None, *self.index_dims(), None, *mask]

    def verify(self, report: Report) -> None:
        if self.padding.type != self.memref_type.element:
            self.error(report, f"padding must be {self.memref_type.element}, found {self.padding.type}")
        super().verify(report)


class TransferScatterOp(IndexedTransfer, opname="iree_vector_ext.transfer_scatter"):
    """Element (d0, ..) of the vector goes to the offsets plus what the maps say, where the mask is true. No two go to
    one place."""

    memref = operand(is_memref, WRITES)
    value = operand(is_vector)
    offsets = operands(is_index)
    index_vecs = operands(is_index_or_vector)
    mask = optional_operand(is_mask)
    assembly = f"$value `into` {_PLACE} (`,` $mask^)? prop-dict attr-dict `:` type($value, $memref, $mask)"

    @property
    def vector_type(self) -> VectorType:
        return self.value.type

    def operand_dims(self) -> list[list[int] | None]:
        mask = [] if self.mask is None else [self.mask_dims]
        return [None, list(range(self.value.type.rank)), *self.index_dims(), *mask]

    def _check_vectors(self, report: Report) -> bool:
        if not super()._check_vectors(report):
            return False
        vectors = range(len(self.index_vecs))
        used = {*self.moving.values(), *(d for n in vectors for d in self.dims_of(n))}
        unused = set(range(self.vector_type.rank)) - used
        if unused:
            self.error(report, f"no index depends on d{min(unused)}: several elements would go to one place")
        return not unused
