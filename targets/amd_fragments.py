"""Rows of AMD's fragments: of mfma, smfmac, wmma and swmmac, and of what is beside them.

AMD's matrix instruction calculator (MFMA, WMMA of RDNA 3 and 4), the RDNA 4 instruction set ("WMMA"); block-scaled
products: Composable Kernel, `test/mx_mfma_op/mx_mfma_op.hpp`, "Register Mapping for 16x128" and "32x64", and what
`load_mx_A_row_major` loads, which are tests of hardware. For gfx1250 the order of K within a row is not published; any
one gives the same product as long as A and B share it, and here it is that of memory. smfmac: AMD's fpsan,
`fpsan/amdgcn_smfmac.hpp`, found on an MI350 by one-hot probes of each shape of f16, bf16 and fp8; Composable Kernel's
ck_tile splits B of bytes of integers likewise. swmmac: `fpsan/amdgcn_swmmac_gfx12.hpp`, compared with a gfx1201, and
ck_tile. wmma of block-scaled elements: Composable Kernel's tests for gfx1250 ("Register Mapping for 16x128", scales of
32 and of 16), and AMD's emulator rocjitsu (rocm-systems, `mma/layout.h`), which has 32 rows as two tiles of 16.
"""

from __future__ import annotations

from functools import cache

from ..support.named_tuples import NamedTuple
from .fragment import DigitMap, Fragment, Operands, digits, natural_order

WAVE = 64
_NATURAL = natural_order(2)

# -- mfma ----------------------------------------------------------------------------------------------------------


@cache
def mfma(size: int, k: int, blocks: int = 1, *, is_f64: bool = False) -> Operands:
    """The operands of `blocks` products of size x k by k x size; several have the block as the first dimension."""
    if blocks > 1:
        return _F64_4X4X4 if is_f64 else _blocked(size, k, blocks)
    a = _rows_over_lanes(size, k, WAVE)
    return Operands(a, a.transposed, _F64_ACCUMULATOR if is_f64 else _accumulator(size))


