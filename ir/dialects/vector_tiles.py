"""vector: a vector cut into a tuple of tiles, and put together from them, as older texts have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from ...support.diagnostics import Report
from ...support.named_tuples import NamedTuple
from ..attributes import int_array
from ..core import Operation, Value
from ..define import int_array_attribute, is_vector, operand, result
from ..numerics import Array
from ..types import Attribute, TupleType, Type, VectorType
from .vector_shape import vector_type
from .vector_tuple import is_tuple


class Tile(NamedTuple):
    """Where a tile begins, and its extents."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]


def tiles(shape: Sequence[int], sizes: Sequence[int]) -> Iterator[Tile]:
    """The tiles that cover `shape`, row-major; those at its ends hold what is left."""
    for offsets in product(*(range(0, extent, size) for extent, size in zip(shape, sizes, strict=True))):
        parts = zip(shape, offsets, sizes, strict=True)
        yield Tile(offsets, tuple(min(size, extent - offset) for extent, offset, size in parts))


def _tuple_of(vector: VectorType, sizes: Sequence[int]) -> TupleType:
    return TupleType(tuple(VectorType(tile.sizes, vector.element) for tile in tiles(vector.shape, sizes)))


class _Tiled(Operation):
    """A vector on one side, the tuple of its tiles on the other."""

    pure = True
    sizes = int_array_attribute()
    strides = int_array_attribute()

    def sides(self) -> tuple[VectorType, TupleType]:
        raise AssertionError

    def tiles(self) -> Iterator[Tile]:
        return tiles(self.sides()[0].shape, self.sizes)

    def verify(self, report: Report) -> None:
        vector, found = self.sides()
        if not len(self.sizes) == len(self.strides) == vector.rank:
            numbers = f"{len(self.sizes)} sizes and {len(self.strides)} strides"
            self.error(report, f"has {numbers} for the {vector.rank} dims of {vector}")
            return
        for dim, (size, stride) in enumerate(zip(self.sizes, self.strides, strict=True)):
            if stride != 1:
                self.error(report, f"stride {stride} of dimension {dim}: slices are of stride 1")
            if size < 1:
                self.error(report, f"size {size} of dimension {dim}: slices have 1 or more elements")
        if all(size > 0 for size in self.sizes):
            expected = _tuple_of(vector, self.sizes)
            if found != expected:
                self.error(report, f"slices of {vector} by {list(self.sizes)} are {expected}, found {found}")


class ExtractSlicesOp(_Tiled, opname="vector.extract_slices"):
    """The tiles of `sizes` that cover the vector, row-major; those at its ends hold what is left."""

    vector = operand(is_vector)
    tuple_ = result(is_tuple)
    assembly = "$vector `,` $sizes `,` $strides attr-dict `:` type($vector) `into` type($tuple)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [_tuple_of(vector_type(operands[0]), int_array(attributes["sizes"]))]

    def sides(self) -> tuple[VectorType, TupleType]:
        return self.vector.type, self.tuple_.type

    def reference(self, vector: Array) -> tuple[Array, ...]:
        return tuple(vector[_window(tile)] for tile in self.tiles())


class InsertSlicesOp(_Tiled, opname="vector.insert_slices"):
    """The vector that such tiles cover."""

    vectors = operand(is_tuple)
    result_ = result(is_vector)
    assembly = "$vectors `,` $sizes `,` $strides attr-dict `:` type($vectors) `into` type($result)"

    def sides(self) -> tuple[VectorType, TupleType]:
        return self.result_.type, self.vectors.type

    def reference(self, vectors: tuple[Array, ...]) -> Array:
        whole = np.empty(self.result_.type.shape, vectors[0].dtype)
        for tile, part in zip(self.tiles(), vectors, strict=True):
            whole[_window(tile)] = part
        return whole


def _window(tile: Tile) -> tuple[slice, ...]:
    return tuple(slice(a, a + n) for a, n in zip(tile.offsets, tile.sizes, strict=True))
