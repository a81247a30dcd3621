"""vector.reshape of older texts: data in tiles of fixed size, laid anew into other tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import int_array_attribute, is_index, is_vector, operand, operands, result
from ..numerics import Array
from ..types import VectorType
from . import constants


def expected_shape(data: Sequence[int], fixed: Sequence[int]) -> tuple[int, ...]:
    """The shape of the vector that holds `data` in tiles of `fixed` along its last dims: tiles along each dim, then a
    tile."""
    whole = len(data) - len(fixed)
    return (*data[:whole], *(-(-n // size) for n, size in zip(data[whole:], fixed, strict=True)), *fixed)


def places(data: Sequence[int], fixed: Sequence[int], shape: Sequence[int]) -> Iterator[int]:
    """For all data in row-major order, the row-major number of the element of the vector of `shape` that holds it."""
    whole = len(data) - len(fixed)
    for x in product(*map(range, data)):
        inner = list(zip(x[whole:], fixed, strict=True))
        place = (*x[:whole], *(i // size for i, size in inner), *(i % size for i, size in inner))
        yield int(np.ravel_multi_index(place, shape))


class ReshapeOp(Operation, opname="vector.reshape"):
    """Data of `input_shape`, in tiles of `fixed_vector_sizes`, as data of `output_shape` in tiles of the same size.

    The last dims of a vector are the tile's, those before count the tiles; what a tile has beyond the data is poison.
    """

    pure = True
    moves = slice(1)
    vector = operand(is_vector)
    input_shape = operands(is_index)
    output_shape = operands(is_index)
    fixed_vector_sizes = int_array_attribute()
    result_ = result(is_vector)
    assembly = (
        "$vector `,` `[` $input_shape `]` `,` `[` $output_shape `]` `,` $fixed_vector_sizes attr-dict"
        " `:` type($vector) `to` type($result)"
    )

    def verify(self, report: Report) -> None:
        if self.vector.type.element != self.result_.type.element:
            self.error(report, f"element types differ: {self.vector.type} to {self.result_.type}")
            return
        sides = (("input", self.vector.type, self.input_shape), ("output", self.result_.type, self.output_shape))
        found = [self._check_side(*side, report) for side in sides]
        if all(found):
            shapes = [self.known_shape(shape) for _, _, shape in sides]
            if None not in shapes and prod(shapes[0] or ()) != prod(shapes[1] or ()):
                self.error(report, f"data of {list(shapes[0] or ())} and {list(shapes[1] or ())} differ in number")

    def _check_side(self, name: str, type: VectorType, shape: Sequence[Value], report: Report) -> bool:
        fixed = self.fixed_vector_sizes
        before = len(report.diagnostics)
        if len(fixed) > len(shape) or type.rank != len(shape) + len(fixed):
            dims = f"{len(shape)} dims of data and tiles of {len(fixed)} dims"
            self.error(report, f"{name} {type} has {type.rank} dims, not those of {dims}")
        elif type.shape[len(shape) :] != fixed:
            self.error(report, f"{name} {type} does not end in the fixed sizes {list(fixed)}")
        elif (known := self.known_shape(shape)) is not None and expected_shape(known, fixed) != type.shape:
            expected = VectorType(expected_shape(known, fixed), type.element)
            self.error(report, f"{name} data of {list(known)} in tiles of {list(fixed)} are {expected}, found {type}")
        return len(report.diagnostics) == before

    def known_shape(self, shape: Sequence[Value]) -> tuple[int, ...] | None:
        """A shape of data whose numbers are all constants."""
        numbers = [constants.constant_int(value) for value in shape]
        return None if None in numbers else tuple(n for n in numbers if n is not None)

    def reference(self, vector: Array, *shapes: Array) -> Array:
        numbers = [int(n) for n in shapes]
        count = len(self.input_shape)
        source, target = numbers[:count], numbers[count:]
        fixed = self.fixed_vector_sizes
        result = np.zeros(self.result_.type.elements, vector.dtype)
        moved = zip(places(source, fixed, vector.shape), places(target, fixed, self.result_.type.shape), strict=True)
        for old, new in moved:
            result[new] = vector.reshape(-1)[old]
        return result.reshape(self.result_.type.shape)
