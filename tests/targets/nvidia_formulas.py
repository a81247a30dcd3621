"""Who holds what on NVIDIA's chips, as the PTX ISA and CuTe say it: the second voice, which knows none of our tables.

A formula takes arrays of lanes [lane, 1] and of a lane's elements [1, element], in register order, low bits first, and
gives coordinates: of A (row, k), of B (k, column), of C and D (row, column). Sources are named with each; the PTX ISA
writes g for lane >> 2 ("groupID") and t for lane & 3 ("threadID_in_group"), and tells elements apart by ranges of i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Places = tuple[Array, Array]
Formula = Callable[[Array, Array], Places]


def _is_in(i: Array, *ranges: range) -> Array:
    return np.isin(i, [x for r in ranges for x in r])


# -- mma.sync: PTX ISA, "Matrix fragments for mma.m*n*k*" ---------------------------------------------------------


def _wide_sums(lane: Array, i: Array) -> Places:
    """m16n8: "row = groupID for c0 and c1, groupID + 8 for c2 and c3"."""
    return np.where(i < 2, lane >> 2, (lane >> 2) + 8), (lane & 3) * 2 + (i & 1)


def _narrow_sums(lane: Array, i: Array) -> Places:
    """m8n8."""
    return (lane >> 2) + 0 * i, (lane & 3) * 2 + i


def _a_m16n8k8_half(lane: Array, i: Array) -> Places:
    return np.where(i < 2, lane >> 2, (lane >> 2) + 8), (lane & 3) * 2 + (i & 1)


def _a_m16n8k16_half(lane: Array, i: Array) -> Places:
    upper = _is_in(i, range(2), range(4, 6))
    k = (lane & 3) * 2 + (i & 1)
    return np.where(upper, lane >> 2, (lane >> 2) + 8), np.where(i < 4, k, k + 8)


def _b_half(lane: Array, i: Array) -> Places:
    """k8 has two of them, k16 four; mma.sp's k32 goes on like this: "+ 16 for b4 and b5, + 24 for b6 and b7"."""
    beyond = np.select([i < 2, i < 4, i < 6], [0, 8, 16], 24)
    return (lane & 3) * 2 + (i & 1) + beyond, (lane >> 2) + 0 * i


def _a_m16n8k4(lane: Array, i: Array) -> Places:
    return np.where(i == 0, lane >> 2, (lane >> 2) + 8), (lane & 3) + 0 * i


def _a_m16n8k8_word(lane: Array, i: Array) -> Places:
    even = _is_in(i, range(1), range(2, 3))
    return np.where(even, lane >> 2, (lane >> 2) + 8), np.where(i < 2, lane & 3, (lane & 3) + 4)


def _a_m16n8k16_double(lane: Array, i: Array) -> Places:
    """ "col = i * 2 + threadID_in_group where i is even, i * 2 - 2 + threadID_in_group where it is odd"."""
    even = i % 2 == 0
    return np.where(even, lane >> 2, (lane >> 2) + 8), np.where(even, i * 2, i * 2 - 2) + (lane & 3)


def _b_word(lane: Array, i: Array) -> Places:
    return (lane & 3) + i * 4, (lane >> 2) + 0 * i


def _one(lane: Array, i: Array) -> Places:
    """A of m8n8k4."""
    return (lane >> 2) + 0 * i, (lane & 3) + 0 * i


def _a_one_register(each: int) -> Formula:
    """m8n8k16 of bytes, m8n8k32 of nibbles."""
    return lambda lane, i: ((lane >> 2) + 0 * i, (lane & 3) * each + i)


def _b_one_register(each: int) -> Formula:
    return lambda lane, i: ((lane & 3) * each + i, (lane >> 2) + 0 * i)


def _a_two_registers(each: int) -> Formula:
    return lambda lane, i: (np.where(i < each, lane >> 2, (lane >> 2) + 8), (lane & 3) * each + (i & (each - 1)))


def _a_four_registers(each: int) -> Formula:
    """m16n8k32 of bytes: "groupID for 0 <= i < 4 and 8 <= i < 12"; k64 of nibbles: for 0 <= i < 8 and 16 <= i < 24."""

    def a(lane: Array, i: Array) -> Places:
        upper = _is_in(i, range(each), range(2 * each, 3 * each))
        k = (lane & 3) * each + (i & (each - 1))
        return np.where(upper, lane >> 2, (lane >> 2) + 8), np.where(i < 2 * each, k, k + 4 * each)

    return a


def _b_registers(each: int) -> Formula:
    """Two of them in mma.sync, four in mma.sp of twice the depth."""

    def b(lane: Array, i: Array) -> Places:
        beyond = np.select([i < each, i < 2 * each, i < 3 * each], [0, 4 * each, 8 * each], 12 * each)
        return (lane & 3) * each + (i & (each - 1)) + beyond, (lane >> 2) + 0 * i

    return b


