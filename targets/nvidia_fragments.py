"""Rows of NVIDIA's fragments: of mma.sync and what is like it, of wgmma, of moves of matrices, and what is beside them.

PTX ISA: "Matrix fragments for mma", "Sparse matrix storage", "Block scaling for mma.sync", "Register fragments and
shared memory matrix layouts" of wgmma, "ldmatrix", "Matrix fragments for shape" and "Data path layout" of tcgen05.
`bits` is what an element takes in its register: 32 of tf32, 8 of floats of 4 and 6 bits outside of packed products.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from ..support.named_tuples import NamedTuple
from .fragment import Array, Digit, DigitMap, Fragment, Operands, digits, natural_order

LANES = 32
WARPGROUP = 4
"""Subgroups whose rows lie below each other in wgmma's operands."""

# -- mma.sync, mma.sp, mma with block scales, wgmma ----------------------------------------------------------------

_K_OUTER_SLOWEST = (1, 0, 2, 3)
"""Registers run over the rows within each part of the columns."""
_REGISTER_BITS = 32


def _width(bits: int) -> int:
    """Neighbours along K that a register has; f64 takes two registers."""
    return max(1, _REGISTER_BITS // bits)


@cache
def mma_a(m: int, k: int, bits: int) -> Fragment:
    """Rows over lane // 4, K over lane % 4; of wgmma what a subgroup has of an A in registers."""
    width = _width(bits)
    outer = (m // 8, k // (4 * width))
    return Fragment(outer, (8, 4), (4, 1), (1, width), _K_OUTER_SLOWEST if outer[1] > 1 else natural_order(2))


@cache
def mma_b(k: int, bits: int) -> Fragment:
    """The fragment of k x 8 elements: columns over lane // 4, K over lane % 4."""
    width = _width(bits)
    return Fragment((k // (4 * width), 1), (4, 8), (1, 4), (width, 1), natural_order(2))


@cache
def mma_c(m: int) -> Fragment:
    """The fragment of m x 8 accumulators: rows over lane // 4, two neighbours of a row a lane."""
    return Fragment((m // 8, 1), (8, 4), (4, 1), (1, 2), natural_order(2))


def mma(m: int, k: int, bits: int) -> Operands:
    return Operands(mma_a(m, k, bits), mma_b(k, bits), mma_c(m))


@cache
def wgmma_accumulator(n: int) -> Fragment:
    """The fragment of 16 x n accumulators of a subgroup: registers run over the two halves of the rows within each
    eight columns."""
    return Fragment((2, n // 8), (8, 4), (4, 1), (1, 2), _K_OUTER_SLOWEST)


def in_memory(rows: int, columns: int) -> Fragment:
    """The fragment of an operand that no registers hold: a descriptor says where all of it is."""
    return Fragment((rows, columns), (1, 1), (0, 0), (1, 1), natural_order(2))


# -- beside the operands ----------------------------------------------------------------------------------------------

_LANE, _WITHIN = 0, 1
QUAD = 4
"""Neighbouring lanes that have metadata of the same two rows."""


_OF_A_HALF = {32: 8, 16: 16, 8: 16, 4: 32}
"""By bits of an element: columns that 16 bits of metadata are about, which are eight fields of 2 bits."""


def metadata_halves(k: int, bits: int) -> int:
    """Metadata of a row of A with `k` columns, in units of 16 bits."""
    return k // _OF_A_HALF[bits]


@cache
def metadata(k: int, bits: int) -> DigitMap:
    """(row, number of 16 bits of it, selector) to (lane, half of its register): of elements of 16 and 32 bits a
    register has both rows of its lane, of shorter ones twice as many bits of one."""
    halves = metadata_halves(k, bits)
    selector = digits((QUAD // halves, _LANE, halves))
    if bits >= 16:
        return DigitMap(2, (digits((8, _LANE, QUAD), (2, _WITHIN, 1)), digits((halves, _LANE, 1)), selector))
    rows, parts = digits((8, _LANE, QUAD), (2, _LANE, 1)), digits((2, _WITHIN, 1), (halves // 2, _LANE, 2))
    return DigitMap(2, (rows, parts, selector))


SCALE_BYTES = 4
"""A lane's register has room for so many scales."""
SCALE_OF_A = DigitMap(
    2,
    (
        digits((8, _LANE, QUAD), (2, _LANE, 1)),
        digits((SCALE_BYTES, _WITHIN, 1)),
        digits((SCALE_BYTES, _WITHIN, 1)),
        digits((2, _LANE, 2)),
    ),
)
"""(row, block of K, selector of bytes, selector of lanes) to (lane, byte of its register)."""
SCALE_OF_B = DigitMap(
    2,
    (
        digits((8, _LANE, QUAD)),
        digits((SCALE_BYTES, _WITHIN, 1)),
        digits((SCALE_BYTES, _WITHIN, 1)),
        digits((QUAD, _LANE, 1)),
    ),
)
"""(column, block of K, selector of bytes, selector of lanes) to (lane, byte of its register)."""

# -- ldmatrix, stmatrix -----------------------------------------------------------------------------------------------

TILE_ROWS = 8
TILE_ROW_BYTES = 16
TILE_REGISTER_BITS = _REGISTER_BITS


@cache
def matrix_tile(transposed: bool, bits: int = 16) -> Fragment:
    """What lanes get of one tile of 8 rows of 16 bytes: rows over lane // 4, a register of each. The next register has
    the next tile."""
    plain = Fragment((1, 1), (8, 4), (4, 1), (1, _width(bits)), natural_order(2))
    return plain.transposed if transposed else plain


# -- tcgen05 ----------------------------------------------------------------------------------------------------------

TENSOR_LANES = 128
_COLUMN = 1
_MOST = 128
"""Registers of the longest move."""


@cache
def tensor_memory_accumulator(n: int) -> Fragment:
    """The fragment of 32 x n accumulators in tensor memory, what a subgroup gets by 32x32b: a row a lane."""
    return Fragment((1, n), (32, 1), (1, 0), (1, 1), natural_order(2))


class TensorMove(NamedTuple):
    """A shape of ld and st: lanes, columns and registers of one repetition, and where register r of thread t is:
    (t, r) to (lane, column) of tensor memory, of any number of repetitions."""

    lanes: int
    columns: int
    registers: int
    places: DigitMap


def _move(lanes: int, columns: int, thread: tuple[Digit, ...], *register: tuple[int, int, int]) -> TensorMove:
    registers = lanes * columns // LANES
    repeated = (_MOST // registers, _COLUMN, columns)
    return TensorMove(lanes, columns, registers, DigitMap(2, (thread, digits(*register, repeated))))


TENSOR_MOVES: Mapping[str, TensorMove] = {
    "32x32b": _move(32, 1, digits((32, _LANE, 1))),
    "16x64b": _move(16, 2, digits((2, _LANE, 8), (2, _COLUMN, 1), (8, _LANE, 1))),
    "16x128b": _move(16, 4, digits((4, _COLUMN, 1), (8, _LANE, 1)), (2, _LANE, 8)),
    "16x256b": _move(16, 8, digits((4, _COLUMN, 2), (8, _LANE, 1)), (2, _COLUMN, 1), (2, _LANE, 8)),
}
TENSOR_ROWS: Mapping[int, DigitMap] = {
    128: DigitMap(1, (digits((128, _LANE, 1)),)),
    64: DigitMap(1, (digits((16, _LANE, 1), (4, _LANE, 32)),)),
}
"""By rows of a product: (row of A and of the accumulators) to lane, from the one that an address names on."""


class TensorCopy(NamedTuple):
    """A shape of cp: bytes of a row, which fill columns from the first on, and (row, number of its copy) to lane."""

    row_bytes: int
    places: DigitMap

    @property
    def rows(self) -> int:
        return self.places.sizes[0]

    @property
    def lanes(self) -> Array:
        """[copy, row]."""
        rows, copies = self.places.sizes
        (found,) = self.places(np.arange(rows)[None, :], np.arange(copies)[:, None])
        return np.asarray(found)


def _copy(row_bytes: int, row: tuple[Digit, ...], *copies: tuple[int, int, int]) -> TensorCopy:
    return TensorCopy(row_bytes, DigitMap(1, (row, digits(*copies))))


TENSOR_COPIES: Mapping[str, TensorCopy] = {
    "128x256b": _copy(32, digits((128, _LANE, 1))),
    "4x256b": _copy(32, digits((4, _LANE, 32))),
    "128x128b": _copy(16, digits((128, _LANE, 1))),
    "64x128b.warpx2::02_13": _copy(16, digits((64, _LANE, 1)), (2, _LANE, 64)),
    "64x128b.warpx2::01_23": _copy(16, digits((32, _LANE, 1), (2, _LANE, 64)), (2, _LANE, 32)),
    "32x128b.warpx4": _copy(16, digits((32, _LANE, 1)), (4, _LANE, 32)),
}
