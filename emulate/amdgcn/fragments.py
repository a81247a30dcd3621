"""Matrix instructions by their names in machine text: shapes, types, and how operands are placed.

Which lane holds which element is what `targets` says, in one table for everybody, with K as the hardware numbers it.
Which instructions a chip has, and what their names say, is written here from the instruction sets' documents.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from ...support.dataclasses import dataclass
from ...targets import amd_fragments
from ...targets.amd_fragments import WAVE
from ...targets.fragment import Fragment, Operands, placement
from .chip import Chip
from .wave_values import Array


@dataclass(frozen=True)
class Shape:
    """Rows, depth, blocks, lanes, and who holds what."""

    m: int
    k: int
    blocks: int
    lanes: int
    fragments: Operands

    @property
    def n(self) -> int:
        """Columns."""
        return self.fragments.c.shape[-1]

    @property
    def a_count(self) -> int:
        """Elements of A per lane."""
        return self.fragments.a.elements

    @property
    def b_count(self) -> int:
        return self.fragments.b.elements

    @property
    def c_count(self) -> int:
        return self.fragments.c.elements


def _mfma(m: int, k: int, blocks: int = 1, *, is_f64: bool = False) -> Shape:
    return Shape(m, k, blocks, WAVE, amd_fragments.mfma(m, k, blocks, is_f64=is_f64))


def _wmma(k: int, a_and_b: tuple[Fragment, Fragment] | None = None) -> Shape:
    a, b, c = amd_fragments.wmma(k)
    return Shape(16, k, 1, 32, Operands(*(a_and_b or (a, b)), c))


def _f8f6f4(m: int, k: int, formats: tuple[int, int]) -> Shape:
    """The shape of a product of A and B of these formats, bytes or shorter each."""
    a, b = (amd_fragments.f8f6f4_a(m, BITS[_FORMATS[number]]) for number in formats)
    return Shape(m, k, 1, WAVE, Operands(a, b.transposed, amd_fragments.mfma(m, k).c))


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
_SCALED_WMMA = re.compile(r"v_wmma_scale(16)?_f32_(?:(16)x16x128_f8f6f4|(32)x16x128_f4)$")
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
        return Multiply(_wmma(depth), first, second or first, accumulator, chip) if known else None
    if chip.generation == 11 and depth == 16:
        shape = Shape(16, depth, 1, chip.wavefront, amd_fragments.wmma_gfx11(depth, chip.wavefront))
        return Multiply(shape, first, second or first, accumulator, chip)
    if chip.generation == 12 and (depth == 16 or (depth == 32 and first == "iu4")):
        numbered = amd_fragments.wmma_halves() if BITS[first] == 16 else None
        return Multiply(_wmma(depth, numbered), first, second or first, accumulator, chip)
    return None


@dataclass(frozen=True, eq=False)
class Scales:
    """Where the scales of one side of a product are: lane and number of the byte of each [row or column, block]."""

    lane: Array
    byte: Array
    format: str
    """e8m0 or e4m3."""


def scales_of_mfma(multiply: Multiply, byte: int) -> Scales:
    """In the byte that the instruction says, of lanes that take turns along K (CDNA 4 ISA, "Block scaling")."""
    m, k = multiply.shape.m, multiply.shape.k
    block = amd_fragments.SCALE_BLOCK
    (lane,) = amd_fragments.scales(m)(np.arange(m)[:, None], np.arange(k // block)[None, :])
    return Scales(lane, np.full_like(lane, byte), "e8m0")


def scales_of_wmma(multiply: Multiply, role: str, block: int, upper: bool, format: str) -> Scales:
    """In lanes of a row, or the `upper` row of lanes; of 32 rows in all lanes."""
    rows = multiply.shape.m if role == "A" else multiply.shape.n
    lane, byte = amd_fragments.wmma_scales(rows, block)(
        np.arange(rows)[:, None], np.arange(multiply.shape.k // block)[None, :]
    )
    return Scales(lane + 16 * upper, byte, format)


@cache
def find_scaled_wmma(opcode: str, chip: Chip, formats: tuple[int, int]) -> tuple[Multiply, int] | None:
    """The product, and elements of a block; None if it is not known. `formats` are those of A and B."""
    match = _SCALED_WMMA.match(opcode)
    if match is None or not chip.is_1250 or max(formats) >= len(_FORMATS):
        return None
    rows = int(match[2] or match[3])
    if rows == 32:
        formats = _FORMATS.index("fp4"), _FORMATS.index("fp4")
    a, b = (_FORMATS[number] for number in formats)
    operands = Operands(
        amd_fragments.scaled_wmma_a(rows, BITS[a]),
        amd_fragments.scaled_wmma_a(16, BITS[b]).transposed,
        amd_fragments.scaled_wmma_accumulator(rows),
    )
    return Multiply(Shape(rows, 128, 1, 32, operands), a, b, "f32", chip), 16 if match[1] else 32


@cache
def find_scaled(opcode: str, chip: Chip, formats: tuple[int, int]) -> Multiply | None:
    """The product that one of block-scaled elements is; None if it is not known. `formats` are cbsz and blgp."""
    match = _SCALED.match(opcode)
    if match is None or chip.name != "gfx950" or max(formats) >= len(_FORMATS):
        return None
    m, k = (16, 128) if match[1] == "16x16x128" else (32, 64)
    return Multiply(_f8f6f4(m, k, formats), _FORMATS[formats[0]], _FORMATS[formats[1]], "f32", chip)


def find_sparse(opcode: str, chip: Chip) -> Multiply | None:
    """The dense product that one of a sparse A is, with zeros where nothing is held; None if it is not known."""
    if match := _SWMMAC.match(opcode):
        return _find_wave_sparse(match, chip)
    match = _SMFMAC.match(opcode)
    if match is None or chip.name not in ("gfx942", "gfx950"):
        return None
    size, k, bits = int(match[2]), int(match[3]), BITS[match[4]]
    found = amd_fragments.smfmac(size, k, bits)
    if found.b.elements * bits // 8 > (16 if chip.name == "gfx942" else 32):
        return None
    shape = Shape(size, k, 1, WAVE, Operands(found.dense, found.b, found.c))
    return Multiply(shape, match[4], match[5] or match[4], match[1], chip)


def _find_wave_sparse(match: re.Match[str], chip: Chip) -> Multiply | None:
    depth, kind = int(match[2]), match[3]
    known = depth == 32 or (depth == 64 and kind == "iu4")
    if chip.generation != 12 or chip.is_1250 or chip.wavefront != 32 or not known:
        return None
    found = amd_fragments.swmmac(depth, BITS[kind])
    shape = Shape(16, depth, 1, 32, Operands(found.dense, found.b, found.c))
    return Multiply(shape, kind, match[4] or kind, match[1], chip)


def _find_selected(match: re.Match[str], chip: Chip, formats: tuple[int, int]) -> Multiply | None:
    """The product whose types a text selects; of gfx1250 the order of K is not known; any order does, since A and B
    have the same one."""
    if (formats[0] < _SHORT) != (formats[1] < _SHORT) or max(formats) >= len(_FORMATS):
        return None  # bytes and shorter elements have K in different orders
    m, k = (16, 128) if match[2] == "16x16x128" else (32, 64)
    shapes = {"gfx950": ("mfma", _f8f6f4(m, k, formats)), "gfx1250": ("wmma", _wmma(k))}
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
        shape = _mfma(m, k, 4 if m == 4 else 1, is_f64=True)
        return Multiply(shape, kind, second, accumulator, chip)
    if m == 4 or match[5] is not None:
        return Multiply(_mfma(m, k, WAVE // m), kind, second, accumulator, chip)
    # Before gfx942 the spelling does not name the blocks: a lane holds as many elements as the instruction reads.
    held = {"f32": 1, "xf32": 2, "bf16": 4 if match[8] else 2}.get(kind, 4)
    blocks = k == held and chip.name in ("gfx908", "gfx90a")
    return Multiply(_mfma(m, k, WAVE // m if blocks else 1), kind, second, accumulator, chip)


@cache
def gather_order(multiply: Multiply, role: str) -> Array:
    """For each element [block, row, column] of A or B, its position lane * count + i among the registers."""
    shape = multiply.shape
    return placement(shape.fragments["AB".index(role)], shape.lanes).places


@cache
def spread_order(multiply: Multiply) -> Array:
    """Positions in [block, row, column] of C, ordered (i, lane)."""
    return placement(multiply.shape.fragments.c, multiply.shape.lanes).elements.T.reshape(-1)