MMA: dict[tuple[str, int], tuple[Formula, Formula, Formula]] = {
    ("m16n8k8", 16): (_a_m16n8k8_half, _b_half, _wide_sums),
    ("m16n8k16", 16): (_a_m16n8k16_half, _b_half, _wide_sums),
    ("m16n8k4", 32): (_a_m16n8k4, _b_word, _wide_sums),
    ("m16n8k8", 32): (_a_m16n8k8_word, _b_word, _wide_sums),
    ("m8n8k16", 8): (_a_one_register(4), _b_one_register(4), _narrow_sums),
    ("m16n8k16", 8): (_a_two_registers(4), _b_one_register(4), _wide_sums),
    ("m16n8k32", 8): (_a_four_registers(4), _b_registers(4), _wide_sums),
    ("m8n8k32", 4): (_a_one_register(8), _b_one_register(8), _narrow_sums),
    ("m16n8k32", 4): (_a_two_registers(8), _b_one_register(8), _wide_sums),
    ("m16n8k64", 4): (_a_four_registers(8), _b_registers(8), _wide_sums),
    ("m8n8k4", 64): (_one, _b_word, _narrow_sums),
    ("m16n8k4", 64): (_a_m16n8k4, _b_word, _wide_sums),
    ("m16n8k8", 64): (_a_m16n8k8_word, _b_word, _wide_sums),
    ("m16n8k16", 64): (_a_m16n8k16_double, _b_word, _wide_sums),
}
"""By shape and bits of an element of A in its register. Products with block scales have those of the same width:
CUTLASS, `mma_traits_sm120.hpp`."""

# -- CuTe's way: a thread's and a value's digits, each (size, stride), of a number row + rows * column ---------------

Digits = Sequence[tuple[int, int]]


def of_strides(rows: int, thread: Digits, value: Digits) -> Formula:
    """A layout of threads and values as CUTLASS writes them; of B the "row" is the column n."""

    def at(index: Array, digits: Digits) -> Array:
        found, rest = 0 * index, index
        for size, stride in digits:
            rest, digit = np.divmod(rest, size)
            found = found + digit * stride
        return found

    def places(lane: Array, i: Array) -> Places:
        number = at(lane, thread) + at(i, value)
        return number % rows, number // rows

    return places


def _swapped(places: Formula) -> Formula:
    return lambda lane, i: (places(lane, i)[1], places(lane, i)[0])


# -- mma.sp: of A what is held. PTX ISA, "Matrix fragments for sparse mma"; of bytes and nibbles CUTLASS,
# `mma_traits_sm120_sparse.hpp`, whose ALayout counts all of A: half of it is held.

SPARSE: dict[tuple[str, int], tuple[Formula, Formula, Formula]] = {
    ("m16n8k16", 16): (_a_m16n8k8_half, _b_half, _wide_sums),
    ("m16n8k32", 16): (_a_m16n8k16_half, _b_half, _wide_sums),
    ("m16n8k8", 32): (_a_m16n8k4, _b_word, _wide_sums),
    ("m16n8k16", 32): (_a_m16n8k8_word, _b_word, _wide_sums),
    ("m16n8k32", 8): (_a_two_registers(4), _b_registers(4), _wide_sums),
    ("m16n8k64", 8): (
        of_strides(16, [(4, 64), (8, 1)], [(4, 16), (2, 8), (2, 256)]),
        _swapped(of_strides(8, [(4, 32), (8, 1)], [(4, 8), (4, 128)])),
        _wide_sums,
    ),
    ("m16n8k64", 4): (_a_two_registers(8), _b_registers(8), _wide_sums),
    ("m16n8k128", 4): (
        of_strides(16, [(4, 128), (8, 1)], [(8, 16), (2, 8), (2, 512)]),
        _swapped(of_strides(8, [(4, 64), (8, 1)], [(8, 8), (4, 256)])),
        _wide_sums,
    ),
}
"""By shape of the dense product, and bits of an element of A in its register."""


