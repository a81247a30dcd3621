"""Matrix instructions as data: shapes, types, and which lane holds which element.

Which lane holds which element follows closed formulas with l = lane and i = the element in register order, low bits
first; B is indexed (k, n), which is A's formula with row and column exchanged. They share nothing with the layouts of
the code generator: that is what makes running emitted code a check of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from .chip import Chip
from .values import Array

Place = Callable[[int, int], tuple[int, int, int]]
"""(lane, element) -> (block, row, column)."""


@dataclass(frozen=True)
class Shape:
    """Rows, columns, depth, blocks, lanes; elements per lane and formulas of A and of C."""

    m: int
    k: int
    blocks: int
    lanes: int
    a_count: int
    c_count: int
    a: Place
    b: Place
    c: Place


def _transposed(place: Place) -> Place:
    def swapped(lane: int, i: int) -> tuple[int, int, int]:
        block, row, column = place(lane, i)
        return block, column, row

    return swapped


def _mfma_single(m: int, k: int, wide: bool) -> Shape:
    n = k * m // 64

    def a(lane: int, i: int) -> tuple[int, int, int]:
        return 0, lane % m, n * (lane // m) + i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        if wide:
            return 0, lane // 16 + 4 * i, lane % 16
        if m == 16:
            return 0, 4 * (lane // 16) + i, lane % 16
        return 0, 8 * (i // 4) + 4 * (lane // 32) + i % 4, lane % 32

    return Shape(m, k, 1, 64, n, m * m // 64, a, _transposed(a), c)


def _mfma_blocks(m: int, k: int) -> Shape:
    blocks = 64 // m

    def a(lane: int, i: int) -> tuple[int, int, int]:
        return lane // m, lane % m, i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        if m == 4:
            return lane // 4, i, lane % 4
        if m == 16:
            return i // 4, 4 * (lane // 16) + i % 4, lane % 16
        return i // 16, 8 * ((i % 16) // 4) + 4 * (lane // 32) + i % 4, lane % 32

    return Shape(m, k, blocks, 64, k, blocks * m * m // 64, a, _transposed(a), c)


def _mfma_f64_blocks() -> Shape:
    def a(lane: int, i: int) -> tuple[int, int, int]:
        return lane // 4 % 4, lane % 4, lane // 16

    def c(lane: int, i: int) -> tuple[int, int, int]:
        return lane // 4 % 4, lane // 16, lane % 4

    return Shape(4, 4, 4, 64, 1, 1, a, _transposed(a), c)


def _wmma11(lanes: int) -> Shape:
    def a(lane: int, i: int) -> tuple[int, int, int]:
        return 0, lane % 16, i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        return 0, lanes // 16 * i + lane // 16, lane % 16

    return Shape(16, 16, 1, lanes, 16, 256 // lanes, a, _transposed(a), c)


def _wmma12(k: int, bits: int) -> Shape:
    def a(lane: int, i: int) -> tuple[int, int, int]:
        if bits == 16:
            return 0, lane % 16, 8 * (i // 4) + 4 * (lane // 16) + i % 4
        return 0, lane % 16, k // 2 * (lane // 16) + i

    def c(lane: int, i: int) -> tuple[int, int, int]:
        return 0, 8 * (lane // 16) + i, lane % 16

    return Shape(16, k, 1, 32, k // 2, 8, a, _transposed(a), c)


@dataclass(frozen=True, eq=False)
class Multiply:
    """One matrix instruction of one chip; `accumulator` is f32, f64, i32, f16 or bf16."""

    shape: Shape
    a_type: str
    b_type: str
    accumulator: str
    chip: Chip

    @property
    def duplicated(self) -> bool:
        """Whether every 16 lanes repeat A and B of the first 16."""
        return self.chip.generation == 11

    @property
    def packed_accumulator(self) -> bool:
        """Whether two 16-bit elements of C share a register."""
        return self.accumulator in ("f16", "bf16") and self.chip.generation >= 12


BITS = {"f64": 64, "f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "i8": 8, "iu8": 8, "iu4": 4, "fp8": 8, "bf8": 8,
        "fp6": 6, "bf6": 6, "fp4": 4}  # fmt: skip
_MFMA = re.compile(
    r"v_mfma_(f32|i32|f64)_(\d+)x(\d+)x(\d+)_?(?:(\d+)b_)?(xf32|f32|f16|bf16|i8|f64|fp8|bf8)(?:_(fp8|bf8))?(_1k)?$"
)
_WMMA = re.compile(r"v_wmma_(f32|i32|f16|bf16)_16x16x(\d+)_(f32|f16|bf16|iu8|iu4|fp8|bf8)(?:_(fp8|bf8))?$")
_SELECTED = re.compile(r"v_(mfma|wmma)_f32_(16x16x128|32x32x64)_f8f6f4$")
_SCALED = re.compile(r"v_mfma_scale_f32_(16x16x128|32x32x64)_f8f6f4$")
_FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")
_SHORT = 2
"""From this format on, elements are shorter than a byte."""
_SMFMAC = re.compile(r"v_smfmac_(f32|i32)_(\d+)x\d+x(\d+)_(f16|bf16|i8|fp8|bf8)(?:_(fp8|bf8))?$")
_SWMMAC = re.compile(r"v_swmmac_(f32|i32|f16|bf16)_16x16x(\d+)_(f16|bf16|iu8|iu4|fp8|bf8)(?:_(fp8|bf8))?$")
_DEPTHS_OF_1250 = {"f32": (4,), "f16": (32,), "bf16": (32,), "iu8": (64,), "fp8": (64, 128), "bf8": (64, 128)}


@cache
def find(opcode: str, chip: Chip, formats: tuple[int, int] = (0, 0)) -> Multiply | None:
    """The instruction of that name on that chip; None if it is not known. `formats` are those of A and B of f8f6f4."""
    if match := _SELECTED.match(opcode):
        return _find_selected(match, chip, formats)
    if match := _MFMA.match(opcode):
        return _find_mfma(match, chip)
    match = _WMMA.match(opcode)
    if match is None or (chip.wavefront != 32 and chip.generation != 11):
        return None
    accumulator, depth, first, second = match[1], int(match[2]), match[3], match[4]
    if chip.is_1250:
        # Only the order of K is not known here; any order does, since A and B have the same one.
        known = depth in _DEPTHS_OF_1250.get(first, ())
        return Multiply(_wmma12(depth, 8), first, second or first, accumulator, chip) if known else None
    if chip.generation == 11 and depth == 16:
        return Multiply(_wmma11(chip.wavefront), first, second or first, accumulator, chip)
    if chip.generation == 12 and (depth == 16 or (depth == 32 and first == "iu4")):
        return Multiply(_wmma12(depth, BITS[first]), first, second or first, accumulator, chip)
    return None


@cache
def find_scaled(opcode: str, chip: Chip, formats: tuple[int, int]) -> Multiply | None:
    """The product that one of block-scaled elements is; None if it is not known. `formats` are cbsz and blgp."""
    match = _SCALED.match(opcode)
    if match is None or chip.name != "gfx950" or max(formats) >= len(_FORMATS):
        return None
    m, k = (16, 128) if match[1] == "16x16x128" else (32, 64)
    dense = _mfma_single(m, k, False)
    a, b = (_in_halves(m, k) if number < _SHORT else dense.a for number in formats)
    shape = replace(dense, a=a, b=_transposed(b))
    return Multiply(shape, _FORMATS[formats[0]], _FORMATS[formats[1]], "f32", chip)


def _in_halves(m: int, k: int) -> Place:
    """Bytes: of either half of K a lane has 16 neighbours. Composable Kernel, `test/mx_mfma_op/mx_mfma_op.hpp`: the
    registers of lanes 16 to 31 of 16x16x128 begin with K16, the fifth of them with K80."""

    def a(lane: int, i: int) -> tuple[int, int, int]:
        half, within = divmod(i, 16)
        return 0, lane % m, half * k // 2 + lane // m * 16 + within

    return a


def find_sparse(opcode: str, chip: Chip) -> Multiply | None:
    """The dense product that one of a sparse A is; None if it is not known. A lane's part of A, with zeros where
    nothing is held, meets the part of B of the same lanes, so the order of K is none of its matter."""
    if match := _SWMMAC.match(opcode):
        return _find_wave_sparse(match, chip)
    match = _SMFMAC.match(opcode)
    if match is None or chip.name not in ("gfx942", "gfx950"):
        return None
    shape = _mfma_single(int(match[2]), int(match[3]), False)
    bytes_of_b = shape.a_count * BITS[match[4]] // 8
    if bytes_of_b > (16 if chip.name == "gfx942" else 32):
        return None
    return Multiply(shape, match[4], match[5] or match[4], match[1], chip)


def _find_wave_sparse(match: re.Match[str], chip: Chip) -> Multiply | None:
    depth, kind = int(match[2]), match[3]
    known = depth == 32 or (depth == 64 and kind == "iu4")
    if chip.generation != 12 or chip.is_1250 or chip.wavefront != 32 or not known:
        return None
    return Multiply(_wmma12(depth, 8), kind, match[4] or kind, match[1], chip)


def _find_selected(match: re.Match[str], chip: Chip, formats: tuple[int, int]) -> Multiply | None:
    """The order of K is not known here; any order does, since A and B have the same one."""
    if (formats[0] < _SHORT) != (formats[1] < _SHORT) or max(formats) >= len(_FORMATS):
        return None  # bytes and shorter elements have K in different orders
    m, k = (16, 128) if match[2] == "16x16x128" else (32, 64)
    shapes = {"gfx950": ("mfma", _mfma_single(m, k, False)), "gfx1250": ("wmma", _wmma12(k, 8))}
    family, shape = shapes.get(chip.name, ("", None))
    if family != match[1] or shape is None or m * k != shape.m * shape.k:
        return None
    return Multiply(shape, _FORMATS[formats[0]], _FORMATS[formats[1]], "f32", chip)


def _find_mfma(match: re.Match[str], chip: Chip) -> Multiply | None:
    accumulator, m, k, kind = match[1], int(match[2]), int(match[4]), match[6]
    if chip.generation != 9:
        return None
    second = match[7] or kind
    if kind == "f64":
        shape = _mfma_f64_blocks() if m == 4 else _mfma_single(m, k, True)
        return Multiply(shape, kind, second, accumulator, chip)
    if m == 4 or match[5] is not None:
        return Multiply(_mfma_blocks(m, k), kind, second, accumulator, chip)
    # Before gfx942 the spelling does not name the blocks: a lane holds as many elements as the instruction reads.
    held = {"f32": 1, "xf32": 2, "bf16": 4 if match[8] else 2}.get(kind, 4)
    blocks = k == held and chip.name in ("gfx908", "gfx90a")
    return Multiply(_mfma_blocks(m, k) if blocks else _mfma_single(m, k, False), kind, second, accumulator, chip)


@cache
def gather_order(multiply: Multiply, role: str) -> Array:
    """For each element [block, row, column] of A or B, its position lane * count + i among the registers."""
    shape = multiply.shape
    rows, columns = (shape.m, shape.k) if role == "A" else (shape.k, shape.m)
    place = shape.a if role == "A" else shape.b
    order = np.full((shape.blocks, rows, columns), -1)
    for lane in range(shape.lanes):
        for i in range(shape.a_count):
            order[place(lane, i)] = lane * shape.a_count + i
    assert (order >= 0).all(), "a fragment covers its matrix"
    return order.reshape(-1)


@cache
def spread_order(multiply: Multiply) -> Array:
    """Positions in [block, row, column] of C, ordered (i, lane)."""
    shape = multiply.shape
    places = [shape.c(lane, i) for i in range(shape.c_count) for lane in range(shape.lanes)]
    return np.array([(b * shape.m + r) * shape.m + c for b, r, c in places])
