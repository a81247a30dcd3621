"""Who holds what on AMD's chips, as AMD says it: the second voice, which knows nothing of our tables.

AMD's documents and its matrix instruction calculator ("Element to register mapping") go from an element to its holder,
so do these: (row or column of the operand, k, block) of A and B, (i, j, block) of C and D, to (lane, number of the
element in that lane's registers, low bits first). Arrays broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
Holder = Callable[[Array, Array, Array], tuple[Array, Array]]


class Holders(NamedTuple):
    a: Holder
    b: Holder
    c: Holder


def _fours_of_rows(size: int, of_block: int = 0) -> Holder:
    """C and D of mfma, smfmac: four rows follow each other in a lane (CDNA 3 ISA, "Dense matrix input and output")."""
    if size == 4:
        return lambda i, j, block: (4 * block + j, i + 0 * block)
    if size == 16:
        return lambda i, j, block: (16 * (i // 4) + j + 0 * block, of_block * block + i % 4)
    return lambda i, j, block: (32 * (i // 4 % 2) + j + 0 * block, of_block * block + 4 * (i // 8) + i % 4)


def mfma(size: int, k: int) -> Holders:
    """Of one block: lanes of 64 / size groups share K, consecutive elements each."""
    each = size * k // 64

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return size * (at // each) + x, at % each

    return Holders(factor, factor, _fours_of_rows(size))


def mfma_blocks(size: int, k: int) -> Holders:
    """Of 64 / size blocks: `lane = size * block + row`, and all of K in the lane."""

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return size * block + x, at + 0 * block

    return Holders(factor, factor, _fours_of_rows(size, of_block=size * size // 64))


def mfma_f64() -> Holders:
    """16x16x4: `GPR: 2 * floor(i / 4)`, `lane: 16 * (i % 4) + j`."""

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return 16 * at + x, 0 * at

    return Holders(factor, factor, lambda i, j, block: (16 * (i % 4) + j, i // 4))


def mfma_f64_blocks() -> Holders:
    """4x4x4 of four blocks."""

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return 16 * at + 4 * block + x, 0 * at

    return Holders(factor, factor, lambda i, j, block: (16 * i + 4 * block + j, 0 * i))


def f8f6f4(size: int, k: int, bits: tuple[int, int]) -> Holders:
    """Composable Kernel, `test/mx_mfma_op/mx_mfma_op.hpp`, "Register Mapping for 16x128" and "32x64": of bytes the
    registers of lanes 16 to 31 of 16x16x128 begin with K16, the fifth of them with K80; shorter ones follow each
    other."""

    def of(width: int) -> Holder:
        if width == 8:
            return lambda x, at, block: (size * (at // 16 % (64 // size)) + x, 16 * (at // (k // 2)) + at % 16)
        return lambda x, at, block: (size * (at // 32) + x, at % 32)

    return Holders(of(bits[0]), of(bits[1]), _fours_of_rows(size))


def scale_lane(size: int, x: Array, at: Array) -> Array:
    """Of a row of A or a column of B, and its K: 32 along K share a scale (the same; CDNA 4 ISA, "Block scaling")."""
    return size * (at // 32) + x


def smfmac(size: int, k: int, bits: int) -> Holders:
    """A counts what is held. B of 16 bytes a lane follows A; of 32 bytes a lane has 16 of either half of K. Found on an
    MI350 by one-hot probes of each shape, and compared there with random data: AMD's fpsan, `fpsan/amdgcn_smfmac.hpp`
    (16x16x64 f16: `B[k][j] @ lane j + 16 * ((k % 32) / 8), vreg (k % 8) / 2 + (k >= 32 ? 4 : 0)`)."""
    groups = 64 // size
    held, whole = k // 2 // groups, k // groups
    part = min(whole, 128 // bits)

    def a(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return size * (at // held) + x, at % held

    def b(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return size * (at // part % groups) + x, part * (at // (part * groups)) + at % part

    return Holders(a, b, _fours_of_rows(size))


# -- wmma: RDNA 3 ISA, "WMMA" (a lane has a whole row of A or column of B, and every 16 lanes the same); RDNA 4 ISA,
# "WMMA", and the calculator's `K` of both ----------------------------------------------------------------------------


def wmma_gfx11(lanes: int) -> Holders:
    """Lanes below 16; those above have copies. C: rows take turns, two at a time in 32 lanes, four in 64."""
    groups = lanes // 16

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return x + 0 * at, at

    return Holders(factor, factor, lambda i, j, block: (16 * (i % groups) + j, i // groups))


def _eight_rows(i: Array, j: Array, block: Array) -> tuple[Array, Array]:
    return 16 * (i // 8) + j, i % 8


def wmma_gfx12_halves() -> Holders:
    """16 bits: four of K in the lower lanes, four in the upper, then again."""

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return 16 * (at // 4 % 2) + x, 4 * (at // 8) + at % 4

    return Holders(factor, factor, _eight_rows)


def wmma_gfx12(k: int) -> Holders:
    """Bytes and nibbles: half of K in the lower lanes, half in the upper. Of gfx1250 no document says K's order."""

    def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return 16 * (at // (k // 2)) + x, at % (k // 2)

    return Holders(factor, factor, _eight_rows)


def swmmac(k: int, bits: int) -> Holders:
    """A counts what is held. The calculator's, compared with a gfx1201 by AMD's fpsan, `fpsan/amdgcn_swmmac_gfx12.hpp`:
    of 16 bits groups g of four along K are in lanes i + 16 * (g / 2 % 2), `B[k][j]` in lane j + 16 * (k / 8 % 2), slot
    8 * (k / 16) + k % 8; of fp8 g / 4 and k / 16 say the half. Composable Kernel's ck_tile has the same, and of
    integers what fp8 has (`A=KP{8} L{KP1M} V{KP0} B=K{16} L{K1N} V{K0}`)."""

    def a(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        if bits != 16:
            return 16 * (at // (k // 4)) + x, at % (k // 4)
        group, place = at // 2, at % 2
        return 16 * (group // 2 % 2) + x, 2 * (2 * (group // 4) + group % 2) + place

    def b(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
        return 16 * (at // 8 % 2) + x, 8 * (at // 16) + at % 8

    return Holders(a, b if bits == 16 else wmma_gfx12(k).b, _eight_rows)


def scaled_wmma(bits: tuple[int, int]) -> Holders:
    """Composable Kernel's tests for gfx1250, "Register Mapping for 16x128": registers of bytes begin with K0, K32, K64
    and K96 in the lower lanes, 16 further on in the upper ones; of shorter elements with K0 and K64, 32 further on.
    AMD's rocjitsu has 32 rows as two tiles of 16, each with registers of its own."""

    def of(width: int) -> Holder:
        each = 16 if width == 8 else 32

        def factor(x: Array, at: Array, block: Array) -> tuple[Array, Array]:
            return 16 * (at // each % 2) + x % 16, 64 * (x // 16) + each * (at // (2 * each)) + at % each

        return factor

    return Holders(of(bits[0]), of(bits[1]), lambda i, j, block: (16 * (i % 16 // 8) + j, 8 * (i // 16) + i % 8))


def scale_of_wave(block: int, x: Array, at: Array) -> tuple[Array, Array]:
    """Lane behind the first, and byte, of the scale of a row or column and its K ("Scale[0-3]", "Scale[0-7]" there)."""
    return x + 0 * at, at // block + 0 * x


# -- loads that transpose ----------------------------------------------------------------------------------------------


def _sixteen_columns(reader: Array, number: Array) -> tuple[Array, Array]:
    """DS_READ_B64_TR_B16: of each sixteen, lane l gets halfword l % 4 of lane l / 4 and of those 4, 8 and 12 on."""
    return 16 * (reader // 16) + 4 * (reader % 4) + number, reader // 4 % 4 + 0 * number


def _eights(reader: Array, number: Array) -> tuple[Array, Array]:
    """TR16_B128: halfword n of each of eight lanes goes to the n-th of them."""
    return reader - reader % 8 + number, reader % 8 + 0 * number


def _rows_of_a_tile(reader: Array, number: Array) -> tuple[Array, Array]:
    """WMMA_TR_B8: a lane reads half of 16 rows, at one of 16 along K; rows become lanes, and halves of K do."""
    return 8 * (reader >> 3 & 1) + number + 16 * (reader >> 4), (reader & 7) + 0 * number


def _nibbles(reader: Array, number: Array) -> tuple[Array, Array]:
    """TR_B4: nibble n of the first and third eight lanes goes to lane n, of the others to lane 16 + n: to the first
    register, and to the second one."""
    return 2 * (reader & 8) + number, 8 * (reader // 16) + reader % 8 + 0 * number


def _six_bits(reader: Array, number: Array) -> tuple[Array, Array]:
    """TR_B6: of every eight lanes the lower four give to lanes below 16, field by field, the others to those above."""
    return number + 16 * (reader // 4 % 2), 4 * (reader // 8) + reader % 4 + 0 * number


FROM_SHARED = {16: _sixteen_columns}
FROM_GLOBAL = {16: _eights, 8: _rows_of_a_tile, 6: _six_bits, 4: _nibbles}
"""By bits of an element: (lane that reads, number of what it reads) to (lane that gets it, number there), of 32 lanes.
AMD's emulator rocjitsu (rocm-systems, `shared/ds_transpose.h`), which goes from readers to destinations."""


def extension_scale(bits: int, block: int, lane: Array) -> tuple[Array, Array]:
    """V_CVT_SCALE_PK8 and _PK16: (lane, byte) behind the first ones. A lane's elements begin where those of a product's
    fragment do, 16 along K after those of the lane 16 before (bytes), or 32; its scale is that of the block there."""
    return lane % 16, (16 if bits == 8 else 32) * (lane // 16) // block


def table(holder: Holder, extents: tuple[int, int], blocks: int, *, is_b: bool = False) -> tuple[Array, Array]:
    """(lanes, elements), each [block, row, column] of an operand of `extents`."""
    block, row, column = np.indices((blocks, *extents))
    lane, element = holder(column, row, block) if is_b else holder(row, column, block)
    return np.broadcast_to(lane, block.shape), np.broadcast_to(element, block.shape)