def _rows_over_lanes(size: int, k: int, lanes: int) -> Fragment:
    """M over the low lanes, K over the high ones, consecutive K a lane."""
    groups = lanes // size
    return Fragment((1, 1), (size, groups), (1, size), (1, k // groups), _NATURAL)


def _accumulator(size: int) -> Fragment:
    """Fours of rows over the high lanes, columns over the low ones."""
    groups = WAVE // size
    return Fragment((size // (4 * groups), 1), (groups, size), (size, 1), (4, 1), _NATURAL)


_F64_ACCUMULATOR = Fragment((4, 1), (4, 16), (16, 1), (1, 1), _NATURAL)
_ONE = (1, 1, 1)
_F64_BLOCKS = Fragment(_ONE, (4, 4, 4), (4, 1, 16), _ONE, natural_order(3))
_F64_4X4X4 = Operands(_F64_BLOCKS, _F64_BLOCKS.transposed, _F64_BLOCKS.transposed)
_BLOCKED_SUMS = {
    4: Fragment(_ONE, (16, 1, 4), (4, 0, 1), (1, 4, 1), natural_order(3)),
    16: Fragment(_ONE, (1, 4, 16), (0, 16, 1), (4, 4, 1), natural_order(3)),
    32: Fragment((1, 4, 1), (1, 2, 32), (0, 32, 1), (2, 4, 1), (3, 0, 1, 2, 4, 5)),
}


def _blocked(size: int, k: int, blocks: int) -> Operands:
    """Each group of `size` lanes holds one block of A and B."""
    a = Fragment(_ONE, (blocks, size, 1), (size, 1, 0), (1, 1, k), natural_order(3))
    return Operands(a, a.transposed, _BLOCKED_SUMS[size])


SCALE_BLOCK = 32
"""Elements along K that share a scale."""
SCALE_BYTES = 4
"""A lane's register has room for so many scales."""
_LONG_BITS = 8


@cache
def f8f6f4_a(size: int, bits: int) -> Fragment:
    """The fragment of 32 elements of A a lane, as the hardware numbers K: of bytes 16 that follow each other in either
    half of K."""
    halves = 2 if bits == _LONG_BITS else 1
    return Fragment((1, halves), (size, WAVE // size), (1, size), (1, 32 // halves), _NATURAL)


@cache
def scales(size: int) -> DigitMap:
    """(row of A or column of B, block of K) to the lane whose chosen byte is their scale."""
    return DigitMap(1, (digits((size, 0, 1)), digits((WAVE // size, 0, size))))


# -- smfmac, swmmac ----------------------------------------------------------------------------------------------------


_PART_BITS = 128


class SparseOperands(NamedTuple):
    """`a` has the k / 2 elements of a row that are held; `dense` is a lane's A with zeros where nothing is held."""

    a: Fragment
    b: Fragment
    c: Fragment
    dense: Fragment


@cache
def smfmac(size: int, k: int, bits: int) -> SparseOperands:
    """B has parts of 16 bytes a lane. Of two, as on gfx950, each is of half of K, and A and B of a lane are
    not along the same K."""
    dense, held = _rows_over_lanes(size, k, WAVE), _rows_over_lanes(size, k // 2, WAVE)
    part = min(dense.elements, _PART_BITS // bits)
    b = Fragment((dense.elements // part, 1), (WAVE // size, size), (size, 1), (part, 1), _NATURAL)
    return SparseOperands(held, b, _accumulator(size), dense)


@cache
def swmmac(k: int, bits: int) -> SparseOperands:
    """The operands of sparse products of 32 lanes; what a lane has of B is along the same K as its A: half of it, of 16
    bits eight of every 16."""
    parts = 2 if bits == 16 else 1
    held, dense = (
        Fragment((1, parts), (_TILE, 2), (1, _TILE), (1, depth // (2 * parts)), _NATURAL) for depth in (k // 2, k)
    )
    return SparseOperands(held, dense.transposed, _half_the_rows(_TILE), dense)


# -- wmma ------------------------------------------------------------------------------------------------------------

_TILE = 16
"""Rows and columns of all of them."""


@cache
def wmma_gfx11(k: int, lanes: int) -> Operands:
    """A row of A (column of B) per lane, the same in every 16 lanes; these take turns with the rows of C."""
    a = Fragment((1, 1), (_TILE, 1), (1, 0), (1, k), _NATURAL)
    groups = lanes // _TILE
    return Operands(a, a.transposed, Fragment((_TILE // groups, 1), (groups, _TILE), (_TILE, 1), (1, 1), _NATURAL))


@cache
def wmma(k: int) -> Operands:
    """gfx12 and gfx1250: half of K, and half of the rows of C, per lane half."""
    a = _rows_over_lanes(_TILE, k, 32)
    return Operands(a, a.transposed, _half_the_rows(_TILE))


@cache
def wmma_halves() -> tuple[Fragment, Fragment]:
    """A and B of 16 elements of 16 bits along K as gfx12 numbers it: four of either eight."""
    a = Fragment((1, 2), (_TILE, 2), (1, _TILE), (1, 4), _NATURAL)
    return a, a.transposed


def _half_the_rows(size: int, tiles: int = 1) -> Fragment:
    return Fragment((tiles, 1), (2, size), (size, 1), (size // 2, 1), _NATURAL)


# -- wmma of block-scaled elements -------------------------------------------------------------------------------------

_DEPTH = 128
"""K of all of them."""
SCALED_LANES = 32


@cache
def scaled_wmma_a(rows: int, bits: int) -> Fragment:
    """A, or B transposed: lane halves take turns along K, of bytes every 16, of shorter elements every 32; 32
    rows are 16, and then 16."""
    each = _TILE if bits == _LONG_BITS else 2 * _TILE
    return Fragment((rows // _TILE, _DEPTH // (2 * each)), (_TILE, 2), (1, _TILE), (1, each), _NATURAL)


@cache
def scaled_wmma_accumulator(rows: int) -> Fragment:
    """C and D, 16 columns."""
    return _half_the_rows(_TILE, rows // _TILE)


@cache
def wmma_scales(rows: int, block: int) -> DigitMap:
    """(row of A or column of B, block of K) to the lane behind the first one, and its byte, that has the scale."""
    return DigitMap(2, (digits((rows, 0, 1)), digits((_DEPTH // block, 1, 1))))