def metadata_owner(k: int, bits: int, row: Array, field: Array, selector: int) -> tuple[Array, Array]:
    """(lane, lowest bit) of a field of 2 bits of a row.

    PTX ISA, "Sparse matrix storage" and its figures: lane 4 (row % 8) and the three behind it have rows row % 8 and
    row % 8 + 8. m16n8k16 of f16 and m16n8k8 of tf32: one of the four, which the selector names, has 16 bits of either
    row, the lower row below; twice the depth: two of the four, the upper or the lower pair, each half of the columns.
    Of bytes and nibbles lanes have 32 bits of one row: CUTLASS' ELayout is ((2, 2, 8), 32) : ((8, 512, 1), 16) of
    (16, 64), so lane % 2 says which row and lane / 2 % 2 which half of the columns."""
    fields_of_lane = 8 if bits >= 16 else 16
    part = field // fields_of_lane
    count = {32: 2 * k, 16: k, 8: k, 4: k // 2}[bits] // 2 // fields_of_lane  # parts of a row
    if bits >= 16:
        return 4 * (row % 8) + count * selector + part, 16 * (row // 8) + 2 * (field % 8)
    pair = 2 * part if count == 2 else 2 * selector
    return 4 * (row % 8) + pair + row // 8, 2 * (field % 16)


# -- scales: CUTLASS, `mma_traits_sm120.hpp`: SFALayout ((2, 2, 8), k) : ((8, 0, 1), 16), SFBLayout ((4, 8), k) :
# ((0, 1), 8); the strides of 0 are what selectors choose (PTX ISA, "Block scaling for mma.sync"): of A's four lanes the
# first or the second two, of B's one, and of a register's bytes those from the selected one on.


def scale_row(lane: Array) -> tuple[Array, Array]:
    """(row of A, selector of lanes) of a lane."""
    return 8 * (lane % 2) + lane // 4, lane // 2 % 2


def scale_column(lane: Array) -> tuple[Array, Array]:
    """(column of B, selector of lanes) of a lane."""
    return lane // 4, lane % 4


# -- wgmma: CUTLASS, `mma_traits_sm90_gmma.hpp`: CLayout_64xN, ALayout_64x8, _64x16 and _64x32, of 128 threads -----


def wgmma_accumulator(n: int) -> Formula:
    return of_strides(64, [(4, 128), (8, 1), (4, 16)], [(2, 64), (2, 8), (n // 8, 512)])


WGMMA_A = {
    32: of_strides(64, [(4, 64), (8, 1), (4, 16)], [(2, 8), (2, 256)]),
    16: of_strides(64, [(4, 128), (8, 1), (4, 16)], [(2, 64), (2, 8), (2, 512)]),
    8: of_strides(64, [(4, 256), (8, 1), (4, 16)], [(4, 64), (2, 8), (2, 1024)]),
}
"""By bits of an element."""

# -- ldmatrix: PTX ISA, "ldmatrix", the figures of m8n8 and of .trans ------------------------------------------------


def tile(lane: Array, i: Array) -> Places:
    """Thread 0 has elements 0 and 1 of row 0, thread 1 elements 2 and 3, thread 4 begins row 1."""
    return lane // 4 + 0 * i, 2 * (lane % 4) + i


# -- tcgen05: CUTLASS, `copy_traits_sm100.hpp`: DstLayout of SM100_TMEM_LOAD_*, in bits of rows of 32 * columns bits;
# PTX ISA, "Data path layout organization": layout D of 128 rows, F of 64.


def _moved(lanes: int, row_bits: int, thread: Digits, value: Digits) -> Callable[[Array, Array], Places]:
    """(lane, column) of the register r of a thread; strides count bits of one repetition, `lanes` x `row_bits`."""
    each = lanes * row_bits // 32 // 32

    def places(t: Array, r: Array) -> Places:
        def at(index: Array, digits: Digits) -> Array:
            found, rest = 0 * index, index
            for size, stride in digits:
                rest, digit = np.divmod(rest, size)
                found = found + digit * stride
            return found

        bit = at(t, thread) + at(r % each, value)
        return bit // row_bits, bit % row_bits // 32 + r // each * (row_bits // 32)

    return places


TENSOR_MOVES = {
    "32x32b": _moved(32, 32, [(32, 32)], []),
    "16x64b": _moved(16, 64, [(2, 512), (2, 32), (8, 64)], []),
    "16x128b": _moved(16, 128, [(4, 32), (8, 128)], [(2, 1024)]),
    "16x256b": _moved(16, 256, [(4, 64), (8, 256)], [(2, 32), (2, 2048)]),
}
TENSOR_COPIES = {
    "128x256b": (32, [list(range(128))]),
    "4x256b": (32, [[0, 32, 64, 96]]),
    "128x128b": (16, [list(range(128))]),
    "64x128b.warpx2::02_13": (16, [[*range(32), *range(32, 64)], [*range(64, 96), *range(96, 128)]]),
    "64x128b.warpx2::01_23": (16, [[*range(32), *range(64, 96)], [*range(32, 64), *range(96, 128)]]),
    "32x128b.warpx4": (16, [list(range(w, w + 32)) for w in (0, 32, 64, 96)]),
}
"""Bytes of a row, and lanes by row, one list a copy (PTX ISA, "tcgen05.cp": warps 0 and 2 have one half, 1 and 3 the
other, or 0 and 1, 2 and 3: those named together get the same)."""
